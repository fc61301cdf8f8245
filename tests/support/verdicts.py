"""A study in a store whose dialogues were judged: every question kind, and raters of every kind."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.annotation.screens import turn_askings
from palaver.annotation.submission import Submission, submit
from palaver.core.dialogue import Dialogue
from palaver.core.events import END, JOIN, MESSAGE, NOTICE, Event
from palaver.core.labels import Purpose, RaterKind
from palaver.core.questions import Question, Shown
from palaver.core.scenario import Scenario
from palaver.core.units import dialogue_unit, pair_unit
from palaver.reports.source import read_questions
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue, load_dialogue
from palaver.storage.engine.appends import Append, append
from palaver.storage.studies.studies import list_studies, register_study

DEFINITION = """\
title: Judged
name: judged
questions:
  clear: {kind: likert, text: How clear is it?, label: clarity}
  tone: {kind: likert, text: Which tone?, points: [-1, 0, 1], speaker: system}
  score: {kind: slider, text: How good?}
  topic:
    kind: choice
    text: What is it about?
    options: [{id: work, text: Work, label: about work}, {id: home, text: Home}]
  traits:
    kind: multiselect
    text: Which hold?
    required: false
    options: [{id: kind, text: Kind}, {id: curt, text: Curt}]
  liked: {kind: thumbs, text: Good?, speaker: any}
  places:
    kind: spans
    text: Where does {speaker} err?
    speaker: system
    options: [{id: slip, text: A slip}]
  order:
    kind: ranking
    text: In which order?
    options: [{id: x, text: X}, {id: y, text: Y}]
  sides:
    kind: aspects
    text: How much of each?
    aspects: [{id: wit, text: Wit}, {id: care, text: Care}]
  what_happens:
    kind: flow
    speaker: system
    text: What happens?
    ask:
      - id: seen
        text: Is there something?
        answers:
          - id: "yes"
            text: "Yes"
            ask:
              - {id: which, type: checkbox, text: Which?,
                 answers: [{id: odd, text: Odd, label: oddity}]}
          - {id: "no", text: "No"}
  remark: {kind: text, text: Anything else?, required: false}
  better: {kind: comparative, text: Which is better?}
stages:
  - rate:
      from: elsewhere
      ask: [clear, tone, score, topic, traits, liked, places, order, sides, what_happens, remark,
            better]
"""


@dataclass
class Judged:
    """A study, and how to say something in it."""

    store: Store
    study_id: int
    questions: dict[str, Question]
    now: float = 100.0

    @classmethod
    def register(cls, store: Store, *, name: str = "judged", text: str = DEFINITION) -> "Judged":
        """Store the study."""
        study_id = store.write_now(
            lambda c: register_study(c, name=name, title=name, digest="x", definition=text, now=1.0)
        )
        stored = next(s for s in store.read_now(list_studies) if s.id == study_id)
        return cls(store, study_id, read_questions(stored).questions)

    def dialogue(self, *said: tuple[int, str]) -> str:
        """A finished dialogue of a person (seat 0) with a system (seat 1); its key."""

        def work(connection: Connection) -> str:
            dialogue_id, key = create_dialogue(
                connection,
                study_id=self.study_id,
                stage=0,
                condition="parrot",
                scenario=Scenario(),
                occupants=[Occupant(), Occupant(system="parrot")],
                now=2.0,
            )
            events = [Event(seq=1, seat=0, action=JOIN, time=2.0)]
            for seat, text in said:
                seq = len(events) + 1
                data = {"text": text}
                events.append(Event(seq=seq, seat=seat, action=MESSAGE, data=data, time=3.0))
            seq = len(events) + 1
            events.append(Event(seq=seq, seat=None, action=NOTICE, data={}, time=3.0))
            end = Event(seq=seq + 1, seat=None, action=END, data={"reason": "complete"}, time=4.0)
            append(connection, Append(dialogue_id, [*events, end]))
            return key

        return self.store.write_now(work)

    def load(self, key: str) -> Dialogue:
        """A dialogue, folded."""
        return self.store.read_now(lambda c: load_dialogue(c, key)).dialogue

    def say(
        self,
        key: str,
        question: str,
        answer: Any,
        *,
        turn: int | None = None,
        other: str | None = None,
        rater: str = "sim:ann",
        kind: RaterKind = "simulated",
        purpose: Purpose = "real",
        seconds: float | None = None,
    ) -> None:
        """An answer; `turn` counts from 1 among the turns asked, None of `answer` is to abstain."""
        asked = self.questions[question]
        unit, members, shown = dialogue_unit(key), None, Shown()
        if other is not None:
            members = (unit, dialogue_unit(other))
            unit = pair_unit(*members)
            first = unit.members == tuple(member.key for member in members)
            shown = Shown(order=("first", "second") if first else ("second", "first"))
        elif turn is not None:
            asking = turn_askings(self.load(key), asked)[turn - 1]
            unit, shown = asking.unit, asking.shown
        self.now += 1.0
        submission = Submission(
            study_id=self.study_id,
            question=asked,
            unit=unit,
            members=members,
            shown=shown,
            rater=rater,
            rater_kind=kind,
            answer=answer,
            abstain=answer is None,
            purpose=purpose,
            seconds=seconds,
            time=self.now,
        )
        self.store.write_now(lambda c: submit(c, submission))
