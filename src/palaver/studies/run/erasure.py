"""Erasing what somebody gave: the one action behind every way to ask for it.

A participant withdraws, from a page of the visit or by a link that has expired; a researcher erases
by name, key or panel id. All of them end the visit, empty what was said, and leave the same record.
What is remembered of the person afterwards is decided in `remembers`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.audit import SERVER, Actor
from palaver.core.errors import MissingError
from palaver.core.events import END, Event
from palaver.core.names import person_name
from palaver.core.protocols import Ending
from palaver.core.studies.visits import ACTIVE, WITHDRAWN
from palaver.storage.audit.entries import record
from palaver.storage.dialogues.dialogues import dialogues_of_assignment
from palaver.storage.engine.appends import Append, append
from palaver.storage.evaluation.rounds import has_data_of_rounds
from palaver.storage.people import participants, queue, tombstones
from palaver.storage.people.erasure import By, Erasure, erase_assignment
from palaver.storage.people.participants import Assignment
from palaver.storage.studies import quotas
from palaver.studies.file.definition import Study
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.dues import code_for, counts_as_taking_part
from palaver.studies.run.participation import own_code, record_code
from palaver.studies.run.plans import practised_qualifications

OUT_OF_REACH = (
    "Exports, bundles, backups and data sets of rounds that were made before are out of reach: make "
    "them again, and delete the old ones."
)


@dataclass(frozen=True, slots=True)
class ErasedPerson:
    """What was erased of somebody in a study, and what of them is remembered.

    `visits` are those that were erased now, `already` those that had been. `remembered` says whether
    a keyed hash of their id stays.
    """

    study: str
    name: str | None
    visits: int
    already: int
    events: int
    labels: int
    remembered: bool


def erase_visit(
    connection: Connection,
    study_id: int,
    study: Study,
    assignment: Assignment,
    *,
    now: float,
    by: By = "participant",
    entirely: bool = False,
    actor: Actor = SERVER,
) -> Erasure | None:
    """End a visit and erase what the person said; None if that was done before.

    What was earned before stays earned: an end and its code are kept. Whoever withdraws in the
    middle has stopped early; before the first stage they have not begun.
    """
    if assignment.state == WITHDRAWN:
        return None
    since = queue.stop_waiting(connection, assignment.id)
    waited = 0.0 if since is None else now - since
    participants.add_waiting_time(connection, assignment.id, waited)
    reason = withdrawal_reason(assignment)
    code = assignment.code or code_for(
        study,
        reason,
        waited=assignment.waited + waited,
        own=lambda: own_code(connection, study, assignment, reason),
    )
    participants.withdraw(connection, assignment.id, reason=reason, code=code, now=now)
    for dialogue in dialogues_of_assignment(connection, assignment.id):
        if not dialogue.dialogue.is_over:
            _end(connection, dialogue.id, dialogue.dialogue.position, now=now)
        quotas.reopen(connection, dialogue.group)
    erased = erase_assignment(
        connection,
        assignment.id,
        now=now,
        by=by,
        completed=counts_as_taking_part(study, code),
        practised=practised_qualifications(study_id, study),
        entirely=entirely,
    )
    record(
        connection,
        "person.erase",
        by=actor,
        now=now,
        subject=assignment.key,
        study_id=study_id,
        detail={"asked_by": by, "events": erased.events, "labels": erased.labels},
    )
    if assignment.code is None:
        record_code(connection, assignment, code, reason, now=now)
    return erased


def withdrawal_reason(assignment: Assignment) -> str:
    """The end, as what is owed for it goes, of a visit that is withdrawn now."""
    if assignment.state != ACTIVE:
        return assignment.reason
    return WITHDRAWN if assignment.step.startswith("stage:") else "declined"


async def erase_live(
    deployment: Deployment,
    study_id: int,
    study: Study,
    visits: Sequence[Assignment],
    *,
    by: By,
    entirely: bool = False,
    actor: Actor = SERVER,
) -> list[Erasure]:
    """Erase visits of a study that is being served: those who talk with them see it end."""
    erased = []
    for visit in visits:
        await _end_rooms(deployment, visit)
        now = deployment.clock.now()
        found = await deployment.store.write(
            lambda c, visit=visit, now=now: erase_visit(  # type: ignore[misc]
                c, study_id, study, visit, now=now, by=by, entirely=entirely, actor=actor
            )
        )
        if found is not None:
            erased.append(found)
    await deployment.store.scrub()
    for erasure in erased:
        for dialogue_id in erasure.dialogue_ids:
            deployment.hub.reload(dialogue_id)
    return erased


async def erase_person(
    deployment: Deployment,
    study_id: int,
    study: Study,
    who: str,
    *,
    actor: Actor,
    entirely: bool = False,
) -> ErasedPerson:
    """Erase what somebody gave in a study that is being served; MissingError if nobody is `who`."""
    visits = await deployment.store.read(lambda c: participants.find_visits(c, study_id, who))
    forgotten = await deployment.store.write(
        lambda c: _forget(c, study_id, study, who, visits, entirely)
    )
    erased = await erase_live(
        deployment, study_id, study, visits, by="researcher", entirely=entirely, actor=actor
    )
    return await deployment.store.write(
        lambda c: _told(c, study_id, study, who, visits, erased, forgotten=forgotten)
    )


def erase_stored(
    connection: Connection,
    study_id: int,
    study: Study,
    who: str,
    *,
    now: float,
    actor: Actor,
    entirely: bool = False,
) -> ErasedPerson:
    """The same for a store that the command line has opened."""
    visits = participants.find_visits(connection, study_id, who)
    forgotten = _forget(connection, study_id, study, who, visits, entirely)
    erased = [
        erase_visit(
            connection,
            study_id,
            study,
            visit,
            now=now,
            by="researcher",
            entirely=entirely,
            actor=actor,
        )
        for visit in visits
    ]
    done = [each for each in erased if each is not None]
    return _told(connection, study_id, study, who, visits, done, forgotten=forgotten)


async def has_made_data(deployment: Deployment, study: RunningStudy) -> bool:
    """Whether data sets were made of what people wrote in a study: erasing does not reach these."""
    if not study.definition.writes:
        return False
    return await deployment.store.read(lambda c: has_data_of_rounds(c, study.id))


def _forget(
    connection: Connection,
    study_id: int,
    study: Study,
    who: str,
    visits: Sequence[Assignment],
    entirely: bool,
) -> bool:
    """Forget even the hash of a panel id, where that is asked for; whether there was one."""
    remembered = tombstones.tombstones_of(connection, study.crowd.kind, who)
    if not visits and not any(stone.study_id == study_id for stone in remembered):
        raise MissingError(
            f"Nobody in '{study.name}' is '{who[:80]}'. Give a name such as P07, a key, or the "
            "panel's id; the desk lists them under Participants."
        )
    if not entirely:
        return False
    return tombstones.forget_tombstones(connection, study.crowd.kind, who, study_id=study_id) > 0


def _told(
    connection: Connection,
    study_id: int,
    study: Study,
    who: str,
    visits: Sequence[Assignment],
    erased: Sequence[Erasure],
    *,
    forgotten: bool,
) -> ErasedPerson:
    ids = {who, *(visit.person for visit in visits if visit.person is not None)}
    remembered = any(
        stone.study_id == study_id
        for person in ids
        for stone in tombstones.tombstones_of(connection, study.crowd.kind, person)
    )
    return ErasedPerson(
        study=study.name,
        name=person_name(visits[0].participant_id) if visits else None,
        visits=len(erased),
        already=len(visits) - len(erased),
        events=sum(each.events for each in erased),
        labels=sum(each.labels for each in erased),
        remembered=remembered and not forgotten,
    )


async def _end_rooms(deployment: Deployment, visit: Assignment) -> None:
    stored = await deployment.store.read(lambda c: dialogues_of_assignment(c, visit.id))
    for dialogue in stored:
        if not dialogue.dialogue.is_over:
            room = await deployment.hub.open_by_id(dialogue.id)
            await room.end(Ending("withdrawn"))


def _end(connection: Connection, dialogue_id: int, position: int, *, now: float) -> None:
    """End a dialogue that still runs, where no room of this process has."""
    end = Event(seq=position + 1, seat=None, action=END, data={"reason": "withdrawn"}, time=now)
    append(connection, Append(dialogue_id, [end]))
