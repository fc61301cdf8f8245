"""The records of a board of advice: models beside people, with what raters said of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from palaver.analysis.advice.looks import LEAST
from palaver.analysis.ranking.verdict import Inference
from palaver.core.serial import if_any
from palaver.core.situations import CONTROL, AdvisingModel, parameter_words
from palaver.evaluation.boards import Raters, State

# The confidence of intervals and tests.
LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share (or a coefficient) with its interval and what it is of; None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStanding:
    """How a model stands to another: its rate minus the other's, and in words whether that is sure.

    `adjusted` is the p-value when all models of the board are looked at; `direction` is 1 if it is
    better, -1 if it is worse, 0 where that cannot be told.
    """

    other: str
    words: str
    direction: int
    difference: Share
    p: float | None
    adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShare:
    """How a model did on the situations of one topic."""

    topic: str
    rate: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class WorseShares:
    """What raters said of advice that they found worse: how helpful it still is, and why it is worse."""

    judgements: int
    still: Mapping[str, Share]
    reasons: Mapping[str, Share]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceRow:
    """One model of a board; `rate` is undefined while nobody has judged it.

    `continuous` weighs how sure raters were; `votes` is the share of all judgements for the model.
    `agreement` is Krippendorff's α of who is preferred, `agreeing` the share of pairs that agree.
    """

    derived: ClassVar[tuple[str, ...]] = ("name",)
    model: AdvisingModel
    rate: Share
    preferred: int = 0
    even: int = 0
    judgements: int = 0
    raters: int = 0
    continuous: Share = Share(value=None)
    votes: Share = Share(value=None)
    topics: tuple[TopicShare, ...] = ()
    lost: WorseShares | None = None
    won: WorseShares | None = None
    agreement: Share = Share(value=None)
    agreeing: float | None = None
    people: ModelStanding | None = None
    best: ModelStanding | None = None

    @property
    def name(self) -> str:
        return self.model.title or self.model.name

    @property
    def share(self) -> float | None:
        return self.rate.value

    @property
    def beside_people(self) -> int:
        return 0 if self.people is None else self.people.direction

    @property
    def beside_best(self) -> int:
        return 0 if self.best is None else self.best.direction

    @property
    def size(self) -> str:
        """How many parameters it has, in words; empty where that is not told."""
        return "" if self.model.parameters is None else parameter_words(self.model.parameters)

    @property
    def is_control(self) -> bool:
        return self.model.name == CONTROL

    def on(self, topic: str) -> Share:
        """The rate on the situations of one topic."""
        return next((each.rate for each in self.topics if each.topic == topic), Share(value=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question that raters were asked."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceBoard:
    """The models of a round, the highest rate first, at one moment; `answer` says it in words.

    `done` of the `needed` judgements are in; both are None where nothing says how many are planned.
    """

    study: str = ""
    title: str
    state: State
    answer: str
    # Where people's best advice stands.
    human_rate: float = 0.5
    raters: Raters = "all"
    done: int | None = None
    needed: int | None = None
    rows: tuple[AdviceRow, ...] = ()
    control: AdviceRow | None = None
    situations: int = 0
    judgements: int = 0
    people: int = 0
    topics: tuple[str, ...] = ()
    asked: tuple[AskedQuestion, ...] = ()
    excluded: int = 0
    level: float = LEVEL
    inference: Inference = "fixed"
    method: str = ""
    warnings: tuple[str, ...] = if_any(())
    updated: float = 0.0

    @property
    def intervals(self) -> str:
        """Which intervals these are, in one plain sentence."""
        if self.inference == "fixed":
            return "Intervals of a round looked at once, clustered by rater."
        return (
            "These intervals and verdicts hold however often you look; they are wider than those of "
            f"the closed round. Before {LEAST} situations are judged it is too early for them."
        )

    @property
    def lines(self) -> tuple[AdviceRow, ...]:
        """The models, and then the control."""
        return (*self.rows, *((self.control,) if self.control else ()))

    @property
    def judged(self) -> tuple[AdviceRow, ...]:
        """Those that somebody has judged."""
        return tuple(row for row in self.lines if row.judgements)

    @property
    def has_reasons(self) -> bool:
        """Whether raters said why advice is worse."""
        return any(row.lost is not None and row.lost.still for row in self.lines)
