"""A study whose dialogues are judged by several raters, filled through the one door for answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.annotation.submission import Accepted, PasteCount, Submission, submit
from palaver.core.labels import Purpose, RaterKind
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.question import Question, Shown
from palaver.core.sheets import SheetContent, SheetPart
from palaver.core.units import Unit, dialogue_unit, event_unit, pair_unit
from palaver.storage import Store
from palaver.storage.judging import slots
from palaver.storage.judging.sheets import NewSheet, add_sheets
from palaver.storage.studies.studies import register_study
from palaver.studies.review.questions import stored_questions
from support.databases import new_sqlite
from support.seeding import NOW, Seeder

STUDY = """\
title: Judged
name: judged
consent: {version: "1", text: We keep what you write.}
pay: {amount: 1.5, currency: GBP}
systems:
  terse: {kind: scripted, lines: ["I see."]}
  chatty: {kind: scripted, lines: ["Do tell me more!"]}
questions:
  quality: {kind: likert, text: How good was the conversation?, anchors: {1: bad, 5: good}}
  polite:
    kind: choice
    text: Is the reply polite?
    speaker: system
    options: [{id: "yes", text: Polite}, {id: "no", text: Rude}]
  faults:
    kind: multiselect
    text: What is wrong with the reply?
    speaker: system
    options: [{id: dull, text: It is dull}, {id: wrong, text: It is wrong}]
  warmth: {kind: slider, text: How warm was it?, least: 0, most: 10}
  traits:
    kind: aspects
    text: How did the partner seem?
    aspects: [{id: kind, text: Kind}, {id: clever, text: Clever}]
  order:
    kind: ranking
    text: What matters most?
    options: [{id: wit, text: Wit}, {id: care, text: Care}, {id: speed, text: Speed}]
  remarks: {kind: text, text: Anything else?, required: false}
  preference: {kind: comparative, text: Which partner was better company?}
stages:
  - chat:
      arrangement: paired
      turns: {exactly: 4}
      conditions: [{systems: [terse, chatty], needed: 10}]
  - rate:
      ask: [polite, faults, quality, warmth, traits, order, remarks, preference]
"""

QUESTIONS: dict[str, Question] = stored_questions(STUDY)


@dataclass
class Judging:
    """Writes judgements into one study."""

    store: Store
    study_id: int
    seeder: Seeder = field(init=False)

    def __post_init__(self) -> None:
        self.seeder = Seeder(self.store, self.study_id)

    def dialogue(self, *texts: str, **given: Any) -> str:
        """A dialogue of somebody new; its key."""
        person = self.seeder.visit(f"person {len(self.seeder.people)}")
        return self.seeder.dialogue(person, *(texts or ("Hello", "I see.")), **given)[1]

    def say(
        self,
        question: str,
        dialogue: str,
        rater: str,
        answer: Any,
        *,
        seq: int | None = None,
        kind: RaterKind = "simulated",
        seconds: float | None = 4.0,
        purpose: Purpose = "real",
        slot_id: int | None = None,
        participant_id: int | None = None,
        assignment_id: int | None = None,
        pastes: PasteCount | None = None,
    ) -> Accepted:
        """One answer about a dialogue, or about the event `seq` of it; None abstains."""
        unit = dialogue_unit(dialogue) if seq is None else event_unit(dialogue, seq)
        shown = Shown() if seq is None else Shown(role="system", seat=1)
        return self._submit(
            question,
            unit,
            rater,
            answer,
            shown=shown,
            rater_kind=kind,
            seconds=seconds,
            purpose=purpose,
            slot_id=slot_id,
            participant_id=participant_id,
            assignment_id=assignment_id,
            pastes=pastes,
        )

    def prefer(
        self,
        better: str | None,
        one: str,
        other: str,
        rater: str,
        *,
        order: tuple[str, str] = SIDES,
        assignment_id: int | None = None,
        purpose: Purpose = "real",
    ) -> Accepted:
        """Which of two dialogues is better; None is a tie. `order` is that of the screen."""
        members = (dialogue_unit(one), dialogue_unit(other))
        pair = pair_unit(*members)
        letters = ("a", "b") if order == SIDES else ("b", "a")
        sides = dict(zip(pair.members or (), letters, strict=True))
        answer = "tie" if better is None else sides[dialogue_unit(better).key]
        return self._submit(
            "preference",
            pair,
            rater,
            answer,
            members=members,
            shown=Shown(order=order),
            rater_kind="simulated",
            seconds=9.0,
            assignment_id=assignment_id,
            purpose=purpose,
        )

    def _submit(self, question: str, unit: Unit, rater: str, answer: Any, **given: Any) -> Accepted:
        submission = Submission(
            study_id=self.study_id,
            question=QUESTIONS[question],
            unit=unit,
            rater=rater,
            answer=answer,
            abstain=answer is None,
            time=NOW,
            **given,
        )
        return self.store.write_now(lambda c: submit(c, submission))

    def sheet(
        self, person: str, dialogue: str, *, took: float | None = 60.0, name: str = ""
    ) -> "Held":
        """A sheet with one dialogue that a person holds, or finished in `took` seconds."""
        visit = self.seeder.visit(person, state=None)
        new = NewSheet(
            name=f"{person} {dialogue} {name}",
            group=f"{person} {dialogue} {name}",
            position=1,
            content=SheetContent(parts=(SheetPart(dialogues=(dialogue,), ask=("quality",)),)),
        )

        def work(c: Connection) -> int:
            add_sheets(c, self.study_id, 1, "real", [new], order="file", seed=1)
            slot_id = slots.claim(
                c,
                study_id=self.study_id,
                stage=1,
                participant_id=visit.participant_id,
                assignment_id=visit.id,
                people=[visit.alias],
                now=NOW,
            )
            assert slot_id is not None
            if took is not None:
                slots.complete(c, slot_id, now=NOW + took)
            return slot_id

        return Held(self, visit.alias, visit.participant_id, visit.id, self.store.write_now(work))


@dataclass
class Held:
    """A person with a sheet before them."""

    judging: Judging
    alias: str
    participant_id: int
    assignment_id: int
    slot_id: int

    def say(self, question: str, dialogue: str, answer: Any, **given: Any) -> Accepted:
        """An answer that belongs to the sheet."""
        return self.judging.say(
            question,
            dialogue,
            self.alias,
            answer,
            kind="person",
            slot_id=self.slot_id,
            participant_id=self.participant_id,
            assignment_id=self.assignment_id,
            **given,
        )


def registered(store: Store, name: str = "judged", *, definition: str = STUDY) -> Judging:
    """A study of this name in a store, to be judged."""
    study_id = store.write_now(
        lambda c: register_study(
            c, name=name, title=name, digest=name, definition=definition, now=NOW
        )
    )
    return Judging(store, study_id)


@contextmanager
def judged_home(folder: Path) -> Iterator[tuple[Path, Path, Judging]]:
    """The study `STUDY` and a home beside it, and what writes judgements there."""
    study, home = folder / "judged", folder / "home"
    for each in (study, home):
        each.mkdir()
    (study / "study.yaml").write_text(STUDY, encoding="utf-8")
    store = Store(new_sqlite(home / "palaver.db"))
    try:
        yield study, home, registered(store)
    finally:
        store.close()
