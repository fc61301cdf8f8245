"""Places: a condition's quota as rows, so that it holds under concurrency and across restarts.

A place is claimed when somebody is seated, given back when they abandon it, and done when somebody
who sat there finished. A condition without a quota grows a place whenever it needs one. Where each
scenario has a quota of its own, a place is for one scenario, and holds for nothing else.
"""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import count

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    case,
    delete,
    distinct,
    func,
    insert,
    literal,
    select,
    update,
)

from palaver.core.studies.dialogues import REAL
from palaver.core.studies.progress import ConditionProgress
from palaver.storage.engine.statements import json_text
from palaver.storage.schema import assignments, dialogues, events, places, seats, written
from palaver.storage.studies.studies import hold_study


def set_quotas(
    connection: Connection, study_id: int, stage: int, needed: Mapping[str, int | None]
) -> None:
    """Make the places of each condition match its quota; places in use are never taken away."""
    for condition, quota in needed.items():
        if quota is None:
            continue
        mine = _of(study_id, stage, condition)
        connection.execute(
            update(places).where(*mine, places.c.state == "free").values(scenario=None)
        )
        rows = connection.execute(
            select(places.c.number, places.c.state).where(*mine).order_by(places.c.number)
        ).all()
        in_use = sum(row.state != "free" for row in rows)
        free = [row.number for row in rows if row.state == "free"]
        kept = free[: max(0, quota - in_use)]
        lacking = quota - in_use - len(kept)
        taken = {row.number for row in rows}
        unused = (number for number in count(1) if number not in taken)
        missing = [next(unused) for _ in range(lacking)]
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
        surplus = set(free) - set(kept)
        if surplus:
            connection.execute(
                delete(places).where(
                    *mine, places.c.number.in_(sorted(surplus)), places.c.state == "free"
                )
            )


def set_scenario_quotas(
    connection: Connection,
    study_id: int,
    stage: int,
    condition: str,
    *,
    each: Mapping[str, int],
) -> None:
    """Make the places of a condition `each` for its scenario; those in use are not taken away.

    They are numbered in rounds in which every scenario comes once, in an order drawn by lot: claimed
    in the order of their numbers they fill all scenarios alike.
    """
    mine = _of(study_id, stage, condition)
    rows = connection.execute(
        select(places.c.id, places.c.number, places.c.scenario, places.c.state).where(*mine)
    ).all()
    wanted = dict(each)
    surplus: list[int] = []
    for row in sorted(rows, key=lambda row: (row.state == "free", row.number)):
        if wanted.get(row.scenario, 0) > 0:
            wanted[row.scenario] -= 1
        elif row.state == "free":
            surplus.append(row.id)
    if surplus:
        connection.execute(delete(places).where(places.c.id.in_(surplus)))
    numbers = count(max((row.number for row in rows), default=0) + 1)
    rng = random.Random(f"{study_id}:{stage}:{condition}")
    missing = [
        {
            "study_id": study_id,
            "stage": stage,
            "condition": condition,
            "number": next(numbers),
            "state": "free",
            "scenario": scenario,
        }
        for left in range(max(each.values(), default=0), 0, -1)
        for scenario in rng.sample(list(each), len(each))
        if wanted[scenario] >= left
    ]
    if missing:
        connection.execute(insert(places), missing)


def progress(
    connection: Connection,
    study_id: int,
    stage: int,
    needed: Mapping[str, int | None],
    *,
    by_scenario: Collection[str] = (),
) -> list[ConditionProgress]:
    """How far each condition is, in the given order; one `by_scenario` needs the places it has."""
    rows = connection.execute(
        select(places.c.condition, places.c.state, func.count())
        .where(places.c.study_id == study_id, places.c.stage == stage)
        .group_by(places.c.condition, places.c.state)
    )
    counts = {(condition, state): number for condition, state, number in rows}
    total = {
        condition: sum(number for (name, _), number in counts.items() if name == condition)
        for condition in by_scenario
    }
    return [
        ConditionProgress(
            condition,
            total.get(condition, quota),
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
        .where(
            assignments.c.participant_id == participant_id,
            dialogues.c.study_id == study_id,
            dialogues.c.purpose == REAL,
        )
        .group_by(dialogues.c.condition)
    )
    return {row.condition: row.times for row in rows}


def scenarios_met(
    connection: Connection, assignment_ids: Collection[int], study_id: int
) -> frozenset[str]:
    """The scenarios that these people have been seated with in a study, in any of their visits."""
    visit = assignments.alias("visit")
    rows = connection.execute(
        select(json_text(dialogues.c.scenario, literal("id")))
        .join(seats, seats.c.dialogue_id == dialogues.c.id)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .join(visit, visit.c.participant_id == assignments.c.participant_id)
        .where(visit.c.id.in_(assignment_ids), dialogues.c.study_id == study_id)
        .distinct()
    )
    return frozenset(scenario for scenario in rows.scalars() if scenario)


@dataclass(frozen=True, slots=True)
class ClaimedPlace:
    """A place that a group holds now; `scenario` is None where it may play any."""

    id: int
    scenario: str | None


def claim_scenario(
    connection: Connection,
    study_id: int,
    stage: int,
    condition: str,
    *,
    group: str,
    last: Collection[str],
    now: float,
) -> ClaimedPlace | None:
    """Hold a place of one scenario for a group, of those in `last` only if no other is free."""
    later = case((places.c.scenario.in_(last), 1), else_=0) if last else literal(0)
    free = connection.execute(
        select(places.c.id, places.c.scenario)
        .where(*_of(study_id, stage, condition), places.c.state == "free")
        .order_by(later, places.c.number)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).first()
    if free is None:
        return None
    connection.execute(
        update(places)
        .where(places.c.id == free.id)
        .values(state="held", group_key=group, since=now)
    )
    return ClaimedPlace(free.id, free.scenario)


def exceeds(
    connection: Connection,
    study_id: int,
    stage: int,
    condition: str,
    scenario: str | None,
    *,
    each: int,
) -> bool:
    """Whether a scenario has more places than the study asks for now."""
    number = connection.execute(
        select(func.count()).where(*_of(study_id, stage, condition), places.c.scenario == scenario)
    ).scalar_one()
    return number > each


def drop_place(connection: Connection, place_id: int) -> None:
    """Take a place away that the study no longer has."""
    connection.execute(delete(places).where(places.c.id == place_id))


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
    hold_study(connection, study_id)
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
