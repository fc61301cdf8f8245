"""Tables of others as columns: CSV, Parquet, JSON lines and JSON arrays, read as they are.

A cell of CSV is text, and empty means missing; the other formats keep their types. Nothing is
guessed: whoever needs numbers asks for `numbers`, and a cell that is none is named with its row.
What comes through a pipe has no ending to go by, and is CSV.
"""

import csv
import io
import math
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import IO, Any

import msgspec

from palaver.core.errors import InputError, MissingExtraError
from palaver.core.registry import near
from palaver.formats.spreadsheets import unescaped

_decode = msgspec.json.Decoder().decode
# How many rows of CSV are turned into columns at once: few, so that no garbage is looked for.
BATCH = 500
STANDARD_INPUT = Path("-")
# What statistics programs write where a value is missing.
MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none"})


@dataclass(frozen=True, slots=True)
class Frame:
    """Columns of equal length; a missing cell is None. `first_row` is the file's line of row 0."""

    name: str
    columns: dict[str, list[Any]]
    first_row: int = 1

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def column(self, name: str) -> list[Any]:
        """The cells of a column; InputError names the columns there are."""
        if name not in self.columns:
            known = ", ".join(self.columns) or "none"
            raise InputError(
                f"{self.name} has no column '{name}'.{near(name, self.columns)} It has: {known}."
            )
        return self.columns[name]

    def texts(self, name: str) -> list[str | None]:
        """A column as text: 1 and "1" are the same."""
        cells = self.column(name)
        kinds = set(map(type, cells))
        if {str, NoneType}.issuperset(kinds):
            return cells
        if len(kinds) == 1 and not {dict, list} & kinds:
            # The same few cells come again and again: each is written once.
            known = {cell: _as_text(cell) for cell in set(cells)}
            return list(map(known.__getitem__, cells))
        return [cell if cell is None or type(cell) is str else _as_text(cell) for cell in cells]

    def filled(self, name: str) -> list[str]:
        """The cells of a column as text; InputError names the first row in which it is empty."""
        cells = [cell or "" for cell in self.texts(name)]
        if "" in cells:
            raise InputError(f"{self.row(cells.index(''))}: the column '{name}' is empty.")
        return cells

    def numbers(self, name: str) -> list[float]:
        """A column as numbers, NaN where a cell is missing; InputError names a cell that is none."""
        cells = self.column(name)
        try:
            numbers = list(map(float, cells))
        except (TypeError, ValueError):
            numbers = []
        if len(numbers) == len(cells) and all(map(math.isfinite, numbers)):
            return numbers
        return [self._number(name, row, cell) for row, cell in enumerate(cells)]

    def taken(self, rows: Sequence[int]) -> "Frame":
        """Some of the rows, in the order in which they are named."""
        return Frame(
            self.name, {name: [cells[n] for n in rows] for name, cells in self.columns.items()}
        )

    def row(self, index: int) -> str:
        """Where a row stands in the file, for messages."""
        return f"{self.name}, row {index + self.first_row}"

    def _number(self, name: str, row: int, cell: Any) -> float:
        if cell is None:
            return math.nan
        try:
            found = float(cell)
        except (TypeError, ValueError):
            found = math.inf
            if isinstance(cell, str) and cell.strip().lower() in MISSING_WORDS:
                return math.nan
        if math.isinf(found):
            raise InputError(
                f"{self.row(row)}: the column '{name}' should contain finite numbers; got {cell!r}."
            )
        return found


def read_frame(path: Path, *, wanted: Collection[str] | None = None) -> Frame:
    """A table; with `wanted`, only these columns, each of which must be there."""
    kind = path.suffix.lower()
    if path == STANDARD_INPUT or path.is_fifo():
        frame = _piped(path)
    elif not path.is_file():
        raise InputError(f"There is no file {path}.")
    elif kind == ".parquet":
        frame = Frame(path.name, _parquet(path))
    elif kind in {".jsonl", ".ndjson"}:
        frame = _from_records(path.name, _lines(path))
    elif kind == ".json":
        frame = _from_records(path.name, _array(path))
    elif kind in {".csv", ".tsv"}:
        with path.open("rb") as stream:
            frame = _csv(path.name, stream, "\t" if kind == ".tsv" else ",")
    else:
        raise InputError(
            f"{path.name}: a table is .csv, .tsv, .parquet, .jsonl or .json; "
            f"got '{kind or 'no ending'}'. Standard input (-) is read as CSV."
        )
    if wanted is None:
        return frame
    return Frame(frame.name, {name: frame.column(name) for name in wanted}, frame.first_row)


def _as_text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return cell if isinstance(cell, str) else str(cell)


def _piped(path: Path) -> Frame:
    if path == STANDARD_INPUT:
        return _csv("The standard input", sys.stdin.buffer, ",")
    with path.open("rb") as stream:
        return _csv(str(path), stream, ",")


def _csv(name: str, stream: IO[bytes], delimiter: str) -> Frame:
    # Equal cells are held once; an empty one is none.
    known: dict[str, str | None] = {"": None}
    same = known.setdefault
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        rows = csv.reader(text, delimiter=delimiter, strict=True)
        names = next(rows, None)
        if not names:
            raise InputError(f"{name} is empty; a table has a first line of column names.")
        _no_twins(name, names)
        cells: list[list[Any]] = [[] for _ in names]
        whole = _whole_rows(name, rows, len(names))
        while some := list(islice(whole, BATCH)):
            for column, given in zip(cells, zip(*some, strict=True), strict=True):
                column.extend(map(same, given, given))
        undo_escapes(known, cells)
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text: {error}.") from error
    except csv.Error as error:
        raise InputError(f"{name} is not CSV: {error}.") from error
    finally:
        text.detach()
    return Frame(name, dict(zip(names, cells, strict=True)), first_row=2)


def undo_escapes(known: Mapping[str, str | None], columns: list[list[Any]]) -> None:
    """Take away the apostrophes that keep a spreadsheet from seeing formulas."""
    undone = {cell: unescaped(cell) for cell in known if cell.startswith("'")}
    if any(cell != plain for cell, plain in undone.items()):
        for column in columns:
            column[:] = [undone.get(cell, cell) for cell in column]


def _whole_rows(name: str, rows: Any, width: int) -> Iterator[list[str]]:
    """The rows that are not blank; InputError for one that is too short or too long."""
    for row in rows:
        if len(row) == width:
            yield row
        elif row:
            raise InputError(
                f"{name}, line {rows.line_num}: {width} columns are named; this row has {len(row)}."
            )


def _no_twins(name: str, names: list[str]) -> None:
    twins = sorted({each for each in names if names.count(each) > 1})
    if twins:
        raise InputError(
            f"{name} names the column '{twins[0]}' twice; each column needs its own name."
        )


def _lines(path: Path) -> Iterable[Any]:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                try:
                    yield _decode(line)
                except msgspec.DecodeError as error:
                    raise InputError(f"{path.name}, line {number} is not JSON: {error}.") from error


def _array(path: Path) -> Iterable[Any]:
    try:
        found = _decode(path.read_bytes())
    except msgspec.DecodeError as error:
        raise InputError(f"{path.name} is not JSON: {error}.") from error
    if not isinstance(found, list):
        raise InputError(f"{path.name} should be a list of records, one per row.")
    return found


def _from_records(name: str, records: Iterable[Any]) -> Frame:
    columns: dict[str, list[Any]] = {}
    for row, record in enumerate(records):
        if not isinstance(record, dict):
            raise InputError(f"{name}, record {row + 1} should be an object with named values.")
        for key in record:
            if key not in columns:
                columns[key] = [None] * row
        for key, column in columns.items():
            column.append(record.get(key))
    return Frame(name, columns)


def _parquet(path: Path) -> dict[str, list[Any]]:
    try:
        import polars
    except ImportError as error:
        raise MissingExtraError("Reading Parquet", "data") from error
    try:
        table = polars.read_parquet(path)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path.name} is not Parquet: {error}.") from error
    return {name: table[name].to_list() for name in table.columns}
