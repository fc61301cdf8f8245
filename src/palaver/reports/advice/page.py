"""The page of a round's results: what its template is given, who took part, and a few examples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from palaver import __version__
from palaver.analysis.advice import SituationPreference
from palaver.core.deadlines import in_both_zones
from palaver.core.situations import AdviceJudgement, Situation
from palaver.core.words import coefficient, counted, percent
from palaver.reports.advice.figures import losing
from palaver.reports.advice.words import STILL, WHY
from palaver.reports.pages import Drawing, render
from palaver.reports.standing_tables import BoardTable
from palaver.studies.advice.board_records import AdviceBoard, Share
from palaver.studies.advice.closing import FinalRound

MOST_EXAMPLES = 6
# What is told of models, each in a column where any model has it.
COLUMNS = ("parameters", "team", "date")
# Raters by kind, in words.
KINDS = {
    "person": "people",
    "simulated": "simulated raters",
    "model": "model judges",
    "anonymous": "raters who are not named",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterGroup:
    """Raters of one kind: how many, how much they judged, and the median of their seconds."""

    kind: str
    raters: int
    judgements: int
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownExample:
    """A situation with both pieces of advice and how many raters chose the model's."""

    title: str
    text: str
    topic: str
    model: str
    people_advice: str
    model_advice: str
    chosen: int
    judgements: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResultsPage:
    """Everything that the template shows; `closed` is None where the numbers are not final."""

    board: AdviceBoard
    tables: Sequence[BoardTable]
    groups: Sequence[RaterGroup] = ()
    examples: Sequence[ShownExample] = ()
    closed: float | None = None
    # Beside the page lie the lines of the results, and everything as a ZIP.
    has_lines: bool = False
    archive: str = ""


def page_html(page: RoundResultsPage, drawings: dict[str, Drawing]) -> str:
    """The page, which needs nothing but itself."""
    board = page.board
    return render(
        "advice_results.html",
        page=page,
        board=board,
        drawings=drawings,
        files=[table.file for table in page.tables],
        losing=losing(board),
        still=STILL,
        why=WHY,
        share=_share,
        ends=_ends,
        number=_number,
        p_value=_p_value,
        told={name: any(getattr(each.model, name) for each in board.lines) for name in COLUMNS},
        counted=counted,
        moment=in_both_zones,
        version=__version__,
    )


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)


def _ends(share: Share) -> str:
    if share.low is None or share.high is None:
        return "–"
    return f"{percent(share.low)} to {percent(share.high)}"


def _p_value(value: float) -> str:
    """A p-value as it stands in brackets.

    >>> _p_value(0.0312), _p_value(0.00001)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _number(value: float | None) -> str:
    return "–" if value is None else coefficient(value)


def rater_groups(judgements: Sequence[AdviceJudgement]) -> list[RaterGroup]:
    """Who judged, by kind: counts alone."""
    kinds = list(dict.fromkeys(each.rater_kind for each in judgements))
    return [_group(kind, [j for j in judgements if j.rater_kind == kind]) for kind in kinds]


def _group(kind: str, judgements: Sequence[AdviceJudgement]) -> RaterGroup:
    seconds = [each.seconds for each in judgements if each.seconds is not None]
    return RaterGroup(
        kind=KINDS.get(kind, kind),
        raters=len({each.rater for each in judgements}),
        judgements=len(judgements),
        seconds=median(seconds) if seconds else None,
    )


def examples_of(final: FinalRound) -> list[ShownExample]:
    """A few situations in which raters were of one mind, for models and for people in turn.

    Those with a notice are left out, and no situation comes twice.
    """
    known = {each.id: each for each in final.situations if not each.notice and each.best}
    names = {row.model.name: row.name for row in final.board.rows}
    found: list[ShownExample] = []
    for each in _clearest(final):
        situation = known.pop(each.situation, None)
        advice = final.answers.get(each.model, {}).get(each.situation)
        if situation is not None and advice is not None:
            found.append(_example(situation, each, names[each.model], advice))
        if len(found) == MOST_EXAMPLES:
            break
    return found


def _clearest(final: FinalRound) -> Iterator[SituationPreference]:
    """Of each model in turn where it won most clearly and where it lost most clearly; then the next."""
    queues = []
    for row in final.preferences.rows:
        order = sorted(row.by_situation, key=lambda each: (each.degree_share, each.situation))
        won = [each for each in reversed(order) if each.is_preferred]
        lost = [each for each in order if not each.is_preferred and not each.is_even]
        queues += [won, lost]
    for place in range(max(map(len, queues), default=0)):
        yield from (queue[place] for queue in queues if place < len(queue))


def _example(
    situation: Situation, said: SituationPreference, model: str, advice: str
) -> ShownExample:
    assert situation.best is not None
    return ShownExample(
        title=situation.title,
        text=situation.text,
        topic=situation.topic,
        model=model,
        people_advice=situation.best.body,
        model_advice=advice,
        chosen=said.chosen,
        judgements=said.judgements,
    )
