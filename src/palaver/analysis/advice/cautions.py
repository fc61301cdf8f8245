"""What to know of a board before its numbers are believed, in sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence

from palaver.analysis.advice.votes import ModelVotes, is_anonymous
from palaver.core.situations import AdviceJudgement
from palaver.core.words import counted, listed, percent

# With fewer raters than these an interval says little about other raters.
FEW_RATERS = 10
# Who did more than this share of the work has a say that no interval evens out.
MUCH_WORK = 0.25
MOST_NAMED = 4


def cautions(
    judgements: Sequence[AdviceJudgement], votes: Mapping[str, ModelVotes], *, replaced: int
) -> tuple[str, ...]:
    """The sentences that apply, the gravest first."""
    found = [
        _simulated(judgements),
        *_about_raters(judgements),
        *_about_situations(votes),
        _even_splits(votes),
        f"{counted(replaced, 'judgement')} of a rater who judged the same advice again: the last "
        "one counts."
        if replaced
        else "",
    ]
    return tuple(filter(None, found))


def _simulated(judgements: Sequence[AdviceJudgement]) -> str:
    made = sum(each.rater_kind == "simulated" for each in judgements)
    if not made:
        return ""
    which = "All" if made == len(judgements) else f"{made:,} of {len(judgements):,}"
    return f"{which} judgements are simulated: they say nothing about the models."


def _about_raters(judgements: Sequence[AdviceJudgement]) -> list[str]:
    nobody = sum(is_anonymous(each) for each in judgements)
    work = Counter(each.rater for each in judgements if not is_anonymous(each))
    found = []
    if nobody:
        which = "All" if nobody == len(judgements) else f"{nobody:,} of {len(judgements):,}"
        found.append(
            f"{which} judgements do not say whose they are: their intervals respect situations "
            "alone, and are too narrow if raters differ in taste."
        )
    if 0 < len(work) < FEW_RATERS and not nobody:
        found.append(
            f"Only {counted(len(work), 'rater')}: "
            + (
                "nothing is known of how others would judge; the intervals are about situations alone."
                if len(work) == 1
                else "the intervals say how others might judge, but rest on few."
            )
        )
    if len(work) > 1:
        most = max(work.values())
        if most > MUCH_WORK * len(judgements):
            found.append(
                f"One rater gave {percent(most / len(judgements), 0)} of the judgements: "
                "the rates are much their taste, and the intervals are wider for it."
            )
    return found


def _about_situations(votes: Mapping[str, ModelVotes]) -> list[str]:
    every = {name for each in votes.values() for name in each.names}
    lacking = {
        model: len(every) - each.situations
        for model, each in votes.items()
        if each.situations < len(every)
    }
    found = []
    if lacking:
        named = [f"{model} lacks {number:,}" for model, number in lacking.items()]
        found.append(
            f"Models were not judged on the same situations ({listed(named, most=MOST_NAMED)} of "
            f"{len(every):,}): differences are computed where both were judged."
        )
    sizes = Counter(int(size) for each in votes.values() for size in each.sizes.tolist())
    if len(sizes) > 1:
        planned = max(sizes)
        fewer = sum(number for size, number in sizes.items() if size < planned)
        missing = sum((planned - size) * number for size, number in sizes.items())
        found.append(
            f"{missing:,} judgements are missing: {counted(fewer, 'comparison')} of "
            f"{sum(sizes.values()):,} have fewer than {planned} raters."
        )
    return found


def _even_splits(votes: Mapping[str, ModelVotes]) -> str:
    even = {
        model: number
        for model, each in votes.items()
        if (number := int((2 * each.counts == each.sizes).sum()))
    }
    if not even:
        return ""
    named = [f"{model} {number:,}" for model, number in even.items()]
    return (
        f"In {counted(sum(even.values()), 'situation')} as many raters preferred the model as people "
        f"({listed(named, most=MOST_NAMED)}): each counts half in the rate."
    )
