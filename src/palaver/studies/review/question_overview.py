"""A question of a study with its answers, measured: what pages show and the API tells."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from palaver.analysis.agreement import Agreement
from palaver.core.questions.question import Level, Question
from palaver.core.serial import internal
from palaver.studies.review.answers import Facet, code_words, facet_words

RaterFilter = Literal["all", "person", "model", "simulated", "anonymous"]
OWN_CHATS = "Each conversation is judged by the person who had it, so agreement does not apply"


def about(question: Question | None) -> str:
    """What people call a unit that a question judges: a dialogue, a turn or a pair."""
    return "item" if question is None else question.about


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """How often an answer was given, in words."""

    answer: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetOverview:
    """One thing that answers say: the answer itself (`name` is empty), a label, an aspect.

    `alpha` is Krippendorff's α with its 95 % interval; null where undefined, and `reason` says why.
    `percent` is the share of equal pairs. `units` were judged by two or more raters.
    """

    derived: ClassVar[tuple[str, ...]] = (
        *("name", "level", "alpha", "low", "high", "reason", "percent"),
        *("units", "raters", "pairs", "counts"),
    )
    question: Question | None = internal(None)
    facet: Facet = internal()
    agreement: Agreement = internal()
    # How often each code was given.
    tally: dict[Any, int] = internal()
    # Of comparisons: how often each system was preferred, by its name, and the ties.
    by_system: tuple[AnswerCount, ...] = internal(())

    @property
    def about(self) -> str:
        """What its units are called: see `about`."""
        return about(self.question)

    @property
    def name(self) -> str:
        """What it is about, as a rater read it."""
        return facet_words(self.question, self.facet)

    @property
    def level(self) -> Literal["nominal", "ordinal", "interval", "ratio"]:
        return self.agreement.level

    @property
    def alpha(self) -> float | None:
        return self.agreement.alpha

    @property
    def low(self) -> float | None:
        return None if self.agreement.interval is None else self.agreement.interval.low

    @property
    def high(self) -> float | None:
        return None if self.agreement.interval is None else self.agreement.interval.high

    @property
    def reason(self) -> str:
        return self.agreement.reason

    @property
    def no_interval(self) -> str:
        """Why α has a value and no interval."""
        return self.agreement.no_interval

    @property
    def percent(self) -> float | None:
        return self.agreement.percent

    @property
    def units(self) -> int:
        return self.agreement.units

    @property
    def raters(self) -> int:
        return self.agreement.raters

    @property
    def pairs(self) -> int:
        return self.agreement.pairs

    @property
    def counts(self) -> list[AnswerCount]:
        """How often each answer was given; of a comparison, how often each system was preferred."""
        if self.by_system:
            return list(self.by_system)
        given = sorted(self.tally.items(), key=lambda each: str(each[0]))
        return [AnswerCount(code_words(self.question, self.facet, c), n) for c, n in given]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOverview:
    """A question and its answers so far, measured, without those of excluded raters.

    `units` were judged, `shared` of them by two or more raters; `older` answers were given to
    another wording. `unlabelled` are the answers that give none of the question's labels, in the
    words of raters ("does not apply"); `left_out` is how often it was passed over where one may.
    `single` says that each unit is judged by one person by design, so that there is no agreement to
    measure. `level` is null where the study's file does not hold the question any more;
    `reason` says why nothing is measured.
    """

    derived: ClassVar[tuple[str, ...]] = ("text", "level")
    name: str
    question: Question | None = internal(None)
    labels: int = 0
    raters: int = 0
    units: int = 0
    shared: int = 0
    older: int = 0
    # Answers that do not fit the question as it is now.
    unread: int = internal(0)
    reason: str = ""
    facets: tuple[FacetOverview, ...] = ()
    unlabelled: tuple[AnswerCount, ...] = ()
    left_out: int = 0
    single: bool = False

    @property
    def about(self) -> str:
        """What its units are called: see `about`."""
        return about(self.question)

    @property
    def text(self) -> str:
        """The wording of the question; empty where the study's file does not hold it any more."""
        return "" if self.question is None else self.question.text

    @property
    def level(self) -> Level | None:
        return None if self.question is None else self.question.level


@dataclass(frozen=True, slots=True)
class QuestionList:
    """The questions of a study in its order, by whose answers, and how many raters are excluded."""

    raters: RaterFilter
    excluded: int
    questions: list[QuestionOverview]
