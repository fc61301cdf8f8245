"""Field converters as data: which key of a record is which field, and what its values are called.

    map: {uid: pairID, context: sentence1, hypothesis: sentence2, label: gold_label}
    values:
      label: {entailment: entailed, non-entailment: [neutral, contradictory], "-": null}
    tags: {Genre: genre}

A key inside another is written with dots (`answers.0.text`). A value that becomes null leaves the
record out. Keys that are not mapped stay as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from palaver.core.errors import InputError, StudyError
from palaver.formats.datasets.reader import LeftOut
from palaver.formats.datasets.records import Record
from palaver.formats.key_problems import place_problems, pydantic_problems
from palaver.formats.marked_yaml import read_marked


class MappingEntry(BaseModel):
    """A mapping file, or the part of another file that is one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    map: dict[str, str] = {}
    values: dict[str, dict[str, str | list[str] | None]] = {}
    tags: dict[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldMap:
    """What a record's keys and values become."""

    fields: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.fields or self.values or self.tags)

    def apply(self, record: Record) -> Record | LeftOut:
        """The record in the fields of the task; InputError if a key is not there."""
        made = dict(record)
        for target, path in self.fields.items():
            made[target] = _value_at(record, path)
        for name, names in self.values.items():
            given = made.get(name)
            several = given if isinstance(given, list) else [given]
            renamed = [names.get(_written(each), each) for each in several]
            if None in renamed and None not in several:
                return LeftOut(f"its {name} is {_written(given)}")
            made[name] = renamed if isinstance(given, list) else renamed[0]
        if self.tags:
            own = [
                f"{title}:{_written(value)}"
                for title, path in self.tags.items()
                if (value := _value_at(record, path)) not in (None, "")
            ]
            made["tags"] = [*(made.get("tags") or []), *own]
        return made


def read_field_map(file: Path) -> FieldMap:
    """The mapping in a YAML file; StudyError with line and column of what is wrong."""
    marked = read_marked(file)
    try:
        return field_map(MappingEntry.model_validate(marked.data))
    except ValidationError as error:
        raise StudyError(place_problems(marked, pydantic_problems(error, MappingEntry))) from error


def field_map(entry: MappingEntry) -> FieldMap:
    return FieldMap(fields=entry.map, values=entry.values, tags=entry.tags)


def parse_field_map(fields: Sequence[str], values: Sequence[str], tags: Sequence[str]) -> FieldMap:
    """The mapping of command-line options: FIELD=KEY, FIELD.VALUE=LABEL, TITLE=KEY."""
    renamed: dict[str, dict[str, Any]] = {}
    for each in values:
        left, label = _halves(each, "FIELD.VALUE=LABEL")
        name, dot, value = left.partition(".")
        if not (name and dot and value):
            raise InputError(f"A value is given as FIELD.VALUE=LABEL; got '{each}'.")
        renamed.setdefault(name, {})[value] = label or None
    return FieldMap(
        fields=dict(_halves(each, "FIELD=KEY") for each in fields),
        values=renamed,
        tags=dict(_halves(tag, "TITLE=KEY") for tag in tags),
    )


def _halves(text: str, form: str) -> tuple[str, str]:
    left, equals, right = text.rpartition("=") if form.startswith("FIELD.") else text.partition("=")
    if not (left and equals) or (not right and not form.startswith("FIELD.")):
        raise InputError(f"Expected {form}; got '{text}'.")
    return left, right


def _value_at(record: Record, path: str) -> Any:
    if path in record:
        return record[path]
    found: Any = record
    for step in path.split("."):
        try:
            found = found[int(step)] if isinstance(found, list) else found[step]
        except (KeyError, IndexError, ValueError, TypeError):
            there = ", ".join(map(str, record)) or "nothing"
            raise InputError(f"It has no '{path}', only: {there}.") from None
    return found


def _written(value: Any) -> str:
    """A value as a mapping file writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
