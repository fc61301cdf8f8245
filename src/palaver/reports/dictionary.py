"""The data dictionary of an export: what each column means, and what each question asked.

It is made of what the records say of their own fields (`core.columns`), of the columns of the schema,
and of the questions themselves; nothing is described a second time here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palaver.core.columns import Column, DescribedFile
from palaver.core.questions import Question
from palaver.core.questions.question import CodedValue, spoken
from palaver.reports.masks import Masking
from palaver.reports.source import StudySource, read_questions

PAGE = "DICTIONARY.md"
DATA = "dictionary.json"

_INTRODUCTION = """\
# Data dictionary

Every file and column of this export, and every question that its answers are about. Times are seconds
since 1970 (UTC). An empty cell, or `null`, is a missing value. `dictionary.json` says the same to
programs.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedQuestion:
    """A question of a study, with every value that an answer to it is made of."""

    study: str
    question: str
    version: str
    kind: str
    about: str
    level: str
    text: str
    stored_as: str
    values: tuple[CodedValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dictionary:
    """What is in an export; `unreadable` studies have a definition that cannot be read.

    `masking` says what was masked; None if nothing was to be.
    """

    files: tuple[DescribedFile, ...]
    questions: tuple[DescribedQuestion, ...]
    unreadable: tuple[str, ...]
    masking: Masking | None = None


def dictionary_of(source: StudySource, files: Sequence[DescribedFile]) -> Dictionary:
    """The dictionary of an export that has these files."""
    read = [(study.name, read_questions(study)) for study in source.studies()]
    return Dictionary(
        files=tuple(files),
        questions=tuple(
            _described(study, question)
            for study, found in read
            for question in found.questions.values()
        ),
        unreadable=tuple(study for study, found in read if not found.readable),
        masking=source.masks.masking() if source.masks else None,
    )


def write_dictionary(found: Dictionary, folder: Path) -> None:
    """Write the dictionary for people and for programs."""
    (folder / PAGE).write_text("\n".join(_page(found)) + "\n", encoding="utf-8")
    encoded = msgspec.json.format(msgspec.json.encode(found), indent=2)
    (folder / DATA).write_bytes(encoded + b"\n")


def _described(study: str, question: Question) -> DescribedQuestion:
    return DescribedQuestion(
        study=study,
        question=question.name,
        version=question.version,
        kind=question.kind,
        about=question.about,
        level=question.level,
        text=spoken(question.text),
        stored_as=question.stored_as,
        values=question.codebook,
    )


# --- For people -----------------------------------------------------------------------------------


def _page(found: Dictionary) -> Iterator[str]:
    yield _INTRODUCTION
    if found.masking is not None:
        yield from _masking(found.masking)
    for file in found.files:
        yield f"## {file.name}\n"
        yield f"One row is {file.row}.\n"
        yield from _table(("column", "type", "meaning"), map(_row, file.columns))
    if found.questions:
        yield "## Questions\n"
        yield (
            "What raters were asked, as it stands now, and what is stored for their answers. Answers "
            "that carry another version were given to an older wording.\n"
        )
    for question in found.questions:
        yield from _question(question)
    for study in found.unreadable:
        yield f"The stored definition of the study {_code(study)} cannot be read in full.\n"


def _masking(masking: Masking) -> Iterator[str]:
    yield "## Masking\n"
    yield (
        "What was said and answered is masked: a detail that was found is replaced by its kind, such as "
        f"`[email]`. Masked: {masking.in_words()}. It is a net, not anonymisation: some details slip "
        "through, and these were not looked for:\n"
    )
    yield "\n".join(f"- {kind}" for kind in masking.not_looked_for) + "\n"


def _row(column: Column) -> tuple[str, str, str]:
    kind = f"{column.type} or null" if column.optional else column.type
    return _code(column.name), kind, column.meaning


def _question(question: DescribedQuestion) -> Iterator[str]:
    yield f"### {_line(question.question)} ({_line(question.study)})\n"
    yield f"> {_line(question.text) or '(no text)'}\n"
    facts = {
        "kind": question.kind,
        "judges": question.about,
        "measurement level": question.level,
        "version": question.version,
        "stored value": question.stored_as,
    }
    yield "\n".join(f"- {name}: {said}" for name, said in facts.items()) + "\n"
    if question.values:
        parted = any(value.of for value in question.values)
        head = ("of", "value", "what raters read", "label")[0 if parted else 1 :]
        yield from _table(head, (_value(value, parted) for value in question.values))


def _value(value: CodedValue, parted: bool) -> tuple[str, ...]:
    cells = (_code(str(value.value)), value.text, _code(value.label) if value.label else "")
    return (_code(value.of), *cells) if parted else cells


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"
    yield ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def _code(text: str) -> str:
    # A backtick inside of code cannot be escaped.
    return f"`{text}`" if text and "`" not in text else text
