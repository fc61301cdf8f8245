"""The questions of a stored study, read from the definition as it was last served."""

from dataclasses import dataclass

import msgspec

from palaver.core.errors import StudyError
from palaver.core.questions import Question
from palaver.core.records import QuestionRecord
from palaver.core.studies.progress import StoredStudy
from palaver.formats.marked_yaml import parse_marked
from palaver.studies.file.questions import add_built_in, build_questions


@dataclass(frozen=True, slots=True)
class StoredQuestions:
    """The questions by name; `readable` is false if the definition, or one of them, is broken."""

    questions: dict[str, Question]
    readable: bool


def read_questions(study: StoredStudy) -> StoredQuestions:
    """The questions that a study's stored definition declares or takes from the library."""
    try:
        marked = parse_marked(study.definition.encode(), file=study.name)
    except StudyError:
        return StoredQuestions({}, readable=False)
    asked = add_built_in(build_questions(marked.data.get("questions", {})), marked.data)
    return StoredQuestions(asked.questions, readable=not asked.key_problems)


def question_record(study: str, question: Question) -> QuestionRecord:
    """A question as a record."""
    said = msgspec.to_builtins(question, str_keys=True)
    # The tag that tells structs apart and the name stand in columns of their own.
    definition = {key: value for key, value in said.items() if key not in ("type", "name")}
    return QuestionRecord(
        study=study,
        question=question.name,
        question_version=question.version,
        kind=question.kind,
        about=question.about,
        level=question.level,
        labels=list(question.label_names),
        text=question.text,
        definition={"kind": question.kind, **definition},
    )
