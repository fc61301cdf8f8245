"""Units with the same counts of the same values, collapsed into one pattern.

They contribute the same to every coefficient that does not ask who said what. A hundred thousand units
of five raters on a scale of five points are at most 126 patterns, and a bootstrap sample is how often
each occurs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import log2

from palaver.analysis.agreement.ratings import ABSENT
from palaver.core.numeric import Numbers, np

# Up to this many numbers, patterns × values are kept as one matrix.
DENSE = 10_000_000
# Keys of patterns are whole numbers of at most so many bits.
KEY_BITS = 62


@dataclass(frozen=True, slots=True)
class Patterns:
    """The distinct patterns of at least `least` values.

    `rows` holds the codes of each pattern, sorted, `ABSENT` first; `size` how many values it has;
    `times` how many units show it; `of_unit` the pattern of each unit that is `kept`. The cells list
    the distinct values of each pattern: `cell_code`, how often it holds it (`cell_count`), and where
    the cells of a pattern begin (`starts`). `counts` is the same as patterns × values, where small.
    """

    rows: Numbers
    size: Numbers
    times: Numbers
    of_unit: Numbers
    kept: Numbers
    cell_code: Numbers
    cell_count: Numbers
    starts: Numbers
    values: int
    counts: Numbers | None

    def marginals(self, weights: Numbers, share: Numbers | None = None) -> Numbers:
        """Samples × values: how often each value occurs; a pattern's values count `share` each."""
        scaled = weights if share is None else weights * share
        if self.counts is not None:
            found: Numbers = scaled @ self.counts
            return found
        cells = np.repeat(np.arange(len(self.size)), self._lengths())
        return np.array(
            [
                np.bincount(self.cell_code, row[cells] * self.cell_count, minlength=self.values)
                for row in scaled
            ]
        )

    def summed(self, per_value: Numbers) -> Numbers:
        """Samples × patterns: the sum over a pattern's values of what each value is worth."""
        if self.counts is not None:
            found: Numbers = per_value @ self.counts.T
            return found
        cells = per_value[..., self.cell_code] * self.cell_count
        summed: Numbers = np.add.reduceat(cells, self.starts, axis=-1)
        return summed

    def alike(self) -> Numbers:
        """Per pattern: how many ordered pairs of its values are equal."""
        return np.add.reduceat(self.cell_count * (self.cell_count - 1), self.starts)

    def paired(self, worth: Callable[[Numbers, Numbers], Numbers]) -> Numbers:
        """Per pattern: the sum over all ordered pairs of its values of what a pair is worth."""
        found = np.zeros(len(self.size))
        for one, other in combinations(range(self.rows.shape[1]), 2):
            # Rows are sorted with what is absent first, so the left of the two decides.
            both = self.rows[:, one] >= 0
            found[both] += 2 * worth(self.rows[both, one], self.rows[both, other])
        return found

    def _lengths(self) -> Numbers:
        return np.diff(np.append(self.starts, len(self.cell_code)))


def collapse(rows: Numbers, *, values: int, least: int = 1) -> Patterns:
    """The patterns of units × places of codes, of the units that have at least `least` values."""
    sizes = (rows >= 0).sum(axis=1)
    kept = np.flatnonzero(sizes >= least)
    held = rows if len(kept) == len(rows) else rows[kept]
    of_unit, times, first = _distinct(held, values)
    distinct = np.sort(held[first], axis=1)
    cells = distinct[distinct >= 0]
    size = sizes[kept][first]
    pattern = np.repeat(np.arange(len(size)), size)
    key, cell_count = np.unique(pattern * values + cells, return_counts=True)
    cell_pattern, cell_code = key // max(1, values), key % max(1, values)
    starts = np.searchsorted(cell_pattern, np.arange(len(size)))
    counts = None
    if len(size) * values <= DENSE:
        counts = np.zeros((len(size), values))
        counts[cell_pattern, cell_code] = cell_count
    return Patterns(
        distinct,
        size.astype(float),
        times,
        of_unit,
        kept,
        cell_code,
        cell_count.astype(float),
        starts,
        values,
        counts,
    )


def _distinct(rows: Numbers, values: int) -> tuple[Numbers, Numbers, Numbers]:
    """The pattern of each row, how often each occurs, and one row of each."""
    places = rows.shape[1]
    if values * log2(places + 1) < KEY_BITS:
        worth = np.append((places + 1) ** np.arange(values), 0)  # the last one is for ABSENT
        return _numbered(worth[rows].sum(axis=1), (places + 1) ** values)
    ordered = np.sort(rows, axis=1)
    if places * log2(values + 1) < KEY_BITS:
        worth = (values + 1) ** np.arange(places)[::-1]
        return _numbered((ordered - ABSENT) @ worth, (values + 1) ** places)
    _, first, of_row, times = np.unique(
        ordered, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return of_row.ravel(), times, first


def _numbered(keys: Numbers, most: int) -> tuple[Numbers, Numbers, Numbers]:
    if most <= max(1024, 8 * len(keys)):
        times = np.bincount(keys, minlength=most)
        present = np.flatnonzero(times)
        place = np.empty(most, dtype=np.intp)
        place[present] = np.arange(len(present))
        of_row, times = place[keys], times[present]
    else:
        present, of_row, times = np.unique(keys, return_inverse=True, return_counts=True)
    first = np.empty(len(present), dtype=np.intp)
    first[of_row[::-1]] = np.arange(len(keys))[::-1]
    return of_row, times, first
