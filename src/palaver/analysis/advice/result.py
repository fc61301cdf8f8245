"""What judgements of advice say: a row per model, and what to know of the numbers.

Rates are shares between 0 and 1; people's best advice stands at one half, because whoever is compared
with their equal is preferred half of the time.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from palaver.analysis.agreement import Agreement
from palaver.analysis.ranking.verdict import Inference
from palaver.core.estimates import Estimate
from palaver.core.situations import Helpfulness, Reason

# Where a model's rate stands that advises as well as the best of people.
HUMAN_RATE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SituationPreference:
    """How raters compared a model with people in one situation.

    `chosen` of the `judgements` are for the model. `degree_share` is Σ w·[model] / Σ w with the degree
    of each judgement as its weight w: our own continuous preference.
    """

    situation: str
    model: str
    topic: str
    judgements: int
    chosen: int
    degree_share: float

    @property
    def is_preferred(self) -> bool:
        """More than half of the judgements are for the model: two or three of three."""
        return 2 * self.chosen > self.judgements

    @property
    def is_even(self) -> bool:
        """As many judgements for the model as for people: only an even number of raters can."""
        return 2 * self.chosen == self.judgements

    @property
    def score(self) -> float:
        """1 where the model is preferred, 0 where people are, one half for an even split."""
        return 0.5 if self.is_even else float(self.is_preferred)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceTest:
    """Whether a model's rate differs from another's, or from one half.

    `difference` is the model's rate minus the other's, on the situations that both have; NaN where
    there are none, and `p` with it. `adjusted` is Holm's p-value over all models of the board.
    """

    other: str
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    situations: int
    reason: str = ""

    def is_significant(self, level: float = 0.95) -> bool:
        """Whether a difference is beyond chance when all models are looked at."""
        return self.adjusted <= 1 - level


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRate:
    """How a model did on the situations of one topic."""

    topic: str
    situations: int
    preferred: int
    even: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorseAdvice:
    """What raters said of advice that they found the worse of the two.

    `judgements` found it so; `still` and `reasons` are shares of those that said more, each with its
    interval and the number they are of. `why` counts both answers together, as "dangerous:neutral";
    where no reason was told the first stands alone.
    """

    judgements: int
    still: Mapping[Helpfulness, Estimate]
    reasons: Mapping[Reason, Estimate]
    why: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceRow:
    """One model on the board.

    `rate` is the share of situations in which the model is preferred, an even split counting half;
    `low` and `high` are the ends of its interval. `votes` is the share of all judgements that are for
    the model, `degree_share` the mean of the situations' own. `lost` tells of the model's advice where
    it was the worse one, `won` of people's advice where that was.
    """

    model: str
    situations: int
    judgements: int
    raters: int
    preferred: int
    even: int
    rate: float
    low: float
    high: float
    votes: Estimate
    degree_share: Estimate
    topics: tuple[TopicRate, ...]
    lost: WorseAdvice
    won: WorseAdvice
    sides: Agreement
    grades: Agreement
    against_people: PreferenceTest
    against_best: PreferenceTest | None
    by_situation: tuple[SituationPreference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceBoard:
    """All models, the highest rate first, with the control of people against people apart.

    `method` says in words how the intervals were made; `warnings` are sentences for whoever reads the
    board.
    """

    rows: tuple[PreferenceRow, ...]
    control: PreferenceRow | None
    judgements: int
    raters: int
    situations: int
    level: float
    method: str
    warnings: tuple[str, ...]
    inference: Inference = "fixed"

    @property
    def topics(self) -> tuple[str, ...]:
        """Every topic of the board, in the order of the alphabet."""
        every = (*self.rows, *((self.control,) if self.control else ()))
        return tuple(sorted({topic.topic for row in every for topic in row.topics}))
