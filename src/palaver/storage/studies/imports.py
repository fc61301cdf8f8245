"""Rows for what was collected elsewhere: made once under a name that stays the same.

Whoever imports a file again finds every row there and adds nothing. Labels go in by the thousand, so
what is known is asked once and the rest is inserted together.
"""

from collections.abc import Iterable, Sequence

import msgspec
from sqlalchemy import Connection, insert, select

from palaver.core.events import Event
from palaver.core.labels import Label
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.core.studies.visits import FINISHED
from palaver.storage.dialogues.dialogues import Occupant, add_seat, create_dialogue
from palaver.storage.engine.appends import Append, append
from palaver.storage.engine.keys import new_key
from palaver.storage.judging.labels import append_label
from palaver.storage.schema import assignments, dialogues, labels, participants

_encode = msgspec.json.Encoder().encode

CROWD = "imported"
CHUNK = 2000


def ensure_person(connection: Connection, alias: str, *, now: float) -> int:
    """The id of somebody who took part elsewhere, stored if new; the alias is their pseudonym."""
    known = connection.execute(
        select(participants.c.id).where(participants.c.alias == alias)
    ).scalar()
    if known is not None:
        return int(known)
    return int(
        connection.execute(
            insert(participants)
            .values(alias=alias, crowd=CROWD, external_id=alias, created=now)
            .returning(participants.c.id)
        ).scalar_one()
    )


def ensure_visit(
    connection: Connection, *, study_id: int, participant_id: int, name: str, time: float
) -> int:
    """The id of a finished visit, stored if new."""
    known = connection.execute(
        select(assignments.c.id).where(
            assignments.c.study_id == study_id,
            assignments.c.participant_id == participant_id,
            assignments.c.external_id == name,
        )
    ).scalar()
    if known is not None:
        return int(known)
    return int(
        connection.execute(
            insert(assignments)
            .values(
                key=new_key("a"),
                study_id=study_id,
                participant_id=participant_id,
                external_id=name,
                step="done",
                state=FINISHED,
                reason=CROWD,
                created=time,
                finished=time,
            )
            .returning(assignments.c.id)
        ).scalar_one()
    )


def has_dialogue(connection: Connection, key: str) -> bool:
    """Whether a dialogue is there already."""
    found = connection.execute(select(dialogues.c.id).where(dialogues.c.key == key)).scalar()
    return found is not None


def add_dialogue(
    connection: Connection,
    *,
    study_id: int,
    key: str,
    condition: str,
    group: str,
    position: int,
    scenario: Scenario,
    occupants: Sequence[Occupant],
    events: Sequence[Event],
) -> None:
    """Store a finished dialogue under a key that its file gives."""
    dialogue_id = connection.execute(
        insert(dialogues)
        .values(
            key=key,
            study_id=study_id,
            stage=0,
            condition=condition,
            group_key=group,
            position=position,
            scenario=_encode(scenario).decode(),
            created=events[0].time,
        )
        .returning(dialogues.c.id)
    ).scalar_one()
    for seat, occupant in enumerate(occupants):
        add_seat(connection, dialogue_id, seat, occupant)
    append(connection, Append(dialogue_id, list(events)))


class NewLabel(msgspec.Struct, frozen=True, kw_only=True):
    """A label with the rows it belongs to."""

    label: Label
    unit_id: int
    rater_id: int
    assignment_id: int | None


def add_labels(connection: Connection, study_id: int, new: Iterable[NewLabel]) -> int:
    """Append the labels whose client id is not there yet; how many were new."""
    rows = connection.execute(
        select(
            labels.c.rater_id,
            labels.c.client_id,
            labels.c.unit_id,
            labels.c.question,
            labels.c.purpose,
        ).where(labels.c.study_id == study_id)
    ).all()
    there = {(row.rater_id, row.client_id) for row in rows}
    answered = {(row.rater_id, row.unit_id, row.question, row.purpose) for row in rows}
    waiting: list[dict[str, object]] = []
    count = 0
    for each in new:
        label = each.label
        if (each.rater_id, label.client_id) in there:
            continue
        there.add((each.rater_id, label.client_id))
        count += 1
        place = (each.rater_id, each.unit_id, label.question, label.purpose)
        if place in answered:
            # The same rater said something else about it before: this one takes its place.
            _flush(connection, waiting)
            append_label(
                connection,
                label,
                study_id=study_id,
                unit_id=each.unit_id,
                rater_id=each.rater_id,
                assignment_id=each.assignment_id,
            )
            continue
        answered.add(place)
        waiting.append(_row(study_id, each))
        if len(waiting) >= CHUNK:
            _flush(connection, waiting)
    _flush(connection, waiting)
    return count


def _row(study_id: int, each: NewLabel) -> dict[str, object]:
    label = each.label
    return {
        "study_id": study_id,
        "unit_id": each.unit_id,
        "question": label.question,
        "question_version": label.question_version,
        "purpose": label.purpose,
        "rater_id": each.rater_id,
        "assignment_id": each.assignment_id,
        "shown_order": None if label.shown_order is None else _encode(label.shown_order).decode(),
        "value": _encode(label.value).decode(),
        "abstained": False,
        "label": label.label,
        "seconds": label.seconds,
        "time": label.time,
        "client_id": label.client_id,
    }


def _flush(connection: Connection, waiting: list[dict[str, object]]) -> None:
    if waiting:
        connection.execute(insert(labels), waiting)
        waiting.clear()


_decode_scenario = msgspec.json.Decoder(Scenario).decode


def keep_record(connection: Connection, study_id: int, record: DialogueRecord) -> str:
    """Store a dialogue without seeds; its key here. Its people have no visit, hence no alias."""
    dialogue_id, key = create_dialogue(
        connection,
        study_id=study_id,
        stage=0,
        condition=record.condition,
        scenario=record.scenario,
        occupants=[
            Occupant(system=seat.occupant if seat.kind == "system" else None)
            for seat in sorted(record.seats, key=lambda seat: seat.index)
        ],
        now=record.created or 0.0,
    )
    append(connection, Append(dialogue_id, record.events))
    return key


def scenario_ids(connection: Connection, study_id: int) -> set[str]:
    """The ids of the scenarios that a study's dialogues were held in."""
    rows = connection.execute(
        select(dialogues.c.scenario)
        .where(dialogues.c.study_id == study_id)
        .order_by(dialogues.c.id)
    )
    return {_decode_scenario(scenario).id for scenario in rows.scalars()}
