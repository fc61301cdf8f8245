"""Who said what of which unit, out of a table with one row per judgement.

Everything that may be wrong with a row is said here, with the row: a missing unit or rater, a second
answer of the same rater, a value that does not fit the level.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    groups = _filled(frame, by) if by is not None else None
    values = _values(frame, value, level, order)
    found: dict[str | None, _Group] = {}
    for row, said in enumerate(values):
        name = groups[row] if groups is not None else None
        group = found.get(name)
        if group is None:
            group = found[name] = _Group(frame, unit, rater, clusters)
        group.add(row, said, *(column[row] for column in columns))
    return [
        JudgementGroup(name, group.judgements, tuple(group.clusters), group.empty)
        for name, group in found.items()
    ]


class _Group:
    """Collects the rows of one group, and refuses what contradicts an earlier one."""

    def __init__(self, frame: Frame, unit: str, rater: str, clusters: Sequence[str]) -> None:
        self.judgements: list[Judgement] = []
        self.clusters: list[dict[Hashable, Hashable]] = [{} for _ in clusters]
        self.empty = 0
        self._frame, self._unit, self._rater, self._names = frame, unit, rater, clusters
        self._seen: dict[tuple[str, str], int] = {}

    def add(self, row: int, value: Any, unit: str, rater: str, *clusters: str) -> None:
        for name, known, cluster in zip(self._names, self.clusters, clusters, strict=True):
            if known.setdefault(unit, cluster) != cluster:
                raise InputError(
                    f"{self._frame.row(row)}: the {self._unit} '{unit}' has the {name} '{cluster}' "
                    f"here and '{known[unit]}' before; a unit belongs to one cluster."
                )
        if value is None:
            self.empty += 1
            return
        before = self._seen.setdefault((unit, rater), row)
        if before != row:
            raise InputError(
                f"{self._frame.row(row)}: the {self._rater} '{rater}' judged the {self._unit} "
                f"'{unit}' before, in row {before + self._frame.first_row}; keep one answer."
            )
        self.judgements.append(Judgement(unit, rater, value))


def _filled(frame: Frame, name: str) -> list[str]:
    cells = frame.texts(name)
    for row, cell in enumerate(cells):
        if cell is None:
            raise InputError(f"{frame.row(row)}: the column '{name}' is empty.")
    return [cell for cell in cells if cell is not None]


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
    texts = frame.texts(name)
    found = [
        None if cell != cell else text for cell, text in zip(frame.column(name), texts, strict=True)
    ]
    for row, text in enumerate(found):
        if order and text is not None and text not in order:
            raise InputError(
                f"{frame.row(row)}: '{text}' is not in the given order: {', '.join(order)}."
            )
    return found


def _kind(cell: Any) -> type:
    if isinstance(cell, bool):
        return bool
    return float if isinstance(cell, int | float) else type(cell)
