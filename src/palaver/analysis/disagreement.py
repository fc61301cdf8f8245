"""Where raters split: how far apart the answers to one question about one unit are.

Agreement is one number for a question; this is one number per unit, so that a researcher can go from
a wide distribution to the turns that made it wide.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import log
from statistics import median
from typing import Any

from palaver.analysis.agreement import Judgement, Measured
from palaver.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Split:
    """How split raters are on one unit: 0 they agree, 1 as split as can be; `n` gave an answer."""

    unit: Hashable
    counts: dict[Any, int]
    n: int
    split: float


def nominal_split(counts: Mapping[Any, int], *, options: int) -> float | None:
    """The entropy of the answers as a share of the largest that n raters can reach.

    With p_c the share of answer c, H = −Σ p_c ln p_c, and the split is H / ln(min(options, n)):
    0 when all agree, 1 when the answers are spread evenly over all options (or, with fewer raters
    than options, when every rater says something else). Undefined (None) for fewer than two answers
    and where there is only one option.

    C. E. Shannon (1948), A mathematical theory of communication, Bell System Technical Journal 27,
    379–423; divided by its maximum it is Pielou's evenness (Journal of Theoretical Biology 13, 1966,
    131–144).

    >>> nominal_split({"yes": 2, "no": 2}, options=2), nominal_split({"yes": 3}, options=2)
    (1.0, 0.0)
    >>> round(nominal_split({"yes": 3, "no": 1}, options=2), 3)
    0.811
    >>> nominal_split({"yes": 1}, options=2) is None
    True
    """
    answers = [count for count in counts.values() if count > 0]
    n = sum(answers)
    possible = min(max(options, len(answers)), n)
    if possible < 2:
        return None
    return abs(sum(count / n * log(count / n) for count in answers)) / log(possible)


def scaled_split(counts: Mapping[float, int], *, low: float, high: float) -> float | None:
    """The mean distance of the answers from their median, as a share of half the scale.

    With median M of n answers x_i on a scale from `low` to `high`, the split is
    2 / (high − low) · 1/n · Σ |x_i − M|: 0 when all agree, 1 when half the raters stand at either
    end. Ordinal answers are given as places on their scale (0, 1, 2, …), taken to be one step apart.
    Undefined (None) for fewer than two answers and where the scale has no length.

    It is the mean absolute deviation from the median, divided by the largest that it can be. With an
    odd number of raters 1 is out of reach: of three, two must stand together.

    >>> scaled_split({1: 2, 5: 2}, low=1, high=5), scaled_split({4: 3}, low=1, high=5)
    (1.0, 0.0)
    >>> scaled_split({3: 1, 4: 2, 5: 1}, low=1, high=5)
    0.25
    """
    answers = [value for value, count in counts.items() for _ in range(count)]
    if len(answers) < 2 or high <= low:
        return None
    middle = median(answers)
    return 2 * sum(abs(value - middle) for value in answers) / len(answers) / (high - low)


def most_split_first(
    judgements: Iterable[Judgement],
    *,
    level: Measured,
    options: int = 2,
    ends: tuple[float, float] | None = None,
) -> list[Split]:
    """The units that two or more raters judged, those with the widest answers first.

    `options` is how many answers a nominal question has; `ends` are the two ends of the scale of an
    ordinal or interval one. Of equally split units those with more answers come first, then those
    that were judged first.

    >>> said = [Judgement("turn 1", "A", 1), Judgement("turn 1", "B", 2), Judgement("turn 2", "A", 1),
    ...         Judgement("turn 2", "B", 5), Judgement("turn 3", "A", 4)]
    >>> [(each.unit, each.split) for each in most_split_first(said, level="ordinal", ends=(1, 5))]
    [('turn 2', 1.0), ('turn 1', 0.25)]
    """
    by_unit: defaultdict[Hashable, dict[Any, int]] = defaultdict(dict)
    for unit, _, value in judgements:
        counts = by_unit[unit]
        counts[value] = counts.get(value, 0) + 1
    # Many units have the same answers.
    known: dict[tuple[tuple[Any, int], ...], float | None] = {}
    splits = []
    for unit, counts in by_unit.items():
        answers = tuple(counts.items())
        if answers not in known:
            known[answers] = _split(counts, level, options, ends)
        split = known[answers]
        if split is not None:
            splits.append(Split(unit, counts, sum(counts.values()), split))
    return sorted(splits, key=lambda each: (-each.split, -each.n))


def _split(
    counts: Mapping[Any, int], level: Measured, options: int, ends: tuple[float, float] | None
) -> float | None:
    if level == "nominal":
        return nominal_split(counts, options=options)
    if ends is None:
        raise InputError(f"How split {level} answers are depends on the ends of their scale.")
    return scaled_split(counts, low=ends[0], high=ends[1])
