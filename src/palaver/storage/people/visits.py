"""The list of visits to a study."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from palaver.core.listings import Slice, Window
from palaver.core.studies.visits import ListedVisit, ReportedProblem
from palaver.storage.engine.slices import read_slice
from palaver.storage.schema import assignments, dialogues, participants, problems, seats, studies


def list_visits(connection: Connection, study_id: int, window: Window) -> Slice[ListedVisit]:
    """A page of visits to a study with the dialogues of each."""
    statement = (
        select(
            assignments.c.id,
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


def _listed(row: Row[Any]) -> ListedVisit:
    return ListedVisit(
        id=row.id,
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
    return [ReportedProblem(*row) for row in rows]
