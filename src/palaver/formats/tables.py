"""Tidy tables of events, dialogues, labels, raters and questions, as CSV and as Parquet.

One row is one of these. Times are seconds since the epoch. A value that is
not plain (an event's data, a list) is JSON in its cell; an answer that is text stands as it is.

CSV follows RFC 4180 in UTF-8; an empty cell is a missing value. Cells are not altered: a text that
begins with "=" is written so, and a spreadsheet may take it for a formula. Open files with other
people's words in a statistics program, or import them as text.

Parquet needs the extra `data`. Rows go to parts of a bounded size first, which are then merged as a
stream, so that memory does not grow with the table.
"""

import csv
import io
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from palaver.core.dialogue import Seat
from palaver.core.errors import MissingExtraError
from palaver.core.events import ERASE, MESSAGE, Event
from palaver.core.records import DialogueRecord, LabelRecord, QuestionRecord, RaterRecord

Cell = str | int | float | bool | None
Row = tuple[Cell, ...]
CellType = Literal["text", "integer", "number", "boolean"]

# Rows of one part of a Parquet table: what is held in memory at most.
PART_ROWS = 50_000

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table's name and its columns in order."""

    name: str
    columns: dict[str, CellType]


EVENTS = TableShape(
    "events",
    {
        "study": "text",
        "dialogue": "text",
        "group": "text",
        "condition": "text",
        "position": "integer",
        "seq": "integer",
        "seat": "integer",
        "seat_kind": "text",
        "occupant": "text",
        "action": "text",
        "text": "text",
        "data": "text",
        "time": "number",
    },
)

DIALOGUES = TableShape(
    "dialogues",
    {
        "study": "text",
        "dialogue": "text",
        "group": "text",
        "condition": "text",
        "position": "integer",
        "status": "text",
        "reason": "text",
        "messages": "integer",
        "seconds": "number",
        "seat0_kind": "text",
        "seat0": "text",
        "seat1_kind": "text",
        "seat1": "text",
        "created": "number",
    },
)

LABELS = TableShape(
    "labels",
    {
        "study": "text",
        "unit": "text",
        "dialogue": "text",
        "seq": "integer",
        "turn": "integer",
        "question": "text",
        "question_version": "text",
        "purpose": "text",
        "rater": "text",
        "rater_kind": "text",
        "assignment": "text",
        "shown_order": "text",
        "value": "text",
        "label": "text",
        "seconds": "number",
        "superseded": "boolean",
        "time": "number",
    },
)

RATERS = TableShape(
    "raters",
    {
        "study": "text",
        "rater": "text",
        "rater_kind": "text",
        "labels": "integer",
        "excluded": "boolean",
        "first_time": "number",
        "last_time": "number",
    },
)

QUESTIONS = TableShape(
    "questions",
    {
        "study": "text",
        "question": "text",
        "question_version": "text",
        "kind": "text",
        "about": "text",
        "level": "text",
        "labels": "text",
        "text": "text",
        "definition": "text",
    },
)


# --- Rows -----------------------------------------------------------------------------------------


def event_rows(record: DialogueRecord) -> Iterator[Row]:
    """The rows of `EVENTS` for one dialogue; an occupant is who sat there at that time."""
    head = (record.study, record.id, record.group, record.condition, record.position)
    for event in record.events:
        seat = _seat_at(record.seats, event.seat, event.seq)
        yield (
            *head,
            event.seq,
            event.seat,
            seat.kind if seat else None,
            seat.occupant if seat else None,
            event.action,
            event.text if event.action == MESSAGE and event.data is not None else None,
            None if event.data is None else _json(event.data),
            event.time,
        )


def dialogue_row(record: DialogueRecord) -> Row:
    """The row of `DIALOGUES`: erased messages count, and the seats are as they were at the start.

    `seconds` is the time from the first event to the last, not counting a later erasure.
    """
    occupants = [_seat_at(record.seats, index, 1) for index in (0, 1)]
    return (
        record.study,
        record.id,
        record.group,
        record.condition,
        record.position,
        record.status,
        record.reason,
        sum(event.action == MESSAGE for event in record.events),
        _seconds(record.events),
        *(
            cell
            for seat in occupants
            for cell in ((seat.kind, seat.occupant) if seat else (None,) * 2)
        ),
        record.created,
    )


def label_row(record: LabelRecord) -> Row:
    return (
        record.study,
        record.unit,
        record.dialogue,
        record.seq,
        record.turn,
        record.question,
        record.question_version,
        record.purpose,
        record.rater,
        record.rater_kind,
        record.assignment,
        None if record.shown_order is None else _json(record.shown_order),
        _plain(record.value),
        _plain(record.label),
        record.seconds,
        record.superseded,
        record.time,
    )


def rater_row(record: RaterRecord) -> Row:
    return msgspec.structs.astuple(record)


def question_row(record: QuestionRecord) -> Row:
    """The row of `QUESTIONS`; labels are joined by a bar, as those of an answer are."""
    return (
        record.study,
        record.question,
        record.question_version,
        record.kind,
        record.about,
        record.level,
        "|".join(record.labels) or None,
        record.text,
        _json(record.definition),
    )


def _seat_at(seats: Sequence[Seat], index: int | None, seq: int) -> Seat | None:
    sat = [seat for seat in seats if seat.index == index and seat.from_seq <= seq]
    return max(sat, key=lambda seat: seat.from_seq) if sat else None


def _seconds(events: Sequence[Event]) -> float | None:
    times = [event.time for event in events if event.action != ERASE]
    return times[-1] - times[0] if times else None


def _plain(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return _encode(value).decode()


# --- Files ----------------------------------------------------------------------------------------


class TableWriter(AbstractContextManager["TableWriter", None]):
    """An open table that takes rows; complete when its block ends without an error."""

    @abstractmethod
    def write(self, row: Row) -> None:
        """Add a row."""


class CsvWriter(TableWriter):
    """Writes a table as CSV to a binary stream, which stays open."""

    def __init__(self, table: TableShape, stream: BinaryIO) -> None:
        self._text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
        self._csv = csv.writer(self._text, lineterminator="\r\n")
        self._csv.writerow(table.columns)
        # csv would write True and False; the rest of the world reads true and false.
        self._booleans = [i for i, kind in enumerate(table.columns.values()) if kind == "boolean"]

    def __exit__(self, *raised: object) -> None:
        self._text.detach()

    def write(self, row: Row) -> None:
        if self._booleans:
            cells = list(row)
            for index in self._booleans:
                cells[index] = None if cells[index] is None else str(cells[index]).lower()
            self._csv.writerow(cells)
        else:
            self._csv.writerow(row)


class ParquetWriter(TableWriter):
    """Writes a table as Parquet to a path, through parts beside it."""

    def __init__(self, table: TableShape, path: Path, *, part_rows: int = PART_ROWS) -> None:
        self._polars = import_polars()
        self._schema = _schema(self._polars, table)
        self._path = path
        self._part_rows = part_rows
        self._rows: list[Row] = []
        self._parts: list[Path] = []

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            for part in self._parts:
                part.unlink(missing_ok=True)

    def write(self, row: Row) -> None:
        self._rows.append(row)
        if len(self._rows) >= self._part_rows:
            self._flush()

    def _flush(self) -> None:
        part = self._path.with_name(f"{self._path.name}.part{len(self._parts)}")
        frame = self._polars.DataFrame(self._rows, schema=self._schema, orient="row")
        self._parts.append(part)
        frame.write_parquet(part)
        self._rows = []

    def _finish(self) -> None:
        if self._rows or not self._parts:
            self._flush()
        if len(self._parts) == 1:
            self._parts.pop().replace(self._path)
        else:
            self._polars.scan_parquet(self._parts).sink_parquet(self._path)


def import_polars() -> Any:
    """The module `polars`; MissingExtraError where it is not installed."""
    try:
        import polars
    except ImportError as error:
        raise MissingExtraError("Parquet", "data") from error
    return polars


def _schema(pl: Any, table: TableShape) -> dict[str, Any]:
    types = {"text": pl.String, "integer": pl.Int64, "number": pl.Float64, "boolean": pl.Boolean}
    return {name: types[kind] for name, kind in table.columns.items()}
