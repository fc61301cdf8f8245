"""Dialogues that were held elsewhere: imported ones, and those that another study has finished.

Imported rows are made once under a name that stays the same: whoever imports a file again finds every
row there and adds nothing.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, and_, exists, func, insert, literal, select

from palaver.core.events import Event
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.core.studies.dialogues import REAL
from palaver.core.studies.visits import FINISHED, WITHDRAWN
from palaver.storage.dialogues.dialogues import (
    Occupant,
    add_seat,
    create_dialogue,
    insert_dialogue,
    source_name,
)
from palaver.storage.engine.appends import Append, append
from palaver.storage.engine.keys import new_key
from palaver.storage.engine.statements import json_text
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.schema import (
    assignments,
    dialogues,
    events,
    intakes,
    participants,
    seats,
    sheets,
    studies,
    written,
)

_encode = msgspec.json.Encoder().encode

CROWD = "imported"
# Labels that are stored at once.
CHUNK = 500


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
    source_id: str | None,
    source: str | None,
    condition: str,
    group: str,
    position: int,
    scenario: Scenario,
    occupants: Sequence[Occupant],
    events: Sequence[Event],
) -> None:
    """Store a finished dialogue under a key that its file gives."""
    dialogue_id = insert_dialogue(
        connection,
        key=key,
        study_id=study_id,
        stage=0,
        condition=condition,
        group_key=group,
        position=position,
        scenario=_encode(scenario).decode(),
        created=events[0].time,
        source_id=source_name(source_id),
        source=source,
        purpose="real",
    )
    for seat, occupant in enumerate(occupants):
        add_seat(connection, dialogue_id, seat, occupant)
    append(connection, Append(dialogue_id, list(events)))


def add_labels(connection: Connection, new: Sequence[NewLabel]) -> int:
    """Append the labels whose client id is not there yet; how many were new."""
    count = 0
    for start in range(0, len(new), CHUNK):
        stored = append_labels(connection, new[start : start + CHUNK])
        count += sum(not label.repeated for label in stored)
    return count


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
        source_id=record.source_id,
        source=record.source,
    )
    append(connection, Append(dialogue_id, record.events))
    return key


def source_ids(connection: Connection, study_id: int) -> set[str]:
    """The names that files gave to the dialogues of a study."""
    rows = connection.execute(
        select(dialogues.c.source_id)
        .where(dialogues.c.study_id == study_id, dialogues.c.source_id.is_not(None))
        .order_by(dialogues.c.source_id)
    )
    return set(rows.scalars())


@dataclass(frozen=True, slots=True)
class FinishedGroup:
    """One dialogue, or the two that one person held to compare them; `people` took part."""

    name: str
    position: int
    dialogues: tuple[str, ...]
    people: tuple[str, ...]


def finished_groups(
    connection: Connection,
    *,
    study: str,
    judged_in: tuple[int, int],
    reasons: Collection[str],
    together: bool,
    limit: int,
) -> list[FinishedGroup]:
    """Dialogues of a study that ended for one of these reasons and have no sheet yet, oldest first.

    With `together`, only groups of exactly two such dialogues. `judged_in` is the study and the
    stage whose sheets are looked at. What was withdrawn or erased is left out, and so is what the
    study itself only judges: practice, checks and the dialogues of its own data file.
    """
    name = dialogues.c.group_key if together else dialogues.c.key
    study_id, stage = judged_in
    judged = exists().where(
        sheets.c.study_id == study_id,
        sheets.c.stage == stage,
        sheets.c.purpose == "real",
        sheets.c.name == name,
    )
    erased = exists().where(
        events.c.dialogue_id == dialogues.c.id, events.c.action == written("erase")
    )
    withdrawn = (
        select(seats.c.seat)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .where(seats.c.dialogue_id == dialogues.c.id, assignments.c.state == WITHDRAWN)
        .exists()
    )
    own_file = exists().where(
        intakes.c.study_id == dialogues.c.study_id,
        intakes.c.stage == dialogues.c.stage,
        intakes.c.purpose == dialogues.c.purpose,
    )
    end = events.alias("end_event")
    held = (
        select(dialogues.c.id, dialogues.c.key, name.label("name"), dialogues.c.position)
        .join(studies, studies.c.id == dialogues.c.study_id)
        .join(end, and_(end.c.dialogue_id == dialogues.c.id, end.c.action == written("end")))
        .where(
            studies.c.name == study,
            dialogues.c.purpose == REAL,
            json_text(end.c.data, literal("reason")).in_(sorted(reasons)),
            ~judged,
            ~erased,
            ~withdrawn,
            ~own_file,
        )
        .subquery()
    )
    size = 2 if together else 1
    chosen = (
        select(held.c.name)
        .group_by(held.c.name)
        .having(func.count() == size)
        .order_by(func.min(held.c.id))
        .limit(limit)
        .subquery()
    )
    rows = connection.execute(
        select(held)
        .join(chosen, chosen.c.name == held.c.name)
        .order_by(held.c.name, held.c.position, held.c.id)
    ).all()
    return _grouped(rows, _people(connection, [row.id for row in rows]))


def _grouped(rows: Sequence[Row[Any]], people: dict[int, tuple[str, ...]]) -> list[FinishedGroup]:
    by_name: dict[str, list[Row[Any]]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    groups = [
        FinishedGroup(
            name=name,
            position=min(row.id for row in members),
            dialogues=tuple(row.key for row in members),
            people=tuple(dict.fromkeys(who for row in members for who in people.get(row.id, ()))),
        )
        for name, members in by_name.items()
    ]
    return sorted(groups, key=lambda group: group.position)


def _people(connection: Connection, dialogue_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    rows = connection.execute(
        select(seats.c.dialogue_id, participants.c.alias)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .join(participants, participants.c.id == assignments.c.participant_id)
        .where(seats.c.dialogue_id.in_(dialogue_ids))
        .order_by(seats.c.dialogue_id, seats.c.seat)
    )
    people: dict[int, tuple[str, ...]] = {}
    for dialogue_id, alias in rows:
        people[dialogue_id] = (*people.get(dialogue_id, ()), alias)
    return people
