"""What handing out sheets and training need to know of a stage: plain values, made from its study."""

from collections.abc import Mapping
from dataclasses import dataclass

from palaver.core.questions.question import Question
from palaver.core.studies.stops import VoteLimit

BAR, WARN = "bar", "warn"


@dataclass(frozen=True, slots=True)
class Check:
    """When raters are checked, how many mistakes they may make, and what follows on more.

    The first check comes after `after` real sheets; the next ones every `every`, if that is set.
    """

    after: int
    every: int | None
    allowed_mistakes: int
    on_fail: str

    def due(self, done: int, taken: int) -> bool:
        """Whether a check is due after `done` real sheets when `taken` checks were had.

        >>> check = Check(after=4, every=10, allowed_mistakes=0, on_fail="bar")
        >>> [done for done in range(30) if check.due(done, taken=1)][:3]
        [14, 15, 16]
        """
        return taken < self.planned(done)

    def planned(self, done: int) -> int:
        """How many checks belong to `done` real sheets.

        >>> check = Check(after=4, every=10, allowed_mistakes=0, on_fail="bar")
        >>> [check.planned(done) for done in (3, 4, 13, 14)]
        [0, 1, 1, 2]
        """
        if done < self.after:
            return 0
        return 1 if self.every is None else 1 + (done - self.after) // self.every


@dataclass(frozen=True, slots=True)
class RatePlan:
    """How a rate stage hands out its sheets.

    `per_visit` and `per_rater` limit how many real sheets one visit and one person get, `at_once`
    how many a person holds at a time. `skips` is how many of them one visit may skip; None where a
    page offers no skipping. What checks find is recorded under `qualification`.
    """

    study_id: int
    stage: int
    questions: Mapping[str, Question]
    per_visit: int | None
    per_rater: int | None
    at_once: int
    time_limit: float
    shuffle: bool
    qualification: str
    gold: Check | None
    attention: Check | None
    attention_questions: tuple[Question, ...]
    skips: int | None = None
    # Where its sheets bring votes that the study's rule may stop.
    limit: VoteLimit | None = None

    @property
    def is_limited(self) -> bool:
        """Whether anything limits how many sheets a visit gets."""
        return self.per_visit is not None or self.per_rater is not None


@dataclass(frozen=True, slots=True)
class ScreenPlan:
    """How a screen stage trains raters, and who passes.

    Over `passing_rounds` (from 1) at most `mistakes` turns may be wrong in all. A rater has so many
    `attempts`; `at_most` people are screened.
    """

    study_id: int
    stage: int
    question: Question
    rounds: int
    passing_rounds: tuple[int, ...]
    mistakes: int
    attempts: int
    at_most: int | None
    qualification: str
