"""Who said what of which unit, out of a table with one row per judgement.

Everything that may be wrong with a row is said here, with the row: a missing unit or rater, a second
answer of the same rater, a value that does not fit the level.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, cast

from palaver.analysis.agreement import Judgement, Measured, Ratings, has_twins, ratings_of
from palaver.analysis.resampling import CodedValues, encode
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.formats.frames import Frame


@dataclass(frozen=True, slots=True)
class JudgementGroup:
    """The judgements of the rows that have `by` in common (all rows where it is None).

    Units and raters are numbered; `values` are as they were given. `factors` says, once per cluster
    column, which cluster each unit belongs to. `empty` rows have no value and are left out.
    """

    by: str | None
    unit: CodedValues
    rater: CodedValues
    values: list[Any]
    factors: tuple[CodedValues, ...] = ()
    empty: int = 0

    def ratings(self, *, level: Measured, order: Sequence[Any] = ()) -> Ratings:
        """The judgements as the coefficients take them."""
        return ratings_of(self.unit, self.rater, self.values, level=level, order=order)

    @property
    def cluster_codes(self) -> list[Numbers]:
        """The cluster of each unit, once per cluster column."""
        return [factor.codes for factor in self.factors]

    @property
    def judgements(self) -> list[Judgement]:
        """The judgements one by one."""
        units = map(self.unit.levels.__getitem__, self.unit.codes.tolist())
        raters = map(self.rater.levels.__getitem__, self.rater.codes.tolist())
        return list(map(Judgement, units, raters, self.values))

    @property
    def clusters(self) -> tuple[dict[Hashable, Hashable], ...]:
        """The cluster of each unit by name, once per cluster column."""
        return tuple(
            {
                unit: factor.levels[code]
                for unit, code in zip(self.unit.levels, factor.codes.tolist(), strict=True)
            }
            for factor in self.factors
        )


def read_judged(
    frame: Frame,
    *,
    unit: str,
    rater: str,
    value: str,
    level: Measured,
    order: Sequence[str] = (),
    by: str | None = None,
    clusters: Sequence[str] = (),
) -> list[JudgementGroup]:
    """The judgements of a table, by the values of the column `by` in the order they first occur.

    At level nominal, and where the `order` of the names is given, a value is text; else a number.
    """
    if not len(frame):
        raise InputError(f"{frame.name} has no rows: there is nothing to compare.")
    columns = [_filled(frame, name) for name in (unit, rater, *clusters)]
    columns.append(_values(frame, value, level, order))
    if by is None:
        return [_group(frame, (unit, rater, *clusters), None, range(len(frame)), columns)]
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(_filled(frame, by)):
        rows.setdefault(name, []).append(row)
    return [
        _group(frame, (unit, rater, *clusters), name, some, [[c[n] for n in some] for c in columns])
        for name, some in rows.items()
    ]


def _group(
    frame: Frame,
    names: Sequence[str],
    by: str | None,
    rows: Sequence[int],
    columns: Sequence[list[Any]],
) -> JudgementGroup:
    """Some rows of the frame: units, raters, clusters and values, of which some may be missing."""
    empty = columns[-1].count(None)
    given = columns
    if empty:
        held = [n for n, value in enumerate(columns[-1]) if value is not None]
        given = [[column[n] for n in held] for column in columns]
    units, raters, *clustered, values = given
    unit, rater = encode(units), encode(raters)
    factors = [encode(cluster) for cluster in clustered]
    of_units = [_of_units(unit, factor) for factor in factors]
    # Which row is wrong is looked for only where one is.
    if has_twins(unit, rater) or None in of_units or (empty and clustered):
        _refuse(frame, names, rows, columns)
    return JudgementGroup(
        by, unit, rater, values, tuple(each for each in of_units if each is not None), empty
    )


def _of_units(unit: CodedValues, cluster: CodedValues) -> CodedValues | None:
    """The cluster of each unit; None where a unit is in two."""
    codes = np.zeros(len(unit.levels), dtype=np.intp)
    codes[unit.codes] = cluster.codes
    same = bool((codes[unit.codes] == cluster.codes).all())
    return CodedValues(codes, cluster.levels) if same else None


def _refuse(
    frame: Frame, names: Sequence[str], rows: Sequence[int], columns: Sequence[list[Any]]
) -> None:
    """InputError for the first row that contradicts an earlier one."""
    unit_name, rater_name, *cluster_names = names
    known: dict[tuple[str, str], str] = {}
    seen: dict[tuple[str, str], int] = {}
    for row, unit, rater, *clusters, value in zip(rows, *columns, strict=True):
        for name, cluster in zip(cluster_names, clusters, strict=True):
            before = known.setdefault((name, unit), cluster)
            if before != cluster:
                raise InputError(
                    f"{frame.row(row)}: the {unit_name} '{unit}' has the {name} '{cluster}' "
                    f"here and '{before}' before; a unit belongs to one cluster."
                )
        if value is not None and seen.setdefault((unit, rater), row) != row:
            first = seen[unit, rater] + frame.first_row
            raise InputError(
                f"{frame.row(row)}: the {rater_name} '{rater}' judged the {unit_name} "
                f"'{unit}' before, in row {first}; keep one answer."
            )


def _filled(frame: Frame, name: str) -> list[str]:
    cells = frame.texts(name)
    if None in cells:
        raise InputError(f"{frame.row(cells.index(None))}: the column '{name}' is empty.")
    return cast(list[str], cells)


def _values(frame: Frame, name: str, level: Measured, order: Sequence[str]) -> list[Any]:
    if level == "nominal" or order:
        return _names(frame, name, order)
    try:
        numbers = frame.numbers(name)
    except InputError as error:
        hint = " Names need an order, lowest first (--order)." if level == "ordinal" else ""
        raise InputError(f"{error}{hint}") from error
    for row, number in enumerate(numbers):
        if level == "ratio" and number < 0:
            raise InputError(
                f"{frame.row(row)}: at level ratio, values must be 0 or more; got {number:g}."
            )
    return [None if number != number else number for number in numbers]


def _names(frame: Frame, name: str, order: Sequence[str]) -> list[str | None]:
    cells = frame.column(name)
    found = frame.texts(name)
    # Texts are all of one kind.
    kinds = set(map(type, cells))
    if not {str, NoneType}.issuperset(kinds) and not {bool, NoneType}.issuperset(kinds):
        _check_kinds(frame, name)
        found = [None if cell != cell else text for cell, text in zip(cells, found, strict=True)]
    if order and not {None, *order}.issuperset(found):
        row = next(n for n, text in enumerate(found) if text not in {None, *order})
        raise InputError(
            f"{frame.row(row)}: '{found[row]}' is not in the given order: {', '.join(order)}."
        )
    return found


def _check_kinds(frame: Frame, name: str) -> None:
    first: tuple[int, Any] | None = None
    for row, cell in enumerate(frame.column(name)):
        if cell is None or cell != cell:
            continue
        if isinstance(cell, dict | list):
            raise InputError(
                f"{frame.row(row)}: agreement compares single values; '{name}' contains {cell!r}."
            )
        first = first or (row, cell)
        if _kind(cell) != _kind(first[1]):
            raise InputError(
                f"{frame.row(row)}: '{name}' holds {cell!r}, and {first[1]!r} in row "
                f"{first[0] + frame.first_row}; values are all numbers or all names."
            )


def _kind(cell: Any) -> type:
    if isinstance(cell, bool):
        return bool
    return float if isinstance(cell, int | float) else type(cell)
