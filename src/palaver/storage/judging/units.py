"""Units in the store: made on first use."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select

from palaver.core.errors import InputError
from palaver.core.units import Unit
from palaver.storage.engine.chain import UNIT, link
from palaver.storage.engine.prepared import Prepared, PreparedInsert
from palaver.storage.schema import dialogues, units


def ensure_units(connection: Connection, study_id: int, wanted: Iterable[Unit]) -> dict[str, int]:
    """The ids of units by key; new ones are stored. A pair's members are stored, or come along."""
    by_key = {unit.key: unit for unit in wanted}
    known = _unit_ids(connection, study_id, by_key)
    new = [unit for key, unit in by_key.items() if key not in known]
    for batch in ([u for u in new if u.members is None], [u for u in new if u.members is not None]):
        known |= _store_units(connection, study_id, batch, known)
    return known


def ensure_unit(connection: Connection, study_id: int, unit: Unit) -> int:
    """The id of a unit, stored if it is new. The members of a pair must be stored before it."""
    return ensure_units(connection, study_id, [unit])[unit.key]


def _unit_ids(connection: Connection, study_id: int, keys: Iterable[str]) -> dict[str, int]:
    return dict(_UNITS.all(connection, study=study_id, keys=list(keys)))


def _store_units(
    connection: Connection, study_id: int, new: Sequence[Unit], known: Mapping[str, int]
) -> dict[str, int]:
    if not new:
        return {}
    named = {key for unit in new for key in unit.members or () if key not in known}
    members = {**known, **(_unit_ids(connection, study_id, named) if named else {})}
    held = _dialogue_ids(connection, {unit.dialogue for unit in new if unit.dialogue is not None})
    rows: list[dict[str, Any]] = []
    for unit in new:
        first, second = unit.members or (None, None)
        rows.append(
            {
                "study_id": study_id,
                "key": unit.key,
                "kind": unit.kind,
                "dialogue_id": _found(held, unit.dialogue, "The unit names the dialogue"),
                "first_seq": unit.first_seq,
                "last_seq": unit.last_seq,
                "seat": unit.seat,
                "first_unit_id": _found(members, first, "The pair names the unit"),
                "second_unit_id": _found(members, second, "The pair names the unit"),
                "item": unit.item,
            }
        )
    # Two processes that store the same units wait for each other in the same order.
    rows.sort(key=lambda row: row["key"])
    made = dict(_NEW_UNITS.all(connection, rows))
    link(connection, UNIT, [{**row, "id": made[row["key"]]} for row in rows], study_id=study_id)
    return made


def _dialogue_ids(connection: Connection, keys: Collection[str]) -> dict[str, int]:
    if not keys:
        return {}
    return dict(_DIALOGUES.all(connection, keys=list(keys)))


def _found(ids: Mapping[str, int], key: str | None, naming: str) -> int | None:
    if key is None:
        return None
    if key not in ids:
        raise InputError(f"{naming} '{key}', which is not stored.")
    return ids[key]


_UNITS = Prepared(
    select(units.c.key, units.c.id).where(
        units.c.study_id == bindparam("study"), units.c.key.in_(bindparam("keys", expanding=True))
    )
)
_DIALOGUES = Prepared(
    select(dialogues.c.key, dialogues.c.id).where(
        dialogues.c.key.in_(bindparam("keys", expanding=True))
    )
)
_NEW_UNITS = PreparedInsert(
    units,
    [column.name for column in units.columns if column.name != "id"],
    [units.c.key, units.c.id],
)
