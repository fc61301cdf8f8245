"""Leases: exactly one process drives a dialogue's systems and clocks.

On SQLite one process serves the file, so a lease there never expires; a new process takes them all.
"""

from sqlalchemy import Connection, delete, insert, or_, select, update

from palaver.storage.engine.appends import Lease
from palaver.storage.engine.statements import store_now
from palaver.storage.schema import leases

SECONDS = 3.0
FOREVER = 1e12


def _expiry(connection: Connection) -> object:
    return store_now() + SECONDS if connection.dialect.name == "postgresql" else FOREVER


def new_lease(connection: Connection, dialogue_id: int, holder: str) -> Lease:
    """The lease of a dialogue that was created in this transaction."""
    connection.execute(
        insert(leases).values(
            dialogue_id=dialogue_id, holder=holder, epoch=1, expires=_expiry(connection)
        )
    )
    return Lease(dialogue_id, holder, 1)


def take_lease(connection: Connection, dialogue_id: int, holder: str) -> Lease | None:
    """The lease of a dialogue if it is free, expired or ours already; else None."""
    free = or_(leases.c.expires < store_now(), leases.c.holder == holder)
    if connection.dialect.name != "postgresql":
        free = or_(free, leases.c.holder != holder)
    taken = connection.execute(
        update(leases)
        .where(leases.c.dialogue_id == dialogue_id, free)
        .values(holder=holder, epoch=leases.c.epoch + 1, expires=_expiry(connection))
        .returning(leases.c.epoch)
    ).scalar()
    return None if taken is None else Lease(dialogue_id, holder, taken)


def renew_leases(connection: Connection, holder: str) -> list[int]:
    """Prolong every lease of this process; returns the dialogues it still holds."""
    rows = connection.execute(
        update(leases)
        .where(leases.c.holder == holder)
        .values(expires=_expiry(connection))
        .returning(leases.c.dialogue_id)
    )
    return list(rows.scalars())


def release_lease(connection: Connection, lease: Lease) -> None:
    """Give a lease up when its dialogue is over."""
    connection.execute(
        delete(leases).where(
            leases.c.dialogue_id == lease.dialogue_id, leases.c.epoch == lease.epoch
        )
    )


def surrender_leases(connection: Connection, holder: str) -> None:
    """Let others take over at once: this process is stopping."""
    connection.execute(update(leases).where(leases.c.holder == holder).values(expires=0.0))


def orphans(connection: Connection, holder: str) -> list[int]:
    """Dialogues that nobody drives: running, or ended by a process that died before it tidied up."""
    lost = leases.c.expires < store_now()
    if connection.dialect.name != "postgresql":
        lost = leases.c.holder != holder
    rows = connection.execute(
        select(leases.c.dialogue_id).where(lost).order_by(leases.c.dialogue_id).limit(500)
    )
    return list(rows.scalars())
