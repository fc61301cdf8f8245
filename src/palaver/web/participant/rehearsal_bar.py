"""What stands on top of the pages of a rehearsal: what it is, and what can be done with it."""

from starlette.requests import HTTPConnection

from palaver.storage.people.participants import Assignment
from palaver.studies.run.rehearsals import MOST_SEATS, Rehearsal
from palaver.web.participant.visit import visit_path
from palaver.web.shell import RehearsalBar


def rehearsal_bar(connection: HTTPConnection, assignment: Assignment) -> RehearsalBar | None:
    """What stands on top of a page of a rehearsal; None on all others."""
    rehearsal: Rehearsal | None = getattr(connection.app.state, "rehearsal", None)
    if rehearsal is None:
        return None
    seats = rehearsal.visits
    return RehearsalBar(
        action=f"{visit_path(assignment.key)}/rehearsal",
        steps=tuple((each.step, each.label) for each in rehearsal.steps),
        seat=seats.index(assignment.key) + 1,
        seats=len(seats),
        may_add=rehearsal.meets and len(seats) < MOST_SEATS,
        notes=rehearsal.notes,
    )
