"""Finished work from elsewhere, taken into the store: dialogues, answers and results of training.

Every file is one transaction. Rows carry names that come from the file, so the same file again adds
nothing. People are stored under pseudonyms; where a file does not say who answered, the rater is
anonymous, and statistics that need to know who is who refuse them.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from palaver.annotation.submission import label_text
from palaver.core.audit import COMMAND
from palaver.core.dialogue import IMPORTED
from palaver.core.errors import AnswerError, InputError, StudyError
from palaver.core.events import END, MESSAGE, Event
from palaver.core.labels import Label
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.question import Question, Shown
from palaver.core.scenario import Scenario, SeedUtterance
from palaver.core.units import Unit, dialogue_unit, event_unit, pair_unit
from palaver.formats.chateval.finished import FinishedAnswer, FinishedWork, Held, Trained
from palaver.formats.marked_yaml import parse_marked
from palaver.formats.pseudonyms import origin_pseudonym
from palaver.storage import Store
from palaver.storage.audit.entries import record
from palaver.storage.dialogues.dialogues import Occupant
from palaver.storage.judging.labels import NewLabel
from palaver.storage.judging.screenings import attempts_of, settle_attempt, start_attempt
from palaver.storage.judging.units import ensure_unit
from palaver.storage.people.raters import ensure_rater
from palaver.storage.studies.imports import (
    add_dialogue,
    add_labels,
    ensure_person,
    ensure_visit,
    has_dialogue,
)
from palaver.storage.studies.quotas import take_place
from palaver.storage.studies.studies import register_study
from palaver.studies.file.definition import SLUG
from palaver.studies.intake.made_study import (
    MADE_HERE,
    made_definition,
    questions_in,
    stored_study,
)
from palaver.studies.stages.conditions import Condition, parse_conditions

NOT_TAKEN = "answers that are missing, or that their question does not accept"
NO_DIALOGUE = "answers about a dialogue or message that is not in the file"
EMPTY = "dialogues without a message"


@dataclass(slots=True)
class Imported:
    """What was added and what was there already, and what was skipped, by reason."""

    dialogues: int = 0
    labels: int = 0
    results: int = 0
    raters: set[str] = field(default_factory=set)
    already: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    # Questions that the study's own file does not have; their labels are stored all the same.
    unknown: set[str] = field(default_factory=set)


def default_salt(store: Store) -> str:
    """The salt of a deployment's pseudonyms: always the same one, and nobody else's."""
    return hashlib.sha256(f"import:{store.lasting_secret()}".encode()).hexdigest()[:32]


def import_finished(
    store: Store, study: str, finished: FinishedWork, *, salt: str, now: float
) -> Imported:
    """Store what a file gives under a study, all or nothing; what was added."""
    if not SLUG.fullmatch(study):
        raise InputError(f"--study takes lower-case letters, digits and '-'; got '{study[:64]}'.")
    if not (finished.dialogues or finished.answers or finished.trained):
        return Imported(skipped=Counter(finished.skipped))
    return store.write_now(lambda c: _Importing(c, study, finished, salt, now).run())


@dataclass(slots=True)
class _Importing:
    connection: Connection
    study: str
    finished: FinishedWork
    salt: str
    now: float
    study_id: int = 0
    # By condition: the stage whose quota a dialogue fills.
    stages: dict[str, int] = field(default_factory=dict)
    done: Imported = field(default_factory=Imported)
    # By the dialogue's name in the file: its key here.
    keys: dict[str, str] = field(default_factory=dict)
    raters: dict[str, int] = field(default_factory=dict)
    visits: dict[tuple[str, str], int] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def run(self) -> Imported:
        self.done.skipped += self.finished.skipped
        self._ensure_study()
        for held in self.finished.dialogues.values():
            self._keep_dialogue(held)
        new = list(self._labels())
        self.done.labels = add_labels(self.connection, new)
        self.done.already["labels"] += len(new) - self.done.labels
        for trained in self.finished.trained:
            self._keep_result(trained)
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
        """A study that was made here learns new questions; any other stays as it is."""
        found = stored_study(self.connection, self.study)
        known = questions_in(found.definition) if found is not None else {}
        new = {name: e for name, e in self.finished.entries.items() if name not in known}
        if found is not None and not found.definition.startswith(f"# {MADE_HERE}"):
            self.study_id = found.id
            self.stages = _chat_stages(found.definition)
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

    def _keep_dialogue(self, held: Held) -> None:
        if not held.turns:
            self.done.skipped[EMPTY] += 1
            return
        key = self._dialogue_key(held)
        self.keys[held.id] = key
        if has_dialogue(self.connection, key):
            self.done.already["dialogues"] += 1
            return
        visit = self._visit(held.person or f"dialogue:{held.id}", f"chat:{held.group or held.id}")
        group = key if held.group is None else f"g_{self._digest('group', held.group)}"
        add_dialogue(
            self.connection,
            study_id=self.study_id,
            key=key,
            source_id=held.id if held.is_named else None,
            source=self.finished.source or None,
            condition=held.condition,
            group=group,
            position=held.position,
            scenario=_scenario(held),
            occupants=(Occupant(assignment_id=visit), Occupant(system=held.system)),
            events=list(_events(held, self.now)),
        )
        self.done.dialogues += 1
        stage = self.stages.get(held.condition)
        if stage is not None:
            # What is there already need not be collected again.
            take_place(self.connection, self.study_id, stage, held.condition, group=group)

    def _dialogue_key(self, held: Held) -> str:
        said = json.dumps([[turn.seat, turn.text] for turn in held.turns])
        return f"d_{self._digest('dialogue', held.id, said)}"

    def _digest(self, *parts: str) -> str:
        written = json.dumps([self.study, self.salt, *parts])
        return hashlib.sha256(written.encode()).hexdigest()[:20]

    # --- Labels ---

    def _labels(self) -> Iterator[NewLabel]:
        anonymous: Counter[tuple[str, str]] = Counter()
        for given in self.finished.answers:
            question = self.finished.questions[given.question]
            placed = self._place(given)
            if placed is None:
                self.done.skipped[NO_DIALOGUE] += 1
                continue
            try:
                value = question.read(given.answer, placed.shown)
            except AnswerError:
                self.done.skipped[f"{NOT_TAKEN}: '{question.name}'"] += 1
                continue
            rater = None if given.rater is None else self._name(given.rater)
            if rater is None:
                anonymous[placed.unit.key, question.name] += 1
                rater = f"anon:{placed.unit.key}:{anonymous[placed.unit.key, question.name]}"
            yield NewLabel(
                label=self._label(given, question, placed, rater, value),
                study_id=self.study_id,
                unit_id=self._unit(placed),
                rater_id=self._rater(rater, is_known=given.rater is not None),
                assignment_id=None if given.rater is None else self._visit(given.rater, given.work),
            )

    def _place(self, given: FinishedAnswer) -> "_Place | None":
        key, other = self.keys.get(given.dialogue), self.keys.get(given.other or "")
        if key is None or (given.other is not None and other is None):
            return None
        if other is not None:
            left, right = dialogue_unit(key), dialogue_unit(other)
            pair = pair_unit(left, right)
            order = SIDES if pair.members == (left.key, right.key) else SIDES[::-1]
            return _Place(pair, Shown(order=order), (left, right))
        if given.turn is None:
            return _Place(dialogue_unit(key), Shown())
        turns = self.finished.dialogues[given.dialogue].turns
        if not 0 <= given.turn < len(turns):
            return None
        said = turns[given.turn]
        role = "user" if said.seat == 0 else "system"
        shown = Shown(role=role, seat=said.seat, text=said.text)
        return _Place(event_unit(key, given.turn + 1), shown)

    def _label(
        self, given: FinishedAnswer, question: Question, placed: "_Place", rater: str, value: Any
    ) -> Label:
        is_known = given.rater is not None
        return Label(
            unit=placed.unit.key,
            question=question.name,
            question_version=self._version(question),
            rater=rater,
            rater_kind="person" if is_known else "anonymous",
            value=value,
            purpose=given.purpose,
            section=given.section,
            shown_order=placed.shown.order,
            label=label_text(question, value),
            seconds=given.seconds,
            time=self.now if given.time is None else given.time,
            client_id=f"import:{self._digest(given.work, placed.unit.key, question.name)}",
        )

    def _version(self, question: Question) -> str:
        # A digest of the whole question; asked for with every label.
        if question.name not in self.versions:
            self.versions[question.name] = question.version
        return self.versions[question.name]

    def _unit(self, placed: "_Place") -> int:
        for unit in (*placed.members, placed.unit):
            if unit.key not in self.units:
                self.units[unit.key] = ensure_unit(self.connection, self.study_id, unit)
        return self.units[placed.unit.key]

    # --- People ---

    def _name(self, person: str) -> str:
        return origin_pseudonym(self.salt, person)

    def _rater(self, name: str, *, is_known: bool) -> int:
        if name not in self.raters:
            person = ensure_person(self.connection, name, now=self.now) if is_known else None
            self.raters[name] = ensure_rater(
                self.connection,
                key=name,
                kind="person" if is_known else "anonymous",
                now=self.now,
                participant_id=person,
            )
            self.done.raters.add(name)
        return self.raters[name]

    def _visit(self, person: str, work: str) -> int:
        known = self.visits.get((person, work))
        if known is None:
            participant_id = ensure_person(self.connection, self._name(person), now=self.now)
            known = ensure_visit(
                self.connection,
                study_id=self.study_id,
                participant_id=participant_id,
                name=f"import:{self._digest('work', work)}",
                time=self.now,
            )
            self.visits[person, work] = known
        return known

    def _keep_result(self, trained: Trained) -> None:
        if trained.person is None:
            self.done.skipped["results of training without a person"] += 1
            return
        visit = self._visit(trained.person, trained.work)
        person = ensure_person(self.connection, self._name(trained.person), now=self.now)
        earlier = attempts_of(
            self.connection, study_id=self.study_id, stage=0, participant_id=person
        )
        if any(attempt.assignment_id == visit for attempt in earlier):
            self.done.already["results of training"] += 1
            return
        time = self.now if trained.time is None else trained.time
        attempt = start_attempt(
            self.connection,
            study_id=self.study_id,
            stage=0,
            participant_id=person,
            assignment_id=visit,
            attempt=1,
            now=time,
        )
        # Turns count from 0 there; here a message is known by its sequence number.
        wrong = [[turn + 1 for turn in mistakes] for mistakes in trained.mistakes]
        if trained.passed is not None:
            settle_attempt(
                self.connection, attempt.id, passed=trained.passed, mistakes=wrong, now=time
            )
        self.done.results += 1


@dataclass(frozen=True, slots=True)
class _Place:
    """What an answer is about, and how it was shown."""

    unit: Unit
    shown: Shown
    members: tuple[Unit, ...] = ()


def _scenario(held: Held) -> Scenario:
    seeds: list[SeedUtterance] = []
    for turn in held.turns:
        if not turn.seed:
            break
        seeds.append(SeedUtterance(seat=turn.seat, text=turn.text))
    return Scenario(
        id=IMPORTED,
        personas=((), held.persona) if held.persona else (),
        seeds=tuple(seeds),
    )


def _events(held: Held, now: float) -> Iterator[Event]:
    time = next((turn.time for turn in held.turns if turn.time is not None), now)
    for seq, turn in enumerate(held.turns, start=1):
        # Clocks of other machines may step back; a dialogue's time does not.
        time = max(time, turn.time if turn.time is not None else time)
        data = {"text": turn.text} | ({"seed": True} if turn.seed else {})
        yield Event(seq=seq, seat=turn.seat, action=MESSAGE, data=data, time=time)
    end = {"reason": IMPORTED}
    yield Event(seq=len(held.turns) + 1, seat=None, action=END, data=end, time=time)


# --- The study ------------------------------------------------------------------------------------


def _chat_stages(definition: str) -> dict[str, int]:
    """The conditions of the chats in a stored study file, each with the number of its stage."""
    try:
        stages = parse_marked(definition.encode(), file="study.yaml").data.get("stages", [])
        return {
            Condition.model_validate(condition).name: number
            for number, stage in enumerate(stages)
            if isinstance(stage, dict) and isinstance(stage.get("chat"), dict)
            for condition in parse_conditions(stage["chat"].get("conditions", []))
        }
    except (StudyError, ValueError) as error:
        raise InputError(f"The stored study cannot be read: {error}") from error
