"""Rows of named cells as CSV at full precision."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import TextIO, cast

from palaver.core.estimates import Interval
from palaver.core.serial import plain

Rows = Sequence[Mapping[str, object]]

# A cell of CSV that has one of these stands in quotes.
DOUBLE = '"'
QUOTED = (",", DOUBLE, "\r", "\n")
# How many rows are written at once.
AT_ONCE = 10_000


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
            _write_csv(rows, stream, headings)
    else:
        _write_csv(rows, target, headings)


def cell_texts(cells: Sequence[object]) -> list[str | None]:
    """A column as whoever opens the CSV file reads it: every cell a text, None where it is empty.

    Equal texts are held once.
    """
    kinds = set(map(type, cells))
    if kinds <= {str, NoneType}:
        held = cast(list[str | None], cells if isinstance(cells, list) else list(cells))
        return [text or None for text in held] if "" in held else held
    if kinds == {int} or (kinds == {float} and all(map(isfinite, cells))):  # type: ignore[arg-type]
        texts = list(map(repr, cells))
    else:
        texts = [str(_csv_cell(cell)) for cell in cells]
    known: dict[str, str | None] = {"": None}
    return list(map(known.setdefault, texts, texts))


def csv_texts(
    names: Iterable[str], parts: Iterable[Sequence[Sequence[str | None]]], target: Path
) -> None:
    """Write texts as CSV, where each part is a few rows as columns; None is an empty cell.

    Whole columns are looked at and quoted at once, which takes a third of the time of rows.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerow(list(names))
        for columns in parts:
            lines = map(",".join, zip(*map(_quoted, columns), strict=True))
            while some := list(islice(lines, AT_ONCE)):
                stream.write("\n".join([*some, ""]))


def _quoted(cells: Sequence[str | None]) -> Sequence[str]:
    """A column as it stands in a file."""
    filled = [cell or "" for cell in cells] if None in cells else cast(Sequence[str], cells)
    together = "".join(filled)
    if not any(letter in together for letter in QUOTED):
        return filled
    return [
        f'"{cell.replace(DOUBLE, DOUBLE * 2)}"' if any(each in cell for each in QUOTED) else cell
        for cell in filled
    ]


def headings_of(rows: Rows, columns: Mapping[str, str] | Sequence[str] | None) -> dict[str, str]:
    """The cells that are shown, in order, each with its heading."""
    if isinstance(columns, Mapping):
        return dict(columns)
    names = columns if columns is not None else (name for row in rows for name in row)
    return {name: name for name in names}


def interval_ends(value: object) -> tuple[object, object] | None:
    """The ends of an interval, or of a pair of numbers; None of anything else."""
    if isinstance(value, Interval):
        return value.low, value.high
    if isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_end, value)):
        return value[0], value[1]
    return None


def _write_csv(rows: Rows, stream: TextIO, headings: Mapping[str, str]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    wide = {name for name in headings if any(interval_ends(row.get(name)) for row in rows)}
    first: list[str] = []
    for name, heading in headings.items():
        first += [f"{heading}, low", f"{heading}, high"] if name in wide else [heading]
    writer.writerow(first)
    for row in rows:
        cells: list[object] = []
        for name in headings:
            value = row.get(name)
            parts = (interval_ends(value) or (value, None)) if name in wide else (value,)
            cells += map(_csv_cell, parts)
        writer.writerow(cells)


def _is_end(value: object) -> bool:
    return isinstance(plain(value), int | float | None) and not isinstance(value, bool)


def _csv_cell(value: object) -> object:
    found = plain(value)
    if found is None:
        return ""
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, list | tuple):
        return "; ".join(str(_csv_cell(each)) for each in found)
    return found
