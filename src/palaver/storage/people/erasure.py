"""Erasure: what a person said and who they are become null; that they were there does not.

Sequence numbers stay, so that positions in other people's exports do not shift. An `erase` event is
appended to each dialogue and a row to `erasures`. Slots, screenings and standings hold nothing a
person said; they stay with the participant, whose row names nobody any more. What speaks against
the person, or that they have completed the study, is remembered under a keyed hash of their id
(`storage/people/tombstones`), unless even that is to go.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, func, select, update

from palaver.core.events import END, ERASE, Event
from palaver.storage.audit.forgetting import forget_events, forget_labels, keep_erasure
from palaver.storage.dialogues.copies import USER, copies_of
from palaver.storage.engine.appends import Append, append
from palaver.storage.judging import slot_returns
from palaver.storage.judging.drafts import forget_drafts
from palaver.storage.outbox.credits import forget_credit
from palaver.storage.people import tombstones
from palaver.storage.people.links import forget_link
from palaver.storage.schema import (
    assignments,
    dialogues,
    events,
    labels,
    participants,
    problems,
    seats,
    summaries,
)
from palaver.storage.schema.recruiting import panel_submissions

By = Literal["participant", "researcher", "retention"]
# The qualification of each practice, by study and stage.
Practised = Mapping[tuple[int, int], str]


@dataclass(frozen=True, slots=True)
class Erasure:
    """What an erasure took away."""

    events: int
    labels: int
    dialogue_ids: tuple[int, ...]


def erase_assignment(
    connection: Connection,
    assignment_id: int,
    *,
    now: float,
    by: By = "participant",
    completed: bool = False,
    practised: Practised | None = None,
    entirely: bool = False,
) -> Erasure:
    """Erase everything this assignment said and the identity behind it; a record of it stays.

    `completed` says that the visit counts as taking part; `entirely` that nothing of the person is
    to be remembered, not even under a hash.
    """
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
    # What others were to judge of it is a copy of their words.
    copied = copies_of(connection, [dialogue_id for dialogue_id, _ in held])
    said = [*((d, seat) for d, seat in held), *((d, USER) for d in copied)]
    erased_events = sum(_erase_seat(connection, d, seat, by=by, now=now) for d, seat in said)
    erased_labels = forget_labels(
        connection,
        labels.c.assignment_id == assignment_id,
        labels.c.erased.is_(None),
        erased=now,
    )
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
    slot_returns.call_off(connection, [dialogue_id for dialogue_id, _ in said])
    forget_person(
        connection,
        assignment_id,
        now=now,
        completed=completed,
        practised=practised,
        entirely=entirely,
    )
    record_erasure(
        connection, assignment_id, events=erased_events, labels=erased_labels, by=by, now=now
    )
    return Erasure(erased_events, erased_labels, tuple(d for d, _ in said))


def record_erasure(
    connection: Connection, assignment_id: int, *, events: int, labels: int, by: By, now: float
) -> None:
    """Note that something of a visit was erased, how much, by whom and when."""
    visit = select(assignments.c.participant_id, assignments.c.study_id).where(
        assignments.c.id == assignment_id
    )
    row = connection.execute(visit).one()
    keep_erasure(connection, **row._mapping, events=events, labels=labels, by=by, time=now)


def forget_person(
    connection: Connection,
    assignment_id: int,
    *,
    now: float,
    completed: bool = False,
    practised: Practised | None = None,
    entirely: bool = False,
) -> None:
    """Erase who stands behind an assignment; a person with others here keeps those.

    What speaks against them stays under a hash, and so does that they have `completed` the study.
    """
    known = connection.execute(
        select(
            assignments.c.participant_id,
            assignments.c.study_id,
            assignments.c.external_id.label("piece"),
            participants.c.crowd,
            participants.c.external_id,
        )
        .join(participants, participants.c.id == assignments.c.participant_id)
        .where(assignments.c.id == assignment_id)
    ).one()
    participant_id = known.participant_id
    connection.execute(
        update(panel_submissions)
        .where(
            panel_submissions.c.panel_id == known.piece,
            panel_submissions.c.participant == known.external_id,
        )
        .values(panel_id=None, participant=None, code=None)
    )
    connection.execute(
        update(assignments).where(assignments.c.id == assignment_id).values(external_id=None)
    )
    forget_credit(connection, assignment_id)
    if completed and known.external_id is not None:
        tombstones.remember_completed(
            connection, known.crowd, known.external_id, study_id=known.study_id, now=now
        )
    others = connection.execute(
        select(func.count())
        .select_from(assignments)
        .where(
            assignments.c.participant_id == participant_id, assignments.c.external_id.is_not(None)
        )
    ).scalar_one()
    if others == 0:
        tombstones.remember_standing(connection, participant_id, practised or {}, now=now)
        connection.execute(
            update(participants)
            .where(participants.c.id == participant_id)
            .values(external_id=None, erased=now)
        )
        if known.external_id is not None:
            forget_link(connection, known.external_id)
    if entirely and known.external_id is not None:
        tombstones.forget_tombstones(
            connection, known.crowd, known.external_id, study_id=known.study_id
        )


def _erase_seat(connection: Connection, dialogue_id: int, seat: int, *, by: By, now: float) -> int:
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
    count = forget_events(connection, *mine)
    last = connection.execute(
        select(func.coalesce(func.max(events.c.seq), 0)).where(events.c.dialogue_id == dialogue_id)
    ).scalar_one()
    told = {"seat": seat, "events": count, **({} if by == "participant" else {"by": by})}
    record = Event(seq=last + 1, seat=None, action=ERASE, data=told, time=now)
    append(connection, Append(dialogue_id, [record]))
    return count
