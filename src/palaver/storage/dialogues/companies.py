"""Who talked with whom: people whose visits hang together through the dialogues they shared."""

from sqlalchemy import Connection, select

from palaver.storage.schema import assignments, seats


def companies(connection: Connection, study_id: int) -> dict[int, int]:
    """Of each visit in which somebody talked, the first visit of all that hang together with it.

    Whoever talked with nobody but systems is a company of their own.
    """
    rows = connection.execute(
        select(seats.c.dialogue_id, seats.c.assignment_id)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .where(assignments.c.study_id == study_id)
        .order_by(seats.c.assignment_id, seats.c.dialogue_id)
    )
    leads: dict[int, int] = {}
    in_dialogue: dict[int, int] = {}

    def first(visit: int) -> int:
        while leads[visit] != visit:
            leads[visit] = visit = leads[leads[visit]]
        return visit

    for dialogue, visit in rows:
        leads.setdefault(visit, visit)
        one, other = first(visit), first(in_dialogue.setdefault(dialogue, visit))
        leads[max(one, other)] = min(one, other)
    return {visit: first(visit) for visit in leads}
