"""A part of a list: which rows are asked for, and those that were found."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

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
