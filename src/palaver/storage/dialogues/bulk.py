"""Dialogues that were held elsewhere, stored many at a time.

They come with everything that was said and are over from the start, so nothing drives them and nobody
needs to be told. A dialogue is known by its key: whoever brings the same one again finds it there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Text, insert, literal, select

from palaver.storage.dialogues.dialogues import source_name
from palaver.storage.engine.appends import Row, insert_rows
from palaver.storage.engine.chain import DIALOGUE, SEAT, link
from palaver.storage.schema import dialogues, seats

_decode = msgspec.json.Decoder(dict[str, Any]).decode
# How many keys one statement asks for.
KEYS = 500


class BulkEvent(NamedTuple):
    """One event; `data` is JSON. Its place in the dialogue is its sequence number."""

    seat: int | None
    action: str
    data: str


@dataclass(frozen=True, slots=True)
class BulkDialogue:
    """A finished dialogue between a person nobody knows here and a system; `scenario` is JSON.

    One that was made of another dialogue has that one's key as its `group`.
    """

    key: str
    source_id: str
    condition: str
    system: str
    scenario: str
    events: tuple[BulkEvent, ...]
    group: str = ""


def add_dialogues(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    purpose: str,
    source: str,
    new: Sequence[BulkDialogue],
    now: float,
) -> int:
    """Store the dialogues that are not there yet; how many were new. `source` is their file."""
    by_key = {dialogue.key: dialogue for dialogue in new}
    present = _ids(connection, list(by_key))
    fresh = [dialogue for key, dialogue in by_key.items() if key not in present]
    if not fresh:
        return 0
    heads: list[dict[str, Any]] = [
        {
            "key": dialogue.key,
            "study_id": study_id,
            "stage": stage,
            "purpose": purpose,
            "condition": dialogue.condition,
            "group_key": dialogue.group or dialogue.key,
            "position": 0,
            "scenario": dialogue.scenario,
            "created": now,
            "source_id": source_name(dialogue.source_id),
            "ending": _ending(dialogue),
            "source": source,
        }
        for dialogue in fresh
    ]
    connection.execute(insert(dialogues), heads)
    ids = _ids(connection, [dialogue.key for dialogue in fresh])
    link(connection, DIALOGUE, [{"id": ids[h["key"]], **h} for h in heads], study_id=study_id)
    _seat(connection, list(ids.values()), seat=0, system=None)
    by_system: dict[str, list[int]] = {}
    for dialogue in fresh:
        by_system.setdefault(dialogue.system, []).append(ids[dialogue.key])
    for system, dialogue_ids in by_system.items():
        _seat(connection, dialogue_ids, seat=1, system=system)
    seated = [
        _seat_row(ids[each.key], seat, system)
        for each in fresh
        for seat, system in enumerate((None, each.system))
    ]
    link(connection, SEAT, seated, study_id=study_id)
    insert_rows(connection, list(_rows(fresh, ids, now)))
    return len(fresh)


def _seat(
    connection: Connection, dialogue_ids: Sequence[int], *, seat: int, system: str | None
) -> None:
    """Let the same occupant take one seat in many dialogues; the rows are made by the database."""
    kind = literal("person" if system is None else "system")
    row = (literal(seat), literal(1), kind, literal(system, Text))
    columns = ["dialogue_id", "seat", "from_seq", "kind", "system"]
    for start in range(0, len(dialogue_ids), KEYS):
        some = dialogues.c.id.in_(dialogue_ids[start : start + KEYS])
        chosen = select(dialogues.c.id, *row).where(some)
        connection.execute(insert(seats).from_select(columns, chosen))


def _seat_row(dialogue_id: int, seat: int, system: str | None) -> dict[str, Any]:
    """A seat as `_seat` stores it."""
    return {
        "dialogue_id": dialogue_id,
        "seat": seat,
        "from_seq": 1,
        "kind": "person" if system is None else "system",
        "assignment_id": None,
        "system": system,
    }


def _ids(connection: Connection, keys: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in range(0, len(keys), KEYS):
        rows = connection.execute(
            select(dialogues.c.key, dialogues.c.id).where(
                dialogues.c.key.in_(keys[start : start + KEYS])
            )
        )
        found.update((row.key, row.id) for row in rows)
    return found


def _ending(dialogue: BulkDialogue) -> str:
    """Why a dialogue ended; it is over, so its last event says so."""
    return str(_decode(dialogue.events[-1].data).get("reason", ""))


def _rows(fresh: Sequence[BulkDialogue], ids: dict[str, int], now: float) -> Iterator[Row]:
    for dialogue in fresh:
        id = ids[dialogue.key]
        for seq, event in enumerate(dialogue.events, start=1):
            yield id, seq, event.seat, event.action, event.data, float(now), None, None, None
