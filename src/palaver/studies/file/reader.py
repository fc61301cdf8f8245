"""Study files read and checked: the door between `study.yaml` and everything else.

`load_study` reads a file, checks it and gives back a frozen `Study`, or raises StudyError with
every problem it found. `read_study` tells the same without raising, for those who check further.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from palaver.core.errors import InputError, Problem, StudyError
from palaver.formats.key_problems import (
    KeyProblem,
    known_keys,
    place_problems,
    pydantic_problems,
    unknown_key,
)
from palaver.formats.marked_yaml import Marked, parse_marked, read_marked
from palaver.studies.file.contradictions import study_problems
from palaver.studies.file.definition import Study
from palaver.studies.file.questions import add_built_in, build_questions
from palaver.studies.file.references import option_problems, reference_problems
from palaver.studies.home import STUDY_FILE
from palaver.studies.stages import AnyStage, ChatStage, Stage
from palaver.studies.stages.games import game_problems, with_surveys


@dataclass(frozen=True, slots=True)
class ReadStudy:
    """A study file as read: the study if it could be built, and every problem found."""

    marked: Marked
    study: Study | None
    key_problems: list[KeyProblem]

    @property
    def problems(self) -> list[Problem]:
        """The problems with line and column, in the order of the file."""
        return place_problems(self.marked, self.key_problems)


def read_study(path: Path) -> ReadStudy:
    """The study file at `path` (a folder or the file); StudyError only if it is not YAML."""
    file = path / STUDY_FILE if path.is_dir() else path
    return _reading(file, read_marked(file))


def read_study_text(text: str, file: Path) -> ReadStudy:
    """The same of a text that is to stand at `file`; StudyError only if it is not YAML."""
    return _reading(file, parse_marked(text.encode(), file=str(file)))


def _reading(file: Path, marked: Marked) -> ReadStudy:
    data = with_surveys(marked.data)
    asked = add_built_in(build_questions(data.get("questions", {})), data)
    given = {"name": _default_name(file), **data, "questions": asked.questions}
    own = {"file": file, "digest": marked.digest}
    key_problems = [*asked.key_problems, *reference_problems(data), *_stage_problems(data)]
    key_problems += option_problems(data.get("systems"))
    key_problems += game_problems(data.get("stages"), stage=ChatStage.model_fields)
    key_problems += [unknown_key(key, known_keys(Study, ())) for key in own.keys() & data.keys()]
    try:
        study = Study.model_validate({**given, **own})
    except ValidationError as error:
        return ReadStudy(marked, None, [*key_problems, *pydantic_problems(error, Study)])
    return ReadStudy(marked, study, [*key_problems, *study_problems(study)])


def load_study(path: Path) -> Study:
    """The study in a folder or file; StudyError with every problem otherwise."""
    return _sound(read_study(path))


def load_study_text(text: str, file: Path) -> Study:
    """The study of a text that is to stand at `file`; StudyError with every problem otherwise."""
    return _sound(read_study_text(text, file))


def _sound(reading: ReadStudy) -> Study:
    problems = [problem for problem in reading.problems if not problem.warning]
    if problems or reading.study is None:
        raise StudyError(problems)
    return reading.study


def load_only_study(path: Path) -> Study:
    """The study at `path`, or the only one in its folders; InputError where there are several."""
    files = study_files(path)
    if len(files) > 1:
        folders = ", ".join(str(file.parent) for file in files)
        raise InputError(f"There are several studies in {path}; give one of them: {folders}.")
    return load_study(files[0])


def load_studies(path: Path) -> list[Study]:
    """The study at `path`, or those in its folders, by folder name."""
    files = study_files(path)
    studies: list[Study] = []
    problems: list[Problem] = []
    for file in files:
        try:
            study = load_study(file)
        except StudyError as error:
            problems += error.problems
            continue
        problems += _name_taken(study, studies)
        studies.append(study)
    if problems:
        raise StudyError(problems)
    return studies


def study_files(path: Path) -> list[Path]:
    """The study files meant by a file, a study folder or a folder of study folders."""
    if not path.is_dir():
        return [path]
    if (path / STUDY_FILE).exists():
        return [path / STUDY_FILE]
    files = sorted(path.glob(f"*/{STUDY_FILE}"))
    if not files:
        message = f"There is no {STUDY_FILE} here or in the folders directly below."
        raise StudyError([Problem(str(path), 0, 0, message)])
    return files


def _name_taken(study: Study, earlier: list[Study]) -> Iterator[Problem]:
    for other in earlier:
        if other.name == study.name:
            line, column = read_marked(study.file).locate(("name",))
            message = (
                f"The name '{study.name}' is already used by {other.file}. Set another 'name'."
            )
            yield Problem(str(study.file), line, column, message)


def _stage_problems(data: dict[str, Any]) -> Iterator[KeyProblem]:
    """What is wrong with each stage that can be read, whether or not the others can."""
    stages = data.get("stages")
    for i, given in enumerate(stages if isinstance(stages, list) else []):
        try:
            stage: AnyStage = TypeAdapter(Stage).validate_python(given)
        except ValidationError:  # reported when the whole study is validated
            continue
        for problem in stage.key_problems():
            yield problem.under("stages", i, stage.kind)


def _default_name(file: Path) -> str:
    folder = file.resolve().parent.name.lower()
    return re.sub(r"[^a-z0-9]+", "-", folder).strip("-")[:64] or "study"
