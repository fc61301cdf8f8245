"""Standing labels one by one, and counted: by question, and comparative ones by the systems.

`answer_columns` reads many of them at once.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection, func, select

from palaver.analysis.win_rates import CountedPreference
from palaver.core.questions.comparative import side_of
from palaver.storage.judging.answer_columns import (
    AnswerRow,
    judged_units,
    judging_raters,
    read_answers,
    system_of,
)
from palaver.storage.judging.exclusions import not_excluded
from palaver.storage.judging.ratings import (
    first_unit,
    newer,
    of_sections,
    second_unit,
    stands,
    with_sides,
)
from palaver.storage.schema import labels, raters, seats, slots, studies, units

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Preference(CountedPreference):
    """How often raters of one kind gave one answer about one ordered pair of systems."""

    rater_kind: str


@dataclass(frozen=True, slots=True)
class OmissionCount:
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
) -> list[AnswerRow]:
    """The answers of a study (or to one question of it) that stand and are counted, one by one.

    They come by question, and in the order they were given; see `read_answers`.
    """
    units, raters = judged_units(connection, study_id), judging_raters(connection)
    asked = answered_questions(connection, study_id) if question is None else [question]
    return [
        evidence
        for name in asked
        for evidence in read_answers(
            connection, study_id, name, units=units, raters=raters, kind=kind, sections=sections
        ).rows()
    ]


def count_left_out(
    connection: Connection,
    study_id: int,
    *,
    question: str | None = None,
    kind: str | None = None,
    sections: Collection[str] = (),
) -> list[OmissionCount]:
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
    return [OmissionCount(*row) for row in connection.execute(of_sections(statement, sections))]


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
