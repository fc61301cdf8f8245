"""Slots that are given back: held for too long, withdrawn, or not wanted any more."""

from collections.abc import Mapping

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from palaver.storage.judging.called_off import settled_sheets
from palaver.storage.schema import dialogues, labels, sheets, slots


def abandon_stale(
    connection: Connection, *, now: float, limits: Mapping[tuple[int, int], float]
) -> int:
    """Give back what was held without a sign for longer than its stage allows; how many slots.

    `limits` holds seconds by study and stage. A slot that another process is giving back, or whose
    rater is finishing it, is passed over.
    """
    abandoned = 0
    for (study_id, stage), limit in limits.items():
        stale = connection.execute(
            select(slots.c.id)
            .where(
                slots.c.study_id == study_id,
                slots.c.stage == stage,
                slots.c.state == "held",
                slots.c.seen < now - limit,
            )
            .order_by(slots.c.sheet_id, slots.c.id)
            .with_for_update(skip_locked=True)
        )
        abandoned += _abandon(connection, list(stale.scalars()))
    return abandoned


def skip(connection: Connection, slot_id: int, *, assignment_id: int, now: float) -> bool:
    """Give back a slot that a visit holds, marked so that its rater is not handed it again.

    False if the visit does not hold it, or not any more.
    """
    mine = connection.execute(
        select(slots.c.id)
        .where(
            slots.c.id == slot_id,
            slots.c.assignment_id == assignment_id,
            slots.c.state == "held",
        )
        .with_for_update()
    ).scalar()
    if mine is None:
        return False
    connection.execute(
        update(slots).where(slots.c.id == slot_id).values(skipped=now, seen=now, finished=now)
    )
    return _abandon(connection, [slot_id]) == 1


def give_back(connection: Connection, assignment_id: int) -> int:
    """Give back the slots that a visit still holds; those it has done stay. How many."""
    held = connection.execute(
        select(slots.c.id)
        .where(slots.c.assignment_id == assignment_id, slots.c.state == "held")
        .order_by(slots.c.sheet_id, slots.c.id)
        .with_for_update()
    )
    return _abandon(connection, list(held.scalars()))


def reopen(connection: Connection, assignment_id: int) -> int:
    """Give back every slot under which a visit that withdrew judged, also done ones; how many."""
    judged = select(labels.c.slot_id).where(
        labels.c.assignment_id == assignment_id, labels.c.slot_id.is_not(None)
    )
    mine = connection.execute(
        select(slots.c.id)
        .where(
            or_(slots.c.assignment_id == assignment_id, slots.c.id.in_(judged)),
            slots.c.state.in_(("held", "done")),
        )
        .order_by(slots.c.sheet_id, slots.c.id)
        .with_for_update()
    )
    return _abandon(connection, list(mine.scalars()))


def call_off(connection: Connection, dialogue_ids: list[int]) -> int:
    """Take away the free slots of sheets made of these dialogues; how many."""
    if not dialogue_ids:
        return 0
    # Such a sheet is named after its dialogue, or after the group that was held together.
    named = select(dialogues.c.key, dialogues.c.group_key).where(dialogues.c.id.in_(dialogue_ids))
    names = {name for row in connection.execute(named) for name in row}
    made = select(sheets.c.id).where(sheets.c.name.in_(names))
    return connection.execute(
        delete(slots).where(slots.c.sheet_id.in_(made), slots.c.state == "free")
    ).rowcount


def _abandon(connection: Connection, slot_ids: list[int]) -> int:
    """Abandon slots whose rows are locked, and make a free one for each that belongs to a quota.

    Where nobody new is to judge the sheet, that one is called off.
    """
    if not slot_ids:
        return 0
    chosen = slots.c.id.in_(slot_ids)
    connection.execute(update(slots).where(chosen).values(state="abandoned"))
    gone = connection.execute(
        select(slots.c.sheet_id, slots.c.study_id, slots.c.stage, slots.c.group_key, slots.c.rank)
        .where(chosen, slots.c.rank >= 0)
        .order_by(slots.c.sheet_id, slots.c.id)
    ).all()
    of_sheets = sorted({row.sheet_id for row in gone})
    # Two processes would give two slots of one sheet one number.
    connection.execute(
        select(sheets.c.id)
        .where(sheets.c.id.in_(of_sheets))
        .order_by(sheets.c.id)
        .with_for_update(key_share=True)
    )
    numbers = connection.execute(
        select(slots.c.sheet_id, func.max(slots.c.number))
        .where(slots.c.sheet_id.in_(of_sheets))
        .group_by(slots.c.sheet_id)
    )
    highest = {row.sheet_id: row[1] for row in numbers}
    off = settled_sheets(connection, of_sheets)
    free = []
    for row in gone:
        highest[row.sheet_id] += 1
        state = "abandoned" if row.sheet_id in off else "free"
        free.append({**row._mapping, "number": highest[row.sheet_id], "state": state})
    if free:
        connection.execute(insert(slots), free)
    return len(slot_ids)
