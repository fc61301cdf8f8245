"""What came of a study's dialogues, as their ends say, and which systems took part."""

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, and_, or_, select

from palaver.core.studies.dialogues import REAL
from palaver.storage.schema import dialogues, events, labels, seats, units, written

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class EndedDialogue(NamedTuple):
    """A dialogue that has ended: its key, its systems at the start, and the outcome of its end."""

    key: str
    systems: tuple[str, ...]
    outcome: dict[str, Any]


def ended_dialogues(connection: Connection, study_id: int) -> list[EndedDialogue]:
    """The dialogues that a study held or judges and that have ended, in their order."""
    judged = (
        select(units.c.dialogue_id)
        .join(labels, labels.c.unit_id == units.c.id)
        .where(labels.c.study_id == study_id, units.c.dialogue_id.is_not(None))
    )
    rows = connection.execute(
        select(dialogues.c.id, dialogues.c.key, events.c.data)
        .join(
            events, and_(events.c.dialogue_id == dialogues.c.id, events.c.action == written("end"))
        )
        .where(
            dialogues.c.purpose == REAL,
            or_(dialogues.c.study_id == study_id, dialogues.c.id.in_(judged)),
        )
        .order_by(dialogues.c.id)
    ).all()
    systems: dict[int, list[str]] = {row.id: [] for row in rows}
    sat = connection.execute(
        select(seats.c.dialogue_id, seats.c.system)
        .join(dialogues, dialogues.c.id == seats.c.dialogue_id)
        .where(
            seats.c.from_seq == 1,
            seats.c.system.is_not(None),
            or_(dialogues.c.study_id == study_id, dialogues.c.id.in_(judged)),
        )
        .order_by(seats.c.dialogue_id, seats.c.seat)
    )
    for dialogue_id, system in sat:
        if dialogue_id in systems:
            systems[dialogue_id].append(system)
    return [EndedDialogue(row.key, tuple(systems[row.id]), _outcome(row.data)) for row in rows]


def _outcome(data: str | None) -> dict[str, Any]:
    found = _decode(data).get("outcome") if data is not None else None
    return found if isinstance(found, dict) else {}
