"""Rows of named cells as CSV, at full precision."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from palaver.core.estimates import Interval
from palaver.core.serial import plain

Rows = Sequence[Mapping[str, object]]


def csv_table(
    rows: Rows, target: Path | TextIO, *, columns: Mapping[str, str] | Sequence[str] | None = None
) -> None:
    """Write rows as CSV to a path or a stream.

    `columns` says which cells are written and in what order (a mapping also gives their headings);
    without it, every name that a row has. A missing or undefined cell is empty, and a number keeps
    all its digits. A column of intervals becomes two, for their low and high ends.
    """
    headings = headings_of(rows, columns)
    if isinstance(target, Path):
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w", encoding="utf-8", newline="") as stream:
            _write(rows, stream, headings)
    else:
        _write(rows, target, headings)


def headings_of(rows: Rows, columns: Mapping[str, str] | Sequence[str] | None) -> dict[str, str]:
    """The cells that are shown, in order, each with its heading."""
    if isinstance(columns, Mapping):
        return dict(columns)
    names = columns if columns is not None else (name for row in rows for name in row)
    return {name: name for name in names}


def ends_of(value: object) -> tuple[object, object] | None:
    """The ends of an interval, or of a pair of numbers; None of anything else."""
    if isinstance(value, Interval):
        return value.low, value.high
    if isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value)):
        return value[0], value[1]
    return None


def _write(rows: Rows, stream: TextIO, headings: Mapping[str, str]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    wide = {name for name in headings if any(ends_of(row.get(name)) for row in rows)}
    first: list[str] = []
    for name, heading in headings.items():
        first += [f"{heading}, low", f"{heading}, high"] if name in wide else [heading]
    writer.writerow(first)
    for row in rows:
        cells: list[object] = []
        for name in headings:
            value = row.get(name)
            cells += map(_cell, ends_of(value) or (value, None)) if name in wide else [_cell(value)]
        writer.writerow(cells)


def _is_number(value: object) -> bool:
    return isinstance(plain(value), int | float | None) and not isinstance(value, bool)


def _cell(value: object) -> object:
    found = plain(value)
    if found is None:
        return ""
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, list | tuple):
        return "; ".join(str(_cell(each)) for each in found)
    return found
