"""The training of a screen stage: a set that ships with Palaver or a file, read and checked."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palaver.core.errors import StudyError
from palaver.core.questions.question import Question
from palaver.core.registry import near
from palaver.formats.dialogue_texts import PartRecord
from palaver.formats.excel import is_excel, read_excel
from palaver.formats.json_places import place_of
from palaver.formats.line_problems import LineProblems, Locate, decode_document
from palaver.formats.marked_yaml import parse_marked
from palaver.formats.training import TrainingSet, read_training
from palaver.studies.intake.judged_files import Order, PlannedSheet, SheetPurpose
from palaver.studies.intake.right_answers import Whys, truth_of

# A clause of a definition is an item of a list that begins with its name: "- **Insult.** It …".
_CLAUSE = re.compile(r"^[-*] \*\*(.+?)[.:]?\*\*", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """A training set with the question that it teaches; one sheet per round."""

    stage: int
    file_name: str
    question: Question
    training: TrainingSet
    digest: str
    purpose: SheetPurpose = "training"
    order: Order = "file"
    seed: int = 1

    @property
    def questions(self) -> Mapping[str, Question]:
        return {self.question.name: self.question}

    def sheets(self) -> Iterator[PlannedSheet]:
        """The rounds, in order."""
        for number, text in enumerate(self.training.rounds):
            part = PartRecord(dialogues=(text,), ask=(self.question.name,))
            yield PlannedSheet(
                name=text.id, group=text.id, position=number, people=(), needed=1, parts=(part,)
            )


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """A training set as read, and where its parts stand in the file."""

    training: TrainingSet
    locate: Locate


def read_training_file(path: Path, line_problems: LineProblems) -> TrainingFile | None:
    """The training set in a file: YAML of ours, or JSON or Excel of the ChatEvaluationPlatform."""
    if is_excel(path):
        sheets = read_excel(path, "onboarding", line_problems)
        return None if sheets is None else TrainingFile(sheets.training(), sheets.locate)
    content = path.read_bytes()
    locate: Locate
    if path.suffix.lower() == ".json":
        data = decode_document(content, line_problems)
        locate = partial(place_of, content.decode("utf-8-sig", "replace"))
    else:
        try:
            marked = parse_marked(content, file=line_problems.file)
        except StudyError as error:
            for problem in error.problems:
                line_problems.add(problem.message, line=problem.line, column=problem.column)
            return None
        data, locate = marked.data, marked.locate
    if line_problems.has_errors:
        return None
    training = read_training(data, line_problems, locate)
    if training is None or line_problems.has_errors:
        return None
    return TrainingFile(training, locate)


def check_training(found: TrainingFile, question: Question, line_problems: LineProblems) -> None:
    """Complain of every turn whose ground truth is missing or is no answer to the question."""
    if question.about != "turn":
        line_problems.add(
            f"Question '{question.name}' is about whole dialogues; training teaches a question "
            "about turns ('speaker' or 'indices')."
        )
        return
    whys: Whys = "required" if found.training.must_explain else "advised"
    for text in found.training.rounds:
        grounding = truth_of(text.dialogue(text.id), question, text, whys=whys)
        for problem in grounding.key_problems:
            line, column = found.locate(problem.steps)
            say = line_problems.warn if problem.warning else line_problems.add
            say(problem.message, line=line, column=column)
        if not grounding.key_problems and not grounding.truth.answers:
            line, column = found.locate(text.steps)
            message = f"'{text.id}' has no turn that question '{question.name}' is asked of."
            line_problems.add(message, line=line, column=column)
    known = clause_names(question)
    for steps, names in found.training.clauses.items():
        for name in (name for name in names if name not in known):
            line, column = found.locate((*steps, "clause"))
            message = f"The definition of question '{question.name}' has no clause '{name}'."
            line_problems.add(message + near(name, known), line=line, column=column)


def clause_names(question: Question) -> tuple[str, ...]:
    """The clauses of a question's definition, as training names them: in small letters, in order."""
    return tuple(name.lower() for name in _CLAUSE.findall(question.definition))
