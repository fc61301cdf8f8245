"""What a label costs: seconds, money, and the price of an interval of a given width."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

from palaver.analysis.resampling import encode
from palaver.analysis.validity.scores import DialogueScores
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, html_table
from palaver.core.numeric import np
from palaver.core.serial import if_any, plain

METHOD = (
    "seconds are summed per dialogue and rater, so a dialogue's time is what one rater needs for it; "
    "the number of dialogues for a width w is (2 z s / w)², s the deviation of dialogue means"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCost:
    """The time one rater needs for one judgement and for one dialogue, and what that costs.

    `dialogues_for_width` and `cost_for_width` are None where no width was asked for.
    `without_time` judgements have no usable time and were left out.
    """

    label: str
    judgements: int
    dialogues: int
    median_seconds: float
    mean_seconds: float
    median_dialogue_seconds: float
    mean_dialogue_seconds: float
    cost_per_dialogue: float | None = None
    dialogues_for_width: int | None = None
    cost_for_width: float | None = None
    without_time: int = 0
    reason: str = if_any("")

    def _repr_html_(self) -> str:
        return html_table([plain(self)])


def label_costs(
    labels: Sequence[str],
    dialogues: Sequence[str],
    raters: Sequence[str | None],
    seconds: Sequence[float],
    *,
    pay: float | None = None,
) -> list[LabelCost]:
    """The cost of each label, cheapest dialogue first; one row per judgement, NaN = time unknown.

    The seconds of a row are those spent on that judgement alone. `pay` is per hour. A dialogue's
    cost is the mean, not the median, of its seconds: that is what a budget is spent by.
    """
    if not len(labels) == len(dialogues) == len(raters) == len(seconds):
        raise InputError("Costs need a label, a dialogue, a rater and seconds for each judgement.")
    if pay is not None and not 0 <= pay < float("inf"):
        raise InputError(f"An hourly pay is a number of 0 or more; got {pay}.")
    taken = np.asarray(seconds, dtype=float)
    if (taken < 0).any():
        row = int(np.flatnonzero(taken < 0)[0])
        raise InputError(f"Seconds are never negative; got {taken[row]:g} for '{labels[row]}'.")
    which = encode(labels)
    visits = encode(zip(which.codes.tolist(), dialogues, raters, strict=True)).codes
    found = []
    for code, label in enumerate(which.levels):
        here = which.codes == code
        timed = here & np.isfinite(taken)
        lost = int(here.sum() - timed.sum())
        if not timed.any():
            found.append(_unknown(str(label), lost))
            continue
        # A dialogue some of whose judgements have no time would look quicker than it was.
        whole = timed & ~np.isin(visits, visits[here & ~timed])
        totals = np.bincount(visits[whole], taken[whole])
        totals = totals[np.bincount(visits[whole]) > 0]
        mean = float(totals.mean()) if len(totals) else MISSING
        found.append(
            LabelCost(
                label=str(label),
                judgements=int(timed.sum()),
                dialogues=len({dialogues[row] for row in np.flatnonzero(timed).tolist()}),
                median_seconds=float(np.median(taken[timed])),
                mean_seconds=float(taken[timed].mean()),
                median_dialogue_seconds=float(np.median(totals)) if len(totals) else MISSING,
                mean_dialogue_seconds=mean,
                cost_per_dialogue=None if pay is None else mean * pay / 3600,
                without_time=lost,
            )
        )
    return sorted(found, key=_price)


def dialogues_for_width(
    scores: DialogueScores, label: str, width: float, *, confidence: float = 0.95
) -> int | None:
    """How many dialogues of one system give the mean of a label an interval of this whole width.

    n = ⌈(2 z s / width)²⌉, at least 2, with s the standard deviation of the dialogue means within
    systems. None where no system has two dialogues, or nothing varies.
    """
    if not width > 0:
        raise InputError(f"The width of an interval is above 0; got {width}.")
    means = scores.mean_of(label)
    squares, freedom = 0.0, 0
    for system in dict.fromkeys(scores.systems):
        here = np.array([each == system for each in scores.systems]) & np.isfinite(means)
        if here.sum() > 1:
            squares += float(((means[here] - means[here].mean()) ** 2).sum())
            freedom += int(here.sum()) - 1
    if freedom == 0 or squares == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return max(2, ceil((2 * z / width) ** 2 * squares / freedom))


def _unknown(label: str, lost: int) -> LabelCost:
    return LabelCost(
        label=label,
        judgements=0,
        dialogues=0,
        median_seconds=MISSING,
        mean_seconds=MISSING,
        median_dialogue_seconds=MISSING,
        mean_dialogue_seconds=MISSING,
        without_time=lost,
        reason="no judgement of it has a time",
    )


def _price(cost: LabelCost) -> tuple[bool, float, str]:
    seconds = cost.mean_dialogue_seconds
    return seconds != seconds, seconds, cost.label
