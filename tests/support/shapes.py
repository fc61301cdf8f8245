"""The shape of JSON: which keys there are, and of which kinds the values are."""

from collections.abc import Iterable
from typing import Any


class Shape:
    """What some values have in common.

    As JSON, a kind is a word ("number", "text", "true or false", "null", several joined by "|"), a list
    is `[shape of its members]`, an object has the shape of each value; a key with a "?" stands in
    some of the objects only.
    """

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._words: set[str] = set()
        self._members: Shape | None = None
        self._fields: dict[str, tuple[Shape, int]] = {}
        self._objects = 0
        for value in values:
            self.add(value)

    def add(self, value: Any) -> None:
        """Take another value in."""
        if isinstance(value, dict):
            self._objects += 1
            for key, each in value.items():
                shape, count = self._fields.get(key, (Shape(), 0))
                shape.add(each)
                self._fields[key] = shape, count + 1
        elif isinstance(value, list):
            self._members = self._members or Shape()
            for each in value:
                self._members.add(each)
        else:
            self._words.add(_word(value))

    def as_json(self) -> Any:
        """The shape as JSON; a list that was always empty is `[]`."""
        found: list[Any] = []
        if self._words:
            found.append(" | ".join(sorted(self._words)))
        if self._members is not None:
            inner = self._members.as_json()
            found.append([] if inner is None else [inner])
        if self._objects:
            found.append(
                {
                    key if count == self._objects else f"{key}?": shape.as_json()
                    for key, (shape, count) in sorted(self._fields.items())
                }
            )
        if not found:
            return None
        return found[0] if len(found) == 1 else {"any of": found}


def shape_of(*values: Any) -> Any:
    """The shape of some values, as JSON."""
    return Shape(values).as_json()


def _word(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    return "number" if isinstance(value, int | float) else "text"
