"""CoCoA's `chat_state.db`: the SQLite database of its web server, read as dialogues and surveys.

| table | what is read of it |
|---|---|
| `chat` | `chat_id`, `scenario_id`, `outcome`, `agent_ids`, `agent_types`; the middle three are JSON |
| `event` | `chat_id`, `action`, `agent`, `time`, `data`, `start_time`, `metadata`, in their order |
| `survey` | `name`, `chat_id`, and each other column as a question about the partner |
| `bot` | `chat_id`, `config` |

A database that somebody else writes, or that broke off, is copied first, with its journal; the copy is
opened, and what can be read of it is taken row by row, from both ends where pages in between are gone.
The order of rows is the order of events: CoCoA's own dump sorts by a time that a quit does not have.
"""

import json
import shutil
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from palaver.core.errors import InputError
from palaver.core.events import JOIN, LEAVE, MESSAGE
from palaver.core.words import listed
from palaver.formats.found_records import Mistake, Unconverted

HEADER = b"SQLite format 3\0"
# What SQLite keeps beside a database that is being written.
BESIDE = ("-wal", "-journal")
CHAT, EVENT, SURVEY, BOT = "chat", "event", "survey", "bot"
SURVEY_KEYS = ("name", "chat_id", "partner_type")

_NEEDED = {
    CHAT: ("chat_id", "scenario_id", "outcome", "agent_ids", "agent_types"),
    EVENT: ("chat_id", "action", "agent", "time", "data"),
    SURVEY: ("name", "chat_id"),
    BOT: ("chat_id", "config"),
}
_JSON_DATA = frozenset({"select", "offer", "eval"})
_DROPPED = frozenset({JOIN, LEAVE, "typing"})

# So many rows beside those that cannot be read may be of the same chats: several go on at once.
_NEAR = 50

Row = dict[str, Any]


@dataclass(slots=True)
class ChatState:
    """What could be read of a database, and what is wrong with the rest."""

    name: str
    chats: list[Row] = field(default_factory=list)
    events: dict[str, list[Row]] = field(default_factory=dict)
    configs: dict[str, Any] = field(default_factory=dict)
    surveys: list[Row] = field(default_factory=list)
    # Chats that may have lost events.
    torn: set[str] = field(default_factory=set)
    mistakes: list[Mistake] = field(default_factory=list)

    def place(self, chat: Any) -> str:
        return f"{self.name}: chat {chat}"


def read_chat_state(stream: BinaryIO, name: str) -> ChatState:
    """The rows of a database; InputError where it is none, or has no chats at all."""
    content = stream.read()
    state = ChatState(name)
    if not content:
        return state
    if not content.startswith(HEADER[: len(content)]):
        raise InputError(f"{name}: This is not an SQLite database. Expected CoCoA's chat_state.db.")
    with _opened(_whole_pages(content), name) as connection:
        tables = _tables(connection, name)
        missing = [table for table in (CHAT, EVENT) if table not in tables]
        if missing:
            there = listed(sorted(tables)) if tables else "none"
            raise InputError(
                f"{name}: There is no table {listed([repr(each) for each in missing], 'or')}; there "
                f"are {there}. It is not a chat_state.db, or was copied before it was written."
            )
        reading = _Reading(connection, state)
        state.chats = reading.rows(CHAT)
        events: dict[str, list[Row]] = defaultdict(list)
        for row in reading.rows(EVENT):
            events[str(row["chat_id"])].append(row)
        state.events = dict(events)
        state.torn = reading.torn.get(EVENT, set())
        state.surveys = reading.rows(SURVEY) if SURVEY in tables else []
        if BOT in tables:
            state.configs = {str(row["chat_id"]): row["config"] for row in reading.rows(BOT)}
    return state


@dataclass(slots=True)
class _Reading:
    connection: sqlite3.Connection
    state: ChatState
    # By table: the chats whose rows are among those beside the ones that could not be read.
    torn: dict[str, set[str]] = field(default_factory=dict)

    def rows(self, table: str) -> list[Row]:
        """The rows of a table in their order, as many as can be read; a mistake tells of the rest."""
        columns = self._columns(table)
        lacking = [name for name in _NEEDED[table] if name not in columns]
        if lacking:
            self._mistake(table, f"The column {listed([repr(n) for n in lacking])} is missing.")
            return []
        rows: dict[int, Row] = {}
        broken = self._take(table, columns, rows, "ASC")
        if broken:
            before = sorted(rows)[-_NEAR:]
            self._take(table, columns, rows, "DESC")
            behind = [number for number in sorted(rows) if not before or number > before[-1]]
            near = [*before, *behind[:_NEAR]]
            self.torn[table] = {str(rows[number]["chat_id"]) for number in near}
            self._mistake(
                table,
                f"Only {len(rows):,} rows could be read; the file is damaged or cut off ({broken}).",
            )
        return [rows[number] for number in sorted(rows)]

    def _take(self, table: str, columns: Sequence[str], rows: dict[int, Row], order: str) -> str:
        """Read rows until the end, or until one cannot be; what SQLite says then."""
        # The names come from the database's own list of columns, quoted as SQL quotes names.
        named = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
        try:
            for number, *values in self.connection.execute(
                f'SELECT rowid, {named} FROM "{table}" ORDER BY rowid {order}'
            ):
                if number in rows:
                    return ""
                rows[number] = dict(zip(columns, map(_text, values), strict=True))
        except sqlite3.DatabaseError as error:
            return str(error)
        return ""

    def _columns(self, table: str) -> list[str]:
        return [_text(row[1]) for row in self.connection.execute(f'PRAGMA table_info("{table}")')]

    def _mistake(self, table: str, message: str) -> None:
        self.state.mistakes.append(Mistake(f"{self.state.name}: table {table}", message))


def _whole_pages(content: bytes) -> bytes:
    """The file without a page at its end of which a part is missing: SQLite would fill it with zeros."""
    size = int.from_bytes(content[16:18])
    size = 65536 if size == 1 else size
    return content[: len(content) // size * size] if size >= 512 else content


@contextmanager
def _opened(content: bytes, name: str) -> Iterator[sqlite3.Connection]:
    """A connection to a copy: the source is never written to, not even to roll back."""
    with TemporaryDirectory(prefix="palaver-db-") as folder:
        copy = Path(folder, "chat_state.db")
        copy.write_bytes(content)
        for ending in BESIDE:
            beside = Path(f"{name}{ending}")
            if beside.is_file():
                shutil.copyfile(beside, f"{copy}{ending}")
        try:
            with closing(sqlite3.connect(copy)) as connection:
                connection.text_factory = bytes
                # A file that is shorter than it says is read as far as it goes.
                connection.execute("PRAGMA writable_schema = ON")
                yield connection
        except sqlite3.DatabaseError as error:
            raise InputError(f"{name}: The database cannot be read: {error}.") from error


def _tables(connection: sqlite3.Connection, name: str) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {_text(table) for (table,) in rows}


def _text(value: Any) -> Any:
    """A text; one that is not UTF-8 with signs where it is not."""
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value


# --- Chats as examples ----------------------------------------------------------------------------


def example_of(state: ChatState, chat: Row, noted: Counter[str]) -> dict[str, Any] | Unconverted:
    """A chat as an example of CoCoA; what it leaves out is counted in `noted`.

    InputError where something in it cannot be read. A chat in which one side did nothing is left out,
    as CoCoA's own dump does.
    """
    chat_id = chat["chat_id"]
    if not isinstance(chat_id, str) or not chat_id:
        raise InputError(f"'chat_id' takes text; got {chat_id!r}.")
    if chat_id in state.torn:
        raise InputError("It may have lost events: rows beside its own cannot be read.")
    rows = state.events.get(chat_id, [])
    events = [_event(row) for row in _kept(rows, noted)]
    if {event["agent"] for event in events} < {0, 1}:
        return Unconverted(state.place(chat_id), "a chat in which one side did nothing")
    scenario = chat["scenario_id"]
    example = {
        "uuid": chat_id,
        "scenario_uuid": scenario if isinstance(scenario, str) else "",
        "agents": agent_types(chat),
        "agents_info": _info(state, chat_id),
        "outcome": _outcome(chat["outcome"], noted),
        "events": events,
    }
    if not example["scenario_uuid"]:
        raise InputError(f"'scenario_id' takes text; got {scenario!r}.")
    return example


def agent_types(chat: Row) -> dict[str, str | None]:
    """Who sat where; None where the database does not say."""
    types = _sides(chat, "agent_types")
    return {seat: types.get(seat) if types.get(seat) not in ("", "None") else None for seat in "01"}


def agent_ids(chat: Row) -> dict[str, Any]:
    """The names of the two sides; a bot is called 0."""
    return _sides(chat, "agent_ids")


def _sides(chat: Row, column: str) -> dict[str, Any]:
    written = chat[column]
    sides = decoded(written, column) if written not in (None, "") else {}
    if not isinstance(sides, dict):
        raise InputError(f"'{column}' takes an object of '0' and '1'; got {written!r}.")
    return sides


def _kept(rows: Sequence[Row], noted: Counter[str]) -> Iterator[Row]:
    for row in rows:
        if row["action"] in _DROPPED:
            noted["somebody joined, left or typed"] += 1
        elif row["action"] == MESSAGE and not str(row["data"] or "").strip():
            noted["a message without words"] += 1
        else:
            yield row


def _event(row: Row) -> dict[str, Any]:
    data = row["data"]
    if row["action"] in _JSON_DATA:
        data = decoded(data, f"data of the {row['action']}")
    elif row["action"] != MESSAGE and data in ("", "null"):
        data = None
    elif row["action"] == MESSAGE and isinstance(data, int | float):
        # A column without a type keeps "40" as a number.
        data = str(data)
    metadata = row.get("metadata")
    return {
        "agent": row["agent"],
        "time": row["time"],
        "action": row["action"],
        "data": data,
        "start_time": row.get("start_time"),
        "metadata": _metadata(metadata, row["action"]),
    }


def _metadata(written: Any, action: Any) -> Any:
    """What was noted of an event; the site for bargains wrote the time of a quit here, bare."""
    if not isinstance(written, str) or not written:
        return written or None
    if action == "quit":
        try:
            return decoded(written, "metadata")
        except InputError:
            return written
    return decoded(written, f"metadata of the {action}")


def _info(state: ChatState, chat: str) -> dict[str, Any] | None:
    config = state.configs.get(chat)
    return {"config": config} if config is not None else None


def _outcome(written: Any, noted: Counter[str]) -> Any:
    """What came of it; None where it cannot be read (CoCoA's own dump says reward 0 then)."""
    if written in (None, ""):
        return None
    try:
        outcome = decoded(written, "outcome")
    except InputError:
        outcome = ""
    if isinstance(outcome, dict) or outcome is None:
        return outcome
    noted["an outcome that is not JSON (the chat is kept without)"] += 1
    return None


def decoded(text: Any, what: str) -> Any:
    """A JSON text; NaN and infinity, which CoCoA's Python wrote, are null."""
    if not isinstance(text, str):
        return text
    try:
        value = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The {what} is not JSON; got '{text[:40]}'.") from error
    try:
        # What no file can hold: half of a pair of code units.
        text.encode() and json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"The {what} has half a character; got '{text[:40]}'.") from error
    return value
