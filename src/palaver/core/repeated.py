"""Columns whose values come again and again, and are numbered once for all who ask."""

from typing import Any


class RepeatedValues(list[Any]):
    """A list that is not changed any more; `numbered` is kept by whoever numbers its values."""

    __slots__ = ("numbered",)

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.numbered: Any = None
