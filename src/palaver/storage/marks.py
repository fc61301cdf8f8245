"""A mark of what has been judged: equal marks mean equal answers."""

from sqlalchemy import Connection, func, select

from palaver.storage.schema import exclusions, labels, slots


def judgement_mark(connection: Connection, study_id: int) -> str:
    """Changes with every label, erasure, exclusion and abandoned sheet of a study."""
    newest, erased = connection.execute(
        select(func.max(labels.c.id), func.count(labels.c.erased)).where(
            labels.c.study_id == study_id
        )
    ).one()
    excluded = connection.scalar(
        select(func.max(exclusions.c.id)).where(exclusions.c.study_id == study_id)
    )
    abandoned = connection.scalar(
        select(func.count())
        .select_from(slots)
        .join(labels, labels.c.slot_id == slots.c.id)
        .where(labels.c.study_id == study_id, slots.c.state == "abandoned")
    )
    return f"{newest or 0}-{erased}-{excluded or 0}-{abandoned}"
