"""Parts of a configuration as what they must be; InputError names the key that holds another."""

import math
from collections.abc import Mapping
from typing import Any

from palaver.core.errors import InputError


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
    """The number."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if not plain or not math.isfinite(value):
        raise InputError(f"'{key}' must be a number; got {value!r:.60}.")
    return float(value)
