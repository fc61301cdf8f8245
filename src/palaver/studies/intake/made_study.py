"""The study that is made of imported work: it holds the questions, and nothing is collected with it."""

from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError, StudyError
from palaver.core.studies.progress import StoredStudy
from palaver.formats.marked_yaml import parse_marked
from palaver.storage.studies.studies import list_studies
from palaver.studies.intake.study_folder import study_text

# By its first line a definition that was made here is known; it may be made again.
MADE_HERE = "Made by 'palaver import': a record of work that was done elsewhere."


def stored_study(connection: Connection, name: str) -> StoredStudy | None:
    """The study of this name, where there is one."""
    return next((study for study in list_studies(connection) if study.name == name), None)


def questions_in(definition: str) -> dict[str, Any]:
    """The entries of the questions that a stored study file declares, by name."""
    try:
        questions = parse_marked(definition.encode(), file="study.yaml").data.get("questions", {})
    except StudyError as error:
        raise InputError(f"The stored study cannot be read: {error}") from error
    return dict(questions) if isinstance(questions, dict) else {}


def made_definition(name: str, questions: dict[str, Any]) -> str:
    """A study file that says what was asked, and that nothing can be collected with."""
    source = {"unconfigured": "this study holds imported work; nothing is collected with it"}
    ask = list(questions)
    stage = {"rate": {"ask": ask, "data": source}} if ask else None
    return study_text(
        [MADE_HERE],
        [
            ("title", name, []),
            ("name", name, []),
            ("questions", questions, []),
            ("stages", [stage] if stage else [], []),
        ],
    )
