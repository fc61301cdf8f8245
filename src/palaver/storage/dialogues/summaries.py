"""What the researcher's pages count: studies, endings, departures, time, failures.

Every function here is one or two grouped statements over one study, whatever its size, and reads
indexes where it can. What is data is counted; practice and checks are counted apart.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    and_,
    case,
    distinct,
    func,
    literal,
    select,
)

from palaver.core.studies.dialogues import PURPOSES, REAL, RunningDialogue, Size, short_name
from palaver.core.studies.progress import StudyCounts
from palaver.core.studies.visits import (
    ACTIVE,
    FINISHED,
    EndedVisit,
    FailureCount,
    Tally,
    VisitCount,
)
from palaver.storage.engine.statements import few, json_text
from palaver.storage.judging.answer_counts import StudyAnswerCounts, count_answers
from palaver.storage.schema import (
    assignments,
    dialogues,
    events,
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


@dataclass(frozen=True, slots=True)
class ScenarioCount:
    """How many scenarios have places of a condition, and how many have no place left to fill."""

    study_id: int
    stage: int
    condition: str
    scenarios: int
    done: int


def with_end(statement: Select[Any]) -> Select[Any]:
    """A statement over dialogues joined with the event that ended each, where there is one."""
    return statement.outerjoin(
        end, and_(end.c.dialogue_id == dialogues.c.id, end.c.action == written("end"))
    )


def count_studies(connection: Connection, study: str | None = None) -> list[StudyCounts]:
    """Every study (or one) with its numbers, oldest first: the one place that counts them."""
    heads = select(studies.c.id, studies.c.name, studies.c.title).order_by(studies.c.id)
    if study is not None:
        heads = heads.where(studies.c.name == study)
    rows = connection.execute(heads).all()
    ids = [row.id for row in rows]
    held, came = _count_dialogues(connection, ids), _count_came(connection, ids)
    answers = count_answers(connection, ids)
    nobody, no_answers = _Came(0, 0, 0), StudyAnswerCounts()
    return [
        StudyCounts(
            id=row.id,
            name=row.name,
            title=row.title,
            **asdict(came.get(row.id, nobody)),
            **_numbers(held.get(row.id, _Held())),
            labels=answers.get(row.id, no_answers).labels,
            raters=answers.get(row.id, no_answers).raters,
            answers=answers.get(row.id, no_answers).by_question,
        )
        for row in rows
    ]


def _numbers(held: "_Held") -> dict[str, Any]:
    names = ("dialogues", "running", "practice", "checks", "endings")
    return {name: getattr(held, name) for name in names}


@dataclass(slots=True)
class _Held:
    """The dialogues of a study by what they are for, and why those that are data ended."""

    dialogues: int = 0
    running: int = 0
    practice: int = 0
    checks: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def endings(self) -> tuple[Tally, ...]:
        ordered = sorted(self.reasons.items(), key=lambda reason: (-reason[1], reason[0]))
        return tuple(Tally(*reason) for reason in ordered)


def _count_dialogues(connection: Connection, ids: Sequence[int]) -> dict[int, _Held]:
    # In the order of the index, so that nothing is sorted.
    what = (dialogues.c.study_id, dialogues.c.purpose, dialogues.c.condition, dialogues.c.ending)
    found: dict[int, _Held] = {}
    for study_id, purpose, _, ending, count in connection.execute(
        select(*what, func.count()).where(dialogues.c.study_id.in_(ids)).group_by(*what)
    ):
        held = found.setdefault(study_id, _Held())
        if purpose in PURPOSES["practice"]:
            held.practice += count
        elif purpose in PURPOSES["checks"]:
            held.checks += count
        else:
            held.dialogues += count
            held.running += count if ending is None else 0
            held.reasons.update({} if ending is None else {ending: count})
    return found


@dataclass(frozen=True, slots=True)
class _Came:
    """Who came to a study, how often, and how many visits came to the end."""

    people: int
    visits: int
    finished: int


def _count_came(connection: Connection, ids: Sequence[int]) -> dict[int, _Came]:
    at_the_end = and_(assignments.c.state == FINISHED, assignments.c.reason == "complete")
    rows = connection.execute(
        select(
            assignments.c.study_id,
            func.count(distinct(assignments.c.participant_id)),
            func.count(),
            func.count(case((at_the_end, 1))),
        )
        .where(assignments.c.study_id.in_(ids))
        .group_by(assignments.c.study_id)
    )
    return {study_id: _Came(*counts) for study_id, *counts in rows}


def count_places(connection: Connection, study_id: int | None = None) -> list[PlaceCount]:
    """The places of one study or of all, by stage, condition and state."""
    key = (places.c.study_id, places.c.stage, places.c.condition)
    statement = select(*key, places.c.state, func.count())
    if study_id is not None:
        statement = statement.where(places.c.study_id == study_id)
    rows = connection.execute(statement.group_by(*key, places.c.state).order_by(*key))
    return [PlaceCount(*row) for row in rows]


def count_scenarios(connection: Connection, study_id: int | None = None) -> list[ScenarioCount]:
    """The scenarios that have places of their own, by stage and condition."""
    key = (places.c.study_id, places.c.stage, places.c.condition)
    open_places = func.sum(case((places.c.state == "done", 0), else_=1))
    each = select(*key, open_places.label("open")).where(places.c.scenario.is_not(None))
    if study_id is not None:
        each = each.where(places.c.study_id == study_id)
    cells = each.group_by(*key, places.c.scenario).subquery()
    columns = (cells.c.study_id, cells.c.stage, cells.c.condition)
    finished = func.sum(case((cells.c.open == 0, 1), else_=0))
    rows = connection.execute(
        select(*columns, func.count(), finished).group_by(*columns).order_by(*columns)
    )
    return [
        ScenarioCount(study, stage, condition, number, int(done))
        for study, stage, condition, number, done in rows
    ]


def running_dialogues(
    connection: Connection, study_id: int, *, limit: int = 50
) -> list[RunningDialogue]:
    """The dialogues of a study that have not ended, newest first."""
    heads = connection.execute(
        select(dialogues.c.id, dialogues.c.key, dialogues.c.condition, dialogues.c.created)
        .where(
            dialogues.c.study_id == study_id,
            dialogues.c.ending.is_(None),
            dialogues.c.purpose == REAL,
        )
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


def ended_visits(connection: Connection, study_id: int) -> list[EndedVisit]:
    """Every visit to a study that is over, in the order people came."""
    rows = connection.execute(
        select(
            assignments.c.id,
            assignments.c.state,
            assignments.c.reason,
            assignments.c.finished - assignments.c.created,
            assignments.c.waited,
        )
        .where(assignments.c.study_id == study_id, assignments.c.state != ACTIVE)
        .order_by(assignments.c.id)
    )
    return [EndedVisit(*row) for row in rows]


def count_failures(connection: Connection, study_id: int) -> list[FailureCount]:
    """The failures of a study's systems by system and kind, most frequent first."""
    failed = few(
        select(events.c.dialogue_id, events.c.seat, events.c.data).where(
            events.c.action == written("failure")
        )
    )
    kind = func.coalesce(json_text(failed.c.data, literal("kind")), "").label("kind")
    system = func.coalesce(seats.c.system, "").label("system")
    rows = connection.execute(
        select(system, kind, func.count(), func.count(distinct(failed.c.dialogue_id)))
        .select_from(failed)
        .join(dialogues, dialogues.c.id == failed.c.dialogue_id)
        .outerjoin(
            seats,
            and_(
                seats.c.dialogue_id == failed.c.dialogue_id,
                seats.c.seat == failed.c.seat,
                seats.c.kind == "system",
            ),
        )
        .where(dialogues.c.study_id == study_id, dialogues.c.purpose == REAL)
        .group_by(system, kind)
        .order_by(func.count().desc(), system, kind)
    )
    return [FailureCount(*row) for row in rows]
