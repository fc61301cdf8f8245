"""What challenges told their teams, in the store."""

from typing import Any

from sqlalchemy import Connection, Row, insert, select

from palaver.core.evaluation.challenge_entries import Announcement
from palaver.storage.schema.evaluation import announcements

_KEPT = [column for column in announcements.c if column.name != "challenge_id"]


def add_announcement(
    connection: Connection,
    *,
    challenge_id: int,
    subject: str,
    text: str,
    public: bool,
    created_by: str,
    now: float,
) -> Announcement:
    """Store an announcement."""
    row = connection.execute(
        insert(announcements)
        .values(
            challenge_id=challenge_id,
            subject=subject,
            text=text,
            public=public,
            created_by=created_by,
            created=now,
        )
        .returning(*_KEPT)
    ).one()
    return _announcement(row)


def list_announcements(connection: Connection, challenge_id: int) -> list[Announcement]:
    """The announcements of a challenge, newest first."""
    rows = connection.execute(
        select(*_KEPT)
        .where(announcements.c.challenge_id == challenge_id)
        .order_by(announcements.c.id.desc())
    )
    return [_announcement(row) for row in rows]


def _announcement(row: Row[Any]) -> Announcement:
    return Announcement(**row._mapping)
