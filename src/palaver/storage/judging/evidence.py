"""Standing labels with all that a statistic groups them by: system, dialogue, rater, time.

Comparative answers are also counted by the systems that were compared.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, and_, bindparam, func, or_, select

from palaver.analysis.win_rates import CountedPreference
from palaver.core.questions.comparative import side_of
from palaver.storage.engine.prepared import Prepared
from palaver.storage.judging.exclusions import not_excluded
from palaver.storage.judging.ratings import (
    Rating,
    first_side,
    first_unit,
    newer,
    of_sections,
    read_value,
    second_side,
    second_unit,
    stands,
    with_sides,
)
from palaver.storage.schema import dialogues, labels, raters, seats, slots, studies, units

_decode = msgspec.json.Decoder().decode


class Evidence(NamedTuple):
    """One standing answer and what it is about.

    `dialogue` and `system` are None where a unit is a pair; `dialogues` and `systems` are None where
    it is not, or where a side has no single system.
    """

    rating: Rating
    unit: str
    rater: str
    rater_kind: str
    seconds: float | None
    dialogue: str | None
    system: str | None
    dialogues: tuple[str, str] | None
    systems: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Preference(CountedPreference):
    """How often raters of one kind gave one answer about one ordered pair of systems."""

    rater_kind: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How often a question was left out on purpose; `system` is None where a unit is about none."""

    question: str
    system: str | None
    count: int


def answered_questions(
    connection: Connection, study_id: int, *, sections: Collection[str] = ()
) -> list[str]:
    """The questions that have a label in a study (or in some sections of it), by name."""
    statement = (
        select(labels.c.question)
        .distinct()
        .where(labels.c.study_id == study_id)
        .order_by(labels.c.question)
    )
    rows = connection.execute(of_sections(statement, sections))
    return list(rows.scalars())


def read_evidence(
    connection: Connection,
    study_id: int,
    *,
    kind: str | None = None,
    question: str | None = None,
    sections: Collection[str] = (),
) -> list[Evidence]:
    """The answers of a study (or to one question of it) that stand and are counted.

    `kind` leaves those of raters of one kind, `sections` those of some sections of released data.
    They come by question, and in the order they were given.
    """
    given: dict[str, Any] = {"study": study_id}
    given |= {} if kind is None else {"kind": kind}
    given |= {} if question is None else {"question": question}
    given |= {"sections": list(sections)} if sections else {}
    # Names come again and again: each is held once.
    known: dict[Any, Any] = {}
    same = known.setdefault
    return [
        Evidence(
            Rating(
                same(name, name),
                same(version, version),
                unit_id,
                rater_id,
                read_value(value),
                label,
            ),
            same(unit, unit),
            same(rater, rater),
            same(rater_kind, rater_kind),
            seconds,
            same(dialogue, dialogue),
            same(system, system),
            _both(same(one, one), same(other, other)),
            same(systems := _both(one_system, other_system), systems),
        )
        for (
            name,
            version,
            unit_id,
            rater_id,
            value,
            label,
            unit,
            rater,
            rater_kind,
            seconds,
            dialogue,
            system,
            one,
            other,
            one_system,
            other_system,
        ) in _evidence(
            by_kind=kind is not None,
            by_question=question is not None,
            by_section=bool(sections),
        ).each(connection, **given)
    ]


@cache
def _evidence(*, by_kind: bool, by_question: bool, by_section: bool) -> Prepared:
    seat, first_seat, second_seat = (seats.alias() for _ in range(3))
    statement = (
        with_sides(
            select(
                labels.c.question,
                labels.c.question_version,
                labels.c.unit_id,
                labels.c.rater_id,
                labels.c.value,
                labels.c.label,
                units.c.key.label("unit"),
                raters.c.key.label("rater"),
                raters.c.kind.label("rater_kind"),
                labels.c.seconds,
                dialogues.c.key.label("dialogue"),
                seat.c.system,
                first_side.c.key.label("one"),
                second_side.c.key.label("other"),
                first_seat.c.system.label("one_system"),
                second_seat.c.system.label("other_system"),
            )
            .select_from(labels)
            .join(units, units.c.id == labels.c.unit_id)
            .join(raters, raters.c.id == labels.c.rater_id)
            .outerjoin(newer, newer.c.supersedes == labels.c.id)
            .outerjoin(slots, slots.c.id == labels.c.slot_id)
            .outerjoin(dialogues, dialogues.c.id == units.c.dialogue_id)
            .outerjoin(seat, system_of(seat, units))
        )
        .outerjoin(first_seat, system_of(first_seat, first_unit))
        .outerjoin(second_seat, system_of(second_seat, second_unit))
        .where(
            labels.c.study_id == bindparam("study"),
            labels.c.purpose == "real",
            labels.c.value.is_not(None),
            stands(),
            not_excluded(labels),
        )
        .order_by(labels.c.question, labels.c.id)
    )
    if by_kind:
        statement = statement.where(raters.c.kind == bindparam("kind"))
    if by_question:
        statement = statement.where(labels.c.question == bindparam("question"))
    if by_section:
        statement = statement.where(labels.c.section.in_(bindparam("sections", expanding=True)))
    return Prepared(statement)


def count_left_out(
    connection: Connection,
    study_id: int,
    *,
    question: str | None = None,
    kind: str | None = None,
    sections: Collection[str] = (),
) -> list[LeftOut]:
    """The standing abstentions of a study that count, by question and by the system judged."""
    seat = seats.alias()
    statement = (
        select(labels.c.question, seat.c.system, func.count())
        .select_from(labels)
        .join(units, units.c.id == labels.c.unit_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
        .outerjoin(seat, system_of(seat, units))
        .where(
            labels.c.study_id == study_id,
            labels.c.purpose == "real",
            labels.c.abstained,
            stands(),
            not_excluded(labels),
        )
        .group_by(labels.c.question, seat.c.system)
        .order_by(labels.c.question, seat.c.system)
    )
    if question is not None:
        statement = statement.where(labels.c.question == question)
    if kind is not None:
        statement = statement.where(raters.c.kind == kind)
    return [LeftOut(*row) for row in connection.execute(of_sections(statement, sections))]


def systems_of_pairs(
    connection: Connection, ids: Collection[int]
) -> dict[int, tuple[str | None, str | None]]:
    """The systems of the two sides of some pairs, by the id of the pair."""
    first, second = seats.alias(), seats.alias()
    rows = connection.execute(
        with_sides(select(units.c.id, first.c.system, second.c.system).select_from(units))
        .outerjoin(first, system_of(first, first_unit))
        .outerjoin(second, system_of(second, second_unit))
        .where(units.c.id.in_(ids), units.c.first_unit_id.is_not(None))
        .order_by(units.c.id)
    )
    return {unit_id: (one, other) for unit_id, one, other in rows}


def count_preferences(
    connection: Connection, study: str, question: str, *, after: int = 0
) -> list[Preference]:
    """The standing comparative answers of a study, counted by pair, answer and kind of rater.

    Raters whom the study excludes are left out, and so are the labels up to the id `after`. How much
    better a side is makes no other vote of it.
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
            labels.c.id > after,
            labels.c.purpose == "real",
            labels.c.value.is_not(None),
            stands(),
            not_excluded(labels),
        )
        .group_by(first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind)
        .order_by(first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind)
    )
    votes: Counter[tuple[str, str, str, str]] = Counter()
    for one, other, value, kind, count in rows:
        votes[one, other, side_of(_decode(value)), kind] += count
    return [
        Preference(one, other, side, count, kind)
        for (one, other, side, kind), count in votes.items()
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


def _both(one: str | None, other: str | None) -> tuple[str, str] | None:
    return None if one is None or other is None else (one, other)
