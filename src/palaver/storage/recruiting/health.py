"""How a study fares of late: whether its systems fail, whether people still come and finish."""

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, or_, select

from palaver.core.studies.dialogues import REAL
from palaver.core.studies.visits import FINISHED
from palaver.storage.schema import assignments, dialogues, links, studies


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


@dataclass(frozen=True, slots=True)
class Traffic:
    """When a study was first served, whether people may be on their way, and who finished last.

    `is_out` says that somebody has come, or that a link with a name can still be used. `finished` is
    when somebody last came to the end of all steps; null if nobody ever did.
    """

    served: float
    is_out: bool
    finished: float | None


def read_traffic(connection: Connection, study_id: int, *, now: float) -> Traffic:
    """How people came to a study and left it."""
    served = connection.execute(select(studies.c.created).where(studies.c.id == study_id))
    came = connection.scalar(
        select(assignments.c.id).where(assignments.c.study_id == study_id).limit(1)
    )
    usable = connection.scalar(
        select(links.c.id)
        .where(
            links.c.study_id == study_id,
            links.c.revoked.is_(None),
            or_(links.c.expires > now, links.c.used.is_not(None)),
        )
        .limit(1)
    )
    finished = connection.scalar(
        select(func.max(assignments.c.finished)).where(
            assignments.c.study_id == study_id,
            assignments.c.state == FINISHED,
            assignments.c.reason == "complete",
        )
    )
    return Traffic(float(served.scalar_one()), came is not None or usable is not None, finished)
