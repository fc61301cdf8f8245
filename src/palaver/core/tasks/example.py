"""An item of a data set, and what a model said about it."""

from typing import Any

import msgspec


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a data set: its fields, the gold ones among them.

    `input_id` is the uid of the original where the item is a variant of one.
    """

    uid: str
    values: dict[str, Any]
    tags: tuple[str, ...] = ()
    input_id: str | None = None

    @property
    def record(self) -> dict[str, Any]:
        """The record of a data set that it is."""
        return {"uid": self.uid, **self.values, "tags": list(self.tags)}


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered to one example, checked: a value per output field."""

    uid: str
    values: dict[str, Any]
    signature: str = ""
