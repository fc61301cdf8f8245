"""Lists that are read a page at a time.

A page is found by a key and an index, never by an offset, so that the last page costs as much as
the first. What belongs to the rows of a page is fetched for all of them at once.
"""

from typing import Any, TypeVar

from sqlalchemy import Column, Connection, Row, Select, select

from palaver.core.listings import Slice, Window

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
