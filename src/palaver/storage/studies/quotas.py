"""Places: a condition's quota as rows, so that it holds under concurrency and across restarts.

A place is claimed when somebody is seated, given back when they abandon it, and done when somebody
who sat there finished. A condition without a quota grows a place whenever it needs one.
"""

from collections.abc import Mapping

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    delete,
    distinct,
    func,
    insert,
    select,
    update,
)

from palaver.core.studies.progress import ConditionProgress
from palaver.storage.schema import assignments, dialogues, events, places, seats, studies, written


def set_quotas(
    connection: Connection, study_id: int, stage: int, needed: Mapping[str, int | None]
) -> None:
    """Make the places of each condition match its quota; places in use are never taken away."""
    for condition, quota in needed.items():
        if quota is None:
            continue
        mine = _of(study_id, stage, condition)
        present = set(connection.execute(select(places.c.number).where(*mine)).scalars())
        missing = [number for number in range(1, quota + 1) if number not in present]
        if missing:
            connection.execute(
                insert(places),
                [
                    {
                        "study_id": study_id,
                        "stage": stage,
                        "condition": condition,
                        "number": number,
                        "state": "free",
                    }
                    for number in missing
                ],
            )
        connection.execute(
            delete(places).where(*mine, places.c.number > quota, places.c.state == "free")
        )


def progress(
    connection: Connection, study_id: int, stage: int, needed: Mapping[str, int | None]
) -> list[ConditionProgress]:
    """How far each condition is, in the given order."""
    rows = connection.execute(
        select(places.c.condition, places.c.state, func.count())
        .where(places.c.study_id == study_id, places.c.stage == stage)
        .group_by(places.c.condition, places.c.state)
    )
    counts = {(condition, state): count for condition, state, count in rows}
    return [
        ConditionProgress(
            condition,
            quota,
            held=counts.get((condition, "held"), 0),
            done=counts.get((condition, "done"), 0),
        )
        for condition, quota in needed.items()
    ]


def times_done(connection: Connection, participant_id: int, study_id: int) -> dict[str, int]:
    """How often this person has been seated in each condition of a study."""
    rows = connection.execute(
        select(
            dialogues.c.condition,
            func.count(distinct(dialogues.c.group_key)).label("times"),
        )
        .join(seats, seats.c.dialogue_id == dialogues.c.id)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .where(assignments.c.participant_id == participant_id, dialogues.c.study_id == study_id)
        .group_by(dialogues.c.condition)
    )
    return {row.condition: row.times for row in rows}


def claim(
    connection: Connection,
    study_id: int,
    stage: int,
    condition: str,
    *,
    group: str,
    limited: bool,
    now: float,
) -> bool:
    """Hold a place of this condition for a group; False if none is free."""
    mine = _of(study_id, stage, condition)
    free = connection.execute(
        select(places.c.id)
        .where(*mine, places.c.state == "free")
        .order_by(places.c.number)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).scalar()
    if free is None and limited:
        return False
    if free is None:
        free = _grow(connection, study_id, stage, condition)
    connection.execute(
        update(places).where(places.c.id == free).values(state="held", group_key=group, since=now)
    )
    return True


def take_place(
    connection: Connection, study_id: int, stage: int, condition: str, *, group: str
) -> None:
    """Count a place as done by a group that was held elsewhere; a group takes one."""
    taken = select(places.c.id).where(places.c.group_key == group)
    if connection.execute(taken).first() is not None:
        return
    claim(connection, study_id, stage, condition, group=group, limited=False, now=0.0)
    complete(connection, group)


def release(connection: Connection, group: str) -> None:
    """Give back the place a group holds, if it still holds one."""
    connection.execute(
        update(places)
        .where(places.c.group_key == group, places.c.state == "held")
        .values(state="free", group_key=None, since=None)
    )


def reopen(connection: Connection, group: str) -> None:
    """Give back the place of a group that withdrew, though it was counted as done."""
    connection.execute(
        update(places)
        .where(places.c.group_key == group)
        .values(state="free", group_key=None, since=None)
    )


def complete(connection: Connection, group: str) -> None:
    """Count the place a group holds as done."""
    connection.execute(
        update(places)
        .where(places.c.group_key == group, places.c.state == "held")
        .values(state="done")
    )


def stale_groups(connection: Connection, *, before: float) -> list[tuple[str, int]]:
    """Groups that hold a place though all is quiet since `before`, each with an assignment.

    A dialogue that a person came into is left to its own time limits.
    """
    member, recent = dialogues.alias("member"), dialogues.alias("recent")
    ended = select(events.c.seq).where(
        events.c.dialogue_id == member.c.id, events.c.action == written("end")
    )
    person = seats.alias("person")
    joined = (
        select(events.c.seq)
        .join(
            person,
            and_(
                person.c.dialogue_id == events.c.dialogue_id,
                person.c.seat == events.c.seat,
                person.c.kind == "person",
            ),
        )
        .where(events.c.dialogue_id == member.c.id, events.c.action == "join")
    )
    running = select(member.c.id).where(
        member.c.group_key == places.c.group_key,
        joined.correlate(member).exists(),
        ~ended.correlate(member).exists(),
    )
    lively = (
        select(events.c.seq)
        .join(recent, recent.c.id == events.c.dialogue_id)
        .where(recent.c.group_key == places.c.group_key, events.c.time >= before)
    )
    rows = connection.execute(
        select(places.c.group_key, seats.c.assignment_id)
        .distinct()
        .join(dialogues, dialogues.c.group_key == places.c.group_key)
        .join(seats, seats.c.dialogue_id == dialogues.c.id)
        .where(
            places.c.state == "held",
            places.c.since < before,
            seats.c.assignment_id.is_not(None),
            ~running.correlate(places).exists(),
            ~lively.correlate(places).exists(),
        )
        .order_by(places.c.group_key, seats.c.assignment_id)
    )
    return [(group, assignment_id) for group, assignment_id in rows]


def _grow(connection: Connection, study_id: int, stage: int, condition: str) -> int:
    # Two processes would give two places one number; rows that refer to the study may still go in.
    connection.execute(
        select(studies.c.id).where(studies.c.id == study_id).with_for_update(key_share=True)
    )
    highest = connection.execute(
        select(func.coalesce(func.max(places.c.number), 0)).where(*_of(study_id, stage, condition))
    ).scalar_one()
    return int(
        connection.execute(
            insert(places)
            .values(
                study_id=study_id,
                stage=stage,
                condition=condition,
                number=highest + 1,
                state="free",
            )
            .returning(places.c.id)
        ).scalar_one()
    )


def _of(study_id: int, stage: int, condition: str) -> tuple[ColumnElement[bool], ...]:
    return (
        places.c.study_id == study_id,
        places.c.stage == stage,
        places.c.condition == condition,
    )
