"""Labels in their place: everything that was said about one dialogue, standing or not."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from palaver.storage.exclusions import not_excluded
from palaver.storage.ratings import UNIT, UnitPlace, newer, place_of, read_value, with_sides
from palaver.storage.schema import labels, raters, slots, studies, units


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """One label on a dialogue, standing or not, with everything needed to show it in its place."""

    id: int
    study: str
    question: str
    version: str
    purpose: str
    value: Any
    label: str | None
    abstained: bool
    erased: bool
    supersedes: int | None
    superseded: bool
    abandoned: bool
    excluded: bool
    seconds: float | None
    time: float
    rater: str
    rater_kind: str
    unit: UnitPlace


def labels_in_place(connection: Connection, dialogue_id: int) -> list[PlacedLabel]:
    """The labels about a dialogue, a part of it, or a pair it belongs to, of every study."""
    own = [
        *connection.execute(
            select(units.c.id).where(units.c.dialogue_id == dialogue_id).order_by(units.c.id)
        ).scalars()
    ]
    pairs = {
        unit_id
        for side in (units.c.first_unit_id, units.c.second_unit_id)
        for unit_id in connection.execute(select(units.c.id).where(side.in_(own))).scalars()
    }
    statement = with_sides(
        select(
            labels.c.id,
            labels.c.question,
            labels.c.question_version,
            labels.c.purpose,
            labels.c.value,
            labels.c.label,
            labels.c.abstained,
            labels.c.erased,
            labels.c.supersedes,
            labels.c.seconds,
            labels.c.time,
            labels.c.unit_id,
            newer.c.id.label("newer_id"),
            slots.c.state.label("slot_state"),
            studies.c.name.label("study"),
            raters.c.key.label("rater"),
            raters.c.kind.label("rater_kind"),
            not_excluded(labels).label("counted"),
            *UNIT,
        )
        .select_from(labels)
        .join(units, units.c.id == labels.c.unit_id)
        .join(studies, studies.c.id == labels.c.study_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
    )
    rows = connection.execute(
        statement.where(labels.c.unit_id.in_([*own, *pairs])).order_by(
            labels.c.question, labels.c.id
        )
    )
    return [_placed_label(row) for row in rows]


def _placed_label(row: Row[Any]) -> PlacedLabel:
    return PlacedLabel(
        id=row.id,
        study=row.study,
        question=row.question,
        version=row.question_version,
        purpose=row.purpose,
        value=read_value(row.value),
        label=row.label,
        abstained=row.abstained,
        erased=row.erased is not None,
        supersedes=row.supersedes,
        superseded=row.newer_id is not None,
        abandoned=row.slot_state == "abandoned",
        excluded=not row.counted,
        seconds=row.seconds,
        time=row.time,
        rater=row.rater,
        rater_kind=row.rater_kind,
        unit=place_of(row, row.unit_id),
    )
