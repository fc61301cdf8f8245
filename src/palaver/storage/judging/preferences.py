"""Comparative answers, counted by the systems that were compared."""

from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, and_, func, or_, select

from palaver.analysis.win_rates import CountedPreference
from palaver.storage.judging.exclusions import not_excluded
from palaver.storage.judging.ratings import newer, stands
from palaver.storage.schema import labels, raters, seats, slots, studies, units

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Preference(CountedPreference):
    """How often raters of one kind gave one answer about one ordered pair of systems."""

    rater_kind: str


def count_preferences(connection: Connection, study: str, question: str) -> list[Preference]:
    """The standing comparative answers of a study, counted by pair, answer and kind of rater.

    Raters whom the study excludes are left out.
    """
    pair = units.alias("pair")
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
        .join(first_seat, system_of(first_seat, first))
        .join(second_seat, system_of(second_seat, second))
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
        .where(
            studies.c.name == study,
            labels.c.question == question,
            labels.c.purpose == "real",
            labels.c.value.is_not(None),
            stands(),
            not_excluded(labels),
        )
        .group_by(first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind)
        .order_by(first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind)
    )
    return [
        Preference(one, other, _decode(value), count, kind)
        for one, other, value, kind, count in rows
    ]


def system_of(seat: Any, unit: Any) -> Any:
    """The condition that joins a unit to the seat of the system it is about.

    It is the seat as it was at the start: a system that took over later is not what was compared. A
    dialogue of two systems as a whole says nothing about either; one seat of it does.
    """
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
