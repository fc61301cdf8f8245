"""What is wrong with a file that is judged or learned from: the first problems, with their places.

A file of a hundred thousand lines may be wrong in all of them; after `MOST` problems nobody reads on,
and neither do we.
"""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from palaver.core.characters import ESCAPED, REFUSAL, has_null
from palaver.core.errors import Problem, StudyError
from palaver.formats.json_places import Mark, Steps, place_at, told_by

MOST = 20
# What msgspec calls the types of JSON.
TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
TURN_PARTS = ("speaker", "text", "answers", "why")

Locate = Callable[[Steps], Mark]


class FormatProblem(Exception):
    """One thing wrong with a document, and the steps that lead there; caught by its reader."""

    def __init__(self, steps: Steps, message: str) -> None:
        super().__init__(message)
        self.steps = steps
        self.message = message


class LineProblems:
    """The problems and warnings of one file, at most `MOST` of each."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._errors = 0
        self._warnings: set[str] = set()

    @property
    def is_full(self) -> bool:
        """Whether so much is wrong that reading on helps nobody."""
        return self._errors >= MOST

    @property
    def has_errors(self) -> bool:
        return self._errors > 0

    def add(self, message: str, *, line: int = 1, column: int = 1) -> None:
        if self.is_full:
            return
        self._errors += 1
        self.problems.append(Problem(self.file, line, column, message))
        if self.is_full:
            more = f"There may be more: reading stopped after {MOST} problems."
            self.problems.append(Problem(self.file, line, column, more))

    def warn(self, message: str, *, line: int = 1, column: int = 1) -> None:
        """Something is odd here; the same words are said once."""
        if message not in self._warnings and len(self._warnings) < MOST:
            self._warnings.add(message)
            self.problems.append(Problem(self.file, line, column, message, warning=True))

    def raise_errors(self) -> None:
        """StudyError with every problem if there is one; warnings alone do not raise."""
        if self.has_errors:
            raise StudyError([problem for problem in self.problems if not problem.warning])


def wrong_type(error: msgspec.ValidationError, steps: Steps = ()) -> FormatProblem:
    """What msgspec found wrong with the document that `steps` lead to, in plain words."""
    message, inner = told_by(error)
    here = (*steps, *inner)
    if missing := re.match(r"Object missing required field `(.+)`$", message):
        return FormatProblem(here, f"{_in(here)}'{missing[1]}' is missing.")
    if unknown := re.match(r"Object contains unknown field `(.+)`$", message):
        return FormatProblem((*here, unknown[1]), f"{_in(here)}Unknown key '{unknown[1]}'.")
    if short := re.match(r"Expected `array` of .*length .*, got (\d+)", message):
        return FormatProblem(
            here, f"{subject(here)} takes a speaker and a text; got {short[1]} of them."
        )
    if found := re.match(r"Expected `(.+?)`, got `(.+)`$", message):
        expected, given = (
            " or ".join(TYPES.get(part, part) for part in names.split(" | ") if part != "null")
            or "nothing"
            for names in found.groups()
        )
        return FormatProblem(here, f"{subject(here)} takes {expected}; got {given}.")
    return FormatProblem(here, f"{subject(here)}: {message}.")


def subject(steps: Steps) -> str:
    """What the steps lead to, in words.

    >>> subject(("turns", 3)), subject(("turns", 3, 1)), subject(("pair", 0, "id")), subject(())
    ('Turn 4', "'text' of turn 4", "'id'", 'The line')
    """
    turn = next((n for n, step in enumerate(steps[1:], start=1) if _is_turn(steps, n)), None)
    if not steps:
        return "The line"
    if turn is None:
        last = steps[-1]
        return f"'{last}'" if isinstance(last, str) else f"Entry {last + 1} of '{steps[-2]}'"
    number = int(steps[turn]) + 1
    if turn == len(steps) - 1:
        return f"Turn {number}"
    part = steps[turn + 1]
    name = TURN_PARTS[part] if isinstance(part, int) and part < len(TURN_PARTS) else part
    return f"'{name}' of turn {number}"


def _in(steps: Steps) -> str:
    return f"{subject(steps)}: " if steps else ""


def _is_turn(steps: Steps, n: int) -> bool:
    return isinstance(steps[n], int) and steps[n - 1] in ("turns", "turns2", "messages")


def decode_document(content: bytes, line_problems: LineProblems) -> Any:
    """A whole file of JSON, with or without a byte-order mark; None where it is not JSON."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        line_problems.add("Not UTF-8 text.")
        return None
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        reason, _, byte = str(error).removeprefix("JSON is malformed: ").partition(" (byte ")
        offset = int(byte.rstrip(")")) if byte.rstrip(")").isdecimal() else 0
        if "truncated" in reason:
            offset = len(text.encode())
        index = len(text.encode()[:offset].decode("utf-8", "replace"))
        line, column = place_at(text, index)
        line_problems.add(f"Not JSON: {reason}.", line=line, column=column)
        return None
    if ESCAPED in text and has_null(found):
        line, column = place_at(text, text.index(ESCAPED))
        line_problems.add(REFUSAL, line=line, column=column)
        return None
    return found
