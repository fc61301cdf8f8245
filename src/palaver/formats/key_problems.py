"""What is wrong with a study, in plain words, and at which place of the file.

A problem knows the steps that lead to it (`("stages", 0, "chat", "turns")`); a marked file turns it
into a problem with line and column. Pydantic's and msgspec's problems become problems here.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, get_args

import msgspec
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from palaver.core.errors import Problem
from palaver.core.registry import near
from palaver.core.words import shortened
from palaver.formats.json_places import Steps, told_by
from palaver.formats.marked_yaml import Marked

LONGEST = 40
EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "path_type": "a path",
    "dict_type": "a mapping (key: value)",
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "tuple_type": "a list",
    "list_type": "a list",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "{ge:g} or more",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "{le:g} or less",
    "literal_error": "{expected}",
    "enum": "{expected}",
}
# What msgspec calls the types of JSON.
JSON_TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping (key: value)",
}


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """One thing wrong with a study; `at_key` when it is the key that is wrong, not its value."""

    steps: Steps
    message: str
    warning: bool = False
    at_key: bool = False

    def under(self, *steps: str | int) -> "KeyProblem":
        """The same problem seen from further out."""
        return replace(self, steps=(*steps, *self.steps))


def place_problems(marked: Marked, key_problems: Iterable[KeyProblem]) -> list[Problem]:
    """The problems with line and column, in the order of the file, each once."""
    problems = {
        Problem(
            marked.file,
            *(marked.locate_key(problem.steps) if problem.at_key else marked.locate(problem.steps)),
            problem.message,
            problem.warning,
        )
        for problem in key_problems
    }
    return sorted(problems, key=lambda p: (p.line, p.column, p.warning, p.message))


def pydantic_problems(error: ValidationError, model: Any) -> Iterator[KeyProblem]:
    """The errors that pydantic found while it read `model`."""
    for details in error.errors(include_url=False):
        if not _follows(details):
            yield _pydantic_problem(details, model)


def msgspec_problem(error: msgspec.ValidationError, name: str, value: Any) -> KeyProblem:
    """The error that msgspec found in the value of the key `name`."""
    message, steps = told_by(error)
    found = re.match(r"Expected `(.+?)`, got `.+`$", message)
    if found is None:
        return KeyProblem((name, *steps), f"{_subject((name, *steps))}: {message}.")
    types = [JSON_TYPES.get(part, part) for part in found[1].split(" | ")]
    for step in steps:
        value = value[step]
    return KeyProblem((name, *steps), takes((name, *steps), " or ".join(types), value))


def unknown_key(name: str, known: Iterable[str]) -> KeyProblem:
    """A key that nobody reads."""
    known = list(known)
    hint = near(name, known) or f" Known keys: {', '.join(known)}."
    return KeyProblem((name,), f"Unknown key '{name}'.{hint}", at_key=True)


def takes(steps: Steps, expected: str, given: Any) -> str:
    """The sentence that says what a key takes and what it got."""
    scalar = isinstance(given, bool | int | float)
    hint = " Put it in quotes." if expected == "text" and scalar else ""
    return f"{_subject(steps)} takes {expected}; got {shown(given)}.{hint}"


def shown(given: Any) -> str:
    """What was given, as the file shows it, shortened."""
    if given is None:
        return "nothing"
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, dict | list | tuple):
        return "a mapping" if isinstance(given, dict) else "a list"
    written = repr(given) if isinstance(given, str) else format(given, "g")
    return shortened(written, LONGEST)


def _follows(details: ErrorDetails) -> bool:
    """Whether this error only follows from another one that is reported itself."""
    if details["type"] == "too_short":  # entries that are wrong are not counted
        return bool(len(details["input"]) >= details["ctx"]["min_length"])
    return details["type"] == "default_factory_not_called"


def _pydantic_problem(details: ErrorDetails, model: Any) -> KeyProblem:
    kind, steps, given = details["type"], _steps(details), details["input"]
    context = details.get("ctx") or {}
    if kind == "missing":
        return KeyProblem(steps[:-1], f"'{steps[-1]}' is missing.")
    if kind == "extra_forbidden":
        return unknown_key(str(steps[-1]), known_keys(model, steps[:-1])).under(*steps[:-1])
    if kind == "value_error":
        return KeyProblem(steps, str(context["error"]), at_key=details["loc"][-1:] == ("[key]",))
    if kind in {"too_short", "string_too_short"}:
        least = context["min_length"]
        what = "is empty" if least == 1 else f"is too short: {least} or more are needed"
        return KeyProblem(steps, f"{_subject(steps)} {what}.")
    if kind not in EXPECTED:
        return KeyProblem(steps, f"{_subject(steps)}: {details['msg']}.")
    message = takes(steps, EXPECTED[kind].format(**context), given)
    if kind == "literal_error" and isinstance(given, str):
        message += near(given, re.findall(r"'([^']*)'", str(context["expected"])))
    return KeyProblem(steps, message)


def _steps(details: ErrorDetails) -> Steps:
    return tuple(step for step in details["loc"] if step != "[key]")


def _subject(steps: Steps) -> str:
    if not steps:
        return "The file"
    last = steps[-1]
    if isinstance(last, int):
        owner = next((step for step in reversed(steps) if isinstance(step, str)), "list")
        return f"Entry {last + 1} of '{owner}'"
    return f"'{last}'"


def known_keys(model: Any, steps: Steps) -> list[str]:
    """The keys that the part of `model` at `steps` takes."""
    models = _models_in(model)
    for step in steps:
        inner = [found for part in models for found in _inside(part, step)]
        models = inner or models
    return sorted({key for part in models for key in _keys_of(part)})


def _inside(part: type[BaseModel], step: str | int) -> list[type[BaseModel]]:
    """The models behind the key `step`; a stage's own name leads to that stage."""
    if getattr(part, "kind", None) == step:
        return [part]
    field = part.model_fields.get(str(step))
    return [] if field is None else _models_in(field.annotation)


def _keys_of(part: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in part.model_fields.items() if not field.exclude]


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]
