"""Where a part of a JSON text stands, so that a problem can name line and column.

Looked up only once something is wrong: reading itself does not pay for it.
"""

import json
import re

import msgspec

Steps = tuple[str | int, ...]
# Line and column, from 1.
Mark = tuple[int, int]

_SPACE = re.compile(r"[ \t\r\n]*")
_read_value = json.JSONDecoder().raw_decode


def told_by(error: msgspec.ValidationError) -> tuple[str, Steps]:
    """What msgspec found wrong, and the steps that lead there.

    >>> told_by(msgspec.ValidationError("Expected `int`, got `str` - at `$.turns[3].n`"))
    ('Expected `int`, got `str`', ('turns', 3, 'n'))
    """
    message, _, where = str(error).partition(" - at ")
    steps = re.findall(r"\.(\w+)|\[(\d+)\]", where)
    return message, tuple(int(index) if index else key for key, index in steps)


def place_of(text: str, steps: Steps) -> Mark:
    """The place of the value that `steps` lead to, or of the nearest one around it.

    >>> place_of('{"turns": [["user", "Hi"], 7]}', ("turns", 1))
    (1, 28)
    """
    index = _after_space(text, 0)
    try:
        for step in steps:
            index = _enter(text, index, step)
    except (ValueError, LookupError, RecursionError):
        pass  # the part is missing or is no JSON: what stands around it is the place
    return place_at(text, index)


def place_at(text: str, index: int) -> Mark:
    """The place of the character at `index`."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _enter(text: str, index: int, step: str | int) -> int:
    """Where the entry `step` of the object or list at `index` begins."""
    opening = text[index]
    if opening not in "{[" or (opening == "{") != isinstance(step, str):
        raise LookupError(step)
    index, number = _after_space(text, index + 1), 0
    while text[index] not in "}]":
        name: str | int = number
        if opening == "{":
            name, index = _read_value(text, index)
            index = _after_space(text, text.index(":", index) + 1)
        if name == step:
            return index
        _, index = _read_value(text, index)
        index, number = _after_space(text, index), number + 1
        if text[index] == ",":
            index = _after_space(text, index + 1)
    raise LookupError(step)


def _after_space(text: str, index: int) -> int:
    found = _SPACE.match(text, index)
    return found.end() if found else index
