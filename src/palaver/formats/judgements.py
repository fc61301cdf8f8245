"""Who said what of which unit, out of a table with one row per judgement.

Everything that may be wrong with a row is said here, with the row: a missing unit or rater, a second
answer of the same rater, a value that does not fit the level.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from types import NoneType
from typing import Any, cast

from palaver.analysis.agreement import Judgement, Measured
from palaver.core.errors import InputError
from palaver.formats.frames import Frame


@dataclass(frozen=True, slots=True)
class JudgementGroup:
    """The judgements of the rows that have `by` in common (all rows where it is None).

    `clusters` says, once per cluster column, which cluster a unit belongs to. `empty` rows have no
    value and are left out.
    """

    by: str | None
    judgements: list[Judgement] = field(default_factory=list)
    clusters: tuple[dict[Hashable, Hashable], ...] = ()
    empty: int = 0


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
    units, raters, *clustered, values = columns
    clusters = tuple(dict(zip(units, cluster, strict=True)) for cluster in clustered)
    said = list(map(Judgement, units, raters, values))
    given = [each for each in said if each.value is not None] if None in values else said
    pairs = set(map(itemgetter(0, 1), given))
    both = [set(zip(units, cluster, strict=True)) for cluster in clustered]
    # Which row is wrong is looked for only where one is.
    if len(pairs) < len(given) or any(
        len(held) > len(known) for held, known in zip(both, clusters, strict=True)
    ):
        _refuse(frame, names, rows, columns)
    return JudgementGroup(by, given, clusters, len(said) - len(given))


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
    if not {str, NoneType}.issuperset(map(type, cells)):
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
