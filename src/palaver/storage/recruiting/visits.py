"""The visits of people whom a panel sent."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from palaver.core.studies.visits import ACTIVE
from palaver.storage.people.participants import Assignment, visits_where
from palaver.storage.schema import assignments, participants, problems, sheets, slots


def panel_visits(connection: Connection, study_id: int, panel: str) -> list[Assignment]:
    """Every visit to a study of somebody whom a panel sent, oldest first, erased ones too."""
    return visits_where(
        connection, assignments.c.study_id == study_id, participants.c.crowd == panel
    )


def visit_of_piece(connection: Connection, panel: str, piece: str) -> Assignment | None:
    """The visit of a piece of work that a panel calls so, to whichever study; None if there is none."""
    found = visits_where(
        connection, assignments.c.external_id == piece, participants.c.crowd == panel
    )
    return found[-1] if found else None


def count_inside(connection: Connection, study_id: int) -> int:
    """How many visits to a study go on."""
    return int(
        connection.execute(
            select(func.count())
            .select_from(assignments)
            .where(assignments.c.study_id == study_id, assignments.c.state == ACTIVE)
        ).scalar_one()
    )


@dataclass(frozen=True, slots=True)
class VisitMarks:
    """What speaks against a visit, or for hearing the person: checks failed, problems reported."""

    failed: int = 0
    reports: int = 0


def marks_of(connection: Connection, study_id: int) -> dict[int, VisitMarks]:
    """What is marked of visits to a study, by the visit's id; visits without a mark are left out."""
    reports = _counts(
        connection.execute(
            select(problems.c.assignment_id, func.count())
            .where(problems.c.study_id == study_id, problems.c.assignment_id.is_not(None))
            .group_by(problems.c.assignment_id)
        )
    )
    failed = _counts(
        connection.execute(
            select(slots.c.assignment_id, func.sum(slots.c.mistakes))
            .join(sheets, sheets.c.id == slots.c.sheet_id)
            .where(
                sheets.c.study_id == study_id,
                slots.c.assignment_id.is_not(None),
                slots.c.mistakes > 0,
            )
            .group_by(slots.c.assignment_id)
        )
    )
    return {
        visit: VisitMarks(failed=failed.get(visit, 0), reports=reports.get(visit, 0))
        for visit in sorted({*reports, *failed})
    }


def _counts(rows: Iterable[Any]) -> dict[int, int]:
    return {int(visit): int(count) for visit, count in rows}
