"""JSON templates: placeholders filled in on the way out, a path followed on the way in."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.systems.attempt import AttemptError, shorten

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def check_template(template: Any, known: Iterable[str], *, option: str) -> None:
    """Raise InputError for a placeholder that is not known."""
    names = list(known)
    for name in _placeholders(template):
        if name not in names:
            hint = near(name, names) or f" Known: {', '.join(names)}."
            raise InputError(f"Option '{option}' has no placeholder '{{{{{name}}}}}'.{hint}")


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """`template` with its placeholders filled in.

    A string that is one placeholder and nothing else becomes the value itself; inside a longer
    string a value stands as text, or as JSON if it is no text.
    """
    if isinstance(template, dict):
        return {key: fill(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [fill(value, values) for value in template]
    if not isinstance(template, str):
        return template
    alone = _PLACEHOLDER.fullmatch(template.strip())
    if alone:
        return values[alone[1]]
    return _PLACEHOLDER.sub(lambda match: _as_text(values[match[1]]), template)


def follow(value: Any, path: str) -> Any:
    """What stands at a dotted path such as `choices.0.text`; KeyError names the missing step."""
    for step in filter(None, path.split(".")):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and re.fullmatch(r"-?\d+", step) and _within(value, int(step)):
            value = value[int(step)]
        else:
            raise KeyError(step)
    return value


def filled(template: Any, values: Mapping[str, Any], *, option: str) -> Any:
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
    try:
        return follow(answer, path)
    except KeyError as error:
        raise AttemptError(
            "garbage",
            f"No {error} on the path '{path}' (option '{option}') in {shorten(repr(answer))}",
            may_pass=False,
            came=answer,
        ) from None


def _within(value: list[Any], index: int) -> bool:
    return -len(value) <= index < len(value)


def _placeholders(template: Any) -> set[str]:
    if isinstance(template, dict):
        return set().union(*map(_placeholders, template.values()))
    if isinstance(template, list):
        return set().union(*map(_placeholders, template))
    return set(_PLACEHOLDER.findall(template)) if isinstance(template, str) else set()


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
