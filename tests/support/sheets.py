"""Sheets, raters and plans for tests of handing out and training."""

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from palaver.annotation.assignment import Rater
from palaver.annotation.plan import RatePlan, ScreenPlan
from palaver.annotation.submission import Submission, submit_sheet
from palaver.core.questions.choice import Choice
from palaver.core.questions.options import Option
from palaver.core.scenario import Scenario
from palaver.core.sheets import RightAnswer, SheetContent, SheetPart, Truth
from palaver.core.units import Unit, event_unit
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.judging.sheets import NewSheet, StoredSheet, add_sheets
from palaver.storage.people.participants import enter
from palaver.storage.studies.studies import register_study

YES_NO = Choice(
    name="apt",
    text="Is this turn apt?",
    options=(Option(id="yes", text="Yes"), Option(id="no", text="No")),
)
CHECK = Choice(
    name="check",
    text="Choose No here.",
    options=(Option(id="yes", text="Yes"), Option(id="no", text="No")),
    expected="no",
)
STAGE = 1


def add_study(store: Store, name: str = "s") -> int:
    """A study to judge for."""
    return store.write_now(
        lambda c: register_study(c, name=name, title="S", digest="", definition="", now=0.0)
    )


def new_sheet(name: str, position: int = 0, **changes: Any) -> NewSheet:
    """A sheet about a dialogue of the same name."""
    content = SheetContent(parts=(SheetPart(dialogues=(name,), ask=("apt",)),))
    sheet = NewSheet(name=name, group=name, position=position, content=content)
    return replace(sheet, **changes)


def add_real(
    store: Store,
    study_id: int,
    count: int,
    *,
    needed: int = 1,
    order: str = "balanced",
    seed: int = 1,
    **changes: Any,
) -> int:
    """So many real sheets, named t0, t1…"""
    new = [new_sheet(f"t{n}", n, needed=needed, **changes) for n in range(count)]
    return store.write_now(
        lambda c: add_sheets(c, study_id, STAGE, "real", new, order=order, seed=seed)
    )


def add_known(store: Store, study_id: int, purpose: str, name: str, *, turns: int) -> str:
    """A training or gold sheet about a new dialogue of which every second turn is apt; its key.

    Its judged turns have the sequence numbers 2, 4, 6…; the right answer to each is "yes".
    """

    def work(connection: Connection) -> str:
        _, key = create_dialogue(
            connection,
            study_id=study_id,
            stage=STAGE,
            condition=purpose,
            scenario=Scenario(),
            occupants=[Occupant(system="x"), Occupant(system="y")],
            now=0.0,
        )
        truth = Truth(
            answers=tuple(
                RightAnswer(unit=unit.key, question="apt", any_of=("yes",), why="It is apt.")
                for unit in judged(key, turns)
            )
        )
        content = SheetContent(parts=(SheetPart(dialogues=(key,), ask=("apt",)),))
        position = int(name) if name.isdecimal() else 0
        sheet = NewSheet(name, f"{purpose}:{name}", position, content, truth)
        add_sheets(connection, study_id, STAGE, purpose, [sheet], order="file", seed=1)
        return key

    return store.write_now(work)


def judged(dialogue: str, turns: int) -> list[Unit]:
    """The turns of such a dialogue that are judged."""
    return [event_unit(dialogue, 2 * n) for n in range(1, turns + 1)]


def rate_plan(study_id: int, **changes: Any) -> RatePlan:
    """A plan without limits or checks."""
    plan = RatePlan(
        study_id=study_id,
        stage=STAGE,
        questions={"apt": YES_NO},
        per_visit=None,
        per_rater=None,
        at_once=1,
        time_limit=3600.0,
        shuffle=False,
        qualification="apt-raters",
        gold=None,
        attention=None,
        attention_questions=(CHECK,),
    )
    return replace(plan, **changes)


def screen_plan(study_id: int, **changes: Any) -> ScreenPlan:
    """Three rounds, of which the third decides."""
    plan = ScreenPlan(
        study_id=study_id,
        stage=STAGE,
        question=YES_NO,
        rounds=3,
        passing_rounds=(3,),
        mistakes=1,
        attempts=1,
        at_most=None,
        qualification="apt-raters",
    )
    return replace(plan, **changes)


@dataclass
class Visitor:
    """A rater at work on a store."""

    store: Store
    study_id: int
    rater: Rater

    def answers(
        self,
        dialogue: str,
        answers: dict[int, str],
        *,
        purpose: Any,
        now: float,
        slot_id: int | None = None,
        question: Choice = YES_NO,
    ) -> None:
        """Store answers by the sequence number of the judged turn."""
        submissions = [
            Submission(
                study_id=self.study_id,
                question=question,
                unit=event_unit(dialogue, seq),
                rater=self.rater.alias,
                rater_kind="person",
                participant_id=self.rater.participant_id,
                assignment_id=self.rater.assignment_id,
                slot_id=slot_id,
                purpose=purpose,
                answer=answer,
                time=now,
            )
            for seq, answer in answers.items()
        ]
        self.store.write_now(lambda c: submit_sheet(c, submissions))


def visitor(store: Store, study_id: int, name: str, visit: str = "1", **changes: Any) -> Visitor:
    """Somebody who came to judge."""
    found = store.write_now(
        lambda c: enter(
            c,
            study_id=study_id,
            crowd="link",
            person=name,
            assignment=visit,
            first_step="stage:1",
            now=0.0,
        )
    )
    rater = Rater(found.id, found.key, found.participant_id, found.alias, (found.alias, name))
    return Visitor(store, study_id, replace(rater, **changes))


def dialogue_of(sheet: StoredSheet) -> str:
    """The dialogue of a sheet with one part."""
    return sheet.content.parts[0].dialogues[0]
