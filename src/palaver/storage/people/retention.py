"""What is kept of visits that ended long ago: found, counted and deleted."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, update

from palaver.core.events import ERASE, HOUSEKEEPING, Event
from palaver.core.studies.visits import ABANDONED, ACTIVE
from palaver.storage.audit.forgetting import forget_events, forget_labels
from palaver.storage.dialogues.copies import copies_of
from palaver.storage.engine.appends import Append, append
from palaver.storage.engine.keys import new_key
from palaver.storage.judging.drafts import forget_drafts
from palaver.storage.people.erasure import Erasure, Practised, forget_person, record_erasure
from palaver.storage.schema import assignments, events, labels, problems, seats

# One transaction deletes the ids, or the words, of so many visits.
BATCH = 200


def visits_with_ids(
    connection: Connection, study_id: int, *, before: float, limit: int | None = None
) -> list[tuple[int, str | None]]:
    """The visits, and the code of each, that ended before a time and still hold ids or a code."""
    rows = connection.execute(
        select(assignments.c.id, assignments.c.code)
        .where(
            _ended(study_id, before),
            or_(assignments.c.external_id.is_not(None), assignments.c.code.is_not(None)),
        )
        .order_by(assignments.c.id)
        .limit(limit)
    )
    return [(visit, code) for visit, code in rows]


def delete_ids(
    connection: Connection,
    assignment_id: int,
    *,
    completed: bool,
    practised: Practised,
    now: float,
) -> None:
    """Delete who stands behind a visit and its code; no cookie or address opens it any more."""
    connection.execute(
        update(assignments)
        .where(assignments.c.id == assignment_id, assignments.c.state == ACTIVE)
        .values(state=ABANDONED, reason="abandoned", step="done", finished=now)
    )
    forget_person(connection, assignment_id, now=now, completed=completed, practised=practised)
    connection.execute(
        update(assignments)
        .where(assignments.c.id == assignment_id)
        .values(code=None, key=new_key("a"))
    )
    record_erasure(connection, assignment_id, events=0, labels=0, by="retention", now=now)


def visits_with_words(
    connection: Connection,
    study_id: int,
    *,
    before: float,
    questions: Collection[str],
    limit: int | None = None,
) -> list[int]:
    """The visits that ended before a time and of which words are left.

    What was said in a dialogue is left until the visits of everybody in it have ended so long ago.
    """
    said = (
        select(seats.c.dialogue_id)
        .join(events, events.c.dialogue_id == seats.c.dialogue_id)
        .where(seats.c.assignment_id == assignments.c.id, _is_words(), _all_due(study_id, before))
    )
    answered = select(labels.c.id).where(
        labels.c.assignment_id == assignments.c.id, _is_answer_in_words(questions)
    )
    reported = select(problems.c.id).where(
        problems.c.assignment_id == assignments.c.id, problems.c.text.is_not(None)
    )
    rows = connection.execute(
        select(assignments.c.id)
        .where(_ended(study_id, before), or_(said.exists(), answered.exists(), reported.exists()))
        .order_by(assignments.c.id)
        .limit(limit)
    )
    return [int(visit) for (visit,) in rows]


def delete_words(
    connection: Connection,
    study_id: int,
    assignment_id: int,
    *,
    before: float,
    questions: Collection[str],
    now: float,
) -> Erasure:
    """Delete what was said in the dialogues of a visit, its answers in words and its reports."""
    held = connection.execute(
        select(seats.c.dialogue_id)
        .where(seats.c.assignment_id == assignment_id, _all_due(study_id, before))
        .distinct()
        .order_by(seats.c.dialogue_id)
    ).scalars()
    dialogue_ids = [int(dialogue_id) for dialogue_id in held]
    dialogue_ids += copies_of(connection, dialogue_ids)
    erased_events = sum(_delete_said(connection, each, now=now) for each in dialogue_ids)
    erased_labels = forget_labels(
        connection,
        labels.c.assignment_id == assignment_id,
        _is_answer_in_words(questions),
        erased=now,
    )
    connection.execute(
        update(problems).where(problems.c.assignment_id == assignment_id).values(text=None)
    )
    forget_drafts(connection, [assignment_id])
    record_erasure(
        connection,
        assignment_id,
        events=erased_events,
        labels=erased_labels,
        by="retention",
        now=now,
    )
    return Erasure(erased_events, erased_labels, tuple(dialogue_ids))


def _ended(study_id: int, before: float) -> ColumnElement[bool]:
    # A visit that never ended counts from its beginning.
    since = func.coalesce(assignments.c.finished, assignments.c.created)
    return and_(assignments.c.study_id == study_id, since < before)


def _all_due(study_id: int, before: float) -> ColumnElement[bool]:
    """Whether everybody who sat in the dialogue of a seat has ended their visit before a time."""
    other, theirs = seats.alias("other"), assignments.alias("theirs")
    late = (
        select(theirs.c.id)
        .join(other, other.c.assignment_id == theirs.c.id)
        .where(
            other.c.dialogue_id == seats.c.dialogue_id,
            func.coalesce(theirs.c.finished, theirs.c.created) >= before,
        )
    )
    return ~late.exists()


def _is_words() -> ColumnElement[bool]:
    return and_(events.c.data.is_not(None), events.c.action.not_in(sorted(HOUSEKEEPING)))


def _is_answer_in_words(questions: Collection[str]) -> ColumnElement[bool]:
    return and_(labels.c.question.in_(sorted(questions)), labels.c.erased.is_(None))


def _delete_said(connection: Connection, dialogue_id: int, *, now: float) -> int:
    count = forget_events(connection, events.c.dialogue_id == dialogue_id, _is_words())
    if count == 0:
        return 0
    last = connection.execute(
        select(func.max(events.c.seq)).where(events.c.dialogue_id == dialogue_id)
    ).scalar_one()
    record = Event(seq=last + 1, seat=None, action=ERASE, data={"events": count}, time=now)
    append(connection, Append(dialogue_id, [record]))
    return count
