"""JSON and YAML with the place of every part, so that a problem names file, line and key."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from palaver.core.errors import Problem, StudyError
from palaver.formats.json_places import Mark, Steps, place_of

START: Mark = (1, 1)
# What Hydra reads with: `yes` is true there.
_YAML_VERSION = (1, 1)


@dataclass(frozen=True, slots=True)
class MarkedFile:
    """What a file says, and where each part of it stands."""

    file: str
    data: Any
    locate: Callable[[Steps], Mark] = field(repr=False)

    def problem(self, steps: Steps, message: str) -> Problem:
        """A problem at the place of `steps`, or the nearest part around it."""
        line, column = self.locate(steps)
        return Problem(self.file, line, column, message)

    def error(self, steps: Steps, message: str) -> StudyError:
        return StudyError([self.problem(steps, message)])


def read_text(file: Path) -> str:
    """The text of a file, with or without a byte order mark."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or str(error)
        raise StudyError([Problem(str(file), 0, 0, f"Cannot be read: {reason}.")]) from error
    except UnicodeDecodeError as error:
        raise StudyError([Problem(str(file), 0, 0, "Not UTF-8 text.")]) from error


def read_json(file: Path) -> MarkedFile:
    """A JSON file; StudyError where it is not JSON, or has a key twice."""
    return parse_json(read_text(file), file=str(file))


def parse_json(text: str, *, file: str) -> MarkedFile:
    """A JSON text; `file` is the name to use in problems."""
    try:
        data = json.loads(text, object_pairs_hook=_without_doubles)
    except json.JSONDecodeError as error:
        problem = Problem(file, error.lineno, error.colno, f"Not JSON: {error.msg}.")
        raise StudyError([problem]) from error
    except _DoubleKeyError as error:
        raise StudyError([Problem(file, 0, 0, str(error))]) from None
    except RecursionError:
        raise StudyError([Problem(file, *START, "Nested too deeply.")]) from None
    return MarkedFile(file, data, partial(place_of, text))


def read_yaml(file: Path) -> MarkedFile:
    """A YAML file with a mapping in it; StudyError names the line where it is none."""
    text = read_text(file)
    try:
        node = _yaml().compose(text)
        data = _yaml().load(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else START
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise StudyError([Problem(str(file), line, column, f"Not YAML: {problem}.")]) from error
    if not isinstance(data, dict):
        expected = "The file must be a mapping (lines of 'key: value')."
        raise StudyError([Problem(str(file), *START, expected)])
    return MarkedFile(str(file), data, partial(_nearest, dict(_yaml_places(node, ()))))


class _DoubleKeyError(ValueError):
    """A key of an object stands there twice."""


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _DoubleKeyError(f"The key '{twice}' is used twice in one object.")
    return made


def _yaml() -> YAML:
    yaml = YAML(typ="safe", pure=True)
    yaml.version = _YAML_VERSION
    return yaml


def _yaml_places(node: Node | None, steps: Steps) -> Iterator[tuple[Steps, Mark]]:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            here: Steps = (*steps, str(key.value))
            yield here, (key.start_mark.line + 1, key.start_mark.column + 1)
            yield from _yaml_places(value, here)
    elif isinstance(node, SequenceNode):
        for n, entry in enumerate(node.value):
            here = (*steps, n)
            yield here, (entry.start_mark.line + 1, entry.start_mark.column + 1)
            yield from _yaml_places(entry, here)


def _nearest(marks: dict[Steps, Mark], steps: Steps) -> Mark:
    around = (steps[:length] for length in range(len(steps), 0, -1))
    return next((marks[part] for part in around if part in marks), START)
