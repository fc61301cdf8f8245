"""What only SQLite needs: a batch of events in one step.

Python's sqlite3 gives up the interpreter lock around every step of a statement. Row by row, the
writer would ask for the lock back once per event while the event loop is busy. One statement with
many rows is one step: the database works while the loop runs.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from sqlite3 import Connection, IntegrityError
from typing import Any

from sqlalchemy import insert
from sqlalchemy.dialects import sqlite

from palaver.storage.schema import events

Row = Sequence[Any]

_ONE = str(insert(events).compile(dialect=sqlite.dialect()))
_HEAD, _, _VALUES = _ONE.partition(" VALUES ")
# Up to here a statement of its own for each number of rows; sqlite3 keeps 128 of them prepared.
_EXACT = 64
_LARGE = 256


@cache
def _insert(size: int) -> str:
    return f"{_HEAD} VALUES {', '.join([_VALUES] * size)}"


def insert_statements(rows: Sequence[Row]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Statements with their parameters that together insert `rows` into events."""
    start = 0
    while start < len(rows):
        left = len(rows) - start
        size = _LARGE if left >= _LARGE else min(left, _EXACT)
        some = rows[start : start + size]
        yield _insert(size), tuple(chain.from_iterable(some))
        start += size


def append_at_once(connection: Connection, rows: Sequence[Row]) -> bool:
    """Insert rows in a transaction of their own; False, and nothing stored, if one is in the way."""
    if len(rows) <= _EXACT:
        return _append_in_one_step(connection, rows)
    cursor = connection.cursor()
    cursor.execute("BEGIN IMMEDIATE")
    try:
        for statement, parameters in insert_statements(rows):
            cursor.execute(statement, parameters)
    except IntegrityError:
        cursor.execute("ROLLBACK")
        return False
    cursor.execute("COMMIT")
    return True


def _append_in_one_step(connection: Connection, rows: Sequence[Row]) -> bool:
    # Outside of a transaction a statement is one: it begins, inserts and commits in a single step.
    try:
        for statement, parameters in insert_statements(rows):
            connection.execute(statement, parameters)
    except IntegrityError:
        return False
    return True
