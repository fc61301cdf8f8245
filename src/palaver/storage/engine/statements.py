"""What statements of both databases share: the clock, text inside JSON, pages of a list.

The clock is the database's own, so that hosts whose clocks differ agree on when a lease ends.
"""

from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Float,
    Row,
    Select,
    Subquery,
    Text,
    func,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from palaver.core.listings import Slice, Window


class store_now(FunctionElement[float]):  # noqa: N801  (reads as an SQL function)
    """Seconds since the epoch, as the database sees it."""

    type = Float(53)
    inherit_cache = True


@compiles(store_now, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(store_now, "postgresql")
def _postgresql(element: Any, compiler: Any, **options: Any) -> str:
    return "extract(epoch from clock_timestamp())::float8"


class json_text(FunctionElement[str]):  # noqa: N801  (reads as an SQL function)
    """`json_text(column, key)`: what stands under a key of a JSON object, as text."""

    type = Text()
    inherit_cache = True


@compiles(json_text, "sqlite")
def _json_text_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    column, key = (compiler.process(clause, **options) for clause in element.clauses)
    return f"json_extract({column}, '$.' || {key})"


@compiles(json_text, "postgresql")
def _json_text_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    column, key = (compiler.process(clause, **options) for clause in element.clauses)
    # PostgreSQL refuses to unfold an escaped NUL; the replacement keeps the JSON whole.
    return f"(replace({column}, '\\u0000', '\\ufffd')::json ->> CAST({key} AS text))"


T = TypeVar("T")
R = TypeVar("R")


def read_slice(
    connection: Connection,
    statement: Select[Any],
    window: Window,
    *,
    id: Column[int],
    name: Column[Any],
) -> Slice[Row[Any]]:
    """The rows of `statement` in a window; `name` is the column that outsiders page by."""
    backwards = window.before is not None
    cursor = window.before if backwards else window.after
    descending = window.newest_first != backwards
    if cursor is not None:
        place = select(id).where(name == cursor).scalar_subquery()
        statement = statement.where(id < place if descending else id > place)
    order = id.desc() if descending else id.asc()
    rows = list(connection.execute(statement.order_by(order).limit(window.size + 1)))
    more = len(rows) > window.size
    rows = rows[: window.size]
    if backwards:
        return Slice(rows[::-1], has_next=True, has_previous=more)
    return Slice(rows, has_next=more, has_previous=cursor is not None)


def few(statement: Select[Any]) -> Subquery:
    """The rows of a statement, found before anything else is done with them.

    Written around a statement whose conditions an index of few rows answers: otherwise a database
    that knows no numbers may begin with the many that the rest of the query speaks of.
    """
    return statement.offset(0).subquery()


def different(
    connection: Connection, column: Column[T], *conditions: ColumnElement[bool]
) -> list[T]:
    """The different values of an indexed column, in order.

    Each is looked for from the one before on, so that the index is not read from end to end.
    """
    first = select(func.min(column).label("value")).where(*conditions)
    known = first.cte("known", recursive=True)
    following = select(func.min(column)).where(*conditions, column > known.c.value)
    known = known.union_all(select(following.scalar_subquery()).where(known.c.value.is_not(None)))
    return list(
        connection.execute(select(known.c.value).where(known.c.value.is_not(None))).scalars()
    )
