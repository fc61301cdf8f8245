"""What the researcher's pages count: studies, endings, departures, time, failures.

Every function here is one or two grouped statements over one study, whatever its size. `running` is
"has no end event"; the partial index on ends is used only where the action is written out, hence
the literals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    FromClause,
    Select,
    and_,
    case,
    func,
    literal,
    select,
)

from palaver.core.studies.dialogues import RunningDialogue, Size, short_name
from palaver.core.studies.progress import StudyCount
from palaver.core.studies.visits import ACTIVE, FINISHED, FailureCount, Tally, Visit, VisitCount
from palaver.storage.engine.statements import json_text
from palaver.storage.schema import (
    assignments,
    dialogues,
    events,
    labels,
    places,
    seats,
    studies,
    written,
)

end = events.alias("end_event")


@dataclass(frozen=True, slots=True)
class PlaceCount:
    """How many places of a condition are in one state."""

    study_id: int
    stage: int
    condition: str
    state: str
    count: int


def with_end(statement: Select[Any]) -> Select[Any]:
    """A statement over dialogues joined with the event that ended each, where there is one."""
    return statement.outerjoin(
        end, and_(end.c.dialogue_id == dialogues.c.id, end.c.action == written("end"))
    )


def count_studies(connection: Connection, study: str | None = None) -> list[StudyCount]:
    """Every study (or one) with its numbers, oldest first."""
    heads = select(studies.c.id, studies.c.name, studies.c.title).order_by(studies.c.id)
    if study is not None:
        heads = heads.where(studies.c.name == study)
    rows = connection.execute(heads).all()
    ids = [row.id for row in rows]
    held = _by_study(
        connection,
        with_end(
            select(dialogues.c.study_id, func.count(), func.count(end.c.seq)).select_from(dialogues)
        )
        .where(dialogues.c.study_id.in_(ids))
        .group_by(dialogues.c.study_id),
    )
    at_the_end = and_(assignments.c.state == FINISHED, assignments.c.reason == "complete")
    came = _by_study(
        connection,
        select(assignments.c.study_id, func.count(), func.count(case((at_the_end, 1))))
        .where(assignments.c.study_id.in_(ids))
        .group_by(assignments.c.study_id),
    )
    return [
        StudyCount(
            id=row.id,
            name=row.name,
            title=row.title,
            dialogues=held.get(row.id, (0, 0))[0],
            running=held.get(row.id, (0, 0))[0] - held.get(row.id, (0, 0))[1],
            visits=came.get(row.id, (0, 0))[0],
            finished=came.get(row.id, (0, 0))[1],
        )
        for row in rows
    ]


def count_places(connection: Connection, study_id: int | None = None) -> list[PlaceCount]:
    """The places of one study or of all, by stage, condition and state."""
    key = (places.c.study_id, places.c.stage, places.c.condition)
    statement = select(*key, places.c.state, func.count())
    if study_id is not None:
        statement = statement.where(places.c.study_id == study_id)
    rows = connection.execute(statement.group_by(*key, places.c.state).order_by(*key))
    return [PlaceCount(*row) for row in rows]


def running_dialogues(
    connection: Connection, study_id: int, *, limit: int = 50
) -> list[RunningDialogue]:
    """The dialogues of a study that have not ended, newest first."""
    heads = connection.execute(
        with_end(
            select(
                dialogues.c.id, dialogues.c.key, dialogues.c.condition, dialogues.c.created
            ).select_from(dialogues)
        )
        .where(dialogues.c.study_id == study_id, end.c.seq.is_(None))
        .order_by(dialogues.c.id.desc())
        .limit(limit)
    ).all()
    sizes = measure(connection, [head.id for head in heads])
    return [
        RunningDialogue(
            key=head.key,
            name=short_name(head.id),
            condition=head.condition,
            created=head.created,
            messages=sizes[head.id].messages if head.id in sizes else 0,
            last=sizes[head.id].last if head.id in sizes else None,
        )
        for head in heads
    ]


def measure(connection: Connection, ids: Sequence[int]) -> dict[int, Size]:
    """The sizes of a few dialogues, by id, with one statement."""
    if not ids:
        return {}

    def count(action: str) -> Any:
        return func.count(case((events.c.action == action, 1)))

    rows = connection.execute(
        select(
            events.c.dialogue_id,
            count("message"),
            func.min(case((events.c.action == "join", events.c.time))),
            func.max(case((events.c.action != "erase", events.c.time))),
            count("failure"),
            count("erase"),
        )
        .where(events.c.dialogue_id.in_(ids))
        .group_by(events.c.dialogue_id)
    )
    return {dialogue_id: Size(*rest) for dialogue_id, *rest in rows}


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


def _by_study(connection: Connection, statement: Select[Any]) -> dict[int, tuple[int, int]]:
    return {row[0]: (row[1], row[2]) for row in connection.execute(statement)}


def _with_events(dialogue: FromClause, action: str) -> FromClause:
    return dialogue.join(
        events, and_(events.c.dialogue_id == dialogues.c.id, events.c.action == written(action))
    )
