"""Labels in their place: everything that was said about one dialogue, standing or not."""

from sqlalchemy import Connection, select

from palaver.core.records import PlacedLabel
from palaver.storage.exclusions import not_excluded
from palaver.storage.ratings import UNIT, place_of, with_sides
from palaver.storage.schema import labels, slots, units
from palaver.storage.tidy import tidy_label_columns, tidy_rows
from palaver.storage.turn_numbers import TurnNumbers


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
        tidy_rows()
        .add_columns(
            slots.c.state.label("slot_state"), not_excluded(labels).label("counted"), *UNIT
        )
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
    )
    rows = connection.execute(
        statement.where(labels.c.unit_id.in_([*own, *pairs])).order_by(
            labels.c.question, labels.c.id
        )
    ).all()
    turns = TurnNumbers(connection)
    turns.prepare_rows(rows)
    return [
        PlacedLabel(
            **tidy_label_columns(row, turns),
            supersedes=row.supersedes,
            abandoned=row.slot_state == "abandoned",
            excluded=not row.counted,
            place=place_of(row, row.unit_id),
        )
        for row in rows
    ]
