"""One request of a person at a time, whatever the number of processes."""

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, select

from palaver.core.errors import ConflictError
from palaver.storage.prepared import Prepared
from palaver.storage.schema import participants


def lock_rater(connection: Connection, participant_id: int) -> None:
    """Keep other transactions from serving this person until this one ends.

    ConflictError if another one serves them right now: a group commit that waited for another
    process's could wait for ever, so whoever asked asks again.
    """
    lock_raters(connection, [participant_id])


def lock_raters(connection: Connection, participant_ids: Collection[int]) -> None:
    """Keep other transactions from serving these people, as `lock_rater` does for one."""
    if connection.dialect.name == "sqlite":
        return  # one writer at a time
    wanted = set(participant_ids)
    if len(_LOCK.all(connection, participants=list(wanted))) < len(wanted):
        raise ConflictError("Another request of this person is being served. Try again.")


_LOCK = Prepared(
    select(participants.c.id)
    .where(participants.c.id.in_(bindparam("participants", expanding=True)))
    .with_for_update(key_share=True, skip_locked=True)
)
