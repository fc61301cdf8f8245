"""Options of metrics, checked: a wrong one is an error that names what may be given."""

from collections.abc import Iterable
from typing import Any

from palaver.core.errors import InputError


def one_of(name: str, value: Any, known: Iterable[Any]) -> Any:
    """`value`, if it is one of `known`."""
    listed = list(known)
    if not any(value == each and type(value) is type(each) for each in listed):
        shown = ", ".join(str(each) for each in listed)
        raise InputError(f"Option '{name}' takes one of {shown}; got {value!r}.")
    return value


def yes_or_no(name: str, value: Any) -> bool:
    """`value`, if it is true or false."""
    if not isinstance(value, bool):
        raise InputError(f"Option '{name}' takes true or false; got {value!r}.")
    return value
