"""Labels in the store: units and raters are made on first use, labels are appended."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, or_, select

from palaver.core.errors import InputError
from palaver.core.labels import Label, RaterKind
from palaver.core.records import LabelRecord
from palaver.core.units import Unit
from palaver.storage.schema import assignments, dialogues, labels, raters, seats, studies, units

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def ensure_unit(connection: Connection, study_id: int, unit: Unit) -> int:
    """The id of a unit, stored if it is new. The members of a pair must be stored before it."""
    known = _unit_id(connection, study_id, unit.key)
    if known is not None:
        return known
    first, second = unit.members or (None, None)
    return int(
        connection.execute(
            insert(units)
            .values(
                study_id=study_id,
                key=unit.key,
                kind=unit.kind,
                dialogue_id=_dialogue_id(connection, unit.dialogue),
                first_seq=unit.first_seq,
                last_seq=unit.last_seq,
                seat=unit.seat,
                first_unit_id=_member_id(connection, study_id, first),
                second_unit_id=_member_id(connection, study_id, second),
                item=unit.item,
            )
            .returning(units.c.id)
        ).scalar_one()
    )


def ensure_rater(
    connection: Connection,
    *,
    key: str,
    kind: RaterKind,
    now: float,
    participant_id: int | None = None,
) -> int:
    """The id of a rater, stored if new."""
    known = connection.execute(
        select(raters.c.id, raters.c.kind).where(raters.c.key == key)
    ).one_or_none()
    if known is not None:
        if known.kind != kind:
            raise InputError(f"Rater '{key}' is a {known.kind} rater here, not a {kind} one.")
        return int(known.id)
    return int(
        connection.execute(
            insert(raters)
            .values(key=key, kind=kind, participant_id=participant_id, created=now)
            .returning(raters.c.id)
        ).scalar_one()
    )


def append_label(
    connection: Connection,
    label: Label,
    *,
    study_id: int,
    unit_id: int,
    rater_id: int,
    assignment_id: int | None,
) -> int:
    """Append a label; its id. The same client id again gives the id of the first."""
    repeated = find_label(connection, rater_id, label.client_id)
    if repeated is not None:
        return repeated.id
    return int(
        connection.execute(
            insert(labels)
            .values(
                study_id=study_id,
                unit_id=unit_id,
                question=label.question,
                question_version=label.question_version,
                purpose=label.purpose,
                rater_id=rater_id,
                assignment_id=assignment_id,
                shown_order=None if label.shown_order is None else _text(label.shown_order),
                value=None if label.abstained else _text(label.value),
                abstained=label.abstained,
                label=label.label,
                slot_id=label.slot_id,
                seconds=label.seconds,
                time=label.time,
                client_id=label.client_id,
                supersedes=_standing(connection, label, unit_id, rater_id),
            )
            .returning(labels.c.id)
        ).scalar_one()
    )


@dataclass(frozen=True, slots=True)
class StoredLabel:
    """One row of labels, as far as a repeated submission needs it."""

    id: int
    unit_id: int
    question: str
    value: Any
    supersedes: int | None


def find_label(connection: Connection, rater_id: int, client_id: str | None) -> StoredLabel | None:
    """The label that this rater sent under this client id, or None."""
    if client_id is None:
        return None
    return _label(connection, (labels.c.rater_id == rater_id) & (labels.c.client_id == client_id))


def get_label(connection: Connection, label_id: int) -> StoredLabel | None:
    """The label with this id, or None."""
    return _label(connection, labels.c.id == label_id)


def _label(connection: Connection, condition: ColumnElement[bool]) -> StoredLabel | None:
    row = connection.execute(
        select(
            labels.c.id, labels.c.unit_id, labels.c.question, labels.c.value, labels.c.supersedes
        ).where(condition)
    ).one_or_none()
    if row is None:
        return None
    value = None if row.value is None else _decode(row.value)
    return StoredLabel(row.id, row.unit_id, row.question, value, row.supersedes)


def answered_questions(connection: Connection, assignment_id: int) -> set[tuple[str, str]]:
    """The (unit, question) pairs that an assignment has answered."""
    rows = connection.execute(
        select(units.c.key, labels.c.question)
        .join(units, units.c.id == labels.c.unit_id)
        .where(labels.c.assignment_id == assignment_id, labels.c.erased.is_(None))
    )
    return {(key, question) for key, question in rows}


@dataclass(frozen=True, slots=True)
class Preference:
    """How often raters of one kind gave one answer about one ordered pair of systems."""

    first: str
    second: str
    value: str
    rater_kind: str
    count: int


def count_preferences(connection: Connection, study: str, question: str) -> list[Preference]:
    """The standing comparative answers of a study, counted by pair, answer and kind of rater."""
    newer, pair = labels.alias("newer"), units.alias("pair")
    first, second = units.alias("first"), units.alias("second")
    first_seat, second_seat = seats.alias("first_seat"), seats.alias("second_seat")
    rows = connection.execute(
        select(
            first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind, func.count()
        )
        .select_from(labels)
        .join(studies, studies.c.id == labels.c.study_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .join(pair, pair.c.id == labels.c.unit_id)
        .join(first, first.c.id == pair.c.first_unit_id)
        .join(second, second.c.id == pair.c.second_unit_id)
        .join(first_seat, _system_of(first_seat, first))
        .join(second_seat, _system_of(second_seat, second))
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .where(
            studies.c.name == study,
            labels.c.question == question,
            labels.c.purpose == "real",
            labels.c.value.is_not(None),
            newer.c.id.is_(None),
        )
        .group_by(first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind)
        .order_by(first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind)
    )
    return [
        Preference(one, other, _decode(value), kind, count)
        for one, other, value, kind, count in rows
    ]


def label_records(
    connection: Connection, study: str | None = None, *, batch: int = 2000
) -> Iterator[LabelRecord]:
    """Every label of a study (or of all), oldest first, read in batches."""
    newer = labels.alias("newer")
    statement = (
        select(
            labels,
            studies.c.name.label("study_name"),
            units.c.key.label("unit_key"),
            units.c.first_seq,
            dialogues.c.key.label("dialogue_key"),
            raters.c.key.label("rater_key"),
            raters.c.kind.label("rater_kind"),
            assignments.c.key.label("assignment_key"),
            newer.c.id.label("newer_id"),
        )
        .join(studies, studies.c.id == labels.c.study_id)
        .join(units, units.c.id == labels.c.unit_id)
        .outerjoin(dialogues, dialogues.c.id == units.c.dialogue_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .outerjoin(assignments, assignments.c.id == labels.c.assignment_id)
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .order_by(labels.c.id)
        .limit(batch)
    )
    if study is not None:
        statement = statement.where(studies.c.name == study)
    last = 0
    while True:
        rows = connection.execute(statement.where(labels.c.id > last)).all()
        if not rows:
            return
        last = rows[-1].id
        yield from (_record(row) for row in rows)


def _record(row: Row[Any]) -> LabelRecord:
    value = None if row.value is None else _decode(row.value)
    return LabelRecord(
        study=row.study_name,
        unit=row.unit_key,
        dialogue=row.dialogue_key,
        seq=row.first_seq,
        turn=None,
        question=row.question,
        question_version=row.question_version,
        purpose=row.purpose,
        rater=row.rater_key,
        rater_kind=row.rater_kind,
        assignment=row.assignment_key,
        shown_order=None if row.shown_order is None else _decode(row.shown_order),
        value=value,
        label=row.label,
        seconds=row.seconds,
        superseded=row.newer_id is not None,
        time=row.time,
    )


def _system_of(seat: Any, unit: Any) -> Any:
    # The seat as it was at the start: a system that took over later is not what was compared. A
    # dialogue of two systems as a whole says nothing about either; one seat of it does.
    other = seats.alias()
    alone = ~(
        select(other.c.seat)
        .where(
            other.c.dialogue_id == seat.c.dialogue_id,
            other.c.kind == "system",
            other.c.from_seq == 1,
            other.c.seat != seat.c.seat,
        )
        .exists()
    )
    return and_(
        seat.c.dialogue_id == unit.c.dialogue_id,
        seat.c.kind == "system",
        seat.c.from_seq == 1,
        or_(unit.c.seat == seat.c.seat, and_(unit.c.seat.is_(None), alone)),
    )


def _standing(connection: Connection, label: Label, unit_id: int, rater_id: int) -> int | None:
    newer = labels.alias("newer")
    return connection.execute(
        select(labels.c.id)
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .where(
            labels.c.unit_id == unit_id,
            labels.c.question == label.question,
            labels.c.purpose == label.purpose,
            labels.c.rater_id == rater_id,
            newer.c.id.is_(None),
        )
        .order_by(labels.c.id.desc())
        .limit(1)
    ).scalar()


def _unit_id(connection: Connection, study_id: int, key: str) -> int | None:
    return connection.execute(
        select(units.c.id).where(units.c.study_id == study_id, units.c.key == key)
    ).scalar()


def _member_id(connection: Connection, study_id: int, key: str | None) -> int | None:
    if key is None:
        return None
    found = _unit_id(connection, study_id, key)
    if found is None:
        raise InputError(f"The pair names the unit '{key}', which is not stored.")
    return found


def _dialogue_id(connection: Connection, key: str | None) -> int | None:
    if key is None:
        return None
    found = connection.execute(select(dialogues.c.id).where(dialogues.c.key == key)).scalar()
    if found is None:
        raise InputError(f"The unit names the dialogue '{key}', which is not stored.")
    return int(found)


def _text(value: Any) -> str:
    return _encode(value).decode()
