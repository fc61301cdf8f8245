"""What both databases refuse alike: texts with a null character, plain or inside JSON."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlalchemy import Engine, event

from palaver.core.characters import ESCAPED, NULL, REFUSAL, has_null
from palaver.core.errors import InputError

_decode = msgspec.json.decode


def check_characters(values: Iterable[Any]) -> None:
    """Raise InputError if a text among the values of a statement has a null character in it."""
    for value in values:
        if type(value) is str and (NULL in value or (ESCAPED in value and _holds_null(value))):
            raise InputError(REFUSAL)


def refuse_nulls(engine: Engine) -> None:
    """Let every statement of an engine be looked at before it is run."""

    @event.listens_for(engine, "before_cursor_execute")
    def _look(
        connection: Any, cursor: Any, statement: str, given: Any, context: Any, many: bool
    ) -> None:
        for row in given if many else (given,):
            check_characters(row.values() if isinstance(row, Mapping) else row or ())


def _holds_null(text: str) -> bool:
    """Whether a text is JSON that holds the character; it may well be about the escape itself."""
    try:
        return has_null(_decode(text))
    except (msgspec.DecodeError, RecursionError):
        return False
