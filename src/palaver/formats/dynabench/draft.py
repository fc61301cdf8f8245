"""What becomes of one configuration: the task file, and what was done to get there.

Parts of a configuration are read as what they must be; InputError names the key that holds another.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from palaver.core.errors import InputError
from palaver.core.serial import internal, key


@dataclass(slots=True)
class Notes:
    """What was noticed while a file was read; every entry is one line.

    `conditions` are those of a check of answers that no field stands for.
    """

    changed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    look_at: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)


@dataclass(slots=True)
class TaskDraft:
    """A task file in the making, and a report of it; every entry is one line."""

    name: str = internal("")
    data: dict[str, Any] = key("task", factory=dict)
    taken: list[str] = key("taken_over", factory=list)
    changed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    look_at: list[str] = field(default_factory=list)

    @property
    def fields(self) -> dict[str, dict[str, Any]]:
        """Every field that has been written out, by name."""
        lists = (self.data.get(key, []) for key in ("context", "input", "output"))
        return {each["name"]: each for group in lists for each in group if isinstance(each, dict)}

    @property
    def given(self) -> set[str]:
        return {each["name"] for key in ("context", "input") for each in self.data.get(key, [])}

    @property
    def outputs(self) -> list[str]:
        written = self.data.get("output", [])
        return [each if isinstance(each, str) else str(each["name"]) for each in written]

    @property
    def gold(self) -> list[str]:
        """The outputs for which a data set holds gold."""
        named = self.data.get("gold", {})
        return [name for name in self.outputs if name in self.given or name in named]


def as_list(value: Any, key: str) -> list[Any]:
    """The list; an empty one where there is none."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise InputError(f"'{key}' must be a list; got {value!r:.60}.")
    return list(value)


def as_mapping(value: Any, key: str) -> Mapping[str, Any]:
    """The mapping; an empty one where there is none."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"'{key}' must be a mapping; got {value!r:.60}.")
    return value


def as_number(value: Any, key: str) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if not plain or not math.isfinite(value):
        raise InputError(f"'{key}' must be a number; got {value!r:.60}.")
    return float(value)
