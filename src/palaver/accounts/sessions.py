"""Sessions: which browsers act for an account, since when, and how they end.

A browser holds a random secret, the store its digest. A session ends with sign-out, when somebody
ends it at the desk, after some hours, and whenever the password, the role or the account changes.
"""

from sqlalchemy import Connection

from palaver.core.accounts import Account, BrowserSession
from palaver.core.errors import AccessError, ConflictError, InputError
from palaver.core.networks import network_of
from palaver.storage import Store
from palaver.storage.people import sessions
from palaver.storage.people.sessions import FoundSession, touch_session

HOURS = 12
# How long the row of a session is kept, for its owner to look at.
KEPT_DAYS = 30
LONGEST_AGENT = 120


def open_session(
    connection: Connection,
    account: Account,
    *,
    agent: str,
    address: str,
    now: float,
    proof: str | None = None,
) -> str:
    """The secret of a new session; `proof` is what can open one session and no more."""
    sessions.forget_sessions(connection, before=now - KEPT_DAYS * 86400)
    try:
        return sessions.open_session(
            connection,
            account,
            agent=" ".join(agent.replace("\0", "").split())[:LONGEST_AGENT],
            address=network_of(address) or "",
            now=now,
            proof=proof,
        )
    except ConflictError as error:
        raise AccessError("This sign-in was used before. Sign in again.") from error


async def find_session(store: Store, secret: str, *, now: float) -> FoundSession | None:
    """The session of a browser; None if it is over. That it was used is recorded now and then."""
    found = await store.read(
        lambda c: sessions.find_session(c, secret, now=now, since=now - HOURS * 3600)
    )
    if found is not None and found.stale:
        await store.write(lambda c: touch_session(c, found.id, now=now))
    return found


def list_sessions(connection: Connection, account_id: int, *, now: float) -> list[BrowserSession]:
    """The browsers that are signed in to an account, the newest first."""
    return sessions.list_sessions(connection, account_id, since=now - HOURS * 3600)


def end_session(connection: Connection, session_id: int, *, by: Account, now: float) -> None:
    """End one of one's own sessions."""
    if not sessions.end_session(connection, by.id, session_id, now=now):
        raise InputError("There is no such session of yours, or it has ended.")


def end_other_sessions(connection: Connection, session_id: int, *, by: Account, now: float) -> int:
    """End all of one's own sessions but this one; how many ended."""
    return sessions.end_sessions(connection, by.id, but=session_id, now=now)
