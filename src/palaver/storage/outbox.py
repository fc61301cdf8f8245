"""The outbox: letters that wait, who is sending which, and what became of each.

A letter is written in the transaction that decides on it. Whoever sends takes it under a lease, so that
two processes do not send one letter twice; the lease of a process that has ended is taken back at once.
When a letter is due is the sender's clock; when a lease ends is the database's, for all hosts alike.
"""

import secrets
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.errors import UnknownNameError
from palaver.core.letters import (
    Letter,
    LetterState,
    checked_address,
    checked_subject,
    checked_text,
)
from palaver.storage.engine.holders import is_gone
from palaver.storage.engine.statements import store_now
from palaver.storage.schema.outbox import mails

# Longer than every step of sending one letter may take together.
LEASE_SECONDS = 600.0

_KEPT = [column for column in mails.c if column.name != "lease"]


def enqueue_mail(
    connection: Connection,
    *,
    recipient: str,
    subject: str,
    text: str,
    about: str,
    now: float,
    key: str | None = None,
) -> bool:
    """Put a letter into the outbox, due at once; False if there is one with this key already.

    InputError if it could not be sent: an address or a subject of several lines, an empty text.
    """
    values = {
        "key": key or secrets.token_hex(16),
        "recipient": checked_address(recipient),
        "subject": checked_subject(subject),
        "text": checked_text(text),
        "about": about,
        "state": "waiting",
        "due": now,
        "created": now,
    }
    if connection.execute(select(mails.c.id).where(mails.c.key == values["key"])).scalar():
        return False
    try:
        with connection.begin_nested():
            connection.execute(insert(mails).values(values))
    except IntegrityError:
        return False  # another process wrote it in between
    return True


def has_due_mail(connection: Connection, *, now: float) -> bool:
    """Whether a letter waits that nobody is sending: a look that locks nothing."""
    if connection.execute(_claimable(now).limit(1)).scalar() is not None:
        return True
    return bool(_dead_holders(connection))


def claim_mail(
    connection: Connection, holder: str, *, now: float, lease: float = LEASE_SECONDS
) -> Letter | None:
    """Take the letter that is due for longest; None if there is none."""
    _release_dead(connection)
    found = connection.execute(
        _claimable(now).limit(1).with_for_update(skip_locked=True, key_share=True)
    ).scalar()
    if found is None:
        return None
    row = connection.execute(
        update(mails)
        .where(mails.c.id == found)
        .values(holder=holder, lease=store_now() + lease)
        .returning(*_KEPT)
    ).one()
    return _letter(row)


def mark_sent(connection: Connection, letter: Letter, *, now: float) -> None:
    """A letter was taken by the mail server, whoever holds it by now."""
    connection.execute(
        update(mails)
        .where(mails.c.id == letter.id, mails.c.state != "sent")
        .values(
            state="sent",
            sent=now,
            attempts=mails.c.attempts + 1,
            reason="",
            holder=None,
            lease=None,
        )
    )


def postpone(connection: Connection, letter: Letter, reason: str, *, due: float) -> None:
    """A letter was not taken now: it is tried again at `due`."""
    _note(connection, letter, reason=reason, attempts=letter.attempts + 1, due=due)


def refuse(connection: Connection, letter: Letter, reason: str) -> None:
    """A letter will never be taken."""
    _note(connection, letter, state="failed", reason=reason, attempts=letter.attempts + 1)


def release(connection: Connection, letter: Letter, reason: str = "") -> None:
    """Give a letter back as if it had not been tried: the fault was not the letter's."""
    _note(connection, letter, reason=reason or letter.reason)


def revive(connection: Connection, *, now: float) -> int:
    """Let letters that were refused be tried again, now; how many they are."""
    changed = connection.execute(
        update(mails).where(mails.c.state == "failed").values(state="waiting", attempts=0, due=now)
    )
    return changed.rowcount


def list_mails(
    connection: Connection,
    *,
    state: LetterState | None = None,
    about: str | None = None,
    most: int | None = None,
) -> list[Letter]:
    """The letters, newest first."""
    statement = select(*_KEPT).order_by(mails.c.id.desc())
    if state is not None:
        statement = statement.where(mails.c.state == state)
    if about is not None:
        statement = statement.where(mails.c.about == about)
    return [_letter(row) for row in connection.execute(statement.limit(most))]


def count_mails(connection: Connection, *, about: str | None = None) -> dict[LetterState, int]:
    """How many letters there are in each state."""
    statement = select(mails.c.state, func.count().label("letters")).group_by(mails.c.state)
    if about is not None:
        statement = statement.where(mails.c.about == about)
    known = {row.state: row.letters for row in connection.execute(statement)}
    return {state: known.get(state, 0) for state in ("waiting", "sent", "failed")}


def find_mail(connection: Connection, key: str) -> Letter:
    """A letter by its key; UnknownNameError if there is none."""
    row = connection.execute(select(*_KEPT).where(mails.c.key == key)).one_or_none()
    if row is None:
        raise UnknownNameError(f"There is no letter '{key[:80]}' in the outbox.")
    return _letter(row)


def _claimable(now: float) -> Select[tuple[int]]:
    free = or_(mails.c.holder.is_(None), mails.c.lease < store_now())
    return (
        select(mails.c.id)
        .where(mails.c.state == "waiting", mails.c.due <= now, free)
        .order_by(mails.c.due, mails.c.id)
    )


def _release_dead(connection: Connection) -> None:
    """Take letters back from processes of this machine that have ended."""
    if gone := _dead_holders(connection):
        connection.execute(
            update(mails)
            .where(mails.c.state == "waiting", mails.c.holder.in_(gone))
            .values(holder=None, lease=None)
        )


def _dead_holders(connection: Connection) -> list[str]:
    held = select(mails.c.holder).where(mails.c.state == "waiting", mails.c.holder.is_not(None))
    return [holder for holder in connection.execute(held.distinct()).scalars() if is_gone(holder)]


def _note(connection: Connection, letter: Letter, **values: Any) -> None:
    """Note what came of a letter; nothing if another process has taken it since."""
    mine = and_(mails.c.id == letter.id, mails.c.holder == letter.holder)
    connection.execute(
        update(mails)
        .where(mine, mails.c.state == "waiting")
        .values(**values, holder=None, lease=None)
    )


def _letter(row: Row[Any]) -> Letter:
    return Letter(**row._mapping)
