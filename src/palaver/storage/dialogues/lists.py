"""The list of dialogues, with its filters."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    func,
    literal,
    or_,
    select,
)

from palaver.core.dialogue import Seat
from palaver.core.listings import Slice, Window
from palaver.core.names import person_id
from palaver.core.studies.dialogues import (
    ENDED,
    NOTHING,
    PURPOSES,
    RUNNING,
    Choices,
    DialogueFilter,
    DialogueHead,
    Occupancy,
    Use,
)
from palaver.storage.dialogues.dialogues import PERSON, seat_from_row
from palaver.storage.dialogues.summaries import end, measure, with_end
from palaver.storage.engine.statements import different, json_text, read_slice
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
            dialogues.c.source_id,
            dialogues.c.source,
            dialogues.c.purpose,
            dialogues.c.condition,
            dialogues.c.created,
            dialogues.c.ending,
            end.c.time.label("ended"),
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
    conditions: list[ColumnElement[bool]] = [dialogues.c.purpose.in_(PURPOSES[wanted.use])]
    if wanted.study is not None:
        # Looked up first: the index on (study, id) serves only a known id.
        name = select(studies.c.id).where(studies.c.name == wanted.study)
        conditions.append(dialogues.c.study_id == (connection.execute(name).scalar() or 0))
    if wanted.only is not None:
        conditions.append(studies.c.name.in_(sorted(wanted.only)))
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
    if wanted.source_id is not None:
        conditions.append(dialogues.c.source_id == wanted.source_id)
    if wanted.text is not None:
        named = _named(connection, wanted.text)
        conditions.append(or_(*_matches(wanted.text)) if named is None else named)
    return conditions


def _named(connection: Connection, text: str) -> ColumnElement[bool] | None:
    """The dialogues that a text names, if it names any; nobody then has to look through all words.

    It is a short name of a dialogue or a person, or your own name of a dialogue.
    """
    name = re.fullmatch(r"[dD](\d{1,9})", text)
    person = person_id(text)
    named = or_(
        dialogues.c.source_id == text,
        *([dialogues.c.id == int(name[1])] if name else []),
        *([dialogues.c.id.in_(_seated(participants.c.id == person))] if person else []),
    )
    return (
        named if connection.execute(select(dialogues.c.id).where(named).limit(1)).first() else None
    )


def _seated(who: ColumnElement[bool]) -> Select[Any]:
    """The dialogues in which some people sat."""
    return (
        select(seats.c.dialogue_id)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .join(participants, participants.c.id == assignments.c.participant_id)
        .where(who)
    )


def _matches(text: str) -> Iterator[ColumnElement[bool]]:
    """A dialogue is found by the start of its key or a person's, by its name in the file it came from,
    or by its words."""
    yield dialogues.c.key.startswith(text, autoescape=True)
    yield dialogues.c.source_id.icontains(text, autoescape=True)
    yield dialogues.c.id.in_(_seated(participants.c.alias.startswith(text, autoescape=True)))
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
        return dialogues.c.ending.is_(None)
    if status == ENDED:
        return dialogues.c.ending.is_not(None)
    return dialogues.c.ending == status


def _listed(row: Row[Any]) -> DialogueHead:
    return DialogueHead(
        row_id=row.id,
        id=row.key,
        study=row.study,
        source_id=row.source_id,
        source=row.source,
        purpose=row.purpose,
        condition=row.condition,
        stored=row.created,
        ended=row.ended,
        reason=row.ending,
    )


def occupants(connection: Connection, ids: Sequence[int]) -> dict[int, list[Occupancy]]:
    """Who sat where in a few dialogues, by dialogue."""
    if not ids:
        return {}
    rows = connection.execute(
        select(seats, *PERSON)
        .outerjoin(assignments, assignments.c.id == seats.c.assignment_id)
        .outerjoin(participants, participants.c.id == assignments.c.participant_id)
        .where(seats.c.dialogue_id.in_(ids))
        .order_by(seats.c.dialogue_id, seats.c.from_seq, seats.c.seat)
    )
    found: dict[int, list[Occupancy]] = {}
    for row in rows:
        found.setdefault(row.dialogue_id, []).append(occupancy(seat_from_row(row)))
    return found


def occupancy(seat: Seat) -> Occupancy:
    """Who sits at a seat, as a list shows it."""
    return Occupancy(seat.index, seat.from_seq, seat.kind, seat.occupant, seat.name)


def neighbours(connection: Connection, key: str) -> tuple[str | None, str | None]:
    """The dialogues of the same study, for the same use, before and after this one."""
    here = connection.execute(
        select(dialogues.c.id, dialogues.c.study_id, dialogues.c.purpose).where(
            dialogues.c.key == key
        )
    ).one()
    same = (
        select(dialogues.c.key)
        .where(dialogues.c.study_id == here.study_id, dialogues.c.purpose == here.purpose)
        .limit(1)
    )
    earlier = same.where(dialogues.c.id < here.id).order_by(dialogues.c.id.desc())
    later = same.where(dialogues.c.id > here.id).order_by(dialogues.c.id)
    return connection.execute(earlier).scalar(), connection.execute(later).scalar()


def study_of_dialogue(connection: Connection, key: str) -> str | None:
    """The name of the study that a dialogue belongs to; None if there is no such dialogue."""
    return connection.execute(
        select(studies.c.name)
        .join(dialogues, dialogues.c.study_id == studies.c.id)
        .where(dialogues.c.key == key)
    ).scalar()


def siblings(connection: Connection, group: str) -> list[str]:
    """The dialogues that were seated together, in their order."""
    rows = connection.execute(
        select(dialogues.c.key)
        .where(dialogues.c.group_key == group)
        .order_by(dialogues.c.position, dialogues.c.id)
    )
    return list(rows.scalars())


def read_choices(
    connection: Connection,
    study: str | None,
    use: Use = "data",
    only: frozenset[str] | None = None,
) -> Choices:
    """The studies here; the conditions and systems of one of them (or of all), for one use.

    `only` are the studies that whoever asks may look at.
    """
    known = [
        row
        for row in connection.execute(
            select(studies.c.id, studies.c.name, studies.c.title).order_by(studies.c.title)
        )
        if only is None or row.name in only
    ]
    ids = [row.id for row in known if study in (None, row.name)]
    return Choices(
        studies=tuple((row.name, row.title) for row in known),
        conditions=tuple(sorted(_conditions_of(connection, ids, use))),
        systems=tuple(_systems(connection, ids if study is not None or only is not None else None)),
        uses=tuple(each for each in PURPOSES if each != "data" and _has_any(connection, ids, each)),
    )


def _conditions_of(connection: Connection, study_ids: Sequence[int], use: Use) -> set[str]:
    found: set[str] = set()
    for study_id in study_ids:
        for purpose in PURPOSES[use]:
            mine = (dialogues.c.study_id == study_id, dialogues.c.purpose == purpose)
            found.update(different(connection, dialogues.c.condition, *mine))
    return found


def _has_any(connection: Connection, study_ids: Sequence[int], use: Use) -> bool:
    some = select(dialogues.c.id).where(
        dialogues.c.study_id.in_(study_ids), dialogues.c.purpose.in_(PURPOSES[use])
    )
    return connection.execute(some.limit(1)).first() is not None


def _systems(connection: Connection, study_ids: Sequence[int] | None) -> list[str]:
    """The systems that sat in the dialogues of a study, or in all."""
    names = different(connection, seats.c.system, seats.c.system.is_not(None))
    if study_ids is None:
        return names
    # The dialogues of a study lie close together: what is far away is not looked at.
    mine = dialogues.c.study_id.in_(study_ids)
    ends = connection.execute(
        select(func.min(dialogues.c.id), func.max(dialogues.c.id)).where(mine)
    ).one()
    sat = (
        select(seats.c.seat)
        .join(dialogues, dialogues.c.id == seats.c.dialogue_id)
        .where(mine, seats.c.dialogue_id.between(*ends))
        .limit(1)
    )
    return [name for name in names if connection.execute(sat.where(seats.c.system == name)).first()]
