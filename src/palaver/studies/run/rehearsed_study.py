"""What of a study is gone through in a rehearsal, and what cannot be shown there.

A stage that judges another study is given some of what was held there by now. What people write
against models is judged with rounds and records that only the home has; that is left out, and said.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.formats.dialogue_texts import PartRecord, SheetRecord
from palaver.formats.judged import JudgedLine
from palaver.formats.judged_dialogues import judged_sheet
from palaver.formats.line_problems import LineProblems
from palaver.storage.dialogues.dialogues import load_dialogue, records_of_ids
from palaver.storage.studies.imports import finished_groups
from palaver.studies.file.definition import Study
from palaver.studies.intake.judged_files import JudgedFile
from palaver.studies.intake.other_studies import JUDGED, source_rounds
from palaver.studies.run.flow import CONSENT, DONE, INSTRUCTIONS, steps
from palaver.studies.stages import ChatStage, RateStage, WriteStage
from palaver.studies.stages.stage import AnyStage

# How much of what is judged a rehearsal shows: enough to see, and soon there.
SHEETS = 20
# A stage that no study has: none of its sheets shows anything yet.
_NOWHERE = (-1, -1)


@dataclass(frozen=True, slots=True)
class RehearsedStudy:
    """A study as it is rehearsed: without what cannot be shown, which `notes` name.

    `shown` has what stages judge of other studies, by the place of the stage.
    """

    definition: Study
    notes: tuple[str, ...] = ()
    shown: Mapping[int, JudgedFile] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RehearsedStep:
    """A step that a rehearsal can begin at, and what people call it."""

    step: str
    label: str


def as_rehearsed(connection: Connection, study: Study) -> RehearsedStudy:
    """A study as it can be rehearsed on what a store holds now; InputError if nothing is left of it."""
    stages: list[AnyStage] = []
    notes: list[str] = []
    shown: dict[int, JudgedFile] = {}
    for stage in study.stages:
        if not isinstance(stage, RateStage) or stage.source is None:
            stages.append(stage)
            continue
        sheets = _present(connection, study, stage)
        if not sheets:
            notes.append(
                f"What the study '{stage.source}' collects is judged here later. There is nothing of "
                "it to show now, so that this part is left out."
            )
            continue
        notes.append(
            f"It shows {counted(len(sheets), 'conversation')} of the study '{stage.source}', which "
            "are judged here for nobody."
        )
        shown[len(stages)] = _judged(study, stage, len(stages), sheets)
        stages.append(stage)
    if not stages:
        raise InputError(f"There is nothing to rehearse in '{study.name}' yet: {' '.join(notes)}")
    return RehearsedStudy(
        # A study that is to open later is rehearsed before that.
        study.model_copy(update={"stages": tuple(stages), "dates": None}),
        (*notes, *_always(study)),
        shown,
    )


def rehearsed_steps(study: Study) -> tuple[RehearsedStep, ...]:
    """The steps at which a rehearsal can begin: questions about one's own talk need the talk first."""
    named: dict[str, str] = {}
    for step in steps(study):
        label = _label(study, step)
        if label:
            named[step] = label
    labels = list(named.values())
    counts: dict[str, int] = {}
    found = []
    for step, label in named.items():
        counts[label] = counts.get(label, 0) + 1
        several = labels.count(label) > 1
        found.append(RehearsedStep(step, f"{label} {counts[label]}" if several else label))
    return (*found, RehearsedStep(DONE, "The end"))


def _label(study: Study, step: str) -> str:
    """What people call a step; empty for one that a rehearsal cannot begin at."""
    if step in (CONSENT, INSTRUCTIONS):
        return "Consent" if step == CONSENT else "Instructions"
    stage = study.stages[int(step.removeprefix("stage:"))]
    if isinstance(stage, RateStage):
        return "Judging" if stage.has_source else ""
    if isinstance(stage, WriteStage):
        return "Writing"
    if isinstance(stage, ChatStage):
        return "Practice conversation" if stage.practice else "Conversation"
    return "Practice"


def _always(study: Study) -> Iterator[str]:
    if study.systems:
        yield "The systems are really asked, and what asking them costs is spent."
    if any(isinstance(stage, RateStage) and stage.data is not None for stage in study.stages):
        yield f"Of a file, the first {SHEETS} items are shown."
    if study.meets:
        yield "Where people meet, open a second seat and be both of them."


def _present(connection: Connection, study: Study, stage: RateStage) -> list[SheetRecord]:
    """Some of what a stage judges `from` another study; nothing of what people wrote in rounds."""
    source = stage.source or ""
    if source_rounds(connection, source):
        return []
    compares = any(study.questions[name].about == "pair" for name in stage.ask)
    groups = finished_groups(
        connection,
        study=source,
        judged_in=_NOWHERE,
        reasons=JUDGED,
        together=compares,
        limit=SHEETS,
    )
    found = (_sheet(connection, group.name, group.dialogues) for group in groups)
    return [sheet for sheet in found if all(t.turns for p in sheet.parts for t in p.dialogues)]


def _sheet(connection: Connection, name: str, keys: tuple[str, ...]) -> SheetRecord:
    ids = [load_dialogue(connection, key).id for key in keys]
    texts = [
        text
        for record in records_of_ids(connection, ids)
        for part in judged_sheet(record).parts
        for text in part.dialogues
    ]
    alone = [PartRecord(dialogues=(text,)) for text in texts]
    together = [PartRecord(dialogues=tuple(texts))] if len(texts) == 2 else []
    return SheetRecord(id=name, group=name, parts=(*alone, *together))


def _judged(study: Study, stage: RateStage, index: int, sheets: list[SheetRecord]) -> JudgedFile:
    questions = {name: study.questions[name] for name in stage.ask}
    about_pairs = {question.about == "pair" for question in questions.values()}
    fitting = [
        msgspec.structs.replace(
            sheet, parts=tuple(part for part in sheet.parts if part.is_pair in about_pairs)
        )
        for sheet in sheets
    ]
    return JudgedFile(
        path=Path(stage.source or ""),
        stage=index,
        purpose="real",
        questions=questions,
        digest="rehearsed",
        raters=stage.raters,
        order="file",
        lines=partial(_lines, fitting),
    )


def _lines(sheets: list[SheetRecord], line_problems: LineProblems) -> Iterator[JudgedLine]:
    for number, sheet in enumerate(sheets, start=1):
        yield JudgedLine(number, b"", sheet, lambda _, line=number: (line, 1))  # type: ignore[misc]
