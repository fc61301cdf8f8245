"""From the `questions` of a study file, and those built in, to the questions of the core.

The kind of a question is looked up by name and knows its own fields; nothing here lists kinds.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from palaver.core.errors import UnknownNameError
from palaver.core.questions import QUESTION_KINDS, Question
from palaver.core.registry import near
from palaver.formats.key_problems import KeyProblem, msgspec_problem, takes, unknown_key
from palaver.studies import library
from palaver.studies.file.references import questions_mentioned
from palaver.studies.library.catalogue import QUESTIONS
from palaver.studies.stages.games import survey_questions, with_surveys
from palaver.studies.stages.parts import check_name

_ENTRY = re.compile(r"^(?=[A-Za-z])", re.MULTILINE)


@dataclass(slots=True)
class BuiltQuestions:
    """The questions that could be built, and what is wrong with the others."""

    questions: dict[str, Question] = field(default_factory=dict)
    key_problems: list[KeyProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """The questions of one file, and what its first line says of them."""

    name: str
    title: str
    questions: tuple[Question, ...]


def build_questions(declared: Any) -> BuiltQuestions:
    """The questions declared under `questions`, by name."""
    asked = BuiltQuestions()
    if not isinstance(declared, dict):
        wrong = takes(("questions",), "a mapping (name: question)", declared)
        asked.key_problems.append(KeyProblem(("questions",), wrong))
        return asked
    for name, given in declared.items():
        key_problems = list(_question_problems(name, given))
        asked.key_problems += [problem.under("questions", name) for problem in key_problems]
        if not key_problems:
            asked.questions[name] = _convert(name, given)
    return asked


def add_built_in(asked: BuiltQuestions, data: dict[str, Any]) -> BuiltQuestions:
    """The same with questions that the stages ask for and the file leaves to games or Palaver."""
    declared, stages = data.get("questions"), with_surveys(data).get("stages")
    own = declared if isinstance(declared, dict) else {}
    surveys = survey_questions(stages)
    for stage in stages if isinstance(stages, list) else []:
        for _, name in questions_mentioned(stage):
            if name not in own and name not in asked.questions:
                question = surveys.get(name) or built_in_question(name)
                if question is not None:
                    asked.questions[name] = question
    return asked


def built_in_question(name: str) -> Question | None:
    """A question that ships with Palaver, or None."""
    entry = library.question_entry(name)
    return None if entry is None else _convert(name, entry)


def built_in_groups() -> list[QuestionGroup]:
    """The built-in questions, file by file, in the order in which they stand there."""
    return [
        QuestionGroup(file, _title(file), tuple(find_built_in(name) for name in names))
        for file, names in library.questions_by_file().items()
    ]


def find_built_in(name: str) -> Question:
    """The built-in question of this name; UnknownNameError with what it may have meant."""
    question = built_in_question(name)
    if question is None:
        hint = near(name, library.question_names())
        raise UnknownNameError(f"No built-in question '{name}'.{hint} See: palaver questions.")
    return question


def entry_text(name: str) -> str:
    """A built-in question as it would stand in a study file, `questions:` included."""
    find_built_in(name)
    files = (_text(file) for file in library.questions_by_file())
    entries = (entry for text in files for entry in _ENTRY.split(text))
    entry = next(entry for entry in entries if entry.startswith(f"{name}:"))
    return "questions:\n" + textwrap.indent(entry.rstrip() + "\n", "  ")


def training_for(question: str) -> list[str]:
    """The built-in training sets that teach a question."""
    return [name for name in library.training_names() if library.trained_question(name) == question]


def _question_problems(name: str, given: Any) -> Iterator[KeyProblem]:
    try:
        check_name(name)
    except ValueError as error:
        yield KeyProblem((), str(error), at_key=True)
    if not isinstance(given, dict):
        yield KeyProblem((), takes((name,), "a mapping (key: value)", given))
        return
    kind = given.get("kind")
    if not isinstance(kind, str):
        known = ", ".join(QUESTION_KINDS.names())
        yield KeyProblem(("kind",), f"Question '{name}' needs a 'kind': one of {known}.")
        return
    try:
        fields = _fields(QUESTION_KINDS.get(kind))
    except UnknownNameError as error:
        yield KeyProblem(("kind",), str(error))
        return
    wrong = [*_key_problems(given, fields), *_value_problems(given, fields)]
    yield from wrong or _whole_problems(name, given)


def _fields(kind: type[Any]) -> dict[str, msgspec.structs.FieldInfo]:
    """What one may set; the name is the key under which the question stands."""
    return {info.encode_name: info for info in msgspec.structs.fields(kind) if info.name != "name"}


def _key_problems(
    given: dict[str, Any], fields: dict[str, msgspec.structs.FieldInfo]
) -> Iterator[KeyProblem]:
    for key in given:
        if key != "kind" and key not in fields:
            yield unknown_key(key, ["kind", *fields])
    for key, info in fields.items():
        if info.required and key not in given:
            yield KeyProblem((), f"'{key}' is missing.")


def _value_problems(
    given: dict[str, Any], fields: dict[str, msgspec.structs.FieldInfo]
) -> Iterator[KeyProblem]:
    for key, info in fields.items():
        if key not in given:
            continue
        try:
            msgspec.convert(given[key], info.type)
        except msgspec.ValidationError as error:
            yield msgspec_problem(error, key, given[key])
        else:
            if info.type is str and not given[key].strip() and info.required:
                yield KeyProblem((key,), f"'{key}' is empty.")


def _whole_problems(name: str, given: dict[str, Any]) -> Iterator[KeyProblem]:
    """What a kind says about its fields taken together."""
    try:
        _convert(name, given)
    except msgspec.ValidationError as error:
        yield KeyProblem((), f"Question '{name}': {error}")


def _convert(name: str, given: dict[str, Any]) -> Question:
    options = {key: value for key, value in given.items() if key != "kind"}
    question: Question = msgspec.convert(
        {**options, "name": name}, QUESTION_KINDS.get(given["kind"])
    )
    return question


def _title(file: str) -> str:
    return _text(file).partition("\n")[0].lstrip("# ")


def _text(file: str) -> str:
    return (QUESTIONS / f"{file}.yaml").read_text(encoding="utf-8")
