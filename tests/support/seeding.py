"""A store with people, dialogues and labels in it, written through the store's own functions."""

from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection

from palaver.core.clock import VirtualClock
from palaver.core.events import END, FAILURE, JOIN, MESSAGE, NOBODY, Event
from palaver.core.labels import Label
from palaver.core.scenario import Scenario
from palaver.core.studies.visits import FINISHED
from palaver.core.units import dialogue_unit, pair_unit
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.engine.appends import Append, append
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.judging.units import ensure_unit
from palaver.storage.people.participants import (
    Assignment,
    add_waiting_time,
    enter,
    finish,
    record_consent,
)
from palaver.storage.people.raters import ensure_rater
from palaver.storage.studies import quotas
from palaver.studies.file.reader import load_studies
from palaver.studies.run.deployment import Deployment

NOW = 1_790_000_000.0

STUDY = """\
title: {title}
name: {name}
minutes: 10
consent: {{version: "1", text: We keep what you write.}}
pay: {{amount: 1.5, currency: GBP, waiting_per_minute: 0.15}}
systems:
  terse: {{kind: scripted, lines: ["I see."]}}
  chatty: {{kind: scripted, lines: ["Do tell me more!"]}}
questions:
  preference: {{kind: comparative, text: Which partner was better company?}}
stages:
  - chat:
      arrangement: paired
      turns: {{exactly: 4}}
      conditions:
        - {{systems: [terse, chatty], needed: {needed}}}
  - rate: {{ask: [preference]}}
"""


def write_study(folder: Path, name: str, *, title: str = "Pilot 2", needed: int = 60) -> Path:
    """A study folder below `folder`; the path to serve is `folder` itself."""
    (folder / name).mkdir(parents=True)
    text = STUDY.format(name=name, title=title, needed=needed)
    (folder / name / "study.yaml").write_text(text, encoding="utf-8")
    return folder


def deploy(store: Store, folder: Path | None, *, now: float = NOW) -> Deployment:
    """A deployment of the studies in a folder (or of none), not started."""
    definitions = load_studies(folder) if folder is not None else []
    return Deployment(store, definitions, clock=VirtualClock(now))


@dataclass
class Seeder:
    """Writes into one study."""

    store: Store
    study_id: int
    now: float = NOW
    people: list[Assignment] = field(default_factory=list)

    def visit(
        self,
        person: str,
        *,
        state: str | None = FINISHED,
        reason: str = "complete",
        minutes: float = 10.0,
        waited: float = 0.0,
        crowd: str = "link",
        came: float = 0.0,
        consented: bool = True,
    ) -> Assignment:
        """Somebody who came `came` seconds before now; a state of None is still here."""
        start = self.now - came - minutes * 60

        def work(c: Connection) -> Assignment:
            visit = enter(
                c,
                study_id=self.study_id,
                crowd=crowd,
                person=person,
                assignment="1",
                first_step="consent",
                now=start,
            )
            if consented:
                record_consent(c, visit.id, version="1", now=start)
            add_waiting_time(c, visit.id, waited)
            if state is not None:
                end = start + minutes * 60
                finish(c, visit.id, state=state, reason=reason, code=None, now=end)
            return visit

        self.people.append(self.store.write_now(work))
        return self.people[-1]

    def dialogue(
        self,
        person: Assignment,
        *texts: str,
        system: str = "terse",
        condition: str = "terse|chatty",
        reason: str | None = "complete",
        group: str | None = None,
        position: int = 0,
        failures: int = 0,
        ago: float = 600.0,
        scenario: Scenario | None = None,
    ) -> tuple[int, str]:
        """A dialogue in which the seats speak in turn; a reason of None keeps it running."""
        start = self.now - ago

        def work(c: Connection) -> tuple[int, str]:
            dialogue_id, key = create_dialogue(
                c,
                study_id=self.study_id,
                stage=0,
                condition=condition,
                scenario=scenario or Scenario(),
                occupants=[Occupant(assignment_id=person.id), Occupant(system=system)],
                now=start,
                group=group,
                position=position,
            )
            events = [Event(seq=1, seat=0, action=JOIN, time=start)]
            for n, text in enumerate(texts):
                events.append(
                    Event(
                        seq=len(events) + 1,
                        seat=n % 2,
                        action=MESSAGE,
                        data={"text": text},
                        time=start + 10 * (n + 1),
                    )
                )
            for _ in range(failures):
                data = {"kind": "timeout", "detail": "no answer in 30 s", "attempts": 2}
                events.append(
                    Event(
                        seq=len(events) + 1,
                        seat=1,
                        action=FAILURE,
                        data=data,
                        time=start + 10 * len(events),
                        audience=NOBODY,
                    )
                )
            if reason is not None:
                end = start + 10 * (len(events) + 1)
                events.append(
                    Event(
                        seq=len(events) + 1,
                        seat=None,
                        action=END,
                        data={"reason": reason},
                        time=end,
                    )
                )
            append(c, Append(dialogue_id, events))
            return dialogue_id, key

        return self.store.write_now(work)

    def place(self, group: str, *, condition: str = "terse|chatty", done: bool = True) -> None:
        """A place of the quota, held by a group or done."""

        def work(c: Connection) -> None:
            quotas.claim(c, self.study_id, 0, condition, group=group, limited=True, now=self.now)
            if done:
                quotas.complete(c, group)

        self.store.write_now(work)

    def preference(
        self,
        first: str,
        second: str,
        value: str,
        *,
        rater: str,
        seconds: float = 8.0,
        section: str | None = None,
    ) -> None:
        """A comparative label on two dialogues."""

        def work(c: Connection) -> None:
            one, other = dialogue_unit(first), dialogue_unit(second)
            for unit in (one, other):
                ensure_unit(c, self.study_id, unit)
            unit_id = ensure_unit(c, self.study_id, pair_unit(one, other))
            rater_id = ensure_rater(c, key=rater, kind="simulated", now=self.now)
            label = Label(
                unit=pair_unit(one, other).key,
                question="preference",
                question_version="v1",
                rater=rater,
                rater_kind="simulated",
                value=value,
                seconds=seconds,
                time=self.now,
                section=section,
            )
            append_labels(
                c,
                [
                    NewLabel(
                        label,
                        study_id=self.study_id,
                        unit_id=unit_id,
                        rater_id=rater_id,
                        assignment_id=None,
                    )
                ],
            )

        self.store.write_now(work)
