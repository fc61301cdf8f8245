"""Participants and their assignments: who came, how far they are, and what they reported.

A participant is a person, known across studies; an assignment is one visit of theirs to one study.
The same person with the same assignment always finds the same row.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    case,
    func,
    insert,
    or_,
    select,
    update,
)

from palaver.core.errors import ConflictError, InputError
from palaver.core.names import person_id, person_name
from palaver.core.studies.visits import ACTIVE, WITHDRAWN, ReportedProblem
from palaver.storage.engine.keys import new_key
from palaver.storage.engine.prepared import Prepared
from palaver.storage.people import tombstones
from palaver.storage.schema import (
    assignments,
    participants,
    problems,
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
    # The version of the study file under which it began; None where nobody knows.
    version: int | None = None
    # The panel's name for its own study.
    panel_study: str | None = None


def enter(
    connection: Connection,
    *,
    study_id: int,
    crowd: str,
    person: str,
    assignment: str,
    first_step: str,
    now: float,
    version: int | None = None,
    panel_study: str = "",
) -> Assignment:
    """The assignment of this person for this piece of work, made if it is new.

    Somebody who was erased and comes back has their standing entered anew.
    """
    participant_id = person_known(connection, crowd, person)
    if participant_id is None:
        participant_id = _new_participant(connection, crowd, person, now)
        tombstones.restore_standing(connection, participant_id, crowd, person, now=now)
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
            version=version,
            panel_study=panel_study or None,
        )
    )
    return get_assignment(connection, key)


def person_known(connection: Connection, crowd: str, person: str) -> int | None:
    """The participant whom a crowd calls so; None if nobody here is."""
    return connection.execute(
        select(participants.c.id).where(
            participants.c.crowd == crowd, participants.c.external_id == person
        )
    ).scalar()


def visits_of(connection: Connection, study_id: int, participant_id: int) -> list[Assignment]:
    """The visits of a person to a study that are still under their name, oldest first."""
    rows = connection.execute(
        _select()
        .where(
            assignments.c.study_id == study_id,
            assignments.c.participant_id == participant_id,
            assignments.c.external_id.is_not(None),
        )
        .order_by(assignments.c.id)
    )
    return [_assignment(row) for row in rows]


def visits_where(connection: Connection, *where: ColumnElement[bool]) -> list[Assignment]:
    """The visits for which conditions on `assignments` and `participants` hold, oldest first."""
    rows = connection.execute(_select().where(*where).order_by(assignments.c.id))
    return [_assignment(row) for row in rows]


def find_visits(connection: Connection, study_id: int, who: str) -> list[Assignment]:
    """The visits of whoever is called so in a study: a short name, a key or a panel's id."""
    named = person_id(who)
    if named is not None:
        rows = connection.execute(
            _select()
            .where(assignments.c.study_id == study_id, participants.c.id == named)
            .order_by(assignments.c.id)
        ).all()
        if rows:
            return [_assignment(row) for row in rows]
    meant = (participants.c.alias, participants.c.external_id, assignments.c.key)
    rows = connection.execute(
        _select()
        .where(assignments.c.study_id == study_id, or_(*(column == who for column in meant)))
        .order_by(assignments.c.id)
    ).all()
    return [_assignment(row) for row in rows]


def code_given(
    connection: Connection, study_id: int, participant_id: int, *, reason: str
) -> str | None:
    """The code that a person was given for another visit that ended like this; None if none was."""
    return connection.execute(
        select(assignments.c.code)
        .where(
            assignments.c.study_id == study_id,
            assignments.c.participant_id == participant_id,
            assignments.c.reason == reason,
            assignments.c.code.is_not(None),
        )
        .order_by(assignments.c.id)
        .limit(1)
    ).scalar()


def change_key(connection: Connection, assignment: Assignment) -> Assignment:
    """Give a visit a new key: whoever held the old one is signed out of it."""
    key = new_key("a")
    connection.execute(update(assignments).where(assignments.c.id == assignment.id).values(key=key))
    return replace(assignment, key=key)


def get_assignment(connection: Connection, key: str) -> Assignment:
    rows = _BY_KEY.named(connection, key=key)
    if not rows:
        raise InputError("This assignment does not exist here.")
    return Assignment(**rows[0]._asdict())


def visits_by_id(connection: Connection, ids: Collection[int]) -> list[Assignment]:
    """These visits, in the order in which they began."""
    rows = connection.execute(
        _select().where(assignments.c.id.in_(list(ids))).order_by(assignments.c.id)
    )
    return [_assignment(row) for row in rows]


def on_record(connection: Connection, participant_ids: Collection[int], name: str) -> set[int]:
    """Those of these people of whom anything is recorded under the name of a qualification."""
    rows = _ON_RECORD.all(connection, participants=list(participant_ids), name=name)
    return {participant_id for (participant_id,) in rows}


def panel_names(connection: Connection, aliases: Collection[str]) -> dict[str, str]:
    """What panels call these people, by alias; whoever was erased or came by no panel is left out."""
    rows = connection.execute(
        select(participants.c.alias, participants.c.external_id).where(
            participants.c.alias.in_(list(aliases)), participants.c.external_id.is_not(None)
        )
    )
    return {row.alias: row.external_id for row in rows}


def short_names(connection: Connection, aliases: Collection[str]) -> dict[str, str]:
    """What people call these people, by alias; whoever took part in nothing here is left out."""
    rows = connection.execute(
        select(participants.c.alias, participants.c.id).where(
            participants.c.alias.in_(list(aliases))
        )
    )
    return {row.alias: person_name(row.id) for row in rows}


def external_names(connection: Connection) -> list[str]:
    """What panels and links call the people of this store and their pieces of work."""
    names: set[str] = set()
    for column in (participants.c.external_id, assignments.c.external_id):
        names.update(connection.execute(select(column).where(column.is_not(None))).scalars())
    return sorted(names)


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


def _new_participant(connection: Connection, crowd: str, person: str, now: float) -> int:
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


_BY_KEY = Prepared(_select().where(assignments.c.key == bindparam("key")))
_ON_RECORD = Prepared(
    select(standings.c.participant_id).where(
        standings.c.participant_id.in_(bindparam("participants", expanding=True)),
        standings.c.name == bindparam("name"),
    )
)
