"""Simulated validators of what simulated writers wrote: they know what is right, and err now and then.

An example of somebody else's they give back, for people to judge. The second of them is in a hurry and
flags everything.
"""

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from palaver.annotation.assignment import Handed, Rater, hand_out, skip, skips_left
from palaver.annotation.sent_sheets import SentSheet
from palaver.annotation.submission import Submission
from palaver.core.studies.visits import ACTIVE
from palaver.games.model_in_the_loop.judged_example import JudgedExample, example_of
from palaver.storage.people.participants import Assignment, enter
from palaver.studies.file.terms import Simulated
from palaver.studies.intake.written_examples import is_about_verdicts
from palaver.studies.run import participation
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.simulated_writers import Drafts
from palaver.studies.run.simulation import CROWD
from palaver.studies.run.upkeep import SWEEP_SECONDS
from palaver.studies.run.work import Work, rater_of, sheet_work, submission_of

# How often a validator who reads errs; and which one flags everything.
ERRS, HURRIED = 0.08, 2
WHY_FLAGGED = "I cannot make sense of it."
# After so many turns in which nothing was to be judged they go home; one waits for the next intake.
IDLE_TURNS = 3


@dataclass(slots=True)
class _Visitor:
    """One validator, which of their visits they are at, and whether nothing is left for them."""

    number: int
    visit: int = 1


class SimulatedValidators:
    """The simulated validators of one study whose first stage judges examples."""

    def __init__(self, deployment: Deployment, study: RunningStudy, drafts: Drafts) -> None:
        self._deployment = deployment
        self._study = study
        self._drafts = drafts
        self._terms = study.definition.simulated or Simulated(visitors=4, strengths={})
        self._index, self._plan = next(iter(study.rates.items()))
        self._visitors = [_Visitor(n) for n in range(1, self._terms.visitors + 1)]

    async def run(self) -> int:
        """Judge until nothing more comes; how many sheets."""
        judged = idle = 0
        while idle < IDLE_TURNS:
            done = 0
            for visitor in self._visitors:
                done += await self._deployment.store.write(
                    lambda c, who=visitor: self._turn(c, who)  # type: ignore[misc]
                )
            judged, idle = judged + done, 0 if done else idle + 1
            await asyncio.sleep(1 / self._terms.per_second if done else SWEEP_SECONDS)
        return judged

    def _turn(self, connection: Connection, visitor: _Visitor) -> int:
        """One sheet of one validator; 0 where there is none for them."""
        now = self._deployment.clock.now()
        assignment = self._enter(connection, visitor, now)
        if assignment.state != ACTIVE:
            visitor.visit += 1
            return self._turn(connection, visitor)
        rater = rater_of(assignment)
        handed = hand_out(connection, self._plan, rater, now=now)
        if not isinstance(handed, Handed):
            if handed.reason == "visit_full":
                self._end(connection, assignment, now)
            return 0
        work = sheet_work(connection, self._plan, rater, handed)
        answers = tuple(self._submissions(visitor, rater, handed, work, now))
        if answers:
            sheet = SentSheet(self._plan, rater, handed.slot_id, answers, now)
            sheet.together(connection, [sheet])
            return 1
        if skips_left(connection, self._plan, rater):
            skip(connection, self._plan, rater, handed.slot_id, now=now)
        else:
            self._end(connection, assignment, now)
        return 0

    def _submissions(
        self, visitor: _Visitor, rater: Rater, handed: Handed, work: Work, now: float
    ) -> Iterator[Submission]:
        dice = random.Random(f"{self._terms.seed}:{visitor.number}:{handed.sheet.name}")
        for screen in work.screens:
            example = example_of(screen.dialogues[0])
            verdict = None if example is None else self._verdict(example, visitor, dice)
            if verdict is None:
                return
            for asking in screen.askings:
                is_first = is_about_verdicts(asking.question)
                flagged = verdict == "flagged" and asking.question.name == "example_reason"
                answer = verdict if is_first else WHY_FLAGGED if flagged else None
                submission = submission_of(
                    work,
                    asking,
                    answer,
                    study_id=self._study.id,
                    version=self._study.version,
                    rater=rater,
                    now=now,
                    seconds=round(dice.lognormvariate(2.6, 0.5), 1),
                    nonce=f"{CROWD}:{handed.slot_id}",
                )
                yield replace(submission, rater_kind="simulated")

    def _verdict(
        self, example: JudgedExample, visitor: _Visitor, dice: random.Random
    ) -> str | None:
        """What they say of an example; None where they do not know the sentence."""
        said = next((each.text for each in example.passages if each.own), None)
        truth = self._drafts.label_of(said or "")
        if truth is None:
            return None
        if visitor.number == HURRIED:
            return "flagged"
        is_right = example.claims[0].text == truth
        return "correct" if is_right is (dice.random() >= ERRS) else "incorrect"

    def _enter(self, connection: Connection, visitor: _Visitor, now: float) -> Assignment:
        return enter(
            connection,
            study_id=self._study.id,
            crowd=CROWD,
            person=f"{self._study.name}:{self._terms.seed}:{visitor.number}",
            assignment=str(visitor.visit),
            first_step=f"stage:{self._index}",
            now=now,
            version=self._study.version,
        )

    def _end(self, connection: Connection, assignment: Assignment, now: float) -> None:
        definition = self._study.definition
        participation.end(connection, definition, assignment, reason="complete", now=now)
