"""Answers about several systems, side by side or paired: what a comparison starts from."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from palaver.analysis.clustered import without_nested
from palaver.analysis.resampling import encode
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np

# What items and raters are called among the things that make answers alike.
ITEM, RATER = "item", "rater"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The values of one system, with the code of each value's cluster, once per clustering.

    `clusters` are those that a test was told of, `factors` all that are known.
    """

    values: Numbers
    clusters: tuple[Numbers, ...]
    factors: tuple[Numbers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedValues:
    """Values of two systems on the same items; `left_out` items have a value of one system only.

    `averaged` says that an item's value is a mean of several answers, `is_whole` that the mean over
    pairs is the difference of the means over answers.
    """

    a: Numbers
    b: Numbers
    clusters: tuple[list[Hashable], ...]
    left_out: int
    averaged: bool
    is_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAnswers:
    """One answer per row: which system, which value, and where known which item, rater, clusters.

    Clusters are numbered once for all comparisons. `factors` are what makes answers alike: the
    clusters, a rater's answers, answers about one item; those that lie within another one, or hold
    one answer each, are left out. `missing` rows had no value and were left out.
    """

    values: Numbers
    systems: list[str]
    items: list[Hashable] | None
    raters: list[Hashable] | None
    clusters: dict[str, Numbers]
    factors: dict[str, Numbers]
    missing: int
    # The rows of each system, in the order in which the systems first occur.
    rows: dict[str, Numbers]

    @property
    def names(self) -> list[str]:
        """The systems, in the order in which they first occur."""
        return list(self.rows)

    @property
    def is_binary(self) -> bool:
        """Whether every value is 0 or 1."""
        return bool(np.isin(self.values, [0, 1]).all())

    @property
    def is_repeated(self) -> bool:
        """Whether an item has several answers about one system."""
        if self.items is None:
            return False
        return max(Counter(zip(self.items, self.systems, strict=True)).values()) > 1

    @property
    def is_clustered(self) -> bool:
        """Whether more than items makes answers alike."""
        return any(name != ITEM or name in self.clusters for name in self.factors)

    @property
    def has_lone_rater(self) -> bool:
        """Whether one rater gave all answers, who says nothing about others."""
        return self.raters is not None and len(set(self.raters)) == 1

    def side(self, system: str) -> Side:
        rows = self.rows[system]
        return Side(
            values=self.values[rows],
            clusters=tuple(codes[rows] for codes in self.clusters.values()),
            factors=tuple(codes[rows] for codes in self.factors.values()),
        )

    def pairs(self, a: str, b: str) -> PairedValues:
        """The two systems' values on the same items.

        An item's value is the mean of its answers. A clustering that varies within items (a rater
        who judged both systems, say) is part of what makes a pair: answers are then paired by item
        and rater, and clustered by rater.
        """
        assert self.items is not None
        keys = self._keys(a, b)
        columns = [codes.tolist() for codes in self.clusters.values()]
        sums: dict[tuple[Hashable, ...], list[list[float]]] = {}
        clusters: dict[tuple[Hashable, ...], tuple[Hashable, ...]] = {}
        for row, system in enumerate(self.systems):
            if system in (a, b):
                sides = sums.setdefault(keys[row], [[], []])
                sides[system == b].append(float(self.values[row]))
                clusters[keys[row]] = tuple(column[row] for column in columns)
        both = [key for key, sides in sums.items() if sides[0] and sides[1]]
        sizes = [{len(sides[n]) for sides in sums.values()} for n in (0, 1)]
        return PairedValues(
            a=np.array([np.mean(sums[key][0]) for key in both]),
            b=np.array([np.mean(sums[key][1]) for key in both]),
            clusters=tuple([clusters[key][n] for key in both] for n in range(len(columns))),
            left_out=len(sums) - len(both),
            averaged=any(len(side) > 1 for key in both for side in sums[key]),
            is_whole=all(len(some) == 1 for some in sizes) and len(both) == len(sums),
        )

    def _keys(self, a: str, b: str) -> list[tuple[Hashable, ...]]:
        """What must be the same for two answers to be a pair."""
        assert self.items is not None
        rows = [row for row, system in enumerate(self.systems) if system in (a, b)]
        varying = []
        for codes in self.clusters.values():
            column = codes.tolist()
            found: dict[Hashable, Hashable] = {}
            if any(found.setdefault(self.items[row], column[row]) != column[row] for row in rows):
                varying.append(column)
        columns = [self.items, *varying]
        return list(zip(*columns, strict=True))


def gather(
    values: Sequence[float],
    systems: Sequence[str],
    *,
    items: Sequence[Hashable] | None = None,
    raters: Sequence[Hashable] | None = None,
    clusters: Mapping[str, Sequence[Hashable]] | None = None,
) -> SystemAnswers:
    """The answers, checked; rows whose value is NaN are left out and counted."""
    numbers = np.asarray(values, dtype=float)
    if np.isinf(numbers).any():
        raise InputError("A value is infinite; values should be finite numbers.")
    valued = ~np.isnan(numbers)

    def kept(name: str, column: Sequence[Hashable]) -> list[Hashable]:
        if len(column) != len(numbers):
            raise InputError(f"There are {len(numbers)} values and {len(column)} of {name}.")
        found = list(column) if valued.all() else list(compress(column, valued.tolist()))
        if None in found:
            raise InputError(f"An answer has no {name}; leave such rows out.")
        return found

    named = list(map(str, kept("system", systems)))
    coded = encode(named)
    kept_items = None if items is None else kept("item", items)
    kept_raters = None if raters is None else kept("rater", raters)
    grouped = {
        name: encode(kept(f"cluster '{name}'", column)).codes
        for name, column in (clusters or {}).items()
    }
    found = SystemAnswers(
        values=numbers[valued],
        systems=named,
        items=kept_items,
        raters=kept_raters,
        clusters=grouped,
        factors=_factors(kept_items, kept_raters, grouped),
        missing=len(numbers) - len(named),
        rows={
            str(name): np.flatnonzero(coded.codes == code) for code, name in enumerate(coded.levels)
        },
    )
    if len(found.names) < 2:
        raise InputError(
            f"Two or more systems with values are needed; got {', '.join(found.names) or 'none'}."
        )
    _check_twins(found)
    return found


def _factors(
    items: list[Hashable] | None, raters: list[Hashable] | None, clusters: dict[str, Numbers]
) -> dict[str, Numbers]:
    """What makes answers alike, by name; of two that say the same the cluster stays."""
    known: dict[str, Numbers] = {}
    if items is not None:
        known[ITEM] = encode(items).codes
    # One rater alone cannot say how raters differ; a warning says so.
    if raters is not None and len(set(raters)) > 1:
        known[RATER] = encode(raters).codes
    known |= clusters
    shared = {
        name: codes for name, codes in known.items() if int(codes.max(initial=0)) + 1 < len(codes)
    }
    crossed = without_nested(list(shared.values()))
    return {name: codes for name, codes in shared.items() if any(codes is one for one in crossed)}


def _check_twins(answers: SystemAnswers) -> None:
    if answers.items is None or answers.raters is None:
        return
    counted = Counter(zip(answers.items, answers.raters, answers.systems, strict=True))
    (item, rater, system), times = counted.most_common(1)[0]
    if times > 1:
        raise InputError(
            f"Rater {rater!r} judged '{system}' on item {item!r} {times} times; keep one answer."
        )
