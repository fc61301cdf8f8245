"""Checks of what stands in a file of CoCoA, in words that say where in the document it stands."""

from math import isfinite
from typing import Any, TypeVar

import msgspec

from palaver.core.errors import InputError
from palaver.formats.line_problems import FormatProblem, wrong_type

T = TypeVar("T")

# Whole numbers beyond this are no longer told apart as numbers of JSON.
_MOST = 2**53


def checked(raw: Any, kind: type[T]) -> T:
    """The document as typed; InputError names the key, and the event where it is one's."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise _told(wrong_type(error)) from error


def _told(problem: FormatProblem) -> InputError:
    match problem.steps:
        case ("events", int(n), *_):
            return InputError(f"Event {n + 1}: {problem.message}")
        case ("kbs", int(n), *_):
            return InputError(f"Knowledge base {n}: {problem.message}")
    return InputError(problem.message)


def is_number(value: Any) -> bool:
    """Whether this is a number that can be counted with: NaN, infinity, true and texts are not."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < _MOST
    return isinstance(value, float) and isfinite(value)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and is_number(value) and value >= 0
