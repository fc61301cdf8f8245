"""Whether anybody answers: a service is asked a few items of a run, one by one, before all the others.

Where it answers none of them the run is over at once, because thousands of questions and another attempt
every few seconds would come to the same. A service that says that it is busy, or that has answered
something in this run before, is asked again as patiently as ever.
"""

from collections.abc import Sequence

from palaver.core.errors import SystemFailureError
from palaver.core.evaluation.runs import Prediction
from palaver.core.raw_answers import RawAnswer
from palaver.core.words import counted
from palaver.evaluation.jobs.calls import AWAY, Item, ItemAsker, Take
from palaver.evaluation.models.advice import mend_failure
from palaver.systems.predictor import GuardedPredictor, StartFailureError

# So many items are asked before a service is given up: one of them may be to blame itself.
PROBED = 3


class DeadServiceError(SystemFailureError):
    """A service answers no question as the task asks; asking again changes nothing."""

    is_final = True

    def __init__(self, kind: str, told: str, *, raw: RawAnswer | None = None) -> None:
        super().__init__(kind, told, raw=raw)


async def start_model(asking: ItemAsker, predictor: GuardedPredictor) -> None:
    """Start a model; DeadServiceError for a service that cannot be asked."""
    try:
        await predictor.start()
    except StartFailureError as error:
        if not predictor.is_service or asking.has_accepted:
            raise
        raise judged_start(error, is_quoted=asking.is_quoted) from error


def judged_start(error: StartFailureError, *, is_quoted: bool) -> SystemFailureError:
    """What it comes to that a service that has answered nothing yet did not start."""
    if error.is_busy:
        return error
    told = _told(error, is_quoted=is_quoted)
    return DeadServiceError(error.kind, told, raw=error.raw)


async def probe_service(
    asking: ItemAsker,
    predictor: GuardedPredictor,
    items: Sequence[Item],
    take: Take,
    *,
    of: int | None = None,
) -> list[Item]:
    """The items that are left to ask once a service has answered one; all for what runs here.

    DeadServiceError where it answers none, unless that may pass: then the failure itself. `of` is how
    many there are to ask where these are only the first.
    """
    if not predictor.is_service:
        return list(items)
    was_alive = asking.has_accepted
    failures: list[SystemFailureError] = []
    answers: list[Prediction] = []
    for item in spread_items(items):
        try:
            answers.append(await asking.probe(item, predictor))
        except SystemFailureError as error:
            failures.append(error)
            if error.kind in AWAY or _is_busy(error):
                break
            continue
        await take(answers[-1:])
        if answers[-1].answer is not None:
            break
    left = _left(items, answers)
    if not answers or answers[-1].answer is None:
        spared = (of or len(items)) - len(answers) - len(failures)
        _judge(asking, failures, answers, spared=spared, was_alive=was_alive)
    return left


def _judge(
    asking: ItemAsker,
    failures: Sequence[SystemFailureError],
    answers: Sequence[Prediction],
    *,
    spared: int,
    was_alive: bool,
) -> None:
    """Raise what a probe without a good answer comes to; nothing where the others may go better."""
    if failures and (was_alive or _is_busy(failures[-1])):
        raise failures[-1]
    if was_alive or not (failures or answers):
        return
    if failures:
        first = failures[0]
        told = _told(first, is_quoted=asking.is_quoted, spared=spared)
        raise DeadServiceError(first.kind, told, raw=first.raw)
    raise DeadServiceError("garbage", _refused(asking, answers, spared=spared))


def spread_items(items: Sequence[Item]) -> list[Item]:
    """The first item, and others far from it: neighbours are often alike."""
    last = len(items) - 1
    places = dict.fromkeys(round(n * last / (PROBED - 1)) for n in range(PROBED))
    return [items[place] for place in places] if items else []


def _left(items: Sequence[Item], answers: Sequence[Prediction]) -> list[Item]:
    asked = {each.position for each in answers}
    return [item for item in items if item[0] not in asked]


def _is_busy(error: SystemFailureError) -> bool:
    return bool(getattr(error, "is_busy", False))


def _told(error: SystemFailureError, *, is_quoted: bool, spared: int = 0) -> str:
    sentence = str(error).strip()
    told = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
    others = f"So {_others(spared)}." if spared else ""
    return _joined(told, others, _next(mend_failure(error), is_quoted=is_quoted))


def _refused(asking: ItemAsker, answers: Sequence[Prediction], *, spared: int) -> str:
    count = len(answers)
    told = f"All of the first {counted(count, 'answer')} were refused, so {_others(spared)}"
    if not spared:
        told = f"{count} of {counted(count, 'answer')} {'was' if count == 1 else 'were'} refused"
    if not asking.is_quoted:
        # What a team's endpoint sent is for the desk alone.
        return f"{told}."
    return _joined(f"{told}; first: {answers[0].problem}", _next(asking.mend, is_quoted=True))


def _others(spared: int) -> str:
    many = "items were" if spared > 1 else "item was"
    return f"the other {f'{spared:,} ' if spared > 1 else ''}{many} not asked"


def _next(mend: str, *, is_quoted: bool) -> str:
    """What to do now; a team does not retry a run itself."""
    return f"{mend} Then retry the run." if is_quoted else mend


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
