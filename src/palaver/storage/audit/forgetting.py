"""Erasing what a row says while its link holds: words and salt go, the digest stays.

Whoever deletes what somebody said does it here. A plain update would leave the salt, with which a
short answer can be guessed from its digest, and would break the chain.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, insert, or_, select, update

from palaver.storage.engine.chain import AUDIT, ERASURE, EVENT, LABEL, SALT, Covered, link
from palaver.storage.schema import audit_entries, chain_links, dialogues, erasures, events

# How many rows are read and written at a time.
BATCH = 1000


def forget_events(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    """Erase what was said in the events that meet the conditions; how many."""
    return _forget(connection, EVENT, conditions, {})


def forget_labels(connection: Connection, *conditions: ColumnElement[bool], erased: float) -> int:
    """Erase the answers that meet the conditions, as of now; how many."""
    return _forget(connection, LABEL, conditions, {"erased": erased})


def keep_erasure(connection: Connection, **row: Any) -> int:
    """Record what was erased, whose it was and when; the id of the record."""
    made: int = connection.execute(
        insert(erasures).values(row).returning(erasures.c.id)
    ).scalar_one()
    link(connection, ERASURE, [{**row, "id": made}], study_id=row["study_id"])
    return made


def forget_addresses(connection: Connection, *, before: float) -> int:
    """Erase from where staff acted before a moment; how many entries said so."""
    conditions = (audit_entries.c.address.is_not(None), audit_entries.c.time < before)
    return _forget(connection, AUDIT, conditions, {})


def _forget(
    connection: Connection,
    covered: Covered,
    conditions: tuple[ColumnElement[bool], ...],
    also: dict[str, Any],
) -> int:
    table = covered.table
    keys = [column.name for column in table.primary_key.columns]
    statement = select(*(table.c[name] for name in dict.fromkeys((*keys, *covered.every))))
    if covered.inside:
        statement = statement.add_columns(table.c.proof)
    else:
        its_link = (chain_links.c.kind == covered.kind) & (chain_links.c.subject == table.c.id)
        statement = statement.add_columns(chain_links.c.proof).join(chain_links, its_link)
    if table is events:
        statement = statement.add_columns(dialogues.c.study_id).join(
            dialogues, dialogues.c.id == events.c.dialogue_id
        )
    # Those that were erased before have their second link already.
    said = or_(*(table.c[name].is_not(None) for name in covered.erasable))
    rows = [dict(row) for row in connection.execute(statement.where(said, *conditions)).mappings()]
    for row in rows:
        row["digest"] = covered.digest(row, row["proof"][:SALT])
    for start in range(0, len(rows), BATCH):
        _take_away(connection, covered, keys, rows[start : start + BATCH])
    by_study: dict[int | None, list[dict[str, Any]]] = {}
    for row in rows:
        by_study.setdefault(row["study_id"], []).append(row)
    for study_id, some in by_study.items():
        link(connection, covered.rest, some, study_id=study_id)
    if not also:
        return len(rows)
    return connection.execute(update(table).where(*conditions).values(**also)).rowcount


def _take_away(
    connection: Connection, covered: Covered, keys: list[str], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Delete what some rows say; where a salt stood, the whole digest stands."""
    table = covered.table
    change = update(table).where(*(table.c[name] == bindparam(f"this_{name}") for name in keys))
    change = change.values(**dict.fromkeys(covered.erasable))
    these = [{f"this_{name}": row[name] for name in keys} for row in rows]
    digests = [{"digest": row["digest"]} for row in rows]
    if covered.inside:
        change = change.values(proof=bindparam("digest"))
        these = [{**this, **digest} for this, digest in zip(these, digests, strict=True)]
    else:
        connection.execute(
            update(chain_links)
            .where(
                chain_links.c.kind == covered.kind, chain_links.c.subject == bindparam("this_id")
            )
            .values(proof=bindparam("digest")),
            [{**this, **digest} for this, digest in zip(these, digests, strict=True)],
        )
    connection.execute(change, these)
