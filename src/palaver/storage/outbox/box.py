"""An outbox: what waits to be sent, who is sending which, and what became of each.

What is to be sent is put in by the transaction that decides on it. Whoever sends takes it under a lease,
so that two processes do not send it twice; the lease of a process that has ended is taken back at once.
When something is due is the sender's clock; when a lease ends is the database's, for all hosts alike.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from palaver.core.outbox import Sendable, SendingState
from palaver.storage.engine.holders import is_gone
from palaver.storage.engine.statements import store_now

T = TypeVar("T", bound=Sendable)


@dataclass(frozen=True)
class Outbox(Generic[T]):
    """The rows of a table that are to be sent, and how one of them is read.

    `rows` selects what `read` makes one of; `conditions` say which rows of the table are in the box.
    """

    table: Table
    rows: Select[Any]
    read: Callable[[Row[Any]], T]
    # Longer than every step of sending one may take together.
    lease_seconds: float
    conditions: tuple[ColumnElement[bool], ...] = ()
    # Done with the id of what was sent or refused, in the same transaction.
    settle: Callable[[Connection, int], None] | None = None

    def where(self, *conditions: ColumnElement[bool]) -> "Outbox[T]":
        """The part of the box that fulfils these conditions as well."""
        return replace(self, conditions=(*self.conditions, *conditions))

    def in_state(self, state: SendingState) -> "Outbox[T]":
        return self.where(self.table.c.state == state)


def put(connection: Connection, table: Table, *, key: str, now: float, **values: Any) -> bool:
    """Put something into a table, due at once; False if it is there with this key already."""
    if connection.execute(select(table.c.id).where(table.c.key == key)).scalar():
        return False
    row = {"key": key, "state": "waiting", "due": now, "created": now, **values}
    try:
        with connection.begin_nested():
            connection.execute(insert(table).values(row))
    except IntegrityError:
        return False  # another process wrote it in between
    return True


def has_due(connection: Connection, box: Outbox[T], *, now: float) -> bool:
    """Whether something waits that nobody is sending: a look that locks nothing."""
    if connection.execute(_due(box, now)).scalar() is not None:
        return True
    return bool(_ended_holders(connection, box))


def take(connection: Connection, box: Outbox[T], holder: str, *, now: float) -> T | None:
    """Take what is due for longest; None if there is nothing."""
    _take_back(connection, box)
    skipping = _due(box, now).with_for_update(skip_locked=True, key_share=True)
    found = connection.execute(skipping).scalar()
    if found is None:
        return None
    id_, lease = box.table.c.id, store_now() + box.lease_seconds
    connection.execute(update(box.table).where(id_ == found).values(holder=holder, lease=lease))
    return box.read(connection.execute(box.rows.where(id_ == found)).one())


def mark_sent(
    connection: Connection, box: Outbox[T], item: T, *, now: float, reason: str = ""
) -> None:
    """The other side took something, whoever holds it by now."""
    columns = box.table.c
    connection.execute(
        update(box.table)
        .where(columns.id == item.id, columns.state != "sent")
        .values(
            state="sent",
            sent=now,
            attempts=columns.attempts + 1,
            reason=reason,
            holder=None,
            lease=None,
        )
    )
    _settle(connection, box, item)


def postpone(
    connection: Connection,
    box: Outbox[T],
    item: T,
    reason: str,
    *,
    due: float,
    counts: bool = True,
) -> None:
    """Something was not taken now: it is tried again at `due`."""
    attempts = item.attempts + (1 if counts else 0)
    _note(connection, box, item, reason=reason, attempts=attempts, due=due)


def refuse(connection: Connection, box: Outbox[T], item: T, reason: str) -> None:
    """Something will never be taken: somebody must look."""
    _note(connection, box, item, state="failed", reason=reason, attempts=item.attempts + 1)
    _settle(connection, box, item)


def release(connection: Connection, box: Outbox[T], item: T, reason: str = "") -> None:
    """Give something back as if it had not been tried: the fault was not its own."""
    _note(connection, box, item, reason=reason or item.reason)


def revive(connection: Connection, box: Outbox[T], *, now: float) -> int:
    """Let what was refused be tried again, now; how many they are."""
    refused = box.in_state("failed").conditions
    changed = connection.execute(
        update(box.table).where(*refused).values(state="waiting", attempts=0, due=now)
    )
    return changed.rowcount


def newest(connection: Connection, box: Outbox[T], *, most: int | None = None) -> list[T]:
    """What is in the box, newest first."""
    statement = box.rows.where(*box.conditions).order_by(box.table.c.id.desc()).limit(most)
    return [box.read(row) for row in connection.execute(statement)]


def count_states(connection: Connection, box: Outbox[T]) -> dict[SendingState, int]:
    """How many there are in each state."""
    state = box.table.c.state
    rows = connection.execute(select(state, func.count()).where(*box.conditions).group_by(state))
    return by_state(rows)


def by_state(rows: Iterable[Row[Any, int]]) -> dict[SendingState, int]:
    """Rows of a state and a number, with the states of which there is none."""
    known = {row[0]: row[1] for row in rows}
    return {state: known.get(state, 0) for state in ("waiting", "sent", "failed")}


def _due(box: Outbox[T], now: float) -> Select[int]:
    """What is due for longest and held by nobody."""
    columns = box.table.c
    free = or_(columns.holder.is_(None), columns.lease < store_now())
    return (
        select(columns.id)
        .where(*box.in_state("waiting").conditions, columns.due <= now, free)
        .order_by(columns.due, columns.id)
        .limit(1)
    )


def _take_back(connection: Connection, box: Outbox[T]) -> None:
    """Take back what processes of this machine hold that have ended."""
    if ended := _ended_holders(connection, box):
        waiting = box.in_state("waiting").conditions
        connection.execute(
            update(box.table)
            .where(*waiting, box.table.c.holder.in_(ended))
            .values(holder=None, lease=None)
        )


def _ended_holders(connection: Connection, box: Outbox[T]) -> list[str]:
    holder = box.table.c.holder
    held = select(holder).where(*box.in_state("waiting").conditions, holder.is_not(None))
    return [each for each in connection.execute(held.distinct()).scalars() if is_gone(each)]


def _note(connection: Connection, box: Outbox[T], item: T, **values: Any) -> None:
    """Note what came of something; nothing if another process has taken it since."""
    columns = box.table.c
    connection.execute(
        update(box.table)
        .where(columns.id == item.id, columns.holder == item.holder, columns.state == "waiting")
        .values(**values, holder=None, lease=None)
    )


def _settle(connection: Connection, box: Outbox[T], item: T) -> None:
    if box.settle is not None:
        box.settle(connection, item.id)
