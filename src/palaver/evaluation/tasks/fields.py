"""The fields of a task file as typed fields, each checked by its own kind."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import msgspec

from palaver.core.errors import UnknownNameError
from palaver.core.registry import near
from palaver.core.tasks import FIELDS, Field, TurnProbs, Turns
from palaver.evaluation.tasks.entries import FieldEntry, TaskEntry
from palaver.formats.json_places import Steps
from palaver.formats.key_problems import KeyProblem, msgspec_problem, unknown_key

OWN = ("name", "type", "title", "about")


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a task by where they stand, and what is wrong with them."""

    context: tuple[Field, ...]
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    key_problems: list[KeyProblem]


def build_fields(entry: TaskEntry) -> Fields:
    """The fields of a task file; an output that is just a name is the input of that name."""
    key_problems: list[KeyProblem] = []
    context = _section("context", entry.context, key_problems)
    inputs = _section("input", entry.input, key_problems)
    given = {each.name: each for each in (*context, *inputs)}
    declared = {each.name for each in (*entry.context, *entry.input)}
    outputs: list[Field] = []
    for n, each in enumerate(entry.output):
        if each.type is None and each.name in given:
            outputs.append(given[each.name])
        elif each.type is None and each.name in declared:
            continue  # its own problem is told already
        elif each.type is None:
            message = f"There is no input or context '{each.name}'.{near(each.name, given)}"
            key_problems.append(KeyProblem(("output", n), f"{message} Give it a 'type'."))
        else:
            outputs += _built("output", n, each, key_problems)
    found = Fields(context, inputs, tuple(outputs), key_problems)
    key_problems += _name_problems(found)
    return found


def field_data(field: Field) -> dict[str, Any]:
    """A field as a task file writes it; what has its default is left out."""
    found: dict[str, Any] = {"name": field.name, "type": field.kind}
    for each in fields(field):
        value = getattr(field, each.name)
        if each.name != "name" and value != each.default:
            found[each.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    """Lists for tuples, also inside a mapping."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _section(
    section: str, entries: list[FieldEntry], key_problems: list[KeyProblem]
) -> tuple[Field, ...]:
    found: list[Field] = []
    for n, each in enumerate(entries):
        if each.type is None:
            key_problems.append(
                KeyProblem((section, n), f"The field '{each.name}' needs a 'type'.")
            )
        else:
            found += _built(section, n, each, key_problems)
    return tuple(found)


def _built(
    section: str, n: int, entry: FieldEntry, key_problems: list[KeyProblem]
) -> Iterator[Field]:
    """The field, unless its kind has problems."""
    try:
        kind = FIELDS.get(str(entry.type))
    except UnknownNameError as error:
        key_problems.append(KeyProblem((section, n, "type"), str(error)))
        return
    known = [field.name for field in fields(kind)]
    strange = [unknown_key(key, [*OWN, *known]) for key in entry.options if key not in known]
    if strange:
        key_problems += [problem.under(section, n) for problem in strange]
        return
    given = {"name": entry.name, "title": entry.title, "about": entry.about, **entry.options}
    try:
        yield msgspec.convert(given, kind, strict=True)
    except msgspec.ValidationError as error:
        key_problems.append(_problem(error, section, n, given))


def _name_problems(found: Fields) -> Iterator[KeyProblem]:
    """Names that stand twice, outputs that differ from their inputs, references that lead nowhere."""
    seen: dict[str, Field] = {}
    for section, group in (("context", found.context), ("input", found.inputs)):
        for n, each in enumerate(group):
            if each.name in seen:
                yield KeyProblem((section, n), f"The field '{each.name}' is listed twice.")
            seen[each.name] = each
    named: set[str] = set()
    for n, each in enumerate(found.outputs):
        if each.name in named:
            yield KeyProblem(("output", n), f"The output '{each.name}' is listed twice.")
        if each.name in seen and each != seen[each.name]:
            yield KeyProblem(
                ("output", n),
                f"The output '{each.name}' differs from the input of that name. Write just "
                f"'{each.name}'.",
            )
        named.add(each.name)
    yield from _reference_problems(found, {*seen, *named})


def _reference_problems(found: Fields, names: set[str]) -> Iterator[KeyProblem]:
    sections = {"context": found.context, "input": found.inputs, "output": found.outputs}
    named = {each.name: each for group in sections.values() for each in group}
    for section, group in sections.items():
        for n, each in enumerate(group):
            for name in each.refers_to:
                if name not in names:
                    message = f"Field '{each.name}' refers to '{name}', which is not a field."
                    yield KeyProblem((section, n, "reference"), message + near(name, names))
                elif isinstance(each, TurnProbs):
                    yield from _dialogue_problems(each, named.get(name), (section, n))


def _dialogue_problems(field: TurnProbs, dialogue: Field | None, at: Steps) -> Iterator[KeyProblem]:
    """Whether the turns that distributions are about are turns, and of speakers with labels."""
    if not isinstance(dialogue, Turns):
        message = f"Field '{field.name}' refers to '{field.reference}', which does not hold turns."
        yield KeyProblem((*at, "reference"), message)
        return
    for speaker in dialogue.speakers:
        if speaker not in field.labels:
            message = f"Field '{field.name}' has no labels for the speaker '{speaker}'."
            yield KeyProblem((*at, "labels"), message)
    if not dialogue.speakers:
        message = (
            f"Field '{field.name}' has labels by speaker, but '{dialogue.name}' does not list its "
            f"speakers. Add to it: speakers: [{', '.join(field.labels)}]."
        )
        yield KeyProblem((*at, "labels"), message)


def _problem(
    error: msgspec.ValidationError, section: str, n: int, given: dict[str, Any]
) -> KeyProblem:
    text = str(error)
    if "missing required field" in text:
        name = text.split("`")[1]
        return KeyProblem((section, n), f"The field '{given['name']}' needs '{name}'.")
    if " - at " not in text:  # the kind's own words
        return KeyProblem((section, n), f"Field '{given['name']}': {text}")
    found = msgspec_problem(error, section, given)
    return KeyProblem((section, n, *found.steps[1:]), found.message)
