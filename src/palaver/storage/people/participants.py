"""Participants and their assignments: who came, how far they are, and what they reported.

A participant is a person, known across studies; an assignment is one visit of theirs to one study.
The same person with the same assignment always finds the same row.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, case, func, insert, select, update

from palaver.core.errors import ConflictError, InputError
from palaver.core.listings import Slice, Window
from palaver.core.names import person_name
from palaver.core.studies.visits import ACTIVE, WITHDRAWN, ListedVisit, ReportedProblem
from palaver.storage.engine.keys import new_key
from palaver.storage.engine.prepared import Prepared
from palaver.storage.engine.statements import read_slice
from palaver.storage.schema import (
    assignments,
    dialogues,
    participants,
    problems,
    seats,
    standings,
    studies,
)


@dataclass(frozen=True, slots=True)
class Assignment:
    """One visit of one person to one study."""

    id: int
    key: str
    study_id: int
    study: str
    participant_id: int
    alias: str
    crowd: str
    # The panel's name for the person; None once erased.
    person: str | None
    external_id: str | None
    step: str
    state: str
    reason: str
    consent_version: str | None
    consented: float | None
    code: str | None
    created: float
    finished: float | None
    waited: float


def enter(
    connection: Connection,
    *,
    study_id: int,
    crowd: str,
    person: str,
    assignment: str,
    first_step: str,
    now: float,
) -> Assignment:
    """The assignment of this person for this piece of work, made if it is new."""
    participant_id = _participant(connection, crowd, person, now)
    found = connection.execute(
        _select().where(
            assignments.c.study_id == study_id,
            assignments.c.participant_id == participant_id,
            assignments.c.external_id == assignment,
        )
    ).one_or_none()
    if found is not None:
        return _assignment(found)
    key = new_key("a")
    connection.execute(
        insert(assignments).values(
            key=key,
            study_id=study_id,
            participant_id=participant_id,
            external_id=assignment,
            step=first_step,
            state=ACTIVE,
            created=now,
        )
    )
    return get_assignment(connection, key)


def get_assignment(connection: Connection, key: str) -> Assignment:
    rows = _BY_KEY.named(connection, key=key)
    if not rows:
        raise InputError("This assignment does not exist here.")
    return Assignment(**rows[0]._asdict())


def on_record(connection: Connection, participant_ids: Collection[int], name: str) -> set[int]:
    """Those of these people of whom anything is recorded under the name of a qualification."""
    rows = _ON_RECORD.all(connection, participants=list(participant_ids), name=name)
    return {participant_id for (participant_id,) in rows}


def lock_assignment(connection: Connection, assignment_id: int) -> None:
    """Keep other transactions from seating this assignment until this one ends."""
    connection.execute(
        select(assignments.c.id).where(assignments.c.id == assignment_id).with_for_update()
    )


def is_at(connection: Connection, assignment_id: int, step: str) -> bool:
    """Whether a visit is at a step, where it stays until this transaction ends.

    ConflictError if another transaction changes the visit right now: a group commit does not wait.
    """
    where = (assignments.c.id == assignment_id, assignments.c.step == step)
    here = select(assignments.c.id).where(*where, assignments.c.state == ACTIVE)
    held = here.with_for_update(key_share=True, skip_locked=True)
    if connection.execute(held).first() is not None:
        return True
    if connection.execute(here).first() is not None:
        raise ConflictError("This visit is being changed. Try again.")
    return False


def move_on(connection: Connection, assignment_id: int, *, step: str, from_step: str) -> bool:
    """Go from one step to the next; False if the assignment is no longer at `from_step`."""
    moved = connection.execute(
        update(assignments)
        .where(
            assignments.c.id == assignment_id,
            assignments.c.step == from_step,
            assignments.c.state == ACTIVE,
        )
        .values(step=step)
    )
    return moved.rowcount == 1


def record_consent(connection: Connection, assignment_id: int, *, version: str, now: float) -> None:
    """Record that consent was given, and to which version of its text."""
    connection.execute(
        update(assignments)
        .where(assignments.c.id == assignment_id)
        .values(consent_version=version, consented=now)
    )


def finish(
    connection: Connection,
    assignment_id: int,
    *,
    state: str,
    reason: str,
    code: str | None,
    now: float,
) -> bool:
    """End an assignment; False if it had ended before."""
    ended = connection.execute(
        update(assignments)
        .where(assignments.c.id == assignment_id, assignments.c.state == ACTIVE)
        .values(state=state, reason=reason, code=code, finished=now, step="done")
    )
    return ended.rowcount == 1


def withdraw(
    connection: Connection, assignment_id: int, *, reason: str, code: str | None, now: float
) -> None:
    """End an assignment as withdrawn; one that had ended keeps its reason and its code."""
    connection.execute(
        update(assignments)
        .where(assignments.c.id == assignment_id)
        .values(
            state=WITHDRAWN,
            reason=case((assignments.c.state == ACTIVE, reason), else_=assignments.c.reason),
            code=func.coalesce(assignments.c.code, code),
            step="done",
            finished=func.coalesce(assignments.c.finished, now),
        )
    )


def add_waiting_time(connection: Connection, assignment_id: int, seconds: float) -> None:
    """Add to the time this person spent in the waiting room, which is paid."""
    connection.execute(
        update(assignments)
        .where(assignments.c.id == assignment_id)
        .values(waited=assignments.c.waited + seconds)
    )


def list_visits(connection: Connection, study_id: int, window: Window) -> Slice[ListedVisit]:
    """A page of visits to a study with the dialogues of each."""
    statement = (
        select(
            assignments.c.id,
            participants.c.id.label("participant_id"),
            participants.c.alias,
            participants.c.crowd,
            participants.c.external_id,
            assignments.c.step,
            assignments.c.state,
            assignments.c.reason,
            assignments.c.created,
            assignments.c.finished,
            assignments.c.waited,
            participants.c.erased,
        )
        .join(participants, participants.c.id == assignments.c.participant_id)
        .where(assignments.c.study_id == study_id)
    )
    found = read_slice(
        connection, statement, window, id=assignments.c.id, name=assignments.c.id
    ).map(_listed)
    held = _dialogues_of(connection, [row.id for row in found.rows])
    return found.map(lambda row: replace(row, dialogues=tuple(held.get(row.id, ()))))


def report_problem(
    connection: Connection, *, study_id: int, assignment_id: int | None, text: str, now: float
) -> None:
    """Keep a participant's report."""
    connection.execute(
        insert(problems).values(study_id=study_id, assignment_id=assignment_id, text=text, time=now)
    )


def list_problems(connection: Connection, study: str, *, limit: int = 100) -> list[ReportedProblem]:
    """The newest reports of a study."""
    rows = connection.execute(
        select(
            problems.c.id,
            studies.c.name,
            participants.c.alias,
            participants.c.id.label("participant_id"),
            problems.c.text,
            problems.c.time,
        )
        .join(studies, studies.c.id == problems.c.study_id)
        .outerjoin(assignments, assignments.c.id == problems.c.assignment_id)
        .outerjoin(participants, participants.c.id == assignments.c.participant_id)
        .where(studies.c.name == study)
        .order_by(problems.c.id.desc())
        .limit(limit)
    )
    return [
        ReportedProblem(
            id, study, alias, None if person is None else person_name(person), text, time
        )
        for id, study, alias, person, text, time in rows
    ]


def _participant(connection: Connection, crowd: str, person: str, now: float) -> int:
    known = connection.execute(
        select(participants.c.id).where(
            participants.c.crowd == crowd, participants.c.external_id == person
        )
    ).scalar()
    if known is not None:
        return int(known)
    return int(
        connection.execute(
            insert(participants)
            .values(alias=new_key("p"), crowd=crowd, external_id=person, created=now)
            .returning(participants.c.id)
        ).scalar_one()
    )


def _select() -> Select[Any]:
    return (
        select(
            assignments,
            participants.c.alias,
            participants.c.crowd,
            participants.c.external_id.label("person"),
            studies.c.name.label("study"),
        )
        .join(participants, participants.c.id == assignments.c.participant_id)
        .join(studies, studies.c.id == assignments.c.study_id)
    )


def _one(connection: Connection, statement: Select[Any]) -> Assignment:
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise InputError("This assignment does not exist here.")
    return _assignment(row)


def _assignment(row: Row[Any]) -> Assignment:
    return Assignment(**row._mapping)


def _listed(row: Row[Any]) -> ListedVisit:
    return ListedVisit(
        id=row.id,
        name=person_name(row.participant_id),
        alias=row.alias,
        crowd=row.crowd,
        panel_id=row.external_id,
        step=row.step,
        state=row.state,
        reason=row.reason,
        created=row.created,
        finished=row.finished,
        waited=row.waited,
        erased=row.erased is not None,
    )


def _dialogues_of(
    connection: Connection, assignment_ids: Sequence[int]
) -> dict[int, list[tuple[str, str]]]:
    if not assignment_ids:
        return {}
    rows = connection.execute(
        select(seats.c.assignment_id, dialogues.c.key, dialogues.c.condition)
        .join(dialogues, dialogues.c.id == seats.c.dialogue_id)
        .where(seats.c.assignment_id.in_(assignment_ids))
        .order_by(dialogues.c.stage, dialogues.c.id)
    )
    held: dict[int, list[tuple[str, str]]] = {}
    for assignment_id, key, condition in rows:
        held.setdefault(assignment_id, []).append((key, condition))
    return held


_BY_KEY = Prepared(_select().where(assignments.c.key == bindparam("key")))
_ON_RECORD = Prepared(
    select(standings.c.participant_id).where(
        standings.c.participant_id.in_(bindparam("participants", expanding=True)),
        standings.c.name == bindparam("name"),
    )
)
