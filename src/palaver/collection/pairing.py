"""Seating: which condition somebody is given, with whom, and what they are told while they wait.

A person is given the condition they have done least, then the one that is most needed; ties are drawn
by lot, the same lot for the same assignment. Somebody who is to meet a person waits until one comes:
they are not moved to a system because nobody happened to be there at the first look, which would fill
the conditions with systems faster than their quotas ask for.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sqlalchemy import Connection

from palaver.collection.plan import ChatPlan, ConditionPlan
from palaver.core.studies.progress import ConditionProgress
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue, running_group
from palaver.storage.dialogues.leases import new_lease
from palaver.storage.engine.appends import Lease
from palaver.storage.engine.keys import new_key
from palaver.storage.people import queue
from palaver.storage.people.participants import add_waiting_time, lock_assignment
from palaver.storage.studies import quotas

# An estimate from fewer waits than this would be a guess.
ENOUGH_WAITS = 3


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is to be seated."""

    assignment_id: int
    participant_id: int
    key: str


@dataclass(frozen=True, slots=True)
class Seated:
    """There is a group of dialogues; the leases are of those that were made just now."""

    group: str
    leases: tuple[Lease, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nobody to talk with is there yet."""

    since: float


@dataclass(frozen=True, slots=True)
class Full:
    """No place is free; `final` when all are done and not merely held."""

    final: bool


Seating = Seated | Waiting | Full


def rank_conditions(
    done: Mapping[str, int], progress: Sequence[ConditionProgress], rng: random.Random
) -> list[str]:
    """The conditions with a free place, the best for this person first."""
    open_ones = _open_conditions(progress)
    lots = {p.condition: rng.random() for p in open_ones}

    def preference(condition: ConditionProgress) -> tuple[int, float, float]:
        # Without a quota every condition is needed alike: the least served goes first.
        need = condition.free if condition.free is not None else -(condition.held + condition.done)
        return (done.get(condition.condition, 0), -need, lots[condition.condition])

    return [p.condition for p in sorted(open_ones, key=preference)]


def seat(
    connection: Connection, plan: ChatPlan, person: Person, *, holder: str, now: float
) -> Seating:
    """Give somebody a seat, a place in the waiting room, or the news that all is full."""
    seated = _seated_already(connection, plan, person)
    if seated is not None:
        return seated
    progress = quotas.progress(connection, plan.study_id, plan.stage, plan.quotas)
    done = quotas.times_done(connection, person.participant_id, plan.study_id)
    for name in rank_conditions(done, progress, random.Random(person.key)):
        condition = plan.condition(name)
        if condition.people:
            partner = _find_partner(connection, plan, person, now)
            if partner is None:
                since = queue.start_waiting(
                    connection,
                    assignment_id=person.assignment_id,
                    study_id=plan.study_id,
                    stage=plan.stage,
                    now=now,
                )
                return Waiting(since)
            people = [partner, person.assignment_id]
        else:
            people = [person.assignment_id]
        seated = _claim_and_create(connection, plan, condition, people, holder=holder, now=now)
        if seated is not None:
            return seated
    return _full(progress)


def full(connection: Connection, plan: ChatPlan) -> Full | None:
    """What `seat` would say to somebody who came now, if no place is free; None if one is."""
    progress = quotas.progress(connection, plan.study_id, plan.stage, plan.quotas)
    return None if _open_conditions(progress) else _full(progress)


def seat_with_system(
    connection: Connection, plan: ChatPlan, person: Person, *, holder: str, now: float
) -> Seated | None:
    """Nobody came: let the study's stand-in system take the other seat, recorded as such."""
    condition = next(c for c in plan.conditions if c.people)
    if plan.nobody_comes is None:
        return None
    seated = _seated_already(connection, plan, person)
    if seated is not None:
        return seated
    return _claim_and_create(
        connection,
        plan,
        condition,
        [person.assignment_id],
        holder=holder,
        now=now,
        stand_in=plan.nobody_comes,
    )


def estimate(waits: Sequence[float], waited: float) -> str:
    """An honest sentence about how long it may take, from how long it took others."""
    if len(waits) < ENOUGH_WAITS:
        return "We cannot say yet how long it will take; you are among the first."
    usual = median(waits)
    if waited > max(waits):
        return "It takes longer than usual. We keep looking for a partner."
    if usual < 45:
        return "Most people wait less than a minute."
    return f"Half of the last {len(waits)} people waited less than {round(usual / 60) or 1} min."


def _open_conditions(progress: Sequence[ConditionProgress]) -> list[ConditionProgress]:
    return [p for p in progress if p.free is None or p.free > 0]


def _full(progress: Sequence[ConditionProgress]) -> Full:
    return Full(final=all(p.needed is not None and p.done >= p.needed for p in progress))


def _seated_already(connection: Connection, plan: ChatPlan, person: Person) -> Seated | None:
    # Two tabs ask at once, or a partner was faster: whoever comes second finds what the first made.
    lock_assignment(connection, person.assignment_id)
    group = running_group(connection, person.assignment_id, plan.stage)
    return None if group is None else Seated(group, ())


def _find_partner(connection: Connection, plan: ChatPlan, person: Person, now: float) -> int | None:
    waiter = queue.lock_waiter(
        connection,
        study_id=plan.study_id,
        stage=plan.stage,
        other_than=person.participant_id,
        now=now,
    )
    return None if waiter is None else waiter.assignment_id


def _claim_and_create(
    connection: Connection,
    plan: ChatPlan,
    condition: ConditionPlan,
    people: Sequence[int],
    *,
    holder: str,
    now: float,
    stand_in: str | None = None,
) -> Seated | None:
    group = new_key("g")
    if not quotas.claim(
        connection,
        plan.study_id,
        plan.stage,
        condition.name,
        group=group,
        limited=condition.needed is not None,
        now=now,
    ):
        return None
    for assignment_id in people:
        since = queue.stop_waiting(connection, assignment_id)
        if since is not None:
            add_waiting_time(connection, assignment_id, now - since)
    seatings = _seatings(condition, people, group, stand_in, by_lot=plan.among_people)
    leases = tuple(
        _create(connection, plan, condition, occupants, group, position, holder, now)
        for position, occupants in enumerate(seatings)
    )
    return Seated(group, leases)


def _seatings(
    condition: ConditionPlan,
    people: Sequence[int],
    group: str,
    stand_in: str | None,
    *,
    by_lot: bool = False,
) -> list[list[Occupant]]:
    """Who sits where in each dialogue of a group; the order of two systems is drawn by lot.

    So are the seats between people, and `by_lot` those of a person and a system that passes for one.
    """
    rng = random.Random(group)
    if condition.people or by_lot:
        seated = [Occupant(assignment_id=a) for a in people]
        if stand_in is not None:
            seated.append(Occupant(system=stand_in))
        seated += [Occupant(system=system) for system in condition.systems]
        rng.shuffle(seated)
        return [seated]
    systems = list(condition.systems)
    rng.shuffle(systems)
    return [[Occupant(assignment_id=people[0]), Occupant(system=system)] for system in systems]


def _create(
    connection: Connection,
    plan: ChatPlan,
    condition: ConditionPlan,
    occupants: Sequence[Occupant],
    group: str,
    position: int,
    holder: str,
    now: float,
) -> Lease:
    scenario = plan.draw_scenario(random.Random(f"{group}:{position}"))
    dialogue_id, _ = create_dialogue(
        connection,
        study_id=plan.study_id,
        stage=plan.stage,
        condition=condition.name,
        scenario=scenario,
        occupants=occupants,
        now=now,
        group=group,
        position=position,
    )
    return new_lease(connection, dialogue_id, holder)
