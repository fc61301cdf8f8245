"""Replacing the key that signs links and sessions, where it may have become known.

What must come out the same for ever is derived from another key (`Store.lasting_secret`) and stays.
"""

from sqlalchemy import Connection

from palaver.core.audit import COMMAND
from palaver.core.errors import StoreBusyError
from palaver.storage import Store
from palaver.storage.audit.entries import record
from palaver.storage.engine.signing import replace_signing_key
from palaver.studies.home import Home

MOST_DAYS = 365


def rotate_key(home: Home, *, keep_days: int, now: float) -> None:
    """Sign with a new key; for some days what the old one signed for participants is still read."""
    if addresses := home.addresses():
        raise StoreBusyError(
            f"{home.describe()} is being served at {addresses[0]} with the present key. Stop the "
            "server, replace the key, and start it again."
        )
    keep_until = now + keep_days * 86400.0 if keep_days else None
    store = Store(home.database_url)
    try:
        store.lasting_secret()

        def work(c: Connection) -> None:
            replace_signing_key(c, keep_until=keep_until, now=now)
            record(c, "key.rotate", by=COMMAND, now=now, detail={"keep_days": keep_days})

        store.write_now(work)
    finally:
        store.close()
