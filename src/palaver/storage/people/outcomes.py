"""How dialogues, visits and systems of a study fared: counted for the researcher's pages.

Each function is one grouped statement over one study. Actions are written out in the statements, so
that a partial index on them can serve.
"""

from sqlalchemy import (
    Connection,
    FromClause,
    and_,
    case,
    func,
    literal,
    select,
)

from palaver.core.studies.visits import ACTIVE, FailureCount, Tally, Visit, VisitCount
from palaver.storage.engine.functions import json_text
from palaver.storage.schema import assignments, dialogues, events, labels, seats, studies, written


def count_endings(connection: Connection, study_id: int) -> list[Tally]:
    """Why the dialogues of a study ended, most frequent first; "" where that was erased."""
    reason = func.coalesce(json_text(events.c.data, literal("reason")), "").label("reason")
    rows = connection.execute(
        select(reason, func.count().label("times"))
        .select_from(_with_events(dialogues, "end"))
        .where(dialogues.c.study_id == study_id)
        .group_by(reason)
        .order_by(func.count().desc(), reason)
    )
    return [Tally(*row) for row in rows]


def count_visits(connection: Connection, study_id: int) -> list[VisitCount]:
    """The visits to a study by state, reason and how far they came."""
    seated = select(seats.c.seat).where(seats.c.assignment_id == assignments.c.id).exists()
    columns = (
        assignments.c.state.label("state"),
        assignments.c.reason.label("reason"),
        assignments.c.step.label("step"),
        case((assignments.c.consented.is_(None), 0), else_=1).label("consented"),
        case((seated, 1), else_=0).label("seated"),
    )
    visits = select(*columns).where(assignments.c.study_id == study_id).subquery()
    rows = connection.execute(
        select(*visits.c, func.count().label("times")).group_by(*visits.c).order_by(*visits.c)
    )
    return [
        VisitCount(
            row.state, row.reason, row.step, bool(row.consented), bool(row.seated), row.times
        )
        for row in rows
    ]


def ended_visits(connection: Connection, study_id: int) -> list[Visit]:
    """Every visit to a study that is over, in the order people came."""
    rows = connection.execute(
        select(
            assignments.c.state,
            assignments.c.reason,
            assignments.c.finished - assignments.c.created,
            assignments.c.waited,
        )
        .where(assignments.c.study_id == study_id, assignments.c.state != ACTIVE)
        .order_by(assignments.c.id)
    )
    return [Visit(*row) for row in rows]


def count_failures(connection: Connection, study_id: int) -> list[FailureCount]:
    """The failures of a study's systems by system and kind, most frequent first."""
    kind = func.coalesce(json_text(events.c.data, literal("kind")), "").label("kind")
    system = func.coalesce(seats.c.system, "").label("system")
    rows = connection.execute(
        select(system, kind, func.count(), func.count(func.distinct(events.c.dialogue_id)))
        .select_from(_with_events(dialogues, "failure"))
        .outerjoin(
            seats,
            and_(
                seats.c.dialogue_id == events.c.dialogue_id,
                seats.c.seat == events.c.seat,
                seats.c.kind == "system",
            ),
        )
        .where(dialogues.c.study_id == study_id)
        .group_by(system, kind)
        .order_by(func.count().desc(), system, kind)
    )
    return [FailureCount(*row) for row in rows]


def count_labels(connection: Connection) -> dict[tuple[str, str], int]:
    """How many labels each (study, question) has, erased ones left out."""
    rows = connection.execute(
        select(studies.c.name, labels.c.question, func.count())
        .join(studies, studies.c.id == labels.c.study_id)
        .where(labels.c.erased.is_(None))
        .group_by(studies.c.name, labels.c.question)
    )
    return {(name, question): count for name, question, count in rows}


def _with_events(dialogue: FromClause, action: str) -> FromClause:
    return dialogue.join(
        events, and_(events.c.dialogue_id == dialogues.c.id, events.c.action == written(action))
    )
