"""A study as a Label Studio project: `tasks.json` to import and `config.xml` to set it up with.

People, anonymous and simulated raters give annotations, model judges predictions. Only answers that
stand and were given for real become results; the others are counted as `labels_left_out`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.columns import described_records
from palaver.core.questions import Question
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.formats.json_files import write_array
from palaver.formats.label_studio import (
    DIALOGUE,
    SECOND,
    CompletedBy,
    Paragraph,
    StudioAnnotation,
    StudioPrediction,
    StudioResult,
    StudioTask,
    TaskMeta,
    moment,
    paragraphs,
    results,
    turn_region,
)
from palaver.formats.label_studio_config import config
from palaver.reports.export import Counts, ExportFormat, safe_name
from palaver.reports.source import LabelledDialogues, StudySource, read_questions


@dataclass(slots=True)
class _Project:
    """One study on its way into a file: its questions, its raters by number, what was written."""

    questions: dict[str, Question]
    compares: bool
    raters: dict[str, int] = field(default_factory=dict)
    tasks: int = 0
    pairs: int = 0
    annotations: int = 0
    predictions: int = 0
    left_out: int = 0

    def task(self, labelled: LabelledDialogues) -> StudioTask:
        """The next task, with everything that was said of it."""
        self.tasks += 1
        self.pairs += len(labelled.dialogues) == 2
        shown = [paragraphs(record.dialogue()) for record in labelled.dialogues]
        given = self._by_rater(labelled)
        judges = {rater: labels for rater, labels in given.items() if _is_model(labels)}
        others = {rater: labels for rater, labels in given.items() if rater not in judges}
        return StudioTask(
            id=self.tasks,
            data=self._data(labelled.dialogues, shown),
            meta=_meta(labelled),
            annotations=[self._annotation(r, labels, shown[0]) for r, labels in others.items()],
            predictions=[self._prediction(r, labels, shown[0]) for r, labels in judges.items()],
        )

    def _data(
        self, dialogues: tuple[DialogueRecord, ...], shown: list[list[Paragraph]]
    ) -> dict[str, Any]:
        meta = {"study": dialogues[0].study, "dialogues": [record.id for record in dialogues]}
        data: dict[str, Any] = {DIALOGUE: shown[0], "meta": meta}
        if self.compares or len(shown) == 2:
            # The configuration shows both; Label Studio refuses a task without one of them.
            data[SECOND] = shown[1] if len(shown) == 2 else []
        return data

    def _by_rater(self, labelled: LabelledDialogues) -> dict[str, list[LabelRecord]]:
        """Each rater's answers that stand, abstentions included; the others are counted."""
        given: dict[str, list[LabelRecord]] = {}
        for label in labelled.labels:
            if label.superseded or label.erased or label.purpose != "real":
                self.left_out += 1
            else:
                self.left_out += label.abstained
                given.setdefault(label.rater, []).append(label)
        return given

    def _annotation(
        self, rater: str, labels: list[LabelRecord], shown: list[Paragraph]
    ) -> StudioAnnotation:
        self.annotations += 1
        number = self.raters.setdefault(rater, len(self.raters) + 1)
        seconds = [label.seconds for label in labels if label.seconds is not None]
        return StudioAnnotation(
            id=self.annotations,
            result=self._results(labels, shown),
            completed_by=CompletedBy(number, f"{rater}@raters.invalid"),
            was_cancelled=all(label.value is None for label in labels),
            lead_time=sum(seconds) if seconds else None,
            created_at=moment(min(label.time for label in labels)),
            updated_at=moment(max(label.time for label in labels)),
        )

    def _prediction(
        self, rater: str, labels: list[LabelRecord], shown: list[Paragraph]
    ) -> StudioPrediction:
        self.predictions += 1
        return StudioPrediction(
            id=self.predictions,
            result=self._results(labels, shown),
            model_version=rater,
            created_at=moment(max(label.time for label in labels)),
        )

    def _results(self, labels: list[LabelRecord], shown: list[Paragraph]) -> list[StudioResult]:
        found: list[StudioResult] = []
        for number, label in enumerate(labels, start=1):
            if label.value is not None:
                question = self.questions.get(label.question)
                found += results(label, question, shown, number=number)
        turns = {result.id for result in found if result.id.startswith("t")}
        regions = [turn_region(n, each) for n, each in enumerate(shown) if f"t{n}" in turns]
        return regions + found


def _meta(labelled: LabelledDialogues) -> TaskMeta:
    return TaskMeta(
        conditions=[record.condition for record in labelled.dialogues],
        names=[record.name for record in labelled.dialogues],
        source_ids=[record.source_id for record in labelled.dialogues],
        items=list(dict.fromkeys(label.item for label in labelled.labels if label.item)),
        raters={label.rater: label.rater_name for label in labelled.labels},
    )


def _is_model(labels: list[LabelRecord]) -> bool:
    return labels[0].rater_kind == "model"


def _write(source: StudySource, folder: Path) -> Counts:
    counts = dict.fromkeys(
        ("dialogues", "pairs", "annotations", "predictions", "labels_left_out"), 0
    )
    for study in source.studies():
        inside = folder if source.study is not None else folder / safe_name(study.name)
        inside.mkdir(exist_ok=True)
        questions = read_questions(study).questions
        compares = any(question.about == "pair" for question in questions.values())
        project = _Project(questions, compares)
        with (inside / "tasks.json").open("wb") as stream:
            write_array(_tasks(source.of(study), project), stream)
        (inside / "config.xml").write_text(config(questions.values()), encoding="utf-8")
        counts["dialogues"] += project.tasks - project.pairs
        counts["pairs"] += project.pairs
        counts["annotations"] += project.annotations
        counts["predictions"] += project.predictions
        counts["labels_left_out"] += project.left_out
    return counts


def _tasks(source: StudySource, project: _Project) -> Iterator[msgspec.Struct]:
    for labelled in source.labelled_dialogues():
        yield project.task(labelled)
    for labelled in source.labelled_pairs():
        yield project.task(labelled)


LABEL_STUDIO = ExportFormat(
    "label-studio",
    "tasks and configuration for Label Studio",
    _write,
    files=(described_records("tasks.json", "a dialogue, or two that were compared", StudioTask),),
)
