"""Visits to a study as researchers list them: who came, how it went, and which dialogues they had."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from palaver.core.listings import Slice, Window
from palaver.core.names import person_name
from palaver.core.studies.visits import ListedVisit
from palaver.storage.engine.statements import read_slice
from palaver.storage.schema import assignments, dialogues, participants, seats


def list_visits(connection: Connection, study_id: int, window: Window) -> Slice[ListedVisit]:
    """A page of visits to a study with the dialogues of each."""
    found = read_slice(
        connection, _listing(study_id), window, id=assignments.c.id, name=assignments.c.id
    ).map(_listed)
    held = _dialogues_of(connection, [row.id for row in found.rows])
    return found.map(lambda row: replace(row, dialogues=tuple(held.get(row.id, ()))))


def list_visits_of(connection: Connection, study_id: int, participant_id: int) -> list[ListedVisit]:
    """All visits of one person to a study, oldest first, with the dialogues of each."""
    rows = connection.execute(
        _listing(study_id)
        .where(assignments.c.participant_id == participant_id)
        .order_by(assignments.c.id)
    )
    found = [_listed(row) for row in rows]
    held = _dialogues_of(connection, [visit.id for visit in found])
    return [replace(visit, dialogues=tuple(held.get(visit.id, ()))) for visit in found]


def count_ended(connection: Connection, study_id: int) -> int:
    """How many visits to a study are over."""
    return connection.execute(
        select(func.count())
        .select_from(assignments)
        .where(assignments.c.study_id == study_id, assignments.c.state != "active")
    ).scalar_one()


def _listing(study_id: int) -> Select[Any]:
    return (
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
            assignments.c.version,
            participants.c.erased,
        )
        .join(participants, participants.c.id == assignments.c.participant_id)
        .where(assignments.c.study_id == study_id)
    )


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
        version=row.version,
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
