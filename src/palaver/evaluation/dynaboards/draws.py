"""Bootstrap values of many models at once: the same items are drawn for all of them.

A sample is written as counts: how often each item of the data set occurs in it. Counts (samples ×
items) times what each item adds to each model's score (items × numbers) are the sums of every model
in every sample, and a form turns sums into values. As all models share the counts, a difference
between two models is judged on the same items. Memory is bounded: long data sets are walked through
in pieces of items, many models in groups.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from palaver.analysis.resampling import LEAST_DEFINED, widened
from palaver.core.evaluation.boards import Ends, Measured
from palaver.core.evaluation.runs import RunScore
from palaver.core.numeric import Numbers, np
from palaver.evaluation.scoring.intervals import ALL_ALIKE, ONE_ITEM, UNDEFINED_DRAWS
from palaver.metrics.sums import FORMS, unpack_rows

# How many items are drawn in one piece, and how many numbers of models are held beside them.
ITEMS = 4096
NUMBERS = 8_000_000
# Counts of small data sets are drawn once and held for every group of models.
HELD = 16_000_000
# What float32 leaves of equal numbers.
ROUNDING = 1e-6
NOT_DRAWN = "no samples were drawn"


@dataclass(frozen=True, slots=True)
class CountedPiece:
    """How often each item from `start` to `stop` occurs in each sample."""

    start: int
    stop: int
    counts: Numbers


class ItemSamples:
    """ItemSamples of the items of one data set, drawn with replacement; the same for every model."""

    def __init__(self, items: int, draws: int, *, seed: int, digest: str) -> None:
        self.items = items
        self.draws = draws
        # By content: the same data set is drawn in the same way wherever it is stored.
        self._seed = [seed, int(digest[:15] or "0", 16)]
        self._held: list[CountedPiece] | None = None

    def pieces(self) -> Iterator[CountedPiece]:
        """The counts, piece by piece; the same ones whenever it is asked."""
        if self._held is not None:
            yield from self._held
            return
        drawn = self._drawn()
        if self.items * self.draws <= HELD:
            self._held = list(drawn)
            yield from self._held
        else:
            yield from drawn

    def _drawn(self) -> Iterator[CountedPiece]:
        """Multinomial counts: first how many draws fall into a piece, then on which of its items."""
        dice = np.random.default_rng(self._seed)
        starts = range(0, self.items, ITEMS)
        sizes = [min(ITEMS, self.items - start) for start in starts]
        shares = np.array(sizes) / self.items
        totals = dice.multinomial(self.items, shares, size=self.draws)
        for n, (start, size) in enumerate(zip(starts, sizes, strict=True)):
            sample = np.repeat(np.arange(self.draws) * size, totals[:, n])
            places = sample + dice.integers(size, size=len(sample))
            counts = np.bincount(places, minlength=self.draws * size)
            block = counts.reshape(self.draws, size).astype(np.float32)
            yield CountedPiece(start, start + size, block)


def redraw(scores: Sequence[RunScore], samples: ItemSamples) -> list[Numbers | None]:
    """The values of every score in every sample; None where a score does not say what items add."""
    found: list[Numbers | None] = [None] * len(scores)
    group = _Group({}, [])
    for place, score in enumerate(scores):
        form = str(score.parts.get("form", ""))
        if not score.rows or form not in FORMS:
            continue
        rows = unpack_rows(score.rows)
        if len(rows) == samples.items:
            group.add(place, form, rows)
        if len(group.columns) * samples.items >= NUMBERS:
            _fill(found, group, samples)
            group = _Group({}, [])
    _fill(found, group, samples)
    return found


@dataclass(frozen=True, slots=True)
class _Group:
    """Some scores, each with its form and the columns of what items add.

    Models share columns, such as how often a class occurs. Each distinct one is multiplied once; so
    models that answered alike get the very same values, which no order of summing can part.
    """

    columns: dict[bytes, int]
    members: list[tuple[int, str, tuple[int, ...]]]

    def add(self, place: int, form: str, rows: Numbers) -> None:
        contents = [column.tobytes() for column in rows.T.astype(np.float32)]
        used = tuple(self.columns.setdefault(content, len(self.columns)) for content in contents)
        self.members.append((place, form, used))


def _fill(found: list[Numbers | None], group: _Group, samples: ItemSamples) -> None:
    columns = np.frombuffer(b"".join(group.columns), dtype=np.float32)
    columns = columns.reshape(len(group.columns), samples.items)
    sums = np.zeros((samples.draws, len(columns)), dtype=np.float32)
    for piece in samples.pieces():
        sums += piece.counts @ columns[:, piece.start : piece.stop].T
    alike: dict[tuple[str, int], list[tuple[int, tuple[int, ...]]]] = {}
    for place, form, used in group.members:
        alike.setdefault((form, len(used)), []).append((place, used))
    for (form, _), members in alike.items():
        values = FORMS[form].value(sums[:, [used for _, used in members]])
        for n, (place, _) in enumerate(members):
            found[place] = values[:, n]


@dataclass(frozen=True, slots=True)
class DrawnSpread:
    """Low and high ends and variances, one per column; NaN where there is none, `why` says why not."""

    low: Numbers
    high: Numbers
    variance: Numbers
    why: Sequence[str]

    def interval(self, place: int) -> Ends | None:
        return ends_of(self.low[place], self.high[place])

    def around(self, value: float, place: int) -> Measured:
        """A value with the interval and the variance of one column."""
        interval = self.interval(place)
        return Measured(
            value=known(value),
            interval=interval,
            variance=known(self.variance[place]),
            reason=None if interval else self.why[place] or None,
        )


def known(value: float) -> float | None:
    """The number; None where it is not finite."""
    return float(value) if isfinite(value) else None


def ends_of(low: float, high: float) -> Ends | None:
    """The two ends of an interval; None where one of them is NaN."""
    return None if low != low or high != high else (known(low), known(high))


def no_spread(columns: int, why: str) -> DrawnSpread:
    """Nothing is known of how these columns vary, and why."""
    nothing = np.full(columns, np.nan)
    return DrawnSpread(nothing, nothing, nothing, [why] * columns)


def spread_of(draws: Numbers, *, confidence: float, independent: int | Numbers) -> DrawnSpread:
    """The middle of each column of draws (samples × columns), for so many independent items.

    Quantiles are widened for the number of items of the column, see `analysis.resampling`. A column
    with fewer than 95 % defined draws has no interval, nor has one whose draws are all alike.
    """
    samples, columns = draws.shape
    counts = np.broadcast_to(np.asarray(independent), (columns,))
    if samples < 2:
        return no_spread(columns, NOT_DRAWN)
    low, high, variance = np.full((3, columns), np.nan)
    why = np.full(columns, "", dtype=object)
    for count in np.unique(counts):
        mine = counts == count
        if count < 2:
            why[mine] = ONE_ITEM
            continue
        found = _spread_alike(draws[:, mine], widened(confidence, int(count)))
        low[mine], high[mine], variance[mine], why[mine] = found
    return DrawnSpread(low, high, variance, why.tolist())


def _spread_alike(draws: Numbers, confidence: float) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Ends, variances and reasons of columns that rest on equally many items."""
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    by_column = np.ascontiguousarray(draws.T, dtype=np.float64)
    defined = np.isfinite(by_column)
    enough = defined.mean(axis=1) >= LEAST_DEFINED
    low, high, variance = np.full((3, len(by_column)), np.nan)
    if defined.all():
        low, high = np.quantile(by_column, ends, axis=1)
        variance = by_column.var(axis=1, ddof=1)
    else:
        for place in np.flatnonzero(enough):
            kept = by_column[place][defined[place]]
            low[place], high[place] = np.quantile(kept, ends)
            variance[place] = kept.var(ddof=1)
    # Samples are added up with seven digits.
    alike = enough & (high - low <= ROUNDING * np.maximum(np.abs(low), np.abs(high)))
    low[alike] = high[alike] = np.nan
    why = np.where(alike, ALL_ALIKE, np.where(enough, "", UNDEFINED_DRAWS))
    return low, high, variance, why
