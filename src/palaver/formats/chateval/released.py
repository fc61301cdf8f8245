"""`data.json`: the released data of ABC-Eval, dialogues with every annotation and the work behind it.

A section is an evaluation (or a list of them). Behaviours become questions of one option each, under
the behaviour's name; scales and comparisons keep the names they have in the buckets. Only the paper's
section has plain names: elsewhere the section stands behind them, so that those who chatted and those
who read it later are never counted together. A comparison stands in the file twice, once from each
side, and is given once.
"""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.labels import Purpose, section_ending
from palaver.core.questions import QUESTION_KINDS
from palaver.core.registry import near
from palaver.formats.chateval.finished import (
    FinishedAnswer,
    FinishedMessage,
    FinishedWork,
    Held,
    Trained,
)

ALL = "all"
SIDES = {1: "a", -1: "b", 0: "tie"}
NO_SCORE = "annotations without a score"
NO_PARTNER = "comparisons with a dialogue that is not in the section"
CONTRADICTED = "comparisons whose two directions contradict each other"
# The data call it 'emotional'; the tasks are called after 'emotion'.
STEMS = {"emotional": "emotion", "emotion aware": "emotion"}

Score = int | float | str | None


class ReleasedAnnotation(msgspec.Struct, kw_only=True):
    """One score; of a comparison also the other dialogue."""

    work_unit_id: str | int | None = None
    label: str | None = None
    score: Score = None
    dialogue_compared_to_id: str | None = None


Annotations = dict[str, list[ReleasedAnnotation]]


class TurnPair(msgspec.Struct, kw_only=True):
    """What the person said and what the system answered."""

    user_turn: str | None = None
    bot_turn: str | None = None
    likert_annotations: Annotations = {}
    behavior_annotations: Annotations = {}


class ReleasedAttempt(msgspec.Struct, kw_only=True):
    work_unit_id: str | int | None = None
    mistakes: list[int] | None = None
    performance: float | None = None
    passed: bool | None = None


class ReleasedDialogue(msgspec.Struct, kw_only=True):
    dialogue_id: str | None = None
    bot: str | None = None
    comparative_annotations: Annotations = {}
    likert_annotations: Annotations = {}
    turns: list[TurnPair] = []
    attempts: list[ReleasedAttempt] = []


class WorkUnit(msgspec.Struct, kw_only=True):
    """One piece of work of one person."""

    worker_id: str | int | None = None
    time_to_complete_sec: float | None = None
    dialogue_ids: list[str] = []
    subtask_durations: dict[str, float | None] | None = None
    completion_date: str | None = ""


class Evaluation(msgspec.Struct, kw_only=True):
    """Dialogues by id, and the work units that their annotations name."""

    dialogues: dict[str, ReleasedDialogue] = {}
    work_units: dict[str, WorkUnit] = {}


class ReleasedProject(msgspec.Struct, kw_only=True):
    annotation_pilots: list[Evaluation] = []
    annotation_pilots_onboarding: list[Evaluation] = []
    bot_pilots: list[Evaluation] = []
    extra_unused: Evaluation | None = None
    dialogue_collection: Evaluation | None = None
    student_evaluation: Evaluation | None = None
    student_onboarding: Evaluation | None = None
    student_gold_units: Evaluation | None = None
    mturk_evaluation: Evaluation | None = None
    mturk_onboarding: Evaluation | None = None
    mturk_gold_units: Evaluation | None = None
    surge_evaluation: Evaluation | None = None
    surge_onboarding: Evaluation | None = None
    surge_gold_units: Evaluation | None = None
    expert_evaluation: Evaluation | None = None


SECTIONS = ReleasedProject.__struct_fields__


def read_released(file: Path) -> ReleasedProject:
    """The file; InputError names the place where it is not what it should be."""
    try:
        content = file.read_bytes().removeprefix(b"\xef\xbb\xbf")
        project = msgspec.json.decode(content, type=ReleasedProject)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from error
    if not sections_of(project):
        raise InputError(f"{file} has none of the sections {', '.join(SECTIONS)}.")
    return project


def read_section(project: ReleasedProject, name: str) -> FinishedWork:
    """What a section gives; InputError if it is not there."""
    if name not in SECTIONS:
        hint = near(name, SECTIONS) or f" Known: {', '.join(SECTIONS)}."
        raise InputError(f"There is no section '{name}'.{hint}")
    if name not in sections_of(project):
        there = ", ".join(sections_of(project))
        raise InputError(f"The section '{name}' is empty. Sections: {there}.")
    section = getattr(project, name)
    finished = FinishedWork(source=f"ABC-Eval, {name}")
    talked = _who_talked(project)
    for n, evaluation in enumerate(_evaluations(section), start=1):
        part = f"{name}-{n}" if isinstance(section, list) else name
        _Reading(part, evaluation, talked, finished).read()
    return finished


def sections_of(project: ReleasedProject) -> list[str]:
    """The sections that hold something."""
    return [
        name
        for name in SECTIONS
        if any(each.dialogues for each in _evaluations(getattr(project, name)))
    ]


def _evaluations(section: list[Evaluation] | Evaluation | None) -> list[Evaluation]:
    if section is None:
        return []
    return section if isinstance(section, list) else [section]


def _who_talked(project: ReleasedProject) -> dict[str, str]:
    """Who held each dialogue, as far as the collection says."""
    units = project.dialogue_collection.work_units if project.dialogue_collection else {}
    return {
        id: str(unit.worker_id)
        for unit in units.values()
        for id in unit.dialogue_ids
        if unit.worker_id is not None
    }


@dataclass(slots=True)
class _Reading:
    section: str
    evaluation: Evaluation
    talked: dict[str, str]
    finished: FinishedWork
    answers: list[tuple[FinishedAnswer, str]] = field(default_factory=list)
    compared: dict[tuple[str, ...], int] = field(default_factory=dict)

    def read(self) -> None:
        for key, dialogue in self.evaluation.dialogues.items():
            id = dialogue.dialogue_id or key
            turns, answered = _turns(dialogue)
            self.finished.dialogues[id] = Held(
                id=id,
                system=dialogue.bot or "system",
                turns=turns,
                person=self.talked.get(id),
                condition=dialogue.bot or "",
            )
            for turn, place in zip(dialogue.turns, answered, strict=True):
                self._scores("likert_turn", id, turn.likert_annotations, place)
                self._scores("behaviour", id, turn.behavior_annotations, place)
            self._scores("likert", id, dialogue.likert_annotations, None)
            self._comparisons(id, dialogue.comparative_annotations)
            self.finished.trained += [self._trained(attempt) for attempt in dialogue.attempts]
        self._share_seconds()

    @property
    def purpose(self) -> Purpose:
        if "onboarding" in self.section:
            return "training"
        return "gold" if "gold" in self.section else "real"

    def _scores(self, sort: str, id: str, annotations: Annotations, turn: int | None) -> None:
        if turn is None and sort != "likert":
            return  # the system said nothing here, so nothing can be said of it
        for label, given in annotations.items():
            for annotation in given:
                score = _number(annotation.score)
                if score is None:
                    self.finished.skipped[NO_SCORE] += 1
                    continue
                answer: Any = score
                if sort == "behaviour":
                    answer = [label] if score else []
                self._add(sort, label, annotation, answer, id, turn=turn)

    def _comparisons(self, id: str, annotations: Annotations) -> None:
        for label, given in annotations.items():
            for annotation in given:
                other, score = annotation.dialogue_compared_to_id, _number(annotation.score)
                if score not in SIDES:
                    self.finished.skipped[NO_SCORE] += 1
                elif other is None or other not in self.evaluation.dialogues:
                    self.finished.skipped[NO_PARTNER] += 1
                else:
                    self._compare(label, annotation, id, other, int(score))

    def _compare(
        self, label: str, annotation: ReleasedAnnotation, id: str, other: str, score: int
    ) -> None:
        first, second = sorted((id, other))
        towards_first = score if id == first else -score
        key = (label, str(annotation.work_unit_id), first, second)
        if key not in self.compared:
            self.compared[key] = towards_first
            self._add("comparative", label, annotation, SIDES[score], id, other=other)
        elif self.compared[key] != towards_first:
            self.finished.skipped[CONTRADICTED] += 1

    def _add(
        self,
        sort: str,
        label: str,
        annotation: ReleasedAnnotation,
        answer: Any,
        id: str,
        *,
        turn: int | None = None,
        other: str | None = None,
    ) -> None:
        name = _know(self.finished, sort, label, section_ending(self.section))
        work = str(annotation.work_unit_id)
        unit = self.evaluation.work_units.get(work)
        given = FinishedAnswer(
            question=name,
            answer=answer,
            dialogue=id,
            turn=turn,
            other=other,
            rater=None if unit is None or unit.worker_id is None else str(unit.worker_id),
            work=f"{self.section}:{work}",
            purpose=self.purpose,
            section=self.section,
            time=None if unit is None else _time(unit.completion_date),
        )
        self.answers.append((given, sort))

    def _share_seconds(self) -> None:
        """Spread the time of each piece of work over the answers that it gave."""
        groups = [self._group(given, sort) for given, sort in self.answers]
        sizes = Counter(groups)
        for (given, _), group in zip(self.answers, groups, strict=True):
            seconds = self._seconds(*group)
            each = None if seconds is None else seconds / sizes[group]
            self.finished.answers.append(replace(given, seconds=each))

    def _group(self, given: FinishedAnswer, sort: str) -> tuple[str, str]:
        work = given.work.removeprefix(f"{self.section}:")
        unit = self.evaluation.work_units.get(work)
        if unit is None or not unit.subtask_durations:
            return work, ""
        if sort == "comparative":
            return work, "comparative"
        is_second = unit.dialogue_ids[1:2] == [given.dialogue]
        return work, "second_likert" if is_second else "first_likert"

    def _seconds(self, work: str, subtask: str) -> float | None:
        unit = self.evaluation.work_units.get(work)
        if unit is None:
            return None
        durations = unit.subtask_durations or {}
        seconds = durations.get(subtask) if subtask else unit.time_to_complete_sec
        # -1 says that it was not measured.
        return seconds if seconds is not None and seconds >= 0 else None

    def _trained(self, attempt: ReleasedAttempt) -> Trained:
        work = str(attempt.work_unit_id)
        unit = self.evaluation.work_units.get(work)
        return Trained(
            person=None if unit is None or unit.worker_id is None else str(unit.worker_id),
            work=f"{self.section}:{work}",
            mistakes=(tuple(attempt.mistakes or ()),),
            passed=attempt.passed,
            time=None if unit is None else _time(unit.completion_date),
        )


def _turns(dialogue: ReleasedDialogue) -> tuple[tuple[FinishedMessage, ...], list[int | None]]:
    """The messages, and for each pair the place of the system's one."""
    said: list[FinishedMessage] = []
    answered: list[int | None] = []
    for pair in dialogue.turns:
        if pair.user_turn:
            said.append(FinishedMessage(0, pair.user_turn))
        answered.append(len(said) if pair.bot_turn else None)
        if pair.bot_turn:
            said.append(FinishedMessage(1, pair.bot_turn))
    return tuple(said), answered


def _know(finished: FinishedWork, sort: str, label: str, ending: str) -> str:
    """The name of the question behind a label; its entry is made on first use."""
    stem = re.sub(r"\W+", "_", STEMS.get(label.lower(), label.lower())).strip("_") or "label"
    name = (stem if sort == "behaviour" else f"{stem}_{sort}") + ending
    if name not in finished.entries:
        entry = _entry(sort, label)
        fields = {key: value for key, value in entry.items() if key != "kind"}
        kind = QUESTION_KINDS.get(entry["kind"])
        finished.entries[name] = entry
        finished.questions[name] = msgspec.convert({**fields, "name": name}, kind)
    return name


def _entry(sort: str, label: str) -> dict[str, Any]:
    if sort == "behaviour":
        option = {"id": label, "text": label, "label": label}
        text = f"Does this reply show: {label}?"
        return {"kind": "multiselect", "text": text, "speaker": "system", "options": [option]}
    if sort == "comparative":
        return {"kind": "comparative", "text": f"Which conversation is better: {label}?"}
    about = {"speaker": "system"} if sort == "likert_turn" else {}
    return {"kind": "likert", "text": f"{label.capitalize()}, 1 to 5", "label": label, **about}


def _number(score: Score) -> int | None:
    try:
        number = float(score) if score is not None else None
    except ValueError:
        return None
    return int(number) if number is not None and number.is_integer() else None


def _time(written: str | None) -> float | None:
    try:
        return datetime.fromisoformat(written).timestamp() if written else None
    except ValueError:
        return None
