"""Simulated raters of a rate stage: handed sheets and answering through the same doors as people.

All of them take turns: in one transaction each is handed a sheet, answers it and is handed the next.
What comes next follows from what is stored alone, so a process that is killed is followed by one that
does what the first would have done. Their answers are marked as simulated, and where people have
judged they do not begin.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy import Connection

from palaver.annotation.assignment import Handed, Rater, hand_out
from palaver.annotation.sent_sheets import SentSheet
from palaver.annotation.submission import Submission
from palaver.core.clock import Clock, WallClock
from palaver.core.errors import InputError
from palaver.core.studies.visits import ACTIVE
from palaver.core.words import counted
from palaver.storage import Store
from palaver.storage.judging.slot_counts import done_by_crowd, progress
from palaver.storage.people.participants import Assignment, enter
from palaver.studies.file.definition import Study
from palaver.studies.file.terms import Simulated
from palaver.studies.run import participation
from palaver.studies.run.plans import rate_plan
from palaver.studies.run.simulation import CROWD
from palaver.studies.run.tastes import Taste
from palaver.studies.run.work import Work, rater_of, sheet_work, submission_of
from palaver.studies.stages import RateStage

# How many there are where a study does not say.
USUAL_RATERS = 20

# Told after each turn how many sheets have been judged since the start.
Watcher = Callable[[int], None]


@dataclass(slots=True)
class _Visitor:
    """One simulated rater: their taste, and which of their visits they are at."""

    number: int
    taste: Taste
    visit: int = 1
    is_done: bool = False


class SimulatedRaters:
    """The simulated raters of one rate stage whose sheets are in the store."""

    def __init__(
        self, store: Store, study: Study, study_id: int, stage: int, *, clock: Clock | None = None
    ) -> None:
        rated = study.stages[stage]
        assert isinstance(rated, RateStage)
        self._store = store
        self._study = study
        self._terms = study.simulated or Simulated(visitors=USUAL_RATERS, strengths={})
        self._plan = rate_plan(study, study_id, stage, rated)
        self._clock: Clock = clock or WallClock()
        self._visitors: list[_Visitor] = []

    def run(self, watch: Watcher = lambda judged: None) -> int:
        """Judge until every sheet has its raters or nobody may judge what is left; how many sheets.

        InputError where people have judged sheets of this stage.
        """
        self._refuse_people()
        while len(self._visitors) < self._terms.visitors:
            self._arrive()
        judged = idle = 0
        while idle < 2 and self._is_open():
            done = self._store.write_now(self._turn)
            judged += done
            watch(judged)
            idle = 0 if done else idle + 1
            if not done:
                # Nobody judges two sheets of one group: it may take more raters than were planned.
                self._arrive()
        self._store.write_now(self._leave)
        return judged

    def _refuse_people(self) -> None:
        by_crowd = self._store.read_now(
            partial(done_by_crowd, study_id=self._plan.study_id, stage=self._plan.stage)
        )
        people = sum(count for crowd, count in by_crowd.items() if crowd != CROWD)
        if people:
            raise InputError(
                f"People have judged {counted(people, 'sheet')} of '{self._study.name}'. Simulated "
                "raters keep away from those: simulate in another home (--home FOLDER)."
            )

    def _is_open(self) -> bool:
        rated = self._store.read_now(
            partial(progress, study_id=self._plan.study_id, stage=self._plan.stage)
        )
        return rated.done < rated.needed

    def _arrive(self) -> None:
        number = len(self._visitors) + 1
        taste = Taste(self._terms.seed, number, self._terms.strengths)
        self._visitors.append(_Visitor(number, taste))

    def _turn(self, connection: Connection) -> int:
        """One sheet for everybody who may have one; how many were judged."""
        now = self._clock.now()
        sent = list(self._sent(connection, now))
        if sent:
            sent[0].together(connection, sent)
        return len(sent)

    def _sent(self, connection: Connection, now: float) -> Iterator[SentSheet]:
        for visitor in self._visitors:
            if visitor.is_done:
                continue
            found = self._handed(connection, visitor, now)
            if found is not None:
                rater, handed = found
                work = sheet_work(connection, self._plan, rater, handed)
                answers = tuple(self._submissions(visitor, rater, handed, work, now))
                yield SentSheet(self._plan, rater, handed.slot_id, answers, now)

    def _handed(
        self, connection: Connection, visitor: _Visitor, now: float
    ) -> tuple[Rater, Handed] | None:
        """The sheet that a visitor judges now, in a new visit once the last one is full."""
        while True:
            assignment = self._enter(connection, visitor, now)
            if assignment.state == ACTIVE:
                rater = rater_of(assignment)
                handed = hand_out(connection, self._plan, rater, now=now)
                if isinstance(handed, Handed):
                    return rater, handed
                self._end(connection, assignment, now)
                if handed.reason != "visit_full":
                    visitor.is_done = True
                    return None
            visitor.visit += 1

    def _enter(self, connection: Connection, visitor: _Visitor, now: float) -> Assignment:
        return enter(
            connection,
            study_id=self._plan.study_id,
            crowd=CROWD,
            person=f"{self._study.name}:{self._terms.seed}:{visitor.number}",
            assignment=str(visitor.visit),
            first_step=f"stage:{self._plan.stage}",
            now=now,
        )

    def _submissions(
        self, visitor: _Visitor, rater: Rater, handed: Handed, work: Work, now: float
    ) -> Iterator[Submission]:
        taste = visitor.taste
        for screen in work.screens:
            systems = [dialogue.occupant(1).occupant for dialogue in screen.dialogues]
            place = f"{handed.sheet.group}\n{handed.sheet.name}"
            verdict = taste.verdict(handed.sheet.group, systems)
            for asking in screen.askings:
                submission = submission_of(
                    work,
                    asking,
                    taste.answer(asking.question, verdict, place),
                    study_id=self._plan.study_id,
                    rater=rater,
                    now=now,
                    seconds=taste.seconds(place),
                    nonce=f"{CROWD}:{handed.slot_id}",
                )
                yield replace(submission, rater_kind="simulated")

    def _leave(self, connection: Connection) -> None:
        """End the visits that are open still."""
        now = self._clock.now()
        for visitor in self._visitors:
            if not visitor.is_done:
                assignment = self._enter(connection, visitor, now)
                if assignment.state == ACTIVE:
                    self._end(connection, assignment, now)

    def _end(self, connection: Connection, assignment: Assignment, now: float) -> None:
        participation.end(connection, self._study, assignment, reason="complete", now=now)
