"""Characters that no text here may have: the null character, which PostgreSQL does not keep.

SQLite keeps it. It is refused before either sees it, in the same words, so that a study says the same
wherever its state lies.
"""

from collections.abc import Mapping
from typing import Any

NULL = "\0"
# As JSON writes it.
ESCAPED = "\\u0000"
REFUSAL = "The text contains a null character (U+0000), which cannot be stored. Remove it."


def has_null(value: Any) -> bool:
    """Whether a null character stands anywhere in a value: in a text, a list, a mapping or its keys.

    >>> has_null({"a": ["b", "c\\0"]}), has_null({"a": 0})
    (True, False)
    """
    kind = type(value)
    if kind is str:
        return NULL in value
    # What nearly all values are made of, before questions that take longer.
    if kind is int or kind is float or value is None:
        return False
    if kind is dict:
        return any(map(has_null, value)) or any(map(has_null, value.values()))
    if isinstance(value, str):
        return NULL in value
    if isinstance(value, Mapping):
        return any(has_null(key) or has_null(each) for key, each in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(has_null, value))
    return False
