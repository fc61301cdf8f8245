"""Rows that an older Palaver stored, taken into chains: from here on they cannot change unnoticed.

One chain for each study, and one for what belongs to none, written by `migration`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, inspect, null, select, update

from palaver.storage.engine.chain import (
    COVERED,
    EVENT,
    Book,
    Covered,
    book_of,
    link,
    linked_rows,
)
from palaver.storage.schema import dialogues, seats

WRITER = "migration"
BATCH = 5000


def adopt(connection: Connection) -> None:
    """Link every row that has no link yet."""
    connection.info["book"] = Book(WRITER)
    # On the way up from an older version a later table may not be there yet.
    there = set(inspect(connection).get_table_names())
    for covered in COVERED:
        if covered.table.name not in there:
            continue
        if covered.inside:
            _adopt_inside(connection, covered)
        else:
            for batch in _batches(connection, _unlinked(connection, covered)):
                for study_id, rows in _by_study(batch):
                    link(connection, covered, rows, study_id=study_id)
    book_of(connection).committed()
    del connection.info["book"]


def _adopt_inside(connection: Connection, covered: Covered) -> None:
    table = covered.table
    keys = [column.name for column in table.primary_key.columns]
    change = update(table).where(*(table.c[name] == bindparam(f"this_{name}") for name in keys))
    change = change.values({name: bindparam(f"new_{name}") for name in _LINK})
    for batch in _batches(connection, _unlinked(connection, covered)):
        linked = linked_rows(connection, covered, batch)
        connection.execute(
            change,
            [
                {
                    **{f"this_{name}": row[name] for name in keys},
                    **{f"new_{name}": row[name] for name in _LINK},
                }
                for row in linked
            ],
        )


_LINK = ("link", "proof")


def _unlinked(connection: Connection, covered: Covered) -> Select[Any]:
    """The rows of a table without a link, with the study they belong to, in their order."""
    table = covered.table
    columns: list[ColumnElement[Any]] = [table.c[name] for name in covered.columns]
    if covered.later:
        # On the way up from an older version a later column may not be there yet.
        there = {column["name"] for column in inspect(connection).get_columns(table.name)}
        columns += [table.c[n] if n in there else null().label(n) for n in covered.later]
    if covered.inside and "id" in table.c and "id" not in covered.every:
        columns.append(table.c.id)
    statement = select(*columns)
    if covered is EVENT or table is seats:
        statement = statement.add_columns(dialogues.c.study_id).join(
            dialogues, dialogues.c.id == table.c.dialogue_id
        )
    if covered.inside:
        statement = statement.where(table.c.link.is_(None))
    return statement.order_by(*table.primary_key.columns)


def _batches(connection: Connection, statement: Select[Any]) -> Iterator[list[Mapping[str, Any]]]:
    # Read as a whole before the first is changed: what is being read must not move.
    rows = connection.execute(statement).mappings().all()
    for start in range(0, len(rows), BATCH):
        yield [dict(row) for row in rows[start : start + BATCH]]


def _by_study(
    rows: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[int | None, list[Mapping[str, Any]]]]:
    groups: dict[int | None, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row.get("study_id"), []).append(row)
    yield from groups.items()
