"""Whether a study's systems fail of late: what recruiting asks before it lets more people come."""

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

from palaver.core.studies.dialogues import REAL
from palaver.storage.schema import dialogues


@dataclass(frozen=True, slots=True)
class RecentEndings:
    """Of the dialogues begun since a moment that have ended: how many, and how many by a failure."""

    ended: int
    failed: int


def recent_endings(connection: Connection, study_id: int, *, since: float) -> RecentEndings:
    """How the dialogues of a study ended that began since a moment."""
    failed = case((dialogues.c.ending.in_(("system_failed", "stalled")), 1), else_=0)
    row = connection.execute(
        select(func.count(), func.coalesce(func.sum(failed), 0)).where(
            dialogues.c.study_id == study_id,
            dialogues.c.purpose == REAL,
            dialogues.c.ending.is_not(None),
            dialogues.c.created >= since,
        )
    ).one()
    return RecentEndings(int(row[0]), int(row[1]))
