"""Lists that are read a page at a time.

A page is found by a key and an index, never by an offset, so that the last page costs as much as
the first. What belongs to the rows of a page is fetched for all of them at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Column, Connection, Row, Select, select

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Window:
    """Which rows to read: those after one, or those before one, `size` at most."""

    size: int = 50
    after: str | int | None = None
    before: str | int | None = None
    newest_first: bool = True


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """Some rows, and whether there are more on either side."""

    rows: list[T]
    has_next: bool
    has_previous: bool

    def map(self, make: Callable[[T], R]) -> "Slice[R]":
        """The same place in the list with each row made into something else."""
        return Slice([make(row) for row in self.rows], self.has_next, self.has_previous)


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
