"""Ending the visit of somebody who is gone, so that what they held goes to the next person at once.

A panel says that somebody returned their submission or ran out of time, or nothing was heard of them
for long. Places and sheets are given back in the transaction that ends the visit; what was sent stays.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection

from palaver.core.errors import ConflictError
from palaver.core.events import END, Event
from palaver.core.protocols import Ending
from palaver.core.studies.visits import ABANDONED, ACTIVE
from palaver.storage.dialogues.dialogues import (
    StoredDialogue,
    dialogues_of_assignment,
    running_in_group,
)
from palaver.storage.engine.appends import Append, append
from palaver.storage.judging import slot_returns
from palaver.storage.judging.drafts import forget_drafts, forget_taken
from palaver.storage.people import participants, queue
from palaver.storage.people.participants import Assignment
from palaver.storage.studies import quotas
from palaver.studies.file.definition import Study
from palaver.studies.run.dues import code_for
from palaver.studies.run.flow import own_seat
from palaver.studies.run.participation import record_code

if TYPE_CHECKING:
    from palaver.studies.run.deployment import Deployment

# How somebody is gone: they gave their place back at the panel, the panel's time was over, or they
# did nothing here for long.
Gone = Literal["returned", "timed_out", "abandoned"]

# Somebody who holds a place, has no dialogue running and does nothing for this long is gone.
ABANDON_SECONDS = 1800.0

# How often the end of a visit is tried where its dialogue goes on at the same moment.
_ATTEMPTS = 5


def free_visit(
    connection: Connection, study: Study, visit: Assignment, *, outcome: Gone, now: float
) -> bool:
    """End a visit that goes on, and give back the places and sheets it held; False if it had ended.

    Dialogues that still run are ended with it; in a study that is being served, end their rooms
    first (`free_live`).
    """
    if visit.state != ACTIVE:
        return False
    for dialogue in dialogues_of_assignment(connection, visit.id):
        if not dialogue.dialogue.is_over:
            _end(connection, dialogue, visit, now=now)
    return free_held(connection, study, visit, outcome=outcome, now=now)


def free_held(
    connection: Connection, study: Study, visit: Assignment, *, outcome: Gone, now: float
) -> bool:
    """The same, but dialogues that still run are left to their rooms."""
    since = queue.stop_waiting(connection, visit.id)
    if since is not None:
        participants.add_waiting_time(connection, visit.id, max(0.0, now - since))
    code = None if outcome == "returned" else code_for(study, outcome)
    ended = participants.finish(
        connection, visit.id, state=ABANDONED, reason=outcome, code=code, now=now
    )
    if not ended:
        return False
    record_code(connection, visit, code, outcome, now=now)
    for dialogue in dialogues_of_assignment(connection, visit.id):
        quotas.release(connection, dialogue.group)
    slot_returns.give_back(connection, visit.id)
    forget_drafts(connection, [visit.id])
    return True


async def free_live(
    deployment: "Deployment", study: Study, visit: Assignment, *, outcome: Gone
) -> bool:
    """The same in a study that is being served: whoever talks with them sees it end."""
    held_here = await deployment.store.read(lambda c: dialogues_of_assignment(c, visit.id))
    for held in held_here if deployment.serves else ():
        if visit.state == ACTIVE and not held.dialogue.is_over:
            room = await deployment.hub.open_by_id(held.id)
            await room.end(_ending(held, visit))
    now = deployment.clock.now()
    free = partial(free_visit, study=study, visit=visit, outcome=outcome, now=now)
    for _ in range(_ATTEMPTS - 1):
        with suppress(ConflictError):  # another process said something at that moment
            return await deployment.store.write(free)
    return await deployment.store.write(free)


async def free_stale(deployment: "Deployment") -> bool:
    """Give back the places and sheets of people who are gone; whether there were any."""
    now, store = deployment.clock.now(), deployment.store
    served = {study.id: study.definition for study in deployment.studies.values()}
    groups = await store.write(partial(abandon_stale, now=now, studies=served))
    for group in groups:
        await end_group(deployment, group)
    limits = {
        (study.id, index): plan.time_limit
        for study in deployment.studies.values()
        for index, plan in study.rates.items()
    }
    if not limits:
        return bool(groups)
    sheets = await store.write(partial(slot_returns.abandon_stale, now=now, limits=limits))
    await store.write(forget_taken)
    return bool(groups or sheets)


def abandon_stale(connection: Connection, now: float, studies: Mapping[int, Study]) -> set[str]:
    """End the visits that hold a place and have done nothing for long; their groups.

    `studies` are those that are served, by their id.
    """
    stale = quotas.stale_groups(connection, before=now - ABANDON_SECONDS)
    visits = participants.visits_by_id(connection, [assignment_id for _, assignment_id in stale])
    for visit in visits:
        if visit.study_id in studies:
            free_held(connection, studies[visit.study_id], visit, outcome="abandoned", now=now)
        else:  # its study is not served here, so that nobody knows its codes
            participants.finish(
                connection, visit.id, state=ABANDONED, reason="abandoned", code=None, now=now
            )
    for group, _ in stale:
        quotas.release(connection, group)
    return {group for group, _ in stale}


async def end_group(deployment: "Deployment", group: str) -> None:
    """End the dialogues of a group that still run."""
    for dialogue_id in await deployment.store.read(lambda c: running_in_group(c, group)):
        (await deployment.hub.open_by_id(dialogue_id)).finish(Ending("abandoned"))


def _ending(held: StoredDialogue, visit: Assignment) -> Ending:
    """The end of a dialogue whose person is gone: the seat says whose doing it was."""
    return Ending("abandoned", {"seat": own_seat(held, visit.id)})


def _end(connection: Connection, held: StoredDialogue, visit: Assignment, *, now: float) -> None:
    ending = _ending(held, visit)
    told = {"reason": ending.reason, "outcome": ending.outcome}
    end = Event(seq=held.dialogue.position + 1, seat=None, action=END, data=told, time=now)
    append(connection, Append(held.id, [end]))
