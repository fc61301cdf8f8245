"""The waiting room: who waits for a partner, and how long it took those before them."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from palaver.storage.schema import assignments, dialogues, seats, waiting

# Somebody whose page has not been heard of for this long is not there any more.
PRESENT_SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class Waiter:
    """Somebody in the waiting room."""

    assignment_id: int
    participant_id: int
    since: float


def start_waiting(
    connection: Connection, *, assignment_id: int, study_id: int, stage: int, now: float
) -> float:
    """Enter the waiting room, or say that one is still there; since when one waits."""
    since = connection.execute(
        update(waiting)
        .where(waiting.c.assignment_id == assignment_id)
        .values(seen=now)
        .returning(waiting.c.since)
    ).scalar()
    if since is not None:
        return float(since)
    connection.execute(
        insert(waiting).values(
            assignment_id=assignment_id, study_id=study_id, stage=stage, since=now, seen=now
        )
    )
    return now


def stop_waiting(connection: Connection, assignment_id: int) -> float | None:
    """Leave the waiting room; since when one waited, or None if one did not."""
    return connection.execute(
        delete(waiting).where(waiting.c.assignment_id == assignment_id).returning(waiting.c.since)
    ).scalar()


def waiting_since(connection: Connection, assignment_id: int) -> float | None:
    """Since when somebody waits; None if they do not."""
    return connection.execute(
        select(waiting.c.since).where(waiting.c.assignment_id == assignment_id)
    ).scalar()


def lock_waiter(
    connection: Connection, *, study_id: int, stage: int, other_than: int, now: float
) -> Waiter | None:
    """Whoever waits longest, other than one participant; locked until this transaction ends.

    Somebody whom another transaction is seating right now is passed over.
    """
    row = connection.execute(
        select(waiting.c.assignment_id, assignments.c.participant_id, waiting.c.since)
        .join(assignments, assignments.c.id == waiting.c.assignment_id)
        .where(
            waiting.c.study_id == study_id,
            waiting.c.stage == stage,
            waiting.c.seen >= now - PRESENT_SECONDS,
            assignments.c.participant_id != other_than,
        )
        .order_by(waiting.c.since, waiting.c.assignment_id)
        .limit(1)
        .with_for_update(skip_locked=True, of=[waiting, assignments])
    ).one_or_none()
    return None if row is None else Waiter(*row)


def count_waiting(connection: Connection, *, study_id: int, stage: int, now: float) -> int:
    """How many people wait now."""
    return connection.execute(
        select(func.count())
        .select_from(waiting)
        .where(
            waiting.c.study_id == study_id,
            waiting.c.stage == stage,
            waiting.c.seen >= now - PRESENT_SECONDS,
        )
    ).scalar_one()


def recent_waits(connection: Connection, *, study_id: int, limit: int = 20) -> list[float]:
    """How long the last people who were seated with a person had waited, in seconds."""
    rows = connection.execute(
        select(assignments.c.waited)
        .join(seats, seats.c.assignment_id == assignments.c.id)
        .join(dialogues, dialogues.c.id == seats.c.dialogue_id)
        .where(dialogues.c.study_id == study_id, dialogues.c.condition == "people")
        .order_by(dialogues.c.id.desc())
        .limit(limit)
    )
    return list(rows.scalars())
