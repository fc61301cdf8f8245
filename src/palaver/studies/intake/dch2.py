"""A DCH-2 data set as a study: its dialogues, and what its annotators said of them.

The annotators answer the built-in questions `nuggets` (each turn), `accomplishment`, `satisfaction`
and `effectiveness` (the whole dialogue). They have no names, so each is an anonymous rater of one
dialogue: `anon:dialogue:<key>:<k>`. Counts say of nobody what they said, so that no labels come of
them: their dialogues are stored, and whoever scores reads the file itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from sqlalchemy import Connection

from palaver.annotation.screens import unit_of
from palaver.annotation.submission import label_text
from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError
from palaver.core.labels import Label
from palaver.core.questions.question import Question, Shown
from palaver.core.questions.turns import role_of
from palaver.core.units import Unit, dialogue_unit
from palaver.formats.dch2 import (
    SCALES,
    DchAnnotation,
    DchDialogue,
    DchEntry,
    dialogue_record,
    turns_of,
)
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records, load_dialogue
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.judging.units import ensure_units
from palaver.storage.people.raters import ensure_rater
from palaver.storage.studies.imports import keep_record, source_ids
from palaver.storage.studies.studies import list_studies, register_study
from palaver.studies.file.definition import SLUG
from palaver.studies.file.questions import built_in_question

NUGGETS = "nuggets"
QUALITY = dict(zip(SCALES, ("accomplishment", "satisfaction", "effectiveness"), strict=True))

# Dialogues of one transaction.
_BATCH = 100

_DEFINITION = """\
# Written by palaver import dch2.
title: "{name}"
name: {name}
stages:
  - rate: {{from: {name}, ask: [nuggets, accomplishment, satisfaction, effectiveness]}}
"""


@dataclass(frozen=True, slots=True)
class TakenFile:
    """What came of a file; `known` dialogues were in the study already and were left alone.

    `counted` dialogues came with counts, of which no labels can be made.
    """

    dialogues: int = 0
    labels: int = 0
    raters: int = 0
    known: int = 0
    counted: int = 0

    def __add__(self, other: "TakenFile") -> "TakenFile":
        return TakenFile(
            self.dialogues + other.dialogues,
            self.labels + other.labels,
            self.raters + other.raters,
            self.known + other.known,
            self.counted + other.counted,
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with its version, which takes time to compute."""

    question: Question
    version: str


@dataclass(frozen=True, slots=True)
class _Answer:
    """One thing that an annotator said."""

    unit: Unit
    asked: _Asked
    value: object
    shown: Shown


def take_in(
    store: Store,
    dialogues: Sequence[DchDialogue],
    *,
    study: str,
    now: float,
    file: str | None = None,
) -> TakenFile:
    """Store the dialogues that a study does not have yet; a study that is not there is made.

    InputError, and nothing stored, if the study has another dialogue under one of the ids.
    """
    if not SLUG.fullmatch(study):
        raise InputError(
            "A study's name takes lower-case letters, digits and '-', at most 64; got "
            f"'{study[:64]}'."
        )
    study_id = store.write_now(lambda c: _ensure_study(c, study, now=now))
    here = store.read_now(lambda c: source_ids(c, study_id))
    new = [dialogue for dialogue in dialogues if dialogue.id not in here]
    if len(new) < len(dialogues):
        store.read_now(lambda c: _check_known(c, dialogues, study=study, file=file))
    taken = TakenFile(known=len(dialogues) - len(new))
    for start in range(0, len(new), _BATCH):
        batch = new[start : start + _BATCH]
        taken += store.write_now(
            lambda c, batch=batch: _store(  # type: ignore[misc]
                c, batch, study=study, study_id=study_id, now=now, file=file
            )
        )
    return taken


def _check_known(
    connection: Connection, dialogues: Sequence[DchDialogue], *, study: str, file: str | None
) -> None:
    """InputError at the first dialogue that is stored under its id with other turns."""
    given = {dialogue.id: dialogue for dialogue in dialogues}
    for record in dialogue_records(connection, study):
        same = given.get(record.source_id or "")
        if same is None or any(event.data is None for event in record.events):
            continue  # of what was erased nobody can tell
        if turns_of(record.dialogue()) != same.turns:
            raise InputError(
                f"{file or 'This file'}: dialogue '{same.id}' has other turns than the dialogue "
                f"'{same.id}' of {record.source or 'another file'}, which the study '{study}' "
                "holds. One id means one dialogue: import the file into a study of its own."
            )


def _ensure_study(connection: Connection, name: str, *, now: float) -> int:
    known = {study.name: study.id for study in list_studies(connection)}
    if name in known:
        return known[name]
    definition = _DEFINITION.format(name=name)
    digest = sha256(definition.encode()).hexdigest()
    return register_study(
        connection, name=name, title=name, digest=digest, definition=definition, now=now
    )


def _store(
    connection: Connection,
    batch: Sequence[DchDialogue],
    *,
    study: str,
    study_id: int,
    now: float,
    file: str | None,
) -> TakenFile:
    taken = TakenFile()
    for given in batch:
        record = dialogue_record(given, study=study, time=now, file=file)
        key = keep_record(connection, study_id, record)
        dialogue = load_dialogue(connection, key).dialogue
        annotations = given.annotations or []
        said = [list(_answers(dialogue, annotation)) for annotation in annotations]
        stored = append_labels(connection, _labels(connection, study_id, dialogue, said, now=now))
        counted = isinstance(given, DchEntry) and given.is_counted
        taken += TakenFile(dialogues=1, labels=len(stored), raters=len(said), counted=int(counted))
    return taken


def _labels(
    connection: Connection,
    study_id: int,
    dialogue: Dialogue,
    said: Sequence[Sequence[_Answer]],
    *,
    now: float,
) -> list[NewLabel]:
    """The labels of a dialogue's annotators, in their order; units and raters are stored."""
    units = ensure_units(connection, study_id, (a.unit for answers in said for a in answers))
    new = []
    for number, answers in enumerate(said, start=1):
        rater = f"anon:{dialogue_unit(dialogue.id).key}:{number}"
        rater_id = ensure_rater(connection, key=rater, kind="anonymous", now=now)
        for answer in answers:
            label = _label(answer, rater, now=now)
            new.append(NewLabel(label, study_id, units[answer.unit.key], rater_id, None))
    return new


def _label(answer: _Answer, rater: str, *, now: float) -> Label:
    question = answer.asked.question
    value = question.read(answer.value, answer.shown)
    return Label(
        unit=answer.unit.key,
        question=question.name,
        question_version=answer.asked.version,
        rater=rater,
        rater_kind="anonymous",
        value=value,
        label=label_text(question, value),
        time=now,
    )


def _answers(dialogue: Dialogue, annotation: DchAnnotation) -> Iterator[_Answer]:
    if annotation.nugget is not None:
        asked = _asked(NUGGETS)
        for turn, nugget in zip(dialogue.turns(), annotation.nugget, strict=True):
            shown = Shown(role=role_of(dialogue, turn.seat), seat=turn.seat, text=turn.text)
            yield _Answer(unit_of(dialogue, turn), asked, nugget, shown)
    unit = dialogue_unit(dialogue.id)
    for scale, point in (annotation.quality or {}).items():
        yield _Answer(unit, _asked(QUALITY[scale]), point, Shown())


@cache
def _asked(name: str) -> _Asked:
    question = built_in_question(name)
    assert question is not None
    return _Asked(question, question.version)
