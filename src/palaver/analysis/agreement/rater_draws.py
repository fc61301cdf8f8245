"""Intervals for raters like these: what a coefficient would be with other raters and other units.

An interval that draws units alone takes the raters as they are. Where a study asks how well *people*
agree, its raters are a sample, too, and three of them may be an unusual three. A bootstrap of raters
is no answer: a rater who is drawn twice agrees perfectly with themself. So one rater is left out at a
time, and one unit (or dialogue) at a time. With θ the coefficient, θ₍₋ⱼ₎ without the j-th of m, the
jackknife's variance is V = (m − 1)/m · Σⱼ (θ₍₋ⱼ₎ − their mean)², once for raters and once for units:

    V = V_units + max(0, V_raters − (1 − d) · V_judgements)

What is peculiar to one rater on one unit is in both. With d, the share of all raters who judged a unit,
near 0, both consist of little else, and V_judgements (one judgement left out) is taken away once, as
two-way clustering does; where all raters judged all units nothing is taken away, which is on the safe
side. The interval is symmetric on the scale of Fisher's z (percent agreement: of log odds) and reaches
√V · t to each side, where t is Cochran's mean of two quantiles of Student's t (m − 1 degrees of freedom
for m raters, and likewise for units), weighted by V_raters and V_units. With three to five raters it
errs on the wide side.

All that is left out is counted, not computed anew from rows: what remains of a unit with the pattern p
when a value c is taken away is another pattern, and how often each occurs is one row of weights.

J. W. Tukey (1958), Bias and confidence in not quite large samples, Annals of Mathematical Statistics
29, 614. A. C. Cameron, J. B. Gelbach and D. L. Miller (2011), Robust inference with multiway clustering,
Journal of Business & Economic Statistics 29, 238–249. W. G. Cochran (1964), Approximate significance
levels of the Behrens–Fisher test, Biometrics 20, 191–195.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from palaver.analysis import student
from palaver.analysis.agreement.patterns import Patterns, collapse
from palaver.analysis.agreement.ratings import ABSENT
from palaver.analysis.agreement.sampling import (
    NO_SPREAD,
    ONE_DRAWN,
    ROUNDING,
    TABLE,
    DrawnInterval,
    sampling_of,
)
from palaver.analysis.resampling import BLOCK
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np

# From patterns, and samples × patterns, to one value per sample.
PatternStatistic = Callable[[Patterns, Numbers], Numbers]

LEAST_RATERS = 3
TWO_RATERS = "two raters do not show how much raters differ; it takes three"
NO_REST = "without one of the raters or units the coefficient is undefined"


@dataclass(frozen=True, slots=True)
class Said:
    """Who said what: the unit, the rater and the value of each judgement as codes."""

    unit: Numbers
    rater: Numbers
    code: Numbers


@dataclass(frozen=True, slots=True)
class Remainders:
    """Patterns, and all that remains of them without one of their values.

    `patterns` holds both. `whole` is where each original pattern stands in it, `left` what remains of
    it without the value of each cell (`ABSENT` where too little does); `origin` is the pattern of each
    cell, `times` how many judgements a cell stands for, and `base` how often each pattern occurs.
    """

    patterns: Patterns
    base: Numbers
    whole: Numbers
    origin: Numbers
    left: Numbers
    times: Numbers

    def without(self, groups: Numbers, cells: Numbers, count: int) -> Iterator[Numbers]:
        """Weights without the judgements of one group each; `cells` is the cell of each judgement."""
        width = len(self.base)
        step = max(1, BLOCK // width)
        order = np.argsort(groups, kind="stable")
        bounds = np.searchsorted(groups[order], np.arange(count + 1))
        for start in range(0, count, step):
            end = min(start + step, count)
            rows = order[bounds[start] : bounds[end]]
            place, cell = (groups[rows] - start) * width, cells[rows]
            left = self.left[cell]
            kept = left != ABSENT
            size = (end - start) * width
            gone = np.bincount(place + self.whole[self.origin[cell]], minlength=size)
            come = np.bincount(place[kept] + left[kept], minlength=size)
            yield self.base + (come - gone).reshape(end - start, width)


def remainders(patterns: Patterns, *, least: int) -> Remainders:
    """What remains of patterns of at least `least` values without one of them."""
    lengths = np.diff(np.append(patterns.starts, len(patterns.cell_code)))
    origin = np.repeat(np.arange(len(patterns.size)), lengths)
    reduced = patterns.rows[origin].copy()
    taken = (reduced == patterns.cell_code[:, None]).argmax(axis=1)
    reduced[np.arange(len(reduced)), taken] = ABSENT
    every = collapse(np.concatenate([patterns.rows, reduced]), values=patterns.values, least=least)
    place = np.full(len(patterns.size) + len(reduced), ABSENT)
    place[every.kept] = every.of_unit
    whole = place[: len(patterns.size)]
    return Remainders(
        patterns=every,
        base=np.bincount(whole, weights=patterns.times, minlength=len(every.times)),
        whole=whole,
        origin=origin,
        left=place[len(patterns.size) :],
        times=patterns.times[origin] * patterns.cell_count.astype(np.intp),
    )


def rater_intervals(
    statistics: Sequence[tuple[PatternStatistic, float]],
    patterns: Patterns,
    said: Said,
    clusters: Sequence[Numbers],
    *,
    confidence: float,
    least: int,
    shares: Sequence[bool] = (),
) -> list[DrawnInterval]:
    """The intervals of several statistics, each given with its value on the whole.

    `clusters` has a code per unit, once per factor; `least` is how many values a pattern has at least.
    `shares` marks the statistics that lie between 0 and 1.
    """
    here = np.zeros(int(said.unit.max(initial=-1)) + 1, dtype=bool)
    here[patterns.kept] = True
    kept = here[said.unit]
    raters, rater = np.unique(said.rater[kept], return_inverse=True)
    if len(raters) < LEAST_RATERS:
        return [DrawnInterval(None, reason=TWO_RATERS) for _ in statistics]
    if len(patterns.kept) < 2:
        return [DrawnInterval(None, reason=ONE_DRAWN) for _ in statistics]
    rest = remainders(patterns, least=least)
    of_unit = np.empty(len(here), dtype=np.intp)
    of_unit[patterns.kept] = patterns.of_unit
    cell_keys = rest.origin * patterns.values + patterns.cell_code
    cells = np.searchsorted(cell_keys, of_unit[said.unit[kept]] * patterns.values + said.code[kept])
    only = [statistic for statistic, _ in statistics]
    by_rater = _left_out(
        only, rest.patterns, ((w, None) for w in rest.without(rater, cells, len(raters)))
    )
    by_unit = [
        _of_units(only, patterns, [c[patterns.kept] for c in each])
        for each in ([[codes] for codes in clusters] or [[]])
    ]
    density = len(cells) / (len(patterns.kept) * len(raters))
    by_cell = _of_judgements(only, rest) if density < 1 else [_Spread(0.0, 1)] * len(only)
    between = shares or [False] * len(only)
    return [
        _interval(
            value,
            [spreads[n] for spreads in by_unit],
            by_rater[n],
            (1 - density) * by_cell[n].variance,
            confidence,
            share=between[n],
        )
        for n, (_, value) in enumerate(statistics)
    ]


@dataclass(frozen=True, slots=True)
class _Spread:
    """A jackknife's variance, NaN where a part is undefined, and how many things were left out."""

    variance: float
    things: int


def _left_out(
    statistics: Sequence[PatternStatistic],
    patterns: Patterns,
    blocks: Iterator[tuple[Numbers, Numbers | None]],
) -> list[_Spread]:
    """The jackknife's variances from blocks of weights and how often each row of them comes."""
    values: list[list[Numbers]] = [[] for _ in statistics]
    counts: list[Numbers] = []
    for weights, times in blocks:
        counts.append(np.ones(len(weights)) if times is None else times)
        for statistic, found in zip(statistics, values, strict=True):
            found.append(statistic(patterns, weights))
    times = np.concatenate(counts)
    n = int(times.sum())
    spreads = []
    for found in values:
        every = np.concatenate(found)
        mean = float(times @ every) / n
        spreads.append(_Spread((n - 1) / n * float(times @ (every - mean) ** 2), n))
    return spreads


def _of_units(
    statistics: Sequence[PatternStatistic], patterns: Patterns, factor: Sequence[Numbers]
) -> list[_Spread]:
    sampling = sampling_of(patterns.of_unit, patterns.times, factor)
    return _left_out(statistics, patterns, iter(sampling.without_one()))


def _of_judgements(statistics: Sequence[PatternStatistic], rest: Remainders) -> list[_Spread]:
    """One judgement left out; nothing where the patterns are too many to hold: the safe side."""
    cells = np.arange(len(rest.left))
    if len(cells) * len(rest.base) > TABLE:
        return [_Spread(0.0, 1)] * len(statistics)
    weights = np.concatenate(list(rest.without(cells, cells, len(cells))))
    return _left_out(statistics, rest.patterns, iter([(weights, rest.times)]))


def _interval(
    value: float,
    units: Sequence[_Spread],
    raters: _Spread,
    twice: float,
    confidence: float,
    *,
    share: bool,
) -> DrawnInterval:
    if not math.isfinite(value):
        return DrawnInterval(None)
    parts = [*units, raters]
    if any(part.things < 2 for part in parts):
        return DrawnInterval(None, reason=ONE_DRAWN)
    counted = sum(part.variance for part in parts)
    if not math.isfinite(counted):
        return DrawnInterval(None, reason=NO_REST)
    if counted <= ROUNDING or not (0 if share else -1) < value < 1 - ROUNDING:
        return DrawnInterval(None, reason=NO_SPREAD)
    reach = (
        sum(part.variance * student.quantile(confidence, part.things - 1) for part in parts)
        / counted
    )
    variance = sum(part.variance for part in units) + max(0.0, raters.variance - twice)
    return DrawnInterval(_on_scale(value, reach * math.sqrt(variance), share=share))


def _on_scale(value: float, half: float, *, share: bool) -> Interval:
    """The ends that lie symmetrically on the scale of log odds (a share), or of Fisher's z."""
    if share:
        low, high = _on_scale(2 * value - 1, 2 * half, share=False).as_json()
        return Interval((low + 1) / 2, (high + 1) / 2)  # type: ignore[operator]
    centre, reach = math.atanh(value), half / (1 - value**2)
    return Interval(math.tanh(centre - reach), math.tanh(centre + reach))
