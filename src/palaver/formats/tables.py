"""Tidy tables of events, dialogues, labels, raters and questions, as CSV and as Parquet.

One row is one of these. Times are seconds since the epoch. A value that is
not plain (an event's data, a list) is JSON in its cell; an answer that is text stands as it is.

CSV follows RFC 4180 in UTF-8; an empty cell is a missing value. Cells are not altered here: a text
that begins with "=" is written so, and a spreadsheet may take it for a formula. What the desk hands
out, and `palaver export --spreadsheet`, is escaped afterwards (`formats/spreadsheets`).

Parquet needs the extra `data`. Rows go to parts of a bounded size first, which are then merged as a
stream, so that memory does not grow with the table.
"""

import csv
import io
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

import msgspec

from palaver.core.columns import Column, DescribedFile, columns_of
from palaver.core.dialogue import IMPORTED, Seat
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
    """A table's name, what one of its rows is, and its columns in order."""

    name: str
    row: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def described(self, ending: str) -> DescribedFile:
        """The table as a file of an export."""
        return DescribedFile(f"{self.name}.{ending}", self.row, self.columns)


def _cells(record: type[msgspec.Struct], *names: str) -> tuple[Column, ...]:
    """The columns that hold the fields of a record, all or some; what is not plain is text."""
    found = {column.name: column for column in columns_of(record)}
    return tuple(_cell(found[name]) for name in names or found)


def _cell(column: Column) -> Column:
    if column.type in get_args(CellType):
        return column
    written = "" if column.type == "any" else " (JSON)"
    return replace(column, type="text", meaning=column.meaning + written)


def _renamed(columns: tuple[Column, ...], **names: str) -> tuple[Column, ...]:
    return tuple(replace(each, name=names.get(each.name, each.name)) for each in columns)


_HEAD = _renamed(
    _cells(
        DialogueRecord,
        *("study", "id", "name", "source_id", "source", "purpose"),
        *("group", "condition", "position"),
    ),
    id="dialogue",
)
_SEAT_KIND, _OCCUPANT, _NAME = _cells(Seat, "kind", "occupant", "name")

EVENTS = TableShape(
    "events",
    "one event of a dialogue",
    (
        *_HEAD,
        *_cells(Event, "seq", "seat"),
        replace(_SEAT_KIND, name="seat_kind", optional=True),
        replace(
            _OCCUPANT,
            name="occupant",
            meaning="who sat there at that time: an alias or the name of a system",
            optional=True,
        ),
        replace(_NAME, name="occupant_name", optional=True),
        *_cells(Event, "action"),
        Column("text", "text", "the words of a message; empty elsewhere", optional=True),
        *_cells(Event, "data"),
        Column(
            "time",
            "number",
            "when; empty in an imported dialogue whose file does not say",
            optional=True,
        ),
    ),
)

DIALOGUES = TableShape(
    "dialogues",
    "one dialogue",
    (
        *_HEAD,
        *_cells(DialogueRecord, "status", "reason"),
        Column("messages", "integer", "how many were sent, erased ones included"),
        Column(
            "seconds",
            "number",
            "from the first event to the last, a later erasure not counted; empty in an imported "
            "dialogue whose file does not say",
            optional=True,
        ),
        *(
            replace(column, name=f"seat{index}{suffix}", meaning=meaning, optional=True)
            for index in (0, 1)
            for suffix, column, meaning in (
                ("_kind", _SEAT_KIND, f"who sat at seat {index} at the start: person or system"),
                ("", _OCCUPANT, f"the alias or the system at seat {index} at the start"),
                ("_name", _NAME, f"what people call the person at seat {index}, such as P07"),
            )
        ),
        *_cells(DialogueRecord, "created"),
    ),
)

LABELS = TableShape("labels", "one answer of one rater", _cells(LabelRecord))
RATERS = TableShape("raters", "one rater of one study", _cells(RaterRecord))
QUESTIONS = TableShape("questions", "one question that a study asks", _cells(QuestionRecord))
TABLES = (DIALOGUES, EVENTS, LABELS, RATERS, QUESTIONS)


# --- Rows -----------------------------------------------------------------------------------------


def event_rows(record: DialogueRecord) -> Iterator[Row]:
    """The rows of `EVENTS` for one dialogue; an occupant is who sat there at that time."""
    head, timed = _head(record), _tells_times(record)
    for event in record.events:
        seat = _seat_at(record.seats, event.seat, event.seq)
        yield (
            *head,
            event.seq,
            event.seat,
            seat.kind if seat else None,
            seat.occupant if seat else None,
            (seat.name or None) if seat else None,
            event.action,
            event.text if event.action == MESSAGE and event.data is not None else None,
            None if event.data is None else _json(event.data),
            event.time if timed else None,
        )


def dialogue_row(record: DialogueRecord) -> Row:
    """The row of `DIALOGUES`: erased messages count, and the seats are as they were at the start.

    `seconds` is the time from the first event to the last, not counting a later erasure.
    """
    occupants = [_seat_at(record.seats, index, 1) for index in (0, 1)]
    return (
        *_head(record),
        record.status,
        record.reason,
        sum(event.action == MESSAGE for event in record.events),
        _seconds(record.events) if _tells_times(record) else None,
        *(
            cell
            for seat in occupants
            for cell in ((seat.kind, seat.occupant, seat.name or None) if seat else (None,) * 3)
        ),
        record.created,
    )


def _head(record: DialogueRecord) -> Row:
    return (
        record.study,
        record.id,
        record.name,
        record.source_id,
        record.source,
        record.purpose,
        record.group,
        record.condition,
        record.position,
    )


def _tells_times(record: DialogueRecord) -> bool:
    """Whether its times say when it was held; an imported one has no beginning where they do not."""
    return record.reason != IMPORTED or record.created is not None


def label_row(record: LabelRecord) -> Row:
    return (
        record.study,
        record.unit,
        record.item,
        record.dialogue,
        record.source_id,
        record.second_source_id,
        record.seq,
        record.turn,
        record.question,
        record.question_version,
        record.purpose,
        record.section,
        record.rater,
        record.rater_name,
        record.rater_kind,
        record.assignment,
        None if record.shown_order is None else _json(record.shown_order),
        _plain(record.value),
        _plain(record.label),
        record.seconds,
        record.pastes,
        record.pasted,
        record.active,
        record.superseded,
        record.time,
        record.study_version,
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
        self._csv.writerow(table.names)
        # csv would write True and False; the rest of the world reads true and false.
        self._booleans = [i for i, each in enumerate(table.columns) if each.type == "boolean"]

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
    return {column.name: types[column.type] for column in table.columns}
