"""Dialogues of files, and labels about them, taken into a study.

Keys follow from the study, the salt and the id in the file: the same file again adds nothing. People
stand here under pseudonyms; a person whom a file does not name is one person of one dialogue. What
the partner said of somebody is a label of that seat.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Connection

from palaver.annotation.submission import label_text
from palaver.core.audit import COMMAND
from palaver.core.characters import has_null
from palaver.core.dialogue import UNNAMED, Seat, tells_times
from palaver.core.errors import AnswerError, InputError
from palaver.core.events import Event
from palaver.core.labels import Label
from palaver.core.questions.question import Question, Shown
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.units import Unit, dialogue_unit, event_unit, seat_unit
from palaver.formats.pseudonyms import origin_pseudonym
from palaver.storage import Store
from palaver.storage.audit.entries import record
from palaver.storage.dialogues.dialogues import Occupant
from palaver.storage.judging.labels import NewLabel
from palaver.storage.judging.units import ensure_units
from palaver.storage.people.raters import ensure_rater
from palaver.storage.studies.imports import (
    add_dialogue,
    add_labels,
    ensure_person,
    ensure_visit,
    has_dialogue,
)
from palaver.storage.studies.studies import register_study
from palaver.studies.file.definition import SLUG
from palaver.studies.file.questions import build_questions
from palaver.studies.intake.finished_work import NO_DIALOGUE, NOT_TAKEN, Imported
from palaver.studies.intake.made_study import (
    MADE_HERE,
    made_definition,
    questions_in,
    stored_study,
)

NULLS = "dialogues with a null character, which cannot be stored"
OTHER_UNITS = "labels of something else than a dialogue, a message or one side"


def import_records(
    store: Store,
    study: str,
    dialogues: Sequence[DialogueRecord],
    labels: Sequence[LabelRecord],
    *,
    entries: Mapping[str, dict[str, Any]],
    salt: str,
    now: float,
) -> Imported:
    """Store dialogues and labels under a study, all or nothing; what was added.

    `entries` are the questions of the labels as a study file has them. A study that is not there is
    made; one with a file of its own keeps its questions.
    """
    if not SLUG.fullmatch(study):
        raise InputError(f"--study takes lower-case letters, digits and '-'; got '{study[:64]}'.")
    if not dialogues and not labels:
        return Imported()
    return store.write_now(
        lambda c: _Taking(c, study, dialogues, labels, dict(entries), salt, now).run()
    )


@dataclass(slots=True)
class _Taking:
    connection: Connection
    study: str
    dialogues: Sequence[DialogueRecord]
    labels: Sequence[LabelRecord]
    entries: dict[str, dict[str, Any]]
    salt: str
    now: float
    study_id: int = 0
    done: Imported = field(default_factory=Imported)
    questions: dict[str, Question] = field(default_factory=dict)
    # By the dialogue's id in the file: its key here.
    keys: dict[str, str] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)
    visits: dict[tuple[str, str], int] = field(default_factory=dict)

    def run(self) -> Imported:
        self._ensure_study()
        for each in self.dialogues:
            self._keep(each)
        new = list(self._labels())
        self.done.labels = add_labels(self.connection, new)
        self.done.already["labels"] += len(new) - self.done.labels
        self.done.already = +self.done.already
        record(
            self.connection,
            "import.make",
            by=COMMAND,
            now=self.now,
            subject=self.study,
            study_id=self.study_id,
            detail={"dialogues": self.done.dialogues, "labels": self.done.labels},
        )
        return self.done

    def _ensure_study(self) -> None:
        found = stored_study(self.connection, self.study)
        known = questions_in(found.definition) if found is not None else {}
        new = {name: entry for name, entry in self.entries.items() if name not in known}
        self.questions = build_questions({**new, **known}).questions
        if found is not None and not found.definition.startswith(f"# {MADE_HERE}"):
            self.study_id = found.id
            self.done.unknown = set(new)
            return
        definition = made_definition(self.study, {**known, **new})
        self.study_id = register_study(
            self.connection,
            name=self.study,
            title=self.study,
            digest=hashlib.sha256(definition.encode()).hexdigest(),
            definition=definition,
            now=self.now,
        )

    # --- Dialogues ---

    def _keep(self, given: DialogueRecord) -> None:
        key = f"d_{self._digest('dialogue', given.id)}"
        if has_null(msgspec.to_builtins(given)):
            self.done.skipped[NULLS] += 1
            return
        self.keys[given.id] = key
        if has_dialogue(self.connection, key):
            self.done.already["dialogues"] += 1
            return
        first = {seat.index: seat for seat in reversed(given.seats)}
        add_dialogue(
            self.connection,
            study_id=self.study_id,
            key=key,
            source_id=given.source_id or given.id,
            source=given.source,
            condition=given.condition,
            group=key,
            position=0,
            scenario=given.scenario,
            occupants=[self._occupant(given, first[index]) for index in sorted(first)],
            events=list(self._events(given)),
        )
        self.done.dialogues += 1

    def _occupant(self, given: DialogueRecord, seat: Seat) -> Occupant:
        if seat.kind == "system":
            return Occupant(system=seat.occupant)
        name = seat.occupant if seat.occupant != UNNAMED else f"{given.id}:{seat.index}"
        return Occupant(assignment_id=self._visit(name, given.id))

    def _events(self, given: DialogueRecord) -> Iterator[Event]:
        """Its events; where the file tells no times, all at the time of the import."""
        times = [event.time for event in given.events]
        if times and not tells_times(given.reason, times[0], times[-1]) and not times[-1]:
            return (msgspec.structs.replace(event, time=self.now) for event in given.events)
        return iter(given.events)

    # --- Labels ---

    def _labels(self) -> Iterator[NewLabel]:
        placed = [(label, unit) for label in self.labels if (unit := self._unit(label)) is not None]
        ids = ensure_units(self.connection, self.study_id, (unit for _, unit in placed))
        for given, unit in placed:
            question = self.questions.get(given.question)
            if question is None:
                self.done.skipped[f"{NOT_TAKEN}: '{given.question}'"] += 1
                continue
            abstained = given.value is None
            try:
                value = None if abstained else question.read(given.value, Shown())
            except AnswerError:
                self.done.skipped[f"{NOT_TAKEN}: '{given.question}'"] += 1
                continue
            is_person = given.rater_kind == "person"
            rater = self._pseudonym(given.rater) if is_person else given.rater
            visit = self._visit(given.rater, given.dialogue or "") if is_person else None
            yield NewLabel(
                label=Label(
                    unit=unit.key,
                    question=question.name,
                    question_version=question.version,
                    rater=rater,
                    rater_kind="person" if is_person else "model",
                    value=value,
                    abstained=abstained,
                    label=label_text(question, value),
                    time=given.time or self.now,
                    client_id=f"import:{self._digest(unit.key, question.name, given.rater)}",
                ),
                study_id=self.study_id,
                unit_id=ids[unit.key],
                rater_id=self._rater(rater, given.rater, is_person=is_person),
                assignment_id=visit,
            )

    def _unit(self, label: LabelRecord) -> Unit | None:
        key = self.keys.get(label.dialogue or "")
        if key is None:
            self.done.skipped[NO_DIALOGUE] += 1
            return None
        kind, _, place = label.unit.partition(":")
        if kind == "seat":
            return seat_unit(key, int(place.rpartition(":")[2]))
        if kind == "dialogue":
            return dialogue_unit(key)
        if kind == "event" and label.seq is not None:
            return event_unit(key, label.seq)
        self.done.skipped[OTHER_UNITS] += 1
        return None

    # --- People ---

    def _pseudonym(self, name: str) -> str:
        return origin_pseudonym(self.salt, name)

    def _person(self, name: str) -> int:
        if name not in self.people:
            alias = self._pseudonym(name)
            self.people[name] = ensure_person(self.connection, alias, now=self.now)
        return self.people[name]

    def _visit(self, name: str, dialogue: str) -> int:
        known = self.visits.get((name, dialogue))
        if known is None:
            known = ensure_visit(
                self.connection,
                study_id=self.study_id,
                participant_id=self._person(name),
                name=f"import:{self._digest('visit', dialogue)}",
                time=self.now,
            )
            self.visits[name, dialogue] = known
        return known

    def _rater(self, key: str, name: str, *, is_person: bool) -> int:
        self.done.raters.add(key)
        return ensure_rater(
            self.connection,
            key=key,
            kind="person" if is_person else "model",
            now=self.now,
            participant_id=self._person(name) if is_person else None,
        )

    def _digest(self, *parts: str) -> str:
        written = json.dumps([self.study, self.salt, *parts])
        return hashlib.sha256(written.encode()).hexdigest()[:20]
