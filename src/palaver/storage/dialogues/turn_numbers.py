"""The number of a turn within its dialogue, without reading what was said in it.

Units point at events, never at turns, which are a view. A table for people has the turn as well; it
is counted here from who acted when, as `core.dialogue.Dialogue.turns` counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from palaver.core.events import HOUSEKEEPING
from palaver.storage.schema import events

# Sequence number of an event → the number of its turn, from 1.
Turns = Mapping[int, int]


def turns_of(connection: Connection, dialogue_ids: Iterable[int]) -> dict[int, Turns]:
    """The turns of each of these dialogues; an event that is nobody's turn is in none."""
    found: dict[int, dict[int, int]] = {dialogue_id: {} for dialogue_id in dialogue_ids}
    rows = connection.execute(
        select(events.c.dialogue_id, events.c.seq, events.c.seat)
        .where(
            events.c.dialogue_id.in_(list(found)),
            events.c.seat.is_not(None),
            events.c.action.not_in(sorted(HOUSEKEEPING)),
        )
        .order_by(events.c.dialogue_id, events.c.seq)
    )
    before, number = (0, -1), 0
    for dialogue_id, seq, seat in rows:
        if before[0] != dialogue_id:
            number = 0
        if before != (dialogue_id, seat):
            number += 1
        found[dialogue_id][seq] = number
        before = (dialogue_id, seat)
    return dict(found)


class TurnNumbers:
    """The turns of the dialogues that were asked for last: labels come in runs about one."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[int, Turns] = {}

    def prepare(self, dialogue_ids: Iterable[int]) -> None:
        """Know these dialogues, and forget the others."""
        wanted = set(dialogue_ids)
        kept = {key: turns for key, turns in self._known.items() if key in wanted}
        missing = wanted - kept.keys()
        self._known = kept | (turns_of(self._connection, missing) if missing else {})

    def prepare_rows(self, rows: Sequence[Row[Any]]) -> None:
        """Know the dialogues of rows that have a `dialogue_id` and the `first_seq` of a unit."""
        self.prepare(row.dialogue_id for row in rows if row.first_seq is not None)

    def at(self, dialogue_id: int | None, seq: int | None) -> int | None:
        """The number of the turn that an event belongs to; None if it belongs to none."""
        if dialogue_id is None or seq is None:
            return None
        return self._known[dialogue_id].get(seq)
