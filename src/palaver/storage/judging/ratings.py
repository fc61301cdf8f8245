"""The reading side of labels: what stands, and where in a dialogue it belongs.

An answer stands when nothing replaced or erased it, its slot was not abandoned, and it is not an
abstention. The answers of excluded raters are left out unless they are asked for.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select

from palaver.core.events import HOUSEKEEPING
from palaver.core.studies.dialogues import short_name
from palaver.core.units import UnitPlace
from palaver.storage.judging.exclusions import not_excluded
from palaver.storage.schema import (
    dialogues,
    events,
    exclusions,
    labels,
    raters,
    slots,
    studies,
    units,
    written,
)

_decode = msgspec.json.Decoder().decode
newer = labels.alias("newer")

# Sequence number of an event → the number of its turn, from 1.
Turns = Mapping[int, int]


@lru_cache(maxsize=4096)
def _scalar(text: str) -> Any:
    return _decode(text)


def read_value(text: str | None) -> Any:
    """A stored value; None for an abstention and after an erasure."""
    # A point or a name comes again and again; a list or mapping must not be shared.
    if text is None:
        return None
    return _decode(text) if text[:1] in "[{" else _scalar(text)


class Rating(NamedTuple):
    """One standing answer; `label` is what it meant when it was given."""

    question: str
    version: str
    unit_id: int
    rater_id: int
    value: Any
    label: str | None


def standing_ratings(
    connection: Connection,
    study_id: int,
    *,
    question: str | None = None,
    kind: str | None = None,
    with_excluded: bool = False,
) -> list[Rating]:
    """The answers of a study that stand, by question and in the order they came.

    `kind` leaves only the answers of raters of one kind.
    """
    statement = (
        select(
            labels.c.question,
            labels.c.question_version,
            labels.c.unit_id,
            labels.c.rater_id,
            labels.c.value,
            labels.c.label,
        )
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
        .where(
            labels.c.study_id == study_id,
            labels.c.purpose == "real",
            labels.c.value.is_not(None),
            stands(),
        )
        .order_by(labels.c.question, labels.c.id)
    )
    if question is not None:
        statement = statement.where(labels.c.question == question)
    if kind is not None:
        statement = statement.join(raters, raters.c.id == labels.c.rater_id).where(
            raters.c.kind == kind
        )
    if not with_excluded:
        statement = statement.where(not_excluded(labels))
    return [
        Rating(name, version, unit_id, rater_id, read_value(value), label)
        for name, version, unit_id, rater_id, value, label in connection.execute(statement)
    ]


def dialogues_of_parts(connection: Connection, study_id: int) -> dict[int, int]:
    """The dialogue of each judged unit that is a part of one, by the ids of both."""
    judged = select(labels.c.unit_id).where(labels.c.study_id == study_id)
    rows = connection.execute(
        select(units.c.id, units.c.dialogue_id).where(
            units.c.id.in_(judged), units.c.first_seq.is_not(None)
        )
    )
    return {row.id: row.dialogue_id for row in rows}


def stands() -> ColumnElement[bool]:
    """That nothing replaced or erased a label and its slot was not abandoned.

    The statement joins `newer`, the label that replaces it, and `slots`, both where there is one.
    """
    return and_(
        labels.c.erased.is_(None),
        newer.c.id.is_(None),
        or_(slots.c.state.is_(None), slots.c.state != "abandoned"),
    )


def of_sections(statement: Select[Any], sections: Collection[str]) -> Select[Any]:
    """A statement over labels, kept to those of some sections; of all where none is named."""
    return statement.where(labels.c.section.in_(list(sections))) if sections else statement


def label_sections(connection: Connection, study: str | None = None) -> list[str]:
    """The sections that the labels of a study (or of any) come from, by name."""
    statement = (
        select(labels.c.section)
        .distinct()
        .where(labels.c.section.is_not(None))
        .order_by(labels.c.section)
    )
    if study is not None:
        statement = statement.join(studies, studies.c.id == labels.c.study_id).where(
            studies.c.name == study
        )
    return list(connection.execute(statement).scalars())


def unit_places(connection: Connection, ids: Collection[int]) -> dict[int, UnitPlace]:
    """Where some units stand, by id."""
    rows = connection.execute(
        with_sides(
            select(
                units.c.id,
                units.c.key.label("unit_key"),
                units.c.first_seq,
                units.c.dialogue_id,
                dialogues.c.key.label("dialogue"),
                dialogues.c.source_id,
                *UNIT,
            ).outerjoin(dialogues, dialogues.c.id == units.c.dialogue_id)
        )
        .where(units.c.id.in_(ids))
        .order_by(units.c.id)
    )
    found = rows.all()
    turns = turns_of(connection, {row.dialogue_id for row in found if row.first_seq is not None})
    return {
        row.id: place_of(row, row.id, turns.get(row.dialogue_id, {}).get(row.first_seq))
        for row in found
    }


def turn_texts(connection: Connection, ids: Collection[int]) -> dict[int, str]:
    """What was said in the turns among some units, by the id of the unit; erased words are not."""
    rows = connection.execute(
        select(units.c.id, events.c.data)
        .join(
            events,
            and_(
                events.c.dialogue_id == units.c.dialogue_id,
                events.c.seq.between(units.c.first_seq, units.c.last_seq),
            ),
        )
        .where(units.c.id.in_(ids), events.c.action == "message", events.c.data.is_not(None))
        .order_by(units.c.id, events.c.seq)
    )
    texts: dict[int, list[str]] = {}
    for unit_id, data in rows:
        texts.setdefault(unit_id, []).append(str(_decode(data).get("text", "")))
    return {unit_id: "\n".join(said) for unit_id, said in texts.items()}


first_unit, second_unit = units.alias("first_unit"), units.alias("second_unit")
first_side, second_side = dialogues.alias("first_side"), dialogues.alias("second_side")
# What `place_of` reads beside a unit's key, its first event and its dialogue.
UNIT = (
    units.c.kind.label("unit_kind"),
    units.c.last_seq,
    units.c.seat,
    first_side.c.key.label("first_dialogue"),
    second_side.c.key.label("second_dialogue"),
    first_side.c.id.label("first_dialogue_id"),
    second_side.c.id.label("second_dialogue_id"),
    first_side.c.source_id.label("first_source_id"),
    second_side.c.source_id.label("second_source_id"),
)


def with_sides(statement: Select[Any]) -> Select[Any]:
    """A statement over units joined with the two dialogues of a pair."""
    return (
        statement.outerjoin(first_unit, first_unit.c.id == units.c.first_unit_id)
        .outerjoin(second_unit, second_unit.c.id == units.c.second_unit_id)
        .outerjoin(first_side, first_side.c.id == first_unit.c.dialogue_id)
        .outerjoin(second_side, second_side.c.id == second_unit.c.dialogue_id)
    )


def place_of(row: Row[Any], unit_id: int, turn: int | None) -> UnitPlace:
    """The place of a unit out of a row with its key, its first event, its dialogue and `UNIT`."""
    sides = (row.first_dialogue, row.second_dialogue)
    is_pair = None not in sides
    ids = (row.first_dialogue_id, row.second_dialogue_id) if is_pair else (row.dialogue_id,)
    return UnitPlace(
        id=unit_id,
        key=row.unit_key,
        kind=row.unit_kind,
        dialogue=row.dialogue,
        first_seq=row.first_seq,
        last_seq=row.last_seq,
        seat=row.seat,
        sides=sides if is_pair else None,
        names=tuple(short_name(id) for id in ids if id is not None),
        source_ids=(row.first_source_id, row.second_source_id) if is_pair else (row.source_id,),
        turn=turn,
    )


def turns_of(connection: Connection, dialogue_ids: Iterable[int]) -> dict[int, Turns]:
    """The turns of each of these dialogues; an event that is nobody's turn is in none."""
    found: dict[int, dict[int, int]] = {dialogue_id: {} for dialogue_id in dialogue_ids}
    rows = connection.execute(
        select(events.c.dialogue_id, events.c.seq, events.c.seat)
        .where(
            events.c.dialogue_id.in_(list(found)),
            events.c.seat.is_not(None),
            events.c.action.not_in(sorted(HOUSEKEEPING)),
        )
        .order_by(events.c.dialogue_id, events.c.seq)
    )
    before, number = (0, -1), 0
    for dialogue_id, seq, seat in rows:
        if before[0] != dialogue_id:
            number = 0
        if before != (dialogue_id, seat):
            number += 1
        found[dialogue_id][seq] = number
        before = (dialogue_id, seat)
    return dict(found)


def judging_version(connection: Connection, study_id: int) -> str:
    """Changes with every label, erasure, exclusion and abandoned sheet of a study.

    A few look-ups in indexes tell it of any number of labels. The id of its newest label comes first;
    on PostgreSQL, where one of a lower id may be committed later, also how many there are.
    """
    count = 0
    if connection.dialect.name == "postgresql":
        count = connection.execute(
            select(func.count()).select_from(labels).where(labels.c.study_id == study_id)
        ).scalar_one()
    excluded = connection.scalar(
        select(func.max(exclusions.c.id)).where(exclusions.c.study_id == study_id)
    )
    # The sum keeps both databases from taking the index of all labels, or slots, of the study.
    erased = connection.scalar(
        select(func.count())
        .select_from(labels)
        .where(labels.c.study_id + 0 == study_id, labels.c.erased.is_not(None))
    )
    abandoned = connection.scalar(
        select(func.count())
        .select_from(slots)
        .join(labels, labels.c.slot_id == slots.c.id)
        .where(slots.c.study_id + 0 == study_id, slots.c.state == written("abandoned"))
    )
    newest = connection.scalar(_newest_label(study_id))
    return f"{newest or 0}-{count}-{erased}-{excluded or 0}-{abandoned}"


def labels_since(connection: Connection, study_id: int, version: str) -> int:
    """How many labels came to a study since its judging had this version."""
    newest = int(version.partition("-")[0])
    return connection.execute(
        select(func.count())
        .select_from(labels)
        .where(labels.c.id > newest, labels.c.study_id + 0 == study_id)
    ).scalar_one()


def _newest_label(study_id: int) -> Select[Any]:
    """The newest label of a study: that of each question, found at the end of its part of an index."""
    first = select(func.min(labels.c.question).label("name")).where(labels.c.study_id == study_id)
    asked = first.cte("asked", recursive=True)
    after = (
        select(func.min(labels.c.question))
        .where(labels.c.study_id == study_id, labels.c.question > asked.c.name)
        .scalar_subquery()
    )
    asked = asked.union_all(select(after).where(asked.c.name.is_not(None)))
    last = (
        select(func.max(labels.c.id))
        .where(labels.c.study_id == study_id, labels.c.question == asked.c.name)
        .scalar_subquery()
    )
    return select(func.max(last)).select_from(asked)


def has_more_labels(connection: Connection, study_id: int, count: int) -> bool:
    """Whether a study has more labels than this; it takes no longer to know it of many."""
    found = connection.execute(
        select(labels.c.id).where(labels.c.study_id == study_id).limit(1).offset(count)
    )
    return found.first() is not None
