"""Appending events: the hottest statement of the store.

An append carries the sequence numbers it expects to be free. If one is taken, the whole append fails
with ConflictError and the caller folds the dialogue anew. An append that carries a lease goes in only
while that lease is held: the update locks the lease row until the commit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection, bindparam, update

from palaver.core.errors import LeaseLostError
from palaver.core.events import END, Event
from palaver.storage.engine import postgres, sqlite
from palaver.storage.engine.chain import book_of, linked_events
from palaver.storage.schema import dialogues, leases

_encode = msgspec.json.Encoder().encode
Row = tuple[int, int, int | None, str, str | None, float, str | None, str | None, int | None]


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to drive one dialogue; `epoch` grows with every new holder."""

    dialogue_id: int
    holder: str
    epoch: int


class Append(msgspec.Struct, frozen=True):
    """Events to append to one dialogue, all or none; `also` runs in the same transaction."""

    dialogue_id: int
    events: Sequence[Event]
    lease: Lease | None = None
    also: Callable[[Connection], None] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it may share a statement with others."""
        return self.lease is None and self.also is None

    @property
    def ending(self) -> Event | None:
        """The event that ends the dialogue, if it is among these."""
        return next((event for event in self.events if event.action == END), None)


def append(connection: Connection, work: Append) -> None:
    """Append the events of one dialogue."""
    if work.lease is not None:
        _hold(connection, work.lease)
    insert_rows(connection, rows_of(work))
    _close(connection, (work,))
    if work.also is not None:
        work.also(connection)
    _note(connection, (work,))


def append_many(connection: Connection, works: Sequence[Append]) -> None:
    """Append the events of several dialogues with one statement; all of them are plain."""
    insert_rows(connection, [row for work in works for row in rows_of(work)])
    _close(connection, works)
    _note(connection, works)


def take_appended(connection: Connection) -> list[tuple[int, int]]:
    """The (dialogue, last seq) pairs appended since the last call on this connection."""
    pairs: list[tuple[int, int]] = connection.info.pop("appended", [])
    return pairs


def insert_rows(connection: Connection, rows: list[Row]) -> None:
    """Store events, each as a link of its study's chain."""
    if not rows:
        return
    book = book_of(connection)
    chains = {
        dialogue: book.chain(connection, book.study_of(connection, dialogue))
        for dialogue in dict.fromkeys(row[0] for row in rows)
    }
    linked = linked_events(book, rows, chains)
    if connection.dialect.name == "postgresql":
        postgres.insert_events(connection, linked)
    else:
        for statement, parameters in sqlite.insert_statements(linked):
            connection.exec_driver_sql(statement, parameters)


def _hold(connection: Connection, lease: Lease) -> None:
    held = connection.execute(
        _HOLD, {"of": lease.dialogue_id, "who": lease.holder, "held": lease.epoch}
    )
    if held.rowcount != 1:
        raise LeaseLostError(
            f"dialogue {lease.dialogue_id}: the lease of epoch {lease.epoch} is lost"
        )


_HOLD = (
    update(leases)
    .where(
        leases.c.dialogue_id == bindparam("of"),
        leases.c.holder == bindparam("who"),
        leases.c.epoch == bindparam("held"),
    )
    .values(epoch=bindparam("held"))
)


def _close(connection: Connection, works: Sequence[Append]) -> None:
    """Note with each dialogue that these events end why it ended."""
    ended = [
        {"ended": work.dialogue_id, "why": str((end.data or {}).get("reason", ""))}
        for work in works
        if (end := work.ending) is not None
    ]
    if ended:
        connection.execute(_CLOSE, ended)


_CLOSE = (
    update(dialogues).where(dialogues.c.id == bindparam("ended")).values(ending=bindparam("why"))
)


def rows_of(work: Append) -> list[Row]:
    """The rows of an append, in the order of the table's columns."""
    return [
        (
            work.dialogue_id,
            event.seq,
            event.seat,
            event.action,
            None if event.data is None else str(_encode(event.data), "utf-8"),
            float(event.time),
            None if event.audience is None else _encode(event.audience).decode(),
            event.client_id,
            event.reply_to,
        )
        for event in work.events
    ]


def _note(connection: Connection, works: Sequence[Append]) -> None:
    appended = connection.info.setdefault("appended", [])
    appended.extend((work.dialogue_id, work.events[-1].seq) for work in works if work.events)
