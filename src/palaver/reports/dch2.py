"""A study as a DCH-2 data set: one entry per dialogue, one annotation per rater who finished it.

A rater's annotation holds everything that the dialogue was asked: the nugget of each turn, the
three scores, or one of the two. Whoever left something out is counted as `incomplete`, whoever the
study excludes as `excluded`; neither is in the file. A dialogue has the id that its file gave it: where
several dialogues came under one id they are one entry if they say the same, and an error if not.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from palaver.annotation.screens import unit_of
from palaver.core.columns import described_records
from palaver.core.errors import InputError
from palaver.core.records import LabelRecord
from palaver.core.units import dialogue_unit
from palaver.formats.dch2 import (
    DchAnnotation,
    DchDialogue,
    annotation_fault,
    dch_turn,
)
from palaver.formats.json_files import write_array
from palaver.reports.export import Counts, ExportFormat
from palaver.reports.source import LabelledDialogues, StudySource
from palaver.studies.intake.dch2 import NUGGETS, QUALITY

_SCALES = {question: scale for scale, question in QUALITY.items()}

# What is asked of what: (unit, question).
_Item = tuple[str, str]


@dataclass(slots=True)
class _Said:
    """What was asked of a dialogue, and each rater's answers in the order in which they came."""

    asked: set[str] = field(default_factory=set)
    answers: dict[str, dict[_Item, Any]] = field(default_factory=dict)

    def add(self, label: LabelRecord) -> None:
        """Note a label to one of the four questions; what it says only counts if it stands."""
        if label.purpose != "real" or label.question not in (NUGGETS, *_SCALES):
            return
        self.asked.add(label.question)
        given = self.answers.setdefault(label.rater, {})
        if not label.superseded and label.value is not None:
            given[label.unit, label.question] = label.value


def _write(source: StudySource, folder: Path) -> Counts:
    counts = {"dialogues": 0, "annotations": 0, "incomplete": 0, "excluded": 0}
    entries: dict[str, _Entry] = {}
    for study in source.studies():
        own = source.of(study)
        excluded = {record.rater for record in own.raters() if record.excluded}
        for labelled in own.labelled_dialogues():
            entry = _entry(labelled, excluded, counts)
            known = entries.get(entry.dialogue.id)
            entries[entry.dialogue.id] = entry if known is None else known.with_those_of(entry)
    with (folder / "dch2.json").open("wb") as stream:
        counts["dialogues"] = write_array((entry.dialogue for entry in entries.values()), stream)
    return counts


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the file, and the dialogue it is made of in words."""

    dialogue: DchDialogue
    called: str

    def with_those_of(self, other: "_Entry") -> "_Entry":
        """With the annotations of the same dialogue, which another stage or study also judged."""
        here, there = self.dialogue, other.dialogue
        if here.turns != there.turns:
            raise InputError(
                f"Two dialogues have the id '{here.id}' and say different things: {self.called} "
                f"and {other.called}. One id means one dialogue in DCH-2: export one study at a "
                "time, or judge files whose ids differ."
            )
        annotations = [*(here.annotations or ()), *(there.annotations or ())]
        return replace(self, dialogue=DchDialogue(here.id, here.turns, annotations or None))


def _entry(labelled: LabelledDialogues, excluded: set[str], counts: Counts) -> _Entry:
    record = labelled.dialogues[0]
    dialogue = record.dialogue()
    runs = list(dialogue.turns())
    turns = [dch_turn(dialogue, run) for run in runs]
    said = _Said()
    for label in labelled.labels:
        said.add(label)
    units = [unit_of(dialogue, run).key for run in runs] if NUGGETS in said.asked else []
    scales = [scale for scale, question in QUALITY.items() if question in said.asked]
    whole = dialogue_unit(dialogue.id).key
    annotations = []
    for rater, given in said.answers.items():
        nuggets = [given.get((unit, NUGGETS)) for unit in units]
        scores = {scale: given.get((whole, QUALITY[scale])) for scale in scales}
        if rater in excluded:
            counts["excluded"] += 1
        elif None in nuggets or None in scores.values():
            counts["incomplete"] += 1
        else:
            annotations.append(_annotation(nuggets, scores))
    for annotation in annotations:
        fault = annotation_fault(turns, annotation)
        if fault:
            raise InputError(
                f"Dialogue '{dialogue.id}' cannot be written as DCH-2: {fault} Export its labels "
                "in another format."
            )
    counts["annotations"] += len(annotations)
    written = DchDialogue(record.source_id or record.id, turns, annotations or None)
    of_file = f" of {record.source}" if record.source else ""
    return _Entry(written, f"{record.name}{of_file} (study '{record.study}')")


def _annotation(nuggets: list[Any], scores: dict[str, Any]) -> DchAnnotation:
    return DchAnnotation(nugget=nuggets or None, quality=scores or None)


DCH2 = ExportFormat(
    "dch2",
    "dialogues and annotations as a DCH-2 data set",
    _write,
    single="dch2.json",
    single_media_type="application/json",
    files=(described_records("dch2.json", "one dialogue", DchDialogue),),
)
