"""Bootstrap samples of units, or of clusters of units, as how often each pattern occurs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from palaver.analysis.resampling import (
    BLOCK,
    LEAST_DEFINED,
    BootstrapSettings,
    bca_interval,
    check_settings,
    cluster_draws,
    count_draws,
    distinct_rows,
    percentile_interval,
)
from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np

Method = Literal["bca", "percentile"]
METHODS: tuple[Method, ...] = get_args(Method)
# What an interval holds for: the raters who judged, or raters like them, who are drawn too.
Draw = Literal["units", "raters"]
DRAWS: tuple[Draw, ...] = get_args(Draw)
# Why there is no interval although there is a value.
ONE_DRAWN = "there is only one unit or cluster to draw"
NO_SPREAD = "no draw differs from the others, so that nothing shows how sure it is"
TOO_SKEWED = "the draws are too skewed for a BCa interval"
UNDEFINED_DRAWS = "more than 5 % of the draws have no value"
# A spread below this is rounding.
ROUNDING = 1e-12
# How many numbers a matrix of clusters × patterns may hold.
TABLE = 20_000_000
# From so many clusters on, those of the same content are drawn as counts.
MANY = 2_000

# From samples × patterns to one value per sample.
Statistic = Callable[[Numbers], Numbers]


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingSettings(BootstrapSettings):
    """How an interval is made, and whether it draws raters too; `resamples` 0 makes none."""

    method: Method = "bca"
    draw: Draw = "units"

    def __post_init__(self) -> None:
        check_settings(self.resamples, self.confidence)
        if self.method not in METHODS:
            raise InputError(f"An interval is bca or percentile; got '{self.method}'.")
        if self.draw not in DRAWS:
            raise InputError(f"What is drawn are units or raters; got '{self.draw}'.")


@dataclass(frozen=True, slots=True)
class DrawnInterval:
    """An interval, how many samples were drawn for it, and how many of them had no value.

    Where there is none of a statistic that has a value, `reason` says why.
    """

    interval: Interval | None
    resamples: int = 0
    undefined: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Sampling:
    """What is drawn: units, or the clusters of one or more factors.

    A cell is what units of one pattern in the same clusters share: `pattern` of each cell, sorted,
    `times` how many units it holds, `factors` its cluster codes. Without factors a cell is a pattern.
    """

    pattern: Numbers
    times: Numbers
    factors: tuple[Numbers, ...]
    patterns: int

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(int(codes.max(initial=-1)) + 1 for codes in self.factors)

    @property
    def independent(self) -> int:
        """How many things are drawn; of several factors, those of the smallest."""
        return min(self.sizes, default=int(self.times.sum()))

    def totals(self) -> Numbers:
        """How often each pattern occurs, as one sample."""
        return self._by_pattern(self.times[None, :])

    def draws(self, resamples: int, seed: int) -> Iterator[Numbers]:
        """Blocks of samples × patterns."""
        if not self.factors:
            yield from count_draws(self.times, resamples=resamples, seed=seed)
        elif len(self.factors) == 1 and self.sizes[0] * self.patterns <= TABLE:
            held = self._grouped(self.factors[0], self.sizes[0])
            if self.sizes[0] >= MANY:
                # Clusters of the same content are alike: how many of each are drawn is what counts.
                kinds, times = distinct_rows(held)
                for drawn in count_draws(times, resamples=resamples, seed=seed):
                    yield drawn.astype(float) @ kinds
                return
            everyone = [np.arange(self.sizes[0])]
            for drawn in cluster_draws(everyone, resamples=resamples, seed=seed):
                yield drawn.astype(float) @ held
        else:
            for drawn in cluster_draws(self.factors, resamples=resamples, seed=seed):
                yield self._by_pattern(drawn * self.times)

    def without_one(self) -> Iterator[tuple[Numbers, Numbers]]:
        """The jackknife's samples, in blocks, and how often each of them comes.

        One unit or cluster is missing in each. Where this would be more than some millions of
        numbers, one group of units or clusters is: the skewness that is wanted is the same.
        """
        if not self.factors and self.patterns**2 <= TABLE:
            yield self.times - np.eye(self.patterns), self.times
            return
        groups, count = self._groups()
        held = self._grouped(groups, count)
        step = max(1, BLOCK // self.patterns)
        for start in range(0, count, step):
            some = held[start : start + step]
            yield self.totals() - some, np.ones(len(some), dtype=np.intp)

    def _groups(self) -> tuple[Numbers, int]:
        codes, count = (
            (self.factors[0], self.sizes[0])
            if self.factors
            else (np.arange(len(self.times)), len(self.times))
        )
        most = max(200, TABLE // self.patterns)
        if count <= most:
            return codes, count
        return np.random.default_rng(0).permutation(np.arange(count) % most)[codes], most

    def _grouped(self, groups: Numbers, count: int) -> Numbers:
        """Groups × patterns: how many units of each pattern a group holds."""
        place = groups * self.patterns + self.pattern
        held = np.bincount(place, weights=self.times, minlength=count * self.patterns)
        return held.reshape(count, self.patterns)

    def _by_pattern(self, weights: Numbers) -> Numbers:
        if len(self.pattern) == self.patterns:
            return weights
        starts = np.searchsorted(self.pattern, np.arange(self.patterns))
        found: Numbers = np.add.reduceat(weights, starts, axis=1)
        return found


def sampling_of(of_unit: Numbers, times: Numbers, clusters: Sequence[Numbers] = ()) -> Sampling:
    """How to draw units, given the pattern of each and its cluster, once per factor."""
    patterns = len(times)
    factors = [np.unique(codes, return_inverse=True)[1] for codes in clusters]
    # Clusters of one unit each are the units.
    if not factors or (len(factors) == 1 and factors[0].max() + 1 == len(of_unit)):
        return Sampling(np.arange(patterns), times, (), patterns)
    if len(factors) == 1 and not MANY <= factors[0].max() + 1 <= TABLE // patterns:
        factors = [_by_content(factors[0], of_unit)]
    cell = of_unit
    for codes in factors:
        cell = np.unique(cell * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    _, first, counts = np.unique(cell, return_index=True, return_counts=True)
    return Sampling(of_unit[first], counts, tuple(codes[first] for codes in factors), patterns)


def _by_content(codes: Numbers, of_unit: Numbers) -> Numbers:
    """Clusters numbered by the patterns that they hold.

    Neither their names, which are drawn anew where a study is imported, nor the order of rows decide
    what a seed draws; clusters of the same content may change places. From `MANY` clusters on, counts
    of contents are drawn, which have an order of their own.
    """
    held: list[list[int]] = [[] for _ in range(int(codes.max()) + 1)]
    sorting = np.argsort(of_unit, kind="stable")
    for cluster, pattern in zip(codes[sorting].tolist(), of_unit[sorting].tolist(), strict=True):
        held[cluster].append(pattern)
    place = np.empty(len(held), dtype=np.intp)
    place[sorted(range(len(held)), key=held.__getitem__)] = np.arange(len(held))
    return place[codes]


def bootstrap(
    statistic: Statistic, value: float, sampling: Sampling, settings: SamplingSettings
) -> DrawnInterval:
    """The interval of a statistic whose value on the whole data is `value`."""
    return bootstraps([(statistic, value)], sampling, settings)[0]


def bootstraps(
    wanted: Sequence[tuple[Statistic, float]], sampling: Sampling, settings: SamplingSettings
) -> list[DrawnInterval]:
    """The intervals of several statistics from the same samples, each with its value on the whole.

    With several factors there is no jackknife that goes with the pigeonhole bootstrap, and the
    interval is the percentile one. A statistic that is undefined on the whole has none.
    """
    known = [statistic for statistic, value in wanted if np.isfinite(value)]
    if settings.resamples == 0 or not known:
        return [DrawnInterval(None) for _ in wanted]
    if sampling.independent < 2:
        return [
            DrawnInterval(None, reason=ONE_DRAWN if np.isfinite(value) else "")
            for _, value in wanted
        ]
    drawn: list[list[Numbers]] = [[] for _ in known]
    for block in sampling.draws(settings.resamples, settings.seed):
        for statistic, values in zip(known, drawn, strict=True):
            values.append(statistic(block))
    jackknifed: list[list[Numbers]] = [[] for _ in known]
    if settings.method == "bca" and len(sampling.factors) < 2:
        for block, times in sampling.without_one():
            for statistic, values in zip(known, jackknifed, strict=True):
                values.append(np.repeat(statistic(block), times))
    made = iter(zip(drawn, jackknifed, strict=True))
    return [
        _made(value, *next(made), settings, sampling.independent)
        if np.isfinite(value)
        else DrawnInterval(None)
        for _, value in wanted
    ]


def _made(
    value: float,
    drawn: list[Numbers],
    jackknifed: list[Numbers],
    settings: SamplingSettings,
    independent: int,
) -> DrawnInterval:
    draws, confidence = np.concatenate(drawn), settings.confidence
    undefined = int((~np.isfinite(draws)).sum())
    if jackknifed:
        around = np.concatenate(jackknifed)
        interval = bca_interval(
            value, draws, around, confidence=confidence, independent=independent
        )
    else:
        interval = percentile_interval(draws, confidence=confidence, independent=independent)
    reason = ""
    if interval is None and float(np.nanmax(draws) - np.nanmin(draws)) <= ROUNDING:
        reason = NO_SPREAD
    elif interval is None:
        too_many = undefined > (1 - LEAST_DEFINED) * len(draws)
        reason = UNDEFINED_DRAWS if too_many else TOO_SKEWED
    elif interval.high - interval.low <= ROUNDING:
        interval, reason = None, NO_SPREAD
    return DrawnInterval(interval, len(draws), undefined, reason)
