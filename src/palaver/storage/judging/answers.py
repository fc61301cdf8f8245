"""What a rater has answered so far: the standing labels of a visit, for pages that show them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, bindparam, select

from palaver.storage.engine.prepared import Prepared
from palaver.storage.schema import labels, units

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored value, or None where the question was left out."""

    value: Any


# By the key of the unit and the name of the question.
Answers = dict[tuple[str, str], Answer]


def answers_of_slot(connection: Connection, slot_id: int) -> Answers:
    """The standing answers that were given under one slot."""
    return _answers(_OF_SLOT.all(connection, slot=slot_id))


def answers_of_visit(
    connection: Connection, assignment_id: int, *, purpose: str = "real", since: float = 0.0
) -> Answers:
    """The standing answers of a visit outside of any slot, given since a moment."""
    return _answers(
        _OF_VISIT.all(connection, assignment=assignment_id, purpose=purpose, since=since)
    )


def is_answered(connection: Connection, assignment_id: int, unit: str, question: str) -> bool:
    """Whether a visit has answered this question about this unit."""
    found = connection.execute(
        select(labels.c.id)
        .join(units, units.c.id == labels.c.unit_id)
        .where(
            labels.c.assignment_id == assignment_id,
            labels.c.question == question,
            units.c.key == unit,
        )
        .limit(1)
    ).scalar()
    return found is not None


def _answers(rows: Iterable[tuple[Any, ...]]) -> Answers:
    return {
        (unit, question): Answer(None if value is None else _decode(value))
        for unit, question, value in rows
    }


def _standing(condition: ColumnElement[bool]) -> Prepared:
    newer = labels.alias("newer")
    return Prepared(
        select(units.c.key, labels.c.question, labels.c.value)
        .join(units, units.c.id == labels.c.unit_id)
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .where(condition, labels.c.erased.is_(None), newer.c.id.is_(None))
        .order_by(labels.c.id)
    )


_OF_SLOT = _standing(labels.c.slot_id == bindparam("slot"))
_OF_VISIT = _standing(
    (labels.c.assignment_id == bindparam("assignment"))
    & labels.c.slot_id.is_(None)
    & (labels.c.purpose == bindparam("purpose"))
    & (labels.c.time >= bindparam("since"))
)
