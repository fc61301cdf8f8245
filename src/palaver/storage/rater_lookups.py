"""What is known of raters before they send something: of which kind they are, what they sent."""

from collections.abc import Collection

from sqlalchemy import Connection, select

from palaver.storage.schema import labels, raters, units


def rater_kinds(connection: Connection, keys: Collection[str]) -> dict[str, str]:
    """The kinds of those raters that are known."""
    rows = connection.execute(select(raters.c.key, raters.c.kind).where(raters.c.key.in_(keys)))
    return {row.key: row.kind for row in rows}


def sent_before(
    connection: Connection, keys: Collection[str], client_ids: Collection[str]
) -> dict[tuple[str, str], tuple[str, str]]:
    """What these raters answered under these ids of theirs: the unit and the question."""
    rows = connection.execute(
        select(raters.c.key, labels.c.client_id, units.c.key, labels.c.question)
        .join(raters, raters.c.id == labels.c.rater_id)
        .join(units, units.c.id == labels.c.unit_id)
        .where(raters.c.key.in_(keys), labels.c.client_id.in_(client_ids))
    )
    return {
        (rater, client_id): (unit, question)
        for rater, client_id, unit, question in rows
        if client_id is not None
    }
