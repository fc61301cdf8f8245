"""Judgements as arrays: units, raters and values numbered, and everything checked once.

The values of a nominal answer are names. Those of the other levels are numbers, or names whose
`order` is given; a name then counts as its place in that order.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal, NamedTuple, get_args

from palaver.analysis.resampling import CodedValues, encode
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np

Measured = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Measured, ...] = get_args(Measured)

NO_PAIRS = "nothing has been judged by two raters"
NO_VARIATION = "every answer is the same, so agreement cannot be distinguished from chance"
# A code that stands for no value.
ABSENT = -1
# How many whole numbers may lie between the least and the most to be numbered without sorting.
SPAN = 10_000


class Judgement(NamedTuple):
    """What one rater said of one unit; a missing value is a judgement that is not there."""

    unit: Hashable
    rater: Hashable
    value: Any


def check_level(level: str) -> None:
    """InputError unless it is a level of measurement."""
    if level not in LEVELS:
        raise InputError(f"A level is nominal, ordinal, interval or ratio; got '{level}'.")


@dataclass(frozen=True, slots=True)
class Ratings:
    """One row per judgement, sorted by unit: the unit, the rater and the value as codes from 0.

    `values[code]` is a value; they stand in order, and may hold values that nobody gave. `scores` are
    the values as numbers (None for names without an order).
    """

    level: Measured
    unit: Numbers
    rater: Numbers
    code: Numbers
    units: list[Hashable]
    raters: list[Hashable]
    values: list[Any]
    scores: Numbers | None

    def rows(self) -> Numbers:
        """Units × places: the codes of each unit's values from the left, `ABSENT` after them."""
        sizes = np.bincount(self.unit, minlength=len(self.units))
        place = np.arange(len(self.unit)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = np.full((len(self.units), int(sizes.max(initial=0))), ABSENT, dtype=np.intp)
        rows[self.unit, place] = self.code
        return rows

    def only(self, kept: Numbers) -> "Ratings":
        """The judgements that `kept` marks; units and raters keep their numbers."""
        return Ratings(
            self.level,
            self.unit[kept],
            self.rater[kept],
            self.code[kept],
            self.units,
            self.raters,
            self.values,
            self.scores,
        )


def read_judgements(
    judgements: Iterable[Judgement], *, level: Measured, order: Sequence[Any] = ()
) -> Ratings:
    """Number units, raters and values.

    InputError for two answers of one rater about one unit, for values that do not fit the level, for
    values of several types, and for one that is not in `order` where an order is given.
    """
    given = list(judgements)
    units, raters, values = (list(map(itemgetter(n), given)) for n in range(3))
    return ratings_of(encode(units), encode(raters), values, level=level, order=order)


def ratings_of(
    unit: CodedValues,
    rater: CodedValues,
    values: list[Any],
    *,
    level: Measured,
    order: Sequence[Any] = (),
) -> Ratings:
    """The same, where units and raters have been numbered; see `read_judgements`."""
    check_level(level)
    _no_twins(unit, rater)
    scale = list(order) if order else _scale(values, level)
    coded = _codes(values, scale)
    sorting = np.argsort(unit.codes, kind="stable")
    return Ratings(
        level,
        unit.codes[sorting],
        rater.codes[sorting],
        coded[sorting],
        unit.levels,
        rater.levels,
        scale,
        _scores(scale, level, bool(order)),
    )


def read_matrix(matrix: Any, *, level: Measured) -> tuple[Numbers, Numbers]:
    """A matrix of units × raters (NaN is missing) as codes, and the values in order."""
    check_level(level)
    table = np.asarray(matrix)
    if table.ndim != 2 or table.dtype.kind not in "iufb":
        raise InputError(
            f"A matrix of units × raters holds numbers in two dimensions; "
            f"got {table.ndim} dimensions of {table.dtype}."
        )
    held = ~np.isnan(table) if table.dtype.kind == "f" else np.ones(table.shape, dtype=bool)
    complete = bool(held.all())
    given = table if complete else table[held]
    if given.size == 0:
        return np.full(table.shape, ABSENT), np.zeros(0)
    low, high = float(given.min()), float(given.max())
    if not math.isfinite(low) or not math.isfinite(high):
        raise InputError("A matrix of ratings holds finite numbers, and NaN where one is missing.")
    if level == "ratio" and low < 0:
        raise InputError(f"Values at level ratio are 0 or more; got {low:g}.")
    steps = _steps(table, given, low, high)
    if steps is None:
        values, codes = np.unique(given, return_inverse=True)
        filled = np.full(table.shape, ABSENT, dtype=np.intp)
        filled[held] = codes.ravel()
        return filled, values.astype(float)
    if not complete:
        steps[~held] = ABSENT
    seen = np.flatnonzero(np.bincount(steps.ravel() if complete else steps[held]))
    if len(seen) == int(high - low) + 1:
        return steps, seen + low
    place = np.full(int(high - low) + 2, ABSENT)  # the last one is for ABSENT
    place[seen] = np.arange(len(seen))
    return place[steps], seen + low


def _steps(table: Numbers, given: Numbers, low: float, high: float) -> Numbers | None:
    """How far each value lies above the least, where all are whole numbers and close together."""
    if high - low > SPAN:
        return None
    if table.dtype.kind == "f" and (low != int(low) or not (given == np.floor(given)).all()):
        return None
    with np.errstate(invalid="ignore"):
        steps: Numbers = (table - low).astype(np.intp)
    return steps


def count_distinct(codes: Numbers) -> int:
    """How many different codes there are."""
    return int(np.count_nonzero(np.bincount(codes)))


def has_twins(unit: CodedValues, rater: CodedValues) -> bool:
    """Whether a rater judged a unit twice."""
    pairs = np.sort(unit.codes * max(1, len(rater.levels)) + rater.codes)
    return bool((pairs[1:] == pairs[:-1]).any())


def _no_twins(unit: CodedValues, rater: CodedValues) -> None:
    if not has_twins(unit, rater):
        return
    key = unit.codes * max(1, len(rater.levels)) + rater.codes
    seen, counts = np.unique(key, return_counts=True)
    place = int(seen[counts > 1][0])
    who = rater.levels[place % len(rater.levels)]
    what = unit.levels[place // len(rater.levels)]
    raise InputError(f"Rater {who!r} judged unit {what!r} twice; keep one answer.")


def _codes(values: list[Any], scale: list[Any]) -> Numbers:
    places = {value: place for place, value in enumerate(scale)}
    if len(places) < len(scale):
        raise InputError(f"The order names a value twice: {_listed(scale)}.")
    try:
        return np.fromiter(map(places.__getitem__, values), dtype=np.intp, count=len(values))
    except KeyError as error:
        raise InputError(
            f"The value {error.args[0]!r} is not in the order: {_listed(scale)}."
        ) from None


def _scale(values: list[Any], level: Measured) -> list[Any]:
    try:
        # True and 1 are equal, and still two kinds of values.
        kinds = set(zip(map(type, values), values, strict=True))
    except TypeError as error:
        raise InputError(
            f"Agreement compares single values, not lists or sets: {error}."
        ) from error
    _one_kind(value for _, value in kinds)
    distinct = {value for _, value in kinds}
    if level == "nominal":
        return sorted(distinct, key=repr)
    for value in distinct:
        if isinstance(value, bool) or not isinstance(value, int | float):
            hint = "; or give the order of the names" if level == "ordinal" else ""
            raise InputError(f"Values at level {level} are numbers{hint}; got {value!r}.")
        if level == "ratio" and value < 0:
            raise InputError(f"Values at level ratio are 0 or more; got {value!r}.")
    return sorted(distinct)


def _one_kind(values: Iterable[Any]) -> None:
    kinds: dict[str, Any] = {}
    for value in values:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            raise InputError(f"A missing answer is left out of the judgements; got {value!r}.")
        kinds.setdefault(_kind(value), value)
    if len(kinds) > 1:
        one, other = list(kinds.values())[:2]
        raise InputError(
            f"Values are all numbers or all names; got {one!r} ({type(one).__name__}) "
            f"and {other!r} ({type(other).__name__})."
        )


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _scores(scale: list[Any], level: Measured, ordered: bool) -> Numbers | None:
    if all(_kind(value) == "number" for value in scale):
        return np.array(scale, dtype=float)
    if level == "nominal" and not ordered:
        return None
    return np.arange(len(scale), dtype=float)


def _listed(scale: Sequence[Any]) -> str:
    return ", ".join(str(value) for value in scale)
