"""Templates over the fields of a question, with complaints that name the fields there are."""

from collections.abc import Mapping
from typing import Any

import msgspec

from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.template import fill, follow


def filled(template: Any, values: Mapping[str, Any], *, option: str) -> Any:
    """The template with its placeholders filled in."""
    try:
        return fill(template, values)
    except KeyError as error:
        name = error.args[0]
        told = (
            f"Option '{option}' has the placeholder {{{{{name}}}}}; "
            f"the question has {', '.join(values)}."
        )
        raise AttemptError("refused", told, may_pass=False) from None


def filled_text(template: str, values: Mapping[str, Any], *, option: str) -> str:
    """The same as text: a value that is no text stands there as JSON."""
    value = filled(template, values, option=option)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def found(answer: Any, path: str, *, option: str) -> Any:
    """What stands at a path in an answer."""
    try:
        return follow(answer, path)
    except KeyError as error:
        raise AttemptError(
            "garbage",
            f"No {error} on the path '{path}' (option '{option}') in {shorten(repr(answer))}",
            may_pass=False,
            came=answer,
        ) from None
