"""The list of dialogues, with its filters."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, and_, func, literal, or_, select

from palaver.core.listings import Slice, Window
from palaver.core.studies.dialogues import (
    ENDED,
    NOTHING,
    RUNNING,
    Choices,
    DialogueFilter,
    DialogueHead,
    Occupancy,
)
from palaver.storage.dialogues.summaries import end, measure, with_end
from palaver.storage.engine.statements import json_text, read_slice
from palaver.storage.schema import assignments, dialogues, events, participants, seats, studies

_decode = msgspec.json.Decoder().decode


def list_dialogues(
    connection: Connection, wanted: DialogueFilter, window: Window
) -> Slice[DialogueHead]:
    """A page of dialogues with their sizes and seats."""
    statement = with_end(
        select(
            dialogues.c.id,
            dialogues.c.key,
            studies.c.name.label("study"),
            dialogues.c.condition,
            dialogues.c.created,
            end.c.time.label("ended"),
            end.c.data.label("ending"),
        ).join(studies, studies.c.id == dialogues.c.study_id)
    ).where(*_conditions(connection, wanted))
    found = read_slice(connection, statement, window, id=dialogues.c.id, name=dialogues.c.key).map(
        _listed
    )
    ids = [row.row_id for row in found.rows]
    sizes, seated = measure(connection, ids), occupants(connection, ids)
    opened = _openings(connection, ids)
    return found.map(
        lambda row: replace(
            row,
            size=sizes.get(row.row_id, NOTHING),
            seats=tuple(seated.get(row.row_id, ())),
            opening=opened.get(row.row_id, ""),
        )
    )


def _conditions(connection: Connection, wanted: DialogueFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.study is not None:
        # Looked up first: the index on (study, id) serves only a known id.
        name = select(studies.c.id).where(studies.c.name == wanted.study)
        conditions.append(dialogues.c.study_id == (connection.execute(name).scalar() or 0))
    if wanted.condition is not None:
        conditions.append(dialogues.c.condition == wanted.condition)
    if wanted.status is not None:
        conditions.append(_has_status(wanted.status))
    if wanted.system is not None:
        conditions.append(
            select(seats.c.seat)
            .where(seats.c.dialogue_id == dialogues.c.id, seats.c.system == wanted.system)
            .exists()
        )
    if wanted.text is not None:
        conditions.append(or_(*_matches(wanted.text)))
    return conditions


def _matches(text: str) -> Iterator[ColumnElement[bool]]:
    """A dialogue is found by its short name, the start of its key or a person's, or its words."""
    if name := re.fullmatch(r"[dD](\d{1,9})", text):
        yield dialogues.c.id == int(name[1])
    yield dialogues.c.key.startswith(text, autoescape=True)
    people = (seats.join(assignments, assignments.c.id == seats.c.assignment_id)).join(
        participants, participants.c.id == assignments.c.participant_id
    )
    yield (
        select(seats.c.seat)
        .select_from(people)
        .where(
            seats.c.dialogue_id == dialogues.c.id,
            participants.c.alias.startswith(text, autoescape=True),
        )
        .exists()
    )
    yield (
        select(events.c.seq)
        .where(
            events.c.dialogue_id == dialogues.c.id,
            events.c.action == "message",
            json_text(events.c.data, literal("text")).icontains(text, autoescape=True),
        )
        .exists()
    )


def _openings(connection: Connection, ids: Sequence[int]) -> dict[int, str]:
    """The first message of a few dialogues, by dialogue; nothing of those that were erased."""
    if not ids:
        return {}
    first = (
        select(events.c.dialogue_id, func.min(events.c.seq).label("seq"))
        .where(events.c.dialogue_id.in_(ids), events.c.action == "message")
        .group_by(events.c.dialogue_id)
        .subquery()
    )
    here = and_(events.c.dialogue_id == first.c.dialogue_id, events.c.seq == first.c.seq)
    rows = connection.execute(select(events.c.dialogue_id, events.c.data).join(first, here))
    return {row.dialogue_id: str(_decode(row.data).get("text", "")) for row in rows if row.data}


def _has_status(status: str) -> ColumnElement[bool]:
    if status == RUNNING:
        return end.c.seq.is_(None)
    if status == ENDED:
        return end.c.seq.is_not(None)
    return json_text(end.c.data, literal("reason")) == status


def _listed(row: Row[Any]) -> DialogueHead:
    ending = _decode(row.ending) if row.ending is not None else {}
    return DialogueHead(
        row_id=row.id,
        id=row.key,
        study=row.study,
        condition=row.condition,
        created=row.created,
        ended=row.ended,
        reason=None if row.ended is None else str(ending.get("reason", "")),
    )


def occupants(connection: Connection, ids: Sequence[int]) -> dict[int, list[Occupancy]]:
    """Who sat where in a few dialogues, by dialogue."""
    if not ids:
        return {}
    rows = connection.execute(
        select(seats, participants.c.alias)
        .outerjoin(assignments, assignments.c.id == seats.c.assignment_id)
        .outerjoin(participants, participants.c.id == assignments.c.participant_id)
        .where(seats.c.dialogue_id.in_(ids))
        .order_by(seats.c.dialogue_id, seats.c.from_seq, seats.c.seat)
    )
    found: dict[int, list[Occupancy]] = {}
    for row in rows:
        occupant = row.system if row.kind == "system" else (row.alias or "simulated")
        seat = Occupancy(row.seat, row.from_seq, row.kind, occupant)
        found.setdefault(row.dialogue_id, []).append(seat)
    return found


def neighbours(connection: Connection, key: str) -> tuple[str | None, str | None]:
    """The dialogues of the same study before and after this one."""
    here = connection.execute(
        select(dialogues.c.id, dialogues.c.study_id).where(dialogues.c.key == key)
    ).one()
    same = select(dialogues.c.key).where(dialogues.c.study_id == here.study_id).limit(1)
    earlier = same.where(dialogues.c.id < here.id).order_by(dialogues.c.id.desc())
    later = same.where(dialogues.c.id > here.id).order_by(dialogues.c.id)
    return connection.execute(earlier).scalar(), connection.execute(later).scalar()


def siblings(connection: Connection, group: str) -> list[str]:
    """The dialogues that were seated together, in their order."""
    rows = connection.execute(
        select(dialogues.c.key)
        .where(dialogues.c.group_key == group)
        .order_by(dialogues.c.position, dialogues.c.id)
    )
    return list(rows.scalars())


def read_choices(connection: Connection, study: str | None) -> Choices:
    """The studies here, and the conditions and systems of one of them (or of all)."""
    known = connection.execute(
        select(studies.c.id, studies.c.name, studies.c.title).order_by(studies.c.title)
    ).all()
    conditions = select(dialogues.c.condition).distinct().order_by(dialogues.c.condition)
    systems = (
        select(seats.c.system)
        .distinct()
        .where(seats.c.system.is_not(None))
        .order_by(seats.c.system)
    )
    if study is not None:
        study_id = next((row.id for row in known if row.name == study), 0)
        conditions = conditions.where(dialogues.c.study_id == study_id)
        systems = systems.join(dialogues, dialogues.c.id == seats.c.dialogue_id).where(
            dialogues.c.study_id == study_id
        )
    return Choices(
        studies=tuple((row.name, row.title) for row in known),
        conditions=tuple(connection.execute(conditions).scalars()),
        systems=tuple(connection.execute(systems).scalars()),
    )
