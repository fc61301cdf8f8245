"""Dialogues in the store: created with their seats and seeds, loaded by folding their events."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, and_, bindparam, insert, select

from palaver.core.dialogue import UNNAMED, Dialogue, Seat, seed_events, tells_times
from palaver.core.errors import InputError
from palaver.core.events import Event
from palaver.core.names import person_name
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.core.studies.dialogues import REAL, short_name
from palaver.storage.engine.appends import Append, append
from palaver.storage.engine.chain import DIALOGUE, SEAT, link, study_of
from palaver.storage.engine.keys import new_key
from palaver.storage.engine.prepared import Prepared
from palaver.storage.schema import (
    assignments,
    dialogues,
    events,
    participants,
    seats,
    studies,
    written,
)
from palaver.storage.schema.audit import link_columns

_encode = msgspec.json.Encoder().encode
_decode_data = msgspec.json.Decoder(dict[str, Any]).decode
_decode_audience = msgspec.json.Decoder(tuple[int, ...]).decode
# What a seat's row needs beside its own columns, to say who sat there.
PERSON = (participants.c.alias, participants.c.id.label("participant_id"))
# What a dialogue is folded from; its links are read by whoever verifies them.
EVENT_COLUMNS = tuple(
    column for column in events.columns if column.name not in {c.name for c in link_columns()}
)
_decode_scenario = msgspec.json.Decoder(Scenario).decode


@dataclass(frozen=True, slots=True)
class Occupant:
    """Who is to sit at a seat: an assignment (a person) or a system."""

    assignment_id: int | None = None
    system: str | None = None


@dataclass(frozen=True, slots=True)
class StoredDialogue:
    """A dialogue with what the store knows of it."""

    id: int
    key: str
    # Its name in the file it came from, and that file; None where it was held here.
    source_id: str | None
    source: str | None
    purpose: str
    study: str
    stage: int
    group: str
    position: int
    created: float
    dialogue: Dialogue
    # Seat → assignment id, for the seats that people hold.
    people: dict[int, int]

    @property
    def name(self) -> str:
        return short_name(self.id)

    def record(self) -> DialogueRecord:
        """The dialogue as Palaver's own files hold it."""
        dialogue = self.dialogue
        return DialogueRecord(
            id=self.key,
            name=self.name,
            source_id=self.source_id,
            source=self.source,
            study=self.study,
            purpose=self.purpose,
            condition=dialogue.condition,
            position=self.position,
            group=self.group,
            scenario=dialogue.scenario,
            seats=dialogue.seats,
            events=dialogue.events,
            created=self.created if dialogue.tells_times else None,
            status="ended" if dialogue.is_over else "running",
            reason=dialogue.reason,
        )


def create_dialogue(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    condition: str,
    scenario: Scenario,
    occupants: Sequence[Occupant],
    now: float,
    group: str | None = None,
    position: int = 0,
    source_id: str | None = None,
    source: str | None = None,
    purpose: str = REAL,
    key: str | None = None,
) -> tuple[int, str]:
    """Store a new dialogue with its seats and seed utterances; its id and key."""
    key = key or new_key("d")
    dialogue_id = insert_dialogue(
        connection,
        key=key,
        study_id=study_id,
        stage=stage,
        condition=condition,
        group_key=group or key,
        position=position,
        scenario=_encode(scenario).decode(),
        created=now,
        source_id=source_name(source_id),
        source=source,
        purpose=purpose,
    )
    for seat, occupant in enumerate(occupants):
        add_seat(connection, dialogue_id, seat, occupant)
    append(connection, Append(dialogue_id, seed_events(scenario, now)))
    return dialogue_id, key


def insert_dialogue(connection: Connection, **head: Any) -> int:
    """Store the head of a dialogue; its id."""
    dialogue_id: int = connection.execute(
        insert(dialogues).values(**head).returning(dialogues.c.id)
    ).scalar_one()
    link(connection, DIALOGUE, [{"id": dialogue_id, **head}], study_id=head["study_id"])
    return dialogue_id


def source_name(given: str | None) -> str | None:
    """What a file calls a dialogue, as it can be stored: PostgreSQL keeps no NUL in a text."""
    return None if given is None else given.replace("\0", "\ufffd")


def add_seat(
    connection: Connection, dialogue_id: int, seat: int, occupant: Occupant, *, from_seq: int = 1
) -> None:
    """Record who sits at a seat from a position on."""
    row = {
        "dialogue_id": dialogue_id,
        "seat": seat,
        "from_seq": from_seq,
        "kind": "system" if occupant.system is not None else "person",
        "assignment_id": occupant.assignment_id,
        "system": occupant.system,
    }
    connection.execute(insert(seats).values(row))
    link(connection, SEAT, [row], study_id=study_of(connection, dialogue_id))


def load_dialogue(connection: Connection, key: str) -> StoredDialogue:
    """The dialogue called `key`, folded."""
    return _load(connection, _HEAD.named(connection, key=key), key)


def load_dialogue_by_id(connection: Connection, dialogue_id: int) -> StoredDialogue:
    return _load(connection, _HEAD_BY_ID.named(connection, id=dialogue_id), str(dialogue_id))


def events_after(connection: Connection, dialogue_id: int, seq: int) -> list[Event]:
    """The events of a dialogue behind position `seq`, in order."""
    return [event_from_row(row) for row in _EVENTS.named(connection, id=dialogue_id, seq=seq)]


def dialogues_of_assignment(connection: Connection, assignment_id: int) -> list[StoredDialogue]:
    """The dialogues in which this assignment holds a seat, in the order they were seated."""
    rows = connection.execute(
        select(seats.c.dialogue_id)
        .join(dialogues, dialogues.c.id == seats.c.dialogue_id)
        .where(seats.c.assignment_id == assignment_id)
        .order_by(dialogues.c.stage, dialogues.c.id)
    )
    return [load_dialogue_by_id(connection, dialogue_id) for dialogue_id in rows.scalars().all()]


def running_group(connection: Connection, assignment_id: int, stage: int) -> str | None:
    """The group in which this assignment sits in a dialogue that has not ended, or None."""
    return connection.execute(
        select(dialogues.c.group_key)
        .join(seats, seats.c.dialogue_id == dialogues.c.id)
        .outerjoin(
            events, and_(events.c.dialogue_id == dialogues.c.id, events.c.action == written("end"))
        )
        .where(
            seats.c.assignment_id == assignment_id,
            dialogues.c.stage == stage,
            events.c.seq.is_(None),
        )
        .order_by(dialogues.c.id.desc())
        .limit(1)
    ).scalar()


def running_in_group(connection: Connection, group: str) -> list[int]:
    """The dialogues of a group that have not ended."""
    rows = connection.execute(
        select(dialogues.c.id)
        .outerjoin(
            events, and_(events.c.dialogue_id == dialogues.c.id, events.c.action == written("end"))
        )
        .where(dialogues.c.group_key == group, events.c.seq.is_(None))
        .order_by(dialogues.c.position)
    )
    return list(rows.scalars())


def dialogue_records(
    connection: Connection,
    study: str | None = None,
    *,
    stage: int | None = None,
    purpose: str | None = None,
    batch: int = 500,
) -> Iterator[DialogueRecord]:
    """Every dialogue of a study (or of all), oldest first, read in batches.

    `stage` and `purpose` leave those of one stage, and those that serve one purpose.
    """
    last = 0
    while True:
        heads = _heads().where(dialogues.c.id > last)
        if study is not None:
            heads = heads.where(studies.c.name == study)
        if stage is not None:
            heads = heads.where(dialogues.c.stage == stage)
        if purpose is not None:
            heads = heads.where(dialogues.c.purpose == purpose)
        rows = connection.execute(heads.order_by(dialogues.c.id).limit(batch)).all()
        if not rows:
            return
        last = rows[-1].id
        yield from _records(connection, rows)


def records_of_ids(connection: Connection, ids: Sequence[int]) -> Iterator[DialogueRecord]:
    """Some dialogues, oldest first."""
    rows = connection.execute(_heads().where(dialogues.c.id.in_(ids)).order_by(dialogues.c.id))
    yield from _records(connection, rows.all())


def _records(connection: Connection, heads: Sequence[Row[Any]]) -> Iterator[DialogueRecord]:
    ids = [head.id for head in heads]
    seats_by_id = _grouped(connection.execute(_seat_rows().where(seats.c.dialogue_id.in_(ids))))
    events_by_id = _grouped(
        connection.execute(
            select(*EVENT_COLUMNS)
            .where(events.c.dialogue_id.in_(ids))
            .order_by(events.c.dialogue_id, events.c.seq)
        )
    )
    for head in heads:
        recorded = [event_from_row(row) for row in events_by_id.get(head.id, [])]
        end = next((event for event in recorded if event.action == "end"), None)
        reason = str((end.data or {}).get("reason", "")) if end else ""
        timed = end is None or tells_times(reason, recorded[0].time, end.time)
        yield DialogueRecord(
            id=head.key,
            name=short_name(head.id),
            source_id=head.source_id,
            source=head.source,
            study=head.study,
            purpose=head.purpose,
            condition=head.condition,
            position=head.position,
            group=head.group_key,
            scenario=_decode_scenario(head.scenario),
            seats=[seat_from_row(row) for row in seats_by_id.get(head.id, [])],
            events=recorded,
            created=head.created if timed else None,
            status="running" if end is None else "ended",
            reason=reason,
        )


def _grouped(rows: Iterable[Row[Any]]) -> dict[int, list[Row[Any]]]:
    groups: dict[int, list[Row[Any]]] = {}
    for row in rows:
        groups.setdefault(row.dialogue_id, []).append(row)
    return groups


def _heads() -> Select[Any]:
    return select(dialogues, studies.c.name.label("study")).join(
        studies, studies.c.id == dialogues.c.study_id
    )


def _seat_rows() -> Select[Any]:
    return (
        select(seats, *PERSON)
        .outerjoin(assignments, assignments.c.id == seats.c.assignment_id)
        .outerjoin(participants, participants.c.id == assignments.c.participant_id)
        .order_by(seats.c.dialogue_id, seats.c.from_seq, seats.c.seat)
    )


def occupant_of(row: Any) -> str:
    """Who sat at a seat, out of its row with `PERSON`: a system, or a participant's alias."""
    occupant: str = row.system if row.kind == "system" else row.alias or UNNAMED
    return occupant


def seat_from_row(row: Any) -> Seat:
    """Who sat at a seat, out of its row with `PERSON`."""
    is_system = row.kind == "system"
    return Seat(
        index=row.seat,
        kind=row.kind,
        occupant=occupant_of(row),
        name="" if is_system or row.alias is None else person_name(row.participant_id),
        from_seq=row.from_seq,
    )


def _load(connection: Connection, rows: list[Any], name: str) -> StoredDialogue:
    """A dialogue out of rows that each hold all of its head and one of its seats."""
    if not rows:
        raise InputError(f"There is no dialogue '{name}' here.")
    head = rows[0]
    dialogue = Dialogue(
        id=head.key,
        study=head.study,
        condition=head.condition,
        scenario=_decode_scenario(head.scenario),
        seats=[seat_from_row(row) for row in rows if row.seat is not None],
    )
    dialogue.extend(events_after(connection, head.id, 0))
    return StoredDialogue(
        id=head.id,
        key=head.key,
        source_id=head.source_id,
        source=head.source,
        purpose=head.purpose,
        study=head.study,
        stage=head.stage,
        group=head.group_key,
        position=head.position,
        created=head.created,
        dialogue=dialogue,
        people={row.seat: row.assignment_id for row in rows if row.assignment_id is not None},
    )


def event_from_row(row: Any) -> Event:
    return Event(
        seq=row.seq,
        seat=row.seat,
        action=row.action,
        data=None if row.data is None else _decode_data(row.data),
        time=row.time,
        audience=None if row.audience is None else _decode_audience(row.audience),
        client_id=row.client_id,
        reply_to=row.reply_to,
    )


_SEATED = (
    _heads()
    .add_columns(*(c for c in seats.c if c.name != "dialogue_id"), *PERSON)
    .outerjoin(seats, seats.c.dialogue_id == dialogues.c.id)
    .outerjoin(assignments, assignments.c.id == seats.c.assignment_id)
    .outerjoin(participants, participants.c.id == assignments.c.participant_id)
    .order_by(seats.c.from_seq, seats.c.seat)
)
_HEAD = Prepared(_SEATED.where(dialogues.c.key == bindparam("key")))
_HEAD_BY_ID = Prepared(_SEATED.where(dialogues.c.id == bindparam("id")))
_EVENTS = Prepared(
    select(*EVENT_COLUMNS)
    .where(events.c.dialogue_id == bindparam("id"), events.c.seq > bindparam("seq"))
    .order_by(events.c.seq)
)
