"""A study whose raters judge what was written in a round, and a crowd of them."""

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sqlalchemy import select

from palaver.annotation.assignment import Handed, Nothing, Rater, finish, hand_out
from palaver.annotation.plan import RatePlan
from palaver.annotation.submission import submit_sheet
from palaver.core.errors import ConflictError, InputError
from palaver.core.questions.choice import Choice
from palaver.core.questions.options import Option
from palaver.core.questions.question import Question
from palaver.storage.judging.sheets import StoredSheet, sheets_of
from palaver.storage.people.participants import enter
from palaver.storage.schema import sheet_people, slots
from palaver.storage.studies.studies import register_study
from palaver.studies.file.questions import built_in_question
from palaver.studies.intake.intake import take_in_finished
from palaver.studies.run.work import rater_of, sheet_work, submission_of
from palaver.studies.stages import RateStage
from support.written_rounds import NOW, RoundDesk

LABELS = ("entailed", "neutral", "contradictory")
LABEL = Choice(
    name="truth",
    text="Is the sentence true of the text?",
    options=tuple(Option(id=each, text=each.title()) for each in (*LABELS, "flagged")),
)


def built_in(name: str) -> Question:
    found = built_in_question(name)
    assert found is not None
    return found


QUESTIONS: Mapping[str, Question] = {
    "truth": LABEL,
    **{name: built_in(name) for name in ("example_verdict", "example_answer", "example_reason")},
}


class Validation:
    """The rate stage of a study that judges the examples of a desk."""

    def __init__(
        self,
        desk: RoundDesk,
        *ask: str,
        name: str = "judging",
        folder: Path | None = None,
        **stage: Any,
    ) -> None:
        self.desk, self.store, self.folder = desk, desk.store, folder
        self.ask = ask or ("truth",)
        self.stage = RateStage.model_validate({"ask": list(self.ask), "from": "loop", **stage})
        self.study_id = self.store.write_now(
            lambda c: register_study(c, name=name, title="J", digest="", definition="", now=NOW)
        )

    @property
    def questions(self) -> dict[str, Question]:
        return {name: QUESTIONS[name] for name in self.ask}

    @property
    def plan(self) -> RatePlan:
        return RatePlan(
            study_id=self.study_id,
            stage=0,
            questions=self.questions,
            per_visit=None,
            per_rater=None,
            at_once=1,
            time_limit=3600.0,
            shuffle=False,
            qualification="judging",
            gold=None,
            attention=None,
            attention_questions=(),
        )

    def take_in(self, **given: Any) -> int:
        """Make sheets of what was written since; how many."""
        options = {"now": self.desk.now, "folder": self.folder, **given}
        work = take_in_finished(self.store, self.study_id, 0, self.stage, self.questions, **options)
        return asyncio.run(work)

    def sheets(self, purpose: str = "real") -> list[StoredSheet]:
        return self.store.read_now(lambda c: sheets_of(c, self.study_id, 0, purpose))

    def places(self) -> dict[str, list[str]]:
        """The states of the slots of each sheet, by its name."""
        return {
            sheet.name: self.store.read_now(
                lambda c, n=sheet.id: sorted(
                    c.execute(select(slots.c.state).where(slots.c.sheet_id == n)).scalars()
                )
            )
            for sheet in self.sheets()
        }

    def barred(self) -> set[str]:
        """Everybody who must not judge some sheet."""
        return self.store.read_now(
            lambda c: set(c.execute(select(sheet_people.c.person)).scalars())
        )

    def rater(self, person: str) -> Rater:
        """Somebody who comes to judge."""
        visit = self.store.write_now(
            lambda c: enter(
                c,
                study_id=self.study_id,
                crowd="link",
                person=person,
                assignment="1",
                first_step="stage:0",
                now=NOW,
            )
        )
        return rater_of(visit)

    def judge(self, person: str, *answers: Any) -> str | None:
        """Judge the next sheet with these answers; the key of what was shown, None without one."""
        rater, plan = self.rater(person), self.plan
        handed = self.store.write_now(lambda c: hand_out(c, plan, rater, now=self.desk.now))
        if isinstance(handed, Nothing):
            return None

        def work(c: Any) -> None:
            shown = sheet_work(c, plan, rater, handed)
            askings = [asking for screen in shown.screens for asking in screen.askings]
            sent = [
                submission_of(
                    shown,
                    asking,
                    answer,
                    study_id=self.study_id,
                    rater=rater,
                    now=self.desk.now,
                    seconds=5.0,
                    nonce=f"n{handed.slot_id}",
                )
                for asking, answer in zip(askings, answers, strict=False)
            ]
            submit_sheet(c, sent)
            finish(c, plan, rater, handed.slot_id, now=self.desk.now)

        self.store.write_now(work)
        return handed.sheet.name

    def work_all(self, raters: Sequence[Rater], *, threads: int) -> None:
        """Have all of them judge at once until nothing is left for anybody."""
        plan = self.plan
        with ThreadPoolExecutor(threads) as pool:
            for each in [pool.submit(self._work, plan, rater) for rater in raters]:
                each.result()

    def _work(self, plan: RatePlan, rater: Rater) -> None:
        while True:
            handed = self._again(lambda c: hand_out(c, plan, rater, now=time.time()))
            if handed == Nothing("taken"):
                time.sleep(0.001)
                continue
            if not isinstance(handed, Handed):
                return
            slot_id = handed.slot_id
            with contextlib.suppress(InputError):
                self._again(lambda c, n=slot_id: finish(c, plan, rater, n, now=time.time()))

    def _again(self, work: Any) -> Any:
        while True:
            try:
                return self.store.write_now(work)
            except ConflictError:
                time.sleep(0.001)
