"""The built-in questions as somebody reads them who is choosing: by file, and as text to copy."""

import re
import textwrap
from dataclasses import dataclass

from palaver.core.errors import UnknownNameError
from palaver.core.questions import Question
from palaver.core.registry import near
from palaver.studies import library
from palaver.studies.file.questions import built_in_question
from palaver.studies.library.catalogue import QUESTIONS

_ENTRY = re.compile(r"^(?=[A-Za-z])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Group:
    """The questions of one file, and what its first line says of them."""

    name: str
    title: str
    questions: tuple[Question, ...]


def groups() -> list[Group]:
    """The built-in questions, file by file, in the order in which they stand there."""
    return [
        Group(file, _title(file), tuple(find(name) for name in names))
        for file, names in library.questions_by_file().items()
    ]


def find(name: str) -> Question:
    """The built-in question of this name; UnknownNameError with what it may have meant."""
    question = built_in_question(name)
    if question is None:
        hint = near(name, library.question_names())
        raise UnknownNameError(f"No built-in question '{name}'.{hint} See: palaver questions.")
    return question


def entry_text(name: str) -> str:
    """A built-in question as it would stand in a study file, `questions:` included."""
    find(name)
    files = (_text(file) for file in library.questions_by_file())
    entries = (entry for text in files for entry in _ENTRY.split(text))
    entry = next(entry for entry in entries if entry.startswith(f"{name}:"))
    return "questions:\n" + textwrap.indent(entry.rstrip() + "\n", "  ")


def training_for(question: str) -> list[str]:
    """The built-in training sets that teach a question."""
    return [name for name in library.training_names() if library.trained_question(name) == question]


def _title(file: str) -> str:
    return _text(file).partition("\n")[0].lstrip("# ")


def _text(file: str) -> str:
    return (QUESTIONS / f"{file}.yaml").read_text(encoding="utf-8")
