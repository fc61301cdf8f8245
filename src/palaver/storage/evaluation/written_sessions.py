"""The sessions of a write stage: what each asks for, who writes, and what happened in it.

A round has thousands of sessions and every page about it reads them all. So they are read without what
a dialogue has beside, and without the events that say nothing of what was written.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, select

from palaver.core.events import Event
from palaver.core.studies.dialogues import REAL
from palaver.storage.dialogues.dialogues import PERSON, occupant_of
from palaver.storage.schema import assignments, dialogues, events, participants, seats

_decode = msgspec.json.Decoder(dict[str, Any]).decode
# The seat of whoever writes.
WRITER = 0


class SessionHead(NamedTuple):
    """A session before its events; the scenario is as it was stored, the writer goes by an alias."""

    id: int
    key: str
    scenario: str
    writer: str


def session_heads(
    connection: Connection, study_id: int, stage: int, *, batch: int = 500
) -> Iterator[list[SessionHead]]:
    """The sessions of a write stage, oldest first, in batches; trials and practice are none."""
    last = 0
    while True:
        rows = connection.execute(
            select(dialogues.c.id, dialogues.c.key, dialogues.c.scenario)
            .where(
                dialogues.c.id > last,
                dialogues.c.study_id == study_id,
                dialogues.c.stage == stage,
                dialogues.c.purpose == REAL,
            )
            .order_by(dialogues.c.id)
            .limit(batch)
        ).all()
        if not rows:
            return
        last = rows[-1].id
        writers = _writers(connection, [row.id for row in rows])
        yield [SessionHead(*row, writers[row.id]) for row in rows]


def stored_scenario(connection: Connection, key: str) -> str | None:
    """The scenario of a session as it was stored; None where there is none of that key."""
    rows = connection.execute(select(dialogues.c.scenario).where(dialogues.c.key == key))
    scenario: str | None = rows.scalar()
    return scenario


def scenarios_of_writer(
    connection: Connection, study_id: int, stage: int, writer: str
) -> list[str]:
    """The scenarios of the sessions of a write stage in which somebody wrote, by alias."""
    rows = connection.execute(
        select(dialogues.c.scenario)
        .join(seats, seats.c.dialogue_id == dialogues.c.id)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .join(participants, participants.c.id == assignments.c.participant_id)
        .where(
            participants.c.alias == writer,
            seats.c.seat == WRITER,
            dialogues.c.study_id == study_id,
            dialogues.c.stage == stage,
            dialogues.c.purpose == REAL,
        )
        .order_by(dialogues.c.id)
    )
    return list(rows.scalars())


def session_events(
    connection: Connection, ids: Sequence[int], *, actions: Collection[str]
) -> dict[int, list[Event]]:
    """What happened in some sessions, in order: the events that are one of these actions."""
    rows = connection.execute(
        select(
            events.c.dialogue_id,
            events.c.seq,
            events.c.seat,
            events.c.action,
            events.c.data,
            events.c.time,
        )
        .where(events.c.dialogue_id.in_(ids), events.c.action.in_(sorted(actions)))
        .order_by(events.c.dialogue_id, events.c.seq)
    ).all()
    found: dict[int, list[Event]] = defaultdict(list)
    for dialogue_id, seq, seat, action, data, time in rows:
        said = None if data is None else _decode(data)
        found[dialogue_id].append(Event(seq=seq, seat=seat, action=action, data=said, time=time))
    return found


def _writers(connection: Connection, ids: Sequence[int]) -> dict[int, str]:
    """Who sat down to write in each session."""
    rows = connection.execute(
        select(seats.c.dialogue_id, seats.c.kind, seats.c.system, *PERSON)
        .outerjoin(assignments, assignments.c.id == seats.c.assignment_id)
        .outerjoin(participants, participants.c.id == assignments.c.participant_id)
        .where(seats.c.dialogue_id.in_(ids), seats.c.seat == WRITER)
        .order_by(seats.c.dialogue_id, seats.c.from_seq.desc())
    )
    return {row.dialogue_id: occupant_of(row) for row in rows}
