"""Bootstrap samples as weights, and the intervals that are made of them.

A sample drawn with replacement says how often each row occurs in it. Written so, a statistic that is
made of sums is computed for thousands of samples at once, as matrix products. Samples come in blocks
of a bounded size, so that memory does not grow with their number.

Quantiles of bootstrap samples are as narrow as if the spread were known: with n independent things
they are the normal quantiles of a variance with the divisor n, where Student's t and n − 1 belong.
`widened` is the confidence at which they have the right width (Hesterberg's expanded percentiles).

B. Efron (1987), Better bootstrap confidence intervals, Journal of the American Statistical
Association 82, 171–185. A. B. Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1,
386–411. T. C. Hesterberg (2015), What teachers should know about the bootstrap, The American
Statistician 69, 371–386.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np, special
from palaver.core.repeated import RepeatedValues

RESAMPLES = 1000
# Items of a data set are always drawn in the same way.
SEED = 1
# How many items are drawn at once, and up to how many numbers of one byte the draws are kept.
ITEMS_AT_ONCE = 1_000_000
MOST_KEPT_COUNTS = 10_000_000
# How many weights are held at once.
BLOCK = 4_000_000
# An interval is given only while at least this share of the samples has a value.
LEAST_DEFINED = 0.95

_normal = NormalDist()


@dataclass(frozen=True, slots=True)
class CodedValues:
    """Values as numbers from 0: `levels[codes[row]]` is the value of a row."""

    codes: Numbers
    levels: list[Hashable]


def encode(values: Iterable[Hashable] | Numbers) -> CodedValues:
    """Number the distinct values in the order in which they first occur.

    An array holds numbers that were given by an earlier `encode`. Repeated values keep their numbers.

    >>> encode(["b", "a", "b"]).levels
    ['b', 'a']
    """
    if isinstance(values, np.ndarray):
        # Where each number stands first: of several places the one that is written last stays.
        first = np.full(int(values.max(initial=-1)) + 1, len(values))
        first[values[::-1]] = np.arange(len(values))[::-1]
        known = np.argsort(first)[: np.count_nonzero(first < len(values))]
        renumbered = np.empty_like(first)
        renumbered[known] = np.arange(len(known))
        return CodedValues(renumbered[values], known.tolist())
    if isinstance(values, RepeatedValues):
        values.numbered = values.numbered or _numbered(values)
        return values.numbered  # type: ignore[no-any-return]
    return _numbered(values if isinstance(values, list) else list(values))


def _numbered(given: list[Hashable]) -> CodedValues:
    levels = list(dict.fromkeys(given))
    place = dict(zip(levels, range(len(levels)), strict=True))
    codes = np.fromiter(map(place.__getitem__, given), dtype=np.intp, count=len(given))
    return CodedValues(codes, levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapSettings:
    """How many samples are drawn, how sure the intervals are, and the seed."""

    resamples: int = RESAMPLES
    confidence: float = 0.95
    seed: int = 1


def check_settings(resamples: int, confidence: float) -> None:
    """InputError unless a bootstrap can be made with these."""
    if resamples < 0 or not 0 < confidence < 1:
        raise InputError(
            f"A bootstrap takes 0 or more draws and a confidence between 0 and 1; "
            f"got {resamples} and {confidence}."
        )


def distinct_rows(table: Numbers) -> tuple[Numbers, Numbers]:
    """The distinct rows of a table, in order, and how often each occurs: `np.unique` takes ten times
    as long.
    """
    ordered = table[np.lexsort(table.T[::-1])]
    changes = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(np.append(True, changes))
    return ordered[starts], np.diff(np.append(starts, len(table)))


def count_draws(times: Numbers, *, resamples: int, seed: int) -> Iterator[Numbers]:
    """Samples of as many rows as there are, where `times` says how often each distinct row occurs.

    Yields blocks of samples × distinct rows. Cost does not grow with the number of rows.
    """
    dice = np.random.default_rng(seed)
    total = int(times.sum())
    chances = times / total
    for size in _sizes(resamples, len(times)):
        yield dice.multinomial(total, chances, size=size)


def item_counts(items: int) -> Iterable[Numbers]:
    """How often each item is drawn, samples × items: always the same for as many items."""
    if items * RESAMPLES > MOST_KEPT_COUNTS:
        return _drawn_counts(items)
    return _kept_counts(items)


@lru_cache(maxsize=2)
def _kept_counts(items: int) -> list[Numbers]:
    # Of as many draws as there are items, none falls on one item hundreds of times.
    return [np.concatenate([counts.astype(np.uint8) for counts in _drawn_counts(items)])]


def _drawn_counts(items: int) -> Iterator[Numbers]:
    dice = np.random.default_rng(SEED)
    at_once = max(1, ITEMS_AT_ONCE // items)
    for start in range(0, RESAMPLES, at_once):
        size = min(at_once, RESAMPLES - start)
        places = dice.integers(0, items, (size, items)) + np.arange(size)[:, None] * items
        yield np.bincount(places.ravel(), minlength=size * items).reshape(size, items)


def cluster_draws(factors: Sequence[Numbers], *, resamples: int, seed: int) -> Iterator[Numbers]:
    """Samples of whole clusters; `factors` holds the cluster code of each row, once per factor.

    Yields blocks of samples × rows: how often each row occurs. With one factor, clusters are drawn
    with replacement and bring all their rows. With several (raters and dialogues, say) each factor
    is drawn on its own and a row occurs as often as the product says: Owen's pigeonhole bootstrap,
    which never takes crossed clusters for independent and errs on the wide side.
    """
    dice = np.random.default_rng(seed)
    sizes = [int(codes.max()) + 1 for codes in factors]
    for size in _sizes(resamples, len(factors[0])):
        weights = np.ones((size, len(factors[0])), dtype=np.int64)
        for codes, clusters in zip(factors, sizes, strict=True):
            drawn = dice.multinomial(clusters, np.full(clusters, 1 / clusters), size=size)
            weights *= drawn[:, codes]
        yield weights


def left_out(codes: Numbers) -> Iterator[Numbers]:
    """The jackknife's samples: in each, one cluster is missing. Blocks of clusters × rows."""
    clusters = int(codes.max()) + 1
    start = 0
    for size in _sizes(clusters, len(codes)):
        yield (codes[None, :] != np.arange(start, start + size)[:, None]).astype(np.int64)
        start += size


def widened(confidence: float, independent: float) -> float:
    """The confidence at which bootstrap quantiles are as wide as Student's t, for so many draws.

    2 Φ(√(n / (n − 1)) t) − 1, where t is the (1 + confidence) / 2 quantile of Student's t with n − 1
    degrees of freedom and n the number of `independent` things that are drawn. It tends to the
    confidence itself as n grows.

    >>> [round(widened(0.95, n), 3) for n in (8, 30, 1000)]
    [0.989, 0.962, 0.95]
    """
    quantile = float(special.stdtrit(independent - 1, (1 + confidence) / 2))
    wide = 2 * _normal.cdf((independent / (independent - 1)) ** 0.5 * quantile) - 1
    # For two or three things this is 1 up to rounding: all that was drawn.
    return min(wide, 1 - 1e-9)


def percentile_interval(
    draws: Numbers, *, confidence: float = 0.95, independent: float | None = None
) -> Interval | None:
    """The middle of the draws; None where fewer than 95 % of them have a value, or where they are alike.

    With the number of `independent` things that were drawn it is `widened` for it.
    """
    kept = _defined(draws)
    if kept is None:
        return None
    confidence = widened(confidence, independent) if independent else confidence
    low, high = np.quantile(kept, [(1 - confidence) / 2, (1 + confidence) / 2])
    return _unless_a_point(float(low), float(high))


def bca_interval(
    value: float,
    draws: Numbers,
    jackknifed: Numbers,
    *,
    confidence: float = 0.95,
    independent: float | None = None,
) -> Interval | None:
    """Efron's bias-corrected and accelerated interval; None where it cannot be made or has no width.

    With z₀ the normal quantile of the share of draws below `value` (ties count half) and
    a = Σ(m − θᵢ)³ / 6 (Σ(m − θᵢ)²)^{3/2} from the `jackknifed` values θᵢ and their mean m, its ends
    are the quantiles of the draws at Φ(z₀ + (z₀ ± z) / (1 − a (z₀ ± z))). With the number of
    `independent` things that were drawn it is `widened` for it.
    """
    kept = _defined(draws)
    around = jackknifed[np.isfinite(jackknifed)]
    if kept is None or len(around) < 2 or not np.isfinite(value):
        return None
    below = ((kept < value).sum() + (kept == value).sum() / 2) / len(kept)
    # A value outside all draws has no finite correction: the outermost draw stands for it.
    bias = _normal.inv_cdf(float(np.clip(below, 0.5 / len(kept), 1 - 0.5 / len(kept))))
    apart = around.mean() - around
    spread = float((apart**2).sum()) ** 1.5
    acceleration = float((apart**3).sum()) / (6 * spread) if spread > 0 else 0.0
    confidence = widened(confidence, independent) if independent else confidence
    ends = []
    for tail in ((1 - confidence) / 2, (1 + confidence) / 2):
        moved = bias + _normal.inv_cdf(tail)
        shrunk = 1 - acceleration * moved
        if shrunk <= 0:
            return None
        ends.append(float(np.quantile(kept, _normal.cdf(bias + moved / shrunk))))
    return _unless_a_point(*ends)


def _unless_a_point(low: float, high: float) -> Interval | None:
    """Draws without any spread say nothing of how sure one may be."""
    found = Interval(low, high)
    return None if found.is_a_point else found


def _defined(draws: Numbers) -> Numbers | None:
    kept = draws[np.isfinite(draws)]
    return kept if len(draws) and len(kept) >= LEAST_DEFINED * len(draws) else None


def _sizes(samples: int, width: int) -> Iterator[int]:
    step = max(1, BLOCK // max(1, width))
    for start in range(0, samples, step):
        yield min(step, samples - start)
