"""The further options of an endpoint as a form takes them: one JSON object."""

import json
from collections.abc import Collection
from typing import Any

from palaver.core.errors import InputError

# What a form asks for in fields of its own.
ASKED = ("kind", "url", "base_url", "model", "prompt", "key")


def read_options(text: str, *, asked: Collection[str] = ()) -> dict[str, Any]:
    """The options that were typed; InputError if they are no JSON object, or name what is `asked`."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"The further options are not valid JSON ({error}).") from error
    if not isinstance(found, dict):
        raise InputError('The further options must be a JSON object, such as {"batch": 8}.')
    twice = [name for name in found if name in asked]
    if twice:
        raise InputError(f"The further options name '{twice[0]}', which has a field of its own.")
    return found
