"""Seating: which condition somebody is given, with whom, and what they are told while they wait.

A person is given the condition they have done least, then the one that is most needed; ties are drawn
by lot, the same lot for the same assignment. Somebody who is to meet a person waits until one comes:
they are not moved to a system because nobody happened to be there at the first look, which would fill
the conditions with systems faster than their quotas ask for. Where each scenario has a quota of its
own, the place that is claimed says which one is played; people get one that is new to them if there is.
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
from palaver.storage.judging.vote_limits import votes_wanted
from palaver.storage.people import queue
from palaver.storage.people.participants import add_waiting_time, lock_assignment
from palaver.storage.studies import quotas

# An estimate from fewer waits than this would be a guess.
ENOUGH_WAITS = 3


@dataclass(frozen=True, slots=True)
class SeatSeeker:
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
    """No place is free; `final` when all are done and not merely held.

    `decided` says that the study's rule has stopped it, whatever places there are.
    """

    final: bool
    decided: bool = False


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
    connection: Connection, plan: ChatPlan, person: SeatSeeker, *, holder: str, now: float
) -> Seating:
    """Give somebody a seat, a place in the waiting room, or the news that all is full."""
    seated = _seated_already(connection, plan, person)
    if seated is not None:
        return seated
    unwanted = _unwanted(connection, plan)
    if unwanted is not None:
        return unwanted
    progress = _progress(connection, plan)
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
    unwanted = _unwanted(connection, plan)
    if unwanted is not None:
        return unwanted
    progress = _progress(connection, plan)
    return None if _open_conditions(progress) else _full(progress)


def seat_with_system(
    connection: Connection, plan: ChatPlan, person: SeatSeeker, *, holder: str, now: float
) -> Seated | None:
    """Nobody came: let the study's stand-in system take the other seat, recorded as such."""
    condition = next(c for c in plan.conditions if c.people)
    if plan.nobody_comes is None:
        return None
    seated = _seated_already(connection, plan, person)
    if seated is not None:
        return seated
    if _unwanted(connection, plan) is not None:
        return None
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


def _unwanted(connection: Connection, plan: ChatPlan) -> Full | None:
    """That nobody more is seated because the votes are in, or others are about to give them."""
    wanted = votes_wanted(connection, plan.study_id, plan.stage, plan.limit)
    if wanted == "stopped":
        return Full(final=True, decided=True)
    return Full(final=False) if wanted == "held" else None


def _progress(connection: Connection, plan: ChatPlan) -> list[ConditionProgress]:
    return quotas.progress(
        connection, plan.study_id, plan.stage, plan.quotas, by_scenario=plan.by_scenario
    )


def _open_conditions(progress: Sequence[ConditionProgress]) -> list[ConditionProgress]:
    return [p for p in progress if p.free is None or p.free > 0]


def _full(progress: Sequence[ConditionProgress]) -> Full:
    return Full(final=all(p.needed is not None and p.done >= p.needed for p in progress))


def _seated_already(connection: Connection, plan: ChatPlan, person: SeatSeeker) -> Seated | None:
    # Two tabs ask at once, or a partner was faster: whoever comes second finds what the first made.
    lock_assignment(connection, person.assignment_id)
    group = running_group(connection, person.assignment_id, plan.stage)
    return None if group is None else Seated(group, ())


def _find_partner(
    connection: Connection, plan: ChatPlan, person: SeatSeeker, now: float
) -> int | None:
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
    place = _claim(connection, plan, condition, people, group=group, now=now)
    if place is None:
        return None
    for assignment_id in people:
        since = queue.stop_waiting(connection, assignment_id)
        if since is not None:
            add_waiting_time(connection, assignment_id, now - since)
    seatings = _seatings(
        condition,
        people,
        group,
        stand_in,
        by_lot=plan.among_people,
        draws_seats=plan.draws_seats,
    )
    leases = tuple(
        _create(connection, plan, condition, occupants, place, position, holder, now)
        for position, occupants in enumerate(seatings)
    )
    return Seated(group, leases)


@dataclass(frozen=True, slots=True)
class _Held:
    """What a group was given: its name, and the scenario where its place is for one."""

    group: str
    scenario: str | None = None


def _claim(
    connection: Connection,
    plan: ChatPlan,
    condition: ConditionPlan,
    people: Sequence[int],
    *,
    group: str,
    now: float,
) -> _Held | None:
    """A place for a group; practice needs none."""
    if plan.practice:
        return _Held(group)
    here = (plan.study_id, plan.stage, condition.name)
    if condition.each is None:
        limited = condition.needed is not None
        claimed = quotas.claim(connection, *here, group=group, limited=limited, now=now)
        return _Held(group) if claimed else None
    met = quotas.scenarios_met(connection, people, plan.study_id)
    while True:
        place = quotas.claim_scenario(connection, *here, group=group, last=met, now=now)
        if place is None:
            return None
        if plan.in_sessions and place.scenario in met:
            quotas.release(connection, group)
            return None  # nothing is left that is new to them
        # A file that names fewer scenarios than before may leave a place behind that was in use.
        if (
            place.scenario is not None
            and place.scenario in condition.each
            and not quotas.exceeds(
                connection, *here, place.scenario, each=condition.each[place.scenario]
            )
        ):
            return _Held(group, place.scenario)
        quotas.drop_place(connection, place.id)


def _seatings(
    condition: ConditionPlan,
    people: Sequence[int],
    group: str,
    stand_in: str | None,
    *,
    by_lot: bool = False,
    draws_seats: bool = False,
) -> list[list[Occupant]]:
    """Who sits where in each dialogue of a group; the order of two systems is drawn by lot.

    So are the seats between people, and `by_lot` those of a person and a system that passes for one.
    With `draws_seats` a person sits at either seat, the same in both dialogues of a pair.
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
    seatings = [[Occupant(assignment_id=people[0]), Occupant(system=each)] for each in systems]
    return [seats[::-1] for seats in seatings] if draws_seats and rng.random() < 0.5 else seatings


def _create(
    connection: Connection,
    plan: ChatPlan,
    condition: ConditionPlan,
    occupants: Sequence[Occupant],
    place: _Held,
    position: int,
    holder: str,
    now: float,
) -> Lease:
    rng = random.Random(f"{place.group}:{position}")
    if place.scenario is not None and plan.make_scenario is not None:
        scenario = plan.make_scenario(place.scenario, rng)
    else:
        scenario = plan.draw_scenario(rng)
    dialogue_id, _ = create_dialogue(
        connection,
        study_id=plan.study_id,
        stage=plan.stage,
        condition=condition.name,
        scenario=scenario,
        occupants=occupants,
        now=now,
        group=place.group,
        position=position,
        purpose=plan.purpose,
        key=None if plan.draw_key is None else plan.draw_key(connection),
    )
    return new_lease(connection, dialogue_id, holder)
