"""Who held which dialogue, as raters know them: whether somebody judged their own conversation."""

from sqlalchemy import Connection, select

from palaver.storage.schema import assignments, dialogues, labels, raters, seats, units


def dialogue_people(connection: Connection) -> dict[str, set[str]]:
    """The people of each dialogue, by its key, under the keys they have as raters.

    A dialogue of which nobody knows who held it, as most imported ones, is not here; one of a person
    who never rated has nobody.
    """
    rows = connection.execute(
        select(dialogues.c.key, raters.c.key)
        .select_from(seats)
        .join(dialogues, dialogues.c.id == seats.c.dialogue_id)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .outerjoin(raters, raters.c.participant_id == assignments.c.participant_id)
        .order_by(dialogues.c.id)
    )
    found: dict[str, set[str]] = {}
    for dialogue, rater in rows:
        found.setdefault(dialogue, set()).update([] if rater is None else [rater])
    return found


def judged_dialogues(connection: Connection, study_id: int) -> dict[str, str | None]:
    """The dialogues that a study judged, by key, each with the name that its file gave it."""
    rows = connection.execute(
        select(dialogues.c.key, dialogues.c.source_id)
        .distinct()
        .select_from(labels)
        .join(units, units.c.id == labels.c.unit_id)
        .join(dialogues, dialogues.c.id == units.c.dialogue_id)
        .where(labels.c.study_id == study_id)
        .order_by(dialogues.c.key)
    )
    return {row.key: row.source_id for row in rows}
