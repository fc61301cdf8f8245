"""QualificationEntry labels with all that a statistic groups them by: system, dialogue, rater, time."""

from typing import NamedTuple

from sqlalchemy import Connection, select

from palaver.storage.judging.exclusions import not_excluded
from palaver.storage.judging.preferences import system_of
from palaver.storage.judging.ratings import (
    Rating,
    first_side,
    first_unit,
    newer,
    read_value,
    second_side,
    second_unit,
    stands,
    with_sides,
)
from palaver.storage.schema import dialogues, labels, raters, seats, slots, units


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


def read_evidence(
    connection: Connection, study_id: int, *, kind: str | None = None
) -> list[Evidence]:
    """The answers of a study that stand and are counted, by question and in the order they came."""
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
            labels.c.study_id == study_id,
            labels.c.purpose == "real",
            labels.c.value.is_not(None),
            stands(),
            not_excluded(labels),
        )
        .order_by(labels.c.question, labels.c.id)
    )
    if kind is not None:
        statement = statement.where(raters.c.kind == kind)
    return [
        Evidence(
            Rating(
                row.question,
                row.question_version,
                row.unit_id,
                row.rater_id,
                read_value(row.value),
                row.label,
            ),
            row.unit,
            row.rater,
            row.rater_kind,
            row.seconds,
            row.dialogue,
            row.system,
            _both(row.one, row.other),
            _both(row.one_system, row.other_system),
        )
        for row in connection.execute(statement)
    ]


def _both(one: str | None, other: str | None) -> tuple[str, str] | None:
    return None if one is None or other is None else (one, other)
