"""JSON objects with the places where they stand, so that whatever is wrong with one names line and
column.

One object per line, or one array of them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from palaver.core.errors import InputError
from palaver.core.serial import convert
from palaver.formats.json_places import Mark, Steps, place_at, place_of, told_by

T = TypeVar("T")

_read_value = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class LocatedRecord:
    """An object of a file; `text` is how it is written, and `begins` where."""

    file: str
    begins: Mark
    text: str
    value: dict[str, Any]

    def wrong(self, words: str, *steps: str | int) -> InputError:
        """The error that says what is wrong with the part that `steps` lead to."""
        return InputError(f"{self.place(steps)}: {words}")

    def place(self, steps: Steps = ()) -> str:
        """File, line and column of a part of it."""
        line, column = place_of(self.text, steps)
        first_line, first_column = self.begins
        column += first_column - 1 if line == 1 else 0
        return f"{self.file}:{first_line + line - 1}:{column}"

    def read(self, kind: type[T]) -> T:
        """The record that it is."""
        try:
            return convert(self.value, kind)
        except msgspec.ValidationError as error:
            message, steps = told_by(error)
            raise self.wrong(f"{message}.", *steps) from None


def located_records(content: bytes, name: str) -> Iterator[LocatedRecord]:
    """The objects of a file, in order; InputError says where it is broken."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text: {error}.") from error
    if text.lstrip().startswith("["):
        yield from _elements(text, name)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _line(line, name, number)


def _elements(text: str, name: str) -> Iterator[LocatedRecord]:
    """The elements of an array; where it ends early, the last thing that was read is named."""
    index = _skip(text, text.index("[") + 1)
    while index < len(text) and text[index] != "]":
        begins = place_at(text, index)
        try:
            value, end = _read_value(text, index)
        except (ValueError, RecursionError) as error:
            raise _broken(error, name, 1) from None
        yield _checked(value, text[index:end], name, begins)
        index = _skip(text, end)
        if index < len(text) and text[index] == ",":
            index = _skip(text, index + 1)
        elif index < len(text) and text[index] != "]":
            line, column = place_at(text, index)
            raise InputError(f"{name}:{line}:{column}: not JSON: expected ',' or ']' here.")
    if index >= len(text):
        line, column = place_at(text, len(text))
        raise InputError(f"{name}:{line}:{column}: the array that begins the file never ends.")


def _line(line: str, name: str, number: int) -> LocatedRecord:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _broken(error, name, number) from None
    return _checked(value, line, name, (number, 1))


def _broken(error: Exception, name: str, first: int) -> InputError:
    if isinstance(error, RecursionError):
        return InputError(f"{name}:{first}: nested too deeply.")
    if not isinstance(error, json.JSONDecodeError):
        return InputError(f"{name}:{first}: not JSON: {error}.")
    words = error.msg[:1].lower() + error.msg[1:]
    return InputError(f"{name}:{first + error.lineno - 1}:{error.colno}: not JSON: {words}.")


def _checked(value: Any, text: str, name: str, begins: Mark) -> LocatedRecord:
    found = LocatedRecord(name, begins, text, value if isinstance(value, dict) else {})
    if not isinstance(value, dict):
        raise found.wrong(f"expected a JSON object; got {text[:40]}.")
    return found


def _skip(text: str, index: int) -> int:
    while index < len(text) and text[index] in " \t\r\n":
        index += 1
    return index
