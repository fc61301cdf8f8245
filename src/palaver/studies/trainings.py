"""The training of a screen stage: a set that ships with Palaver or a file, read and checked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palaver.core.errors import StudyError
from palaver.core.questions.question import Question
from palaver.formats.complaints import Complaints, Locate
from palaver.formats.dialogue_texts import PartRecord
from palaver.formats.json_places import place_of
from palaver.formats.marked_yaml import parse_marked
from palaver.formats.rater_counts import decode_document
from palaver.formats.training import TrainingSet, read_training
from palaver.studies.judged_files import Order, PlannedSheet, SheetPurpose
from palaver.studies.truths import Whys, truth_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """A training set with the question that it teaches; one sheet per round."""

    stage: int
    question: Question
    training: TrainingSet
    digest: str
    purpose: SheetPurpose = "training"
    order: Order = "file"
    seed: int = 1

    @property
    def questions(self) -> Mapping[str, Question]:
        """The one question."""
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


def read_training_file(path: Path, complaints: Complaints) -> TrainingFile | None:
    """The training set in a file, YAML of ours or JSON of the ChatEvaluationPlatform."""
    content = path.read_bytes()
    locate: Locate
    if path.suffix.lower() == ".json":
        data = decode_document(content, complaints)
        locate = partial(place_of, content.decode("utf-8-sig", "replace"))
    else:
        try:
            marked = parse_marked(content, file=complaints.file)
        except StudyError as error:
            for problem in error.problems:
                complaints.add(problem.message, line=problem.line, column=problem.column)
            return None
        data, locate = marked.data, marked.locate
    if complaints.has_errors:
        return None
    training = read_training(data, complaints, locate)
    if training is None or complaints.has_errors:
        return None
    return TrainingFile(training, locate)


def check_training(found: TrainingFile, question: Question, complaints: Complaints) -> None:
    """Complain of every turn whose ground truth is missing or is no answer to the question."""
    if question.about != "turn":
        complaints.add(
            f"Question '{question.name}' is about whole dialogues; training teaches a question "
            "about turns ('speaker' or 'indices')."
        )
        return
    whys: Whys = "required" if found.training.must_explain else "advised"
    for text in found.training.rounds:
        grounding = truth_of(text.dialogue(text.id), question, text, whys=whys)
        for fault in grounding.faults:
            line, column = found.locate(fault.steps)
            say = complaints.warn if fault.warning else complaints.add
            say(fault.message, line=line, column=column)
        if not grounding.faults and not grounding.truth.answers:
            line, column = found.locate(text.steps)
            message = f"'{text.id}' has no turn that question '{question.name}' is asked of."
            complaints.add(message, line=line, column=column)
