"""Withdrawal: what a person said and who they are become null; that they were there does not.

Sequence numbers stay, so that positions in other people's exports do not shift. An `erase` event is
appended to each dialogue and a row to `erasures`. Slots, screenings and standings hold nothing a
person said; they stay with the participant, whose row names nobody any more.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from palaver.core.events import END, ERASE, Event
from palaver.storage.engine.appends import Append, append
from palaver.storage.judging import slot_returns
from palaver.storage.judging.drafts import forget_drafts
from palaver.storage.schema import (
    assignments,
    dialogues,
    erasures,
    events,
    labels,
    participants,
    problems,
    seats,
    summaries,
)


@dataclass(frozen=True, slots=True)
class Erasure:
    """What a withdrawal took away."""

    events: int
    labels: int
    dialogue_ids: tuple[int, ...]


def erase_assignment(connection: Connection, assignment_id: int, *, now: float) -> Erasure:
    """Erase everything this assignment said and the identity behind it; a record of it stays."""
    row = connection.execute(
        select(assignments.c.participant_id, assignments.c.study_id).where(
            assignments.c.id == assignment_id
        )
    ).one()
    held = connection.execute(
        select(seats.c.dialogue_id, seats.c.seat)
        .where(seats.c.assignment_id == assignment_id)
        .order_by(seats.c.dialogue_id)
    ).all()
    erased_events = sum(_erase_seat(connection, d, seat, now=now) for d, seat in held)
    erased_labels = connection.execute(
        update(labels)
        .where(labels.c.assignment_id == assignment_id, labels.c.erased.is_(None))
        .values(value=None, label=None, shown_order=None, pastes=None, pasted=None, erased=now)
    ).rowcount
    connection.execute(
        update(problems).where(problems.c.assignment_id == assignment_id).values(text=None)
    )
    # Numbers that were made of their answers go, too; they are made again without them.
    connection.execute(delete(summaries).where(summaries.c.study_id == row.study_id))
    # What they judged must be judged by somebody else: their slots are given back.
    slot_returns.reopen(connection, assignment_id)
    # After the slots: a save that was under way has let go of its slot by now.
    forget_drafts(connection, [assignment_id])
    # What they said is no longer there to be judged.
    slot_returns.call_off(connection, [dialogue_id for dialogue_id, _ in held])
    forget_person(connection, assignment_id, now=now)
    connection.execute(
        insert(erasures).values(
            participant_id=row.participant_id,
            study_id=row.study_id,
            events=erased_events,
            labels=erased_labels,
            time=now,
        )
    )
    return Erasure(erased_events, erased_labels, tuple(d for d, _ in held))


def forget_person(connection: Connection, assignment_id: int, *, now: float) -> None:
    """Erase who stands behind an assignment; a person with others here keeps those."""
    participant_id = connection.execute(
        update(assignments)
        .where(assignments.c.id == assignment_id)
        .values(external_id=None)
        .returning(assignments.c.participant_id)
    ).scalar_one()
    others = connection.execute(
        select(func.count())
        .select_from(assignments)
        .where(
            assignments.c.participant_id == participant_id, assignments.c.external_id.is_not(None)
        )
    ).scalar_one()
    if others == 0:
        connection.execute(
            update(participants)
            .where(participants.c.id == participant_id)
            .values(external_id=None, erased=now)
        )


def _erase_seat(connection: Connection, dialogue_id: int, seat: int, *, now: float) -> int:
    mine = (events.c.dialogue_id == dialogue_id, events.c.seat == seat, events.c.data.is_not(None))
    until = connection.execute(
        select(func.min(seats.c.from_seq)).where(
            seats.c.dialogue_id == dialogue_id, seats.c.seat == seat, seats.c.kind == "system"
        )
    ).scalar()
    if until is not None:
        mine = (*mine, events.c.seq < until)  # type: ignore[assignment]
    ended_it = select(events.c.seq).where(*mine, events.c.action == END).exists()
    connection.execute(
        update(dialogues).where(dialogues.c.id == dialogue_id, ended_it).values(ending="")
    )
    count = connection.execute(update(events).where(*mine).values(data=None)).rowcount
    last = connection.execute(
        select(func.coalesce(func.max(events.c.seq), 0)).where(events.c.dialogue_id == dialogue_id)
    ).scalar_one()
    record = Event(
        seq=last + 1, seat=None, action=ERASE, data={"seat": seat, "events": count}, time=now
    )
    append(connection, Append(dialogue_id, [record]))
    return count
