"""Sessions as rows: which browsers act for which accounts. A session is kept as a SHA-256."""

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.accounts import Account, BrowserSession, Rights
from palaver.core.errors import ConflictError
from palaver.storage.people.accounts import account_from_row
from palaver.storage.people.grants import rights_of
from palaver.storage.schema import accounts, sessions

# How stale the time at which a session was last seen may be: coarse, and few writes.
SEEN_SECONDS = 600.0
_COLUMNS = (
    sessions.c.id,
    sessions.c.account_id,
    sessions.c.opened,
    sessions.c.seen,
    sessions.c.agent,
    sessions.c.address,
)


@dataclass(frozen=True, slots=True)
class FoundSession:
    """Whose session it is, what they may do, and whether it is time to write that it was seen."""

    id: int
    account: Account
    rights: Rights
    stale: bool


def open_session(
    connection: Connection,
    account: Account,
    *,
    agent: str,
    address: str,
    now: float,
    proof: str | None = None,
) -> str:
    """Store a new session and return its secret; ConflictError if its proof was used before."""
    secret = secrets.token_urlsafe(32)
    values = {
        "account_id": account.id,
        "digest": _digest(secret),
        "generation": account.generation,
        "opened": now,
        "seen": now,
        "agent": agent,
        "address": address,
        "proof": None if proof is None else _digest(proof),
    }
    try:
        with connection.begin_nested():
            connection.execute(insert(sessions).values(**values))
    except IntegrityError as error:
        raise ConflictError("This answer has opened a session before.") from error
    return secret


def find_session(
    connection: Connection, secret: str, *, now: float, since: float
) -> FoundSession | None:
    """The session behind a secret; None if it ended, is older than `since`, or its account may not."""
    row = connection.execute(
        select(accounts, sessions.c.id.label("session_id"), sessions.c.seen)
        .join(accounts, accounts.c.id == sessions.c.account_id)
        .where(sessions.c.digest == _digest(secret), _is_good(since))
    ).one_or_none()
    if row is None:
        return None
    account = account_from_row(row)
    stale = row.seen <= now - SEEN_SECONDS
    return FoundSession(row.session_id, account, rights_of(connection, account), stale)


def touch_session(connection: Connection, session_id: int, *, now: float) -> None:
    """Record that a session is in use, unless that was recorded some minutes ago."""
    connection.execute(
        update(sessions)
        .where(sessions.c.id == session_id, sessions.c.seen <= now - SEEN_SECONDS)
        .values(seen=now)
    )


def list_sessions(connection: Connection, account_id: int, *, since: float) -> list[BrowserSession]:
    """The sessions of an account that are good, the newest first."""
    rows = connection.execute(
        select(*_COLUMNS)
        .join(accounts, accounts.c.id == sessions.c.account_id)
        .where(sessions.c.account_id == account_id, _is_good(since))
        .order_by(sessions.c.id.desc())
    )
    return [BrowserSession(**row._asdict()) for row in rows]


def end_session(connection: Connection, account_id: int, session_id: int, *, now: float) -> bool:
    """End a session of an account; False if it has none of this number that is good."""
    mine = and_(sessions.c.account_id == account_id, sessions.c.id == session_id)
    return _end(connection, mine, now) == 1


def end_sessions(
    connection: Connection, account_id: int, *, now: float, but: int | None = None
) -> int:
    """End the sessions of an account, but for one; how many."""
    mine = sessions.c.account_id == account_id
    return _end(connection, mine if but is None else and_(mine, sessions.c.id != but), now)


def forget_sessions(connection: Connection, *, before: float) -> None:
    """Delete the sessions that were opened before a time: addresses are not kept for ever."""
    connection.execute(delete(sessions).where(sessions.c.opened < before))


def _end(connection: Connection, chosen: ColumnElement[bool], now: float) -> int:
    ended = update(sessions).where(chosen, sessions.c.ended.is_(None)).values(ended=now)
    return connection.execute(ended).rowcount


def _is_good(since: float) -> ColumnElement[bool]:
    return and_(
        sessions.c.ended.is_(None),
        sessions.c.opened > since,
        sessions.c.generation == accounts.c.generation,
        accounts.c.disabled.is_(None),
        accounts.c.removed.is_(None),
    )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
