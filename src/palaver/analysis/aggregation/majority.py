"""The label that most raters gave."""

from dataclasses import replace
from typing import Literal

from palaver.analysis.aggregation.aggregated import (
    AggregatedUnit,
    Aggregation,
    RaterCompetence,
    most_likely,
    undecided_warning,
)
from palaver.analysis.aggregation.answers import Answers
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING
from palaver.core.numeric import Numbers, np

Ties = Literal["none", "first", "random"]
TIES: dict[str, str] = {
    "none": "A tie has no label.",
    "first": "A tie goes to the label that comes first in the order.",
    "random": "A tie is decided at random, by the seed.",
}
NO_OTHERS = "no unit of this rater has a majority among the others"


def majority(answers: Answers, *, ties: Ties = "none", seed: int = 1) -> Aggregation:
    """Each unit's most frequent label; its probability is the share of answers that gave it.

    What happens to a tie is said by `ties`: `none` leaves the unit without a label, `first` takes
    the tied label that comes first in the order of the labels, `random` draws one with `seed`.
    The tied labels are named in each case.

    A rater's competence is the share of their answers that equal the majority of the *other*
    raters' answers on the unit, over the units where the others have one.

    >>> said = [("d", 1, "a"), ("d", 2, "a"), ("d", 3, "b"), ("e", 1, "a"), ("e", 2, "b")]
    >>> first, second = majority(Answers.of(said)).units
    >>> first.label, second.label, second.tied
    ('a', None, ('a', 'b'))
    """
    if ties not in TIES:
        raise InputError(f"Ties are decided by one of {', '.join(TIES)}; got {ties!r}.")
    counts = answers.counts()
    shares = counts / counts.sum(axis=1, keepdims=True)
    units = _decided(most_likely(answers, shares), ties, seed)
    return Aggregation(
        name="majority",
        method=f"The most frequent answer. {TIES[ties]} Competence: share of a rater's answers that "
        "equal the majority of the others.",
        labels=tuple(answers.labels),
        units=units,
        raters=_raters(answers, counts),
        missing=answers.missing,
        warnings=undecided_warning(units),
    )


def _decided(
    units: tuple[AggregatedUnit, ...], ties: Ties, seed: int
) -> tuple[AggregatedUnit, ...]:
    if ties == "none":
        return units
    dice = np.random.default_rng(seed)
    return tuple(
        replace(unit, label=unit.tied[0 if ties == "first" else int(dice.integers(len(unit.tied)))])
        if unit.tied
        else unit
        for unit in units
    )


def _raters(answers: Answers, counts: Numbers) -> tuple[RaterCompetence, ...]:
    others = counts[answers.unit]
    others[np.arange(len(answers)), answers.label] -= 1
    most = others.max(axis=1)
    decided = (most > 0) & ((others == most[:, None]).sum(axis=1) == 1)
    right = decided & (others.argmax(axis=1) == answers.label)
    size = len(answers.raters)
    judged = np.bincount(answers.rater, weights=decided, minlength=size)
    agreed = np.bincount(answers.rater, weights=right, minlength=size)
    given = answers.per_rater()
    return tuple(
        RaterCompetence(rater, int(given[n]), float(agreed[n] / judged[n]))
        if judged[n]
        else RaterCompetence(rater, int(given[n]), MISSING, reason=NO_OTHERS)
        for n, rater in enumerate(answers.raters)
    )
