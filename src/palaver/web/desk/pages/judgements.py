"""What was judged: agreement on a study's questions, and the labels of a dialogue."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palaver.core.studies.progress import SlotProgress
from palaver.studies.review.question_overview import FacetOverview, QuestionOverview
from palaver.web.formatting import Moment
from palaver.web.pages import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """How often one answer was given; `width` is its share in percent, `height` that of the most."""

    words: str
    count: int
    share: str
    width: float
    height: float
    url: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """The axis of a chart of α: where it starts, and the words and places of its grid."""

    start: float
    ticks: tuple[tuple[str, float], ...]

    def place(self, alpha: float) -> float:
        """Where a value stands, in percent of the width."""
        # Four percent at either end, so that a dot at the edge is whole.
        return round(4 + 92 * (max(alpha, self.start) - self.start) / (1 - self.start), 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """What raters said so far; `answer` says it in one sentence."""

    answer: str
    excluded: str
    raters_url: str
    choices: tuple[Choice, ...]
    # How far the sheets of each stage are.
    sheets: Mapping[int, SlotProgress]
    questions: list[QuestionOverview]
    address: str
    # The kind of rater that is chosen; None for all.
    raters: str | None
    axis: Axis
    bars: Callable[[FacetOverview], tuple[Bar, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """How often each answer was given, under the sentence that says so."""

    name: str
    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRow:
    """A unit and how split raters are on it."""

    where: str
    url: str
    text: str
    others: tuple[Choice, ...]
    split: str
    width: float
    n: int
    widest: str
    answers: tuple[str, ...]
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedAnswer:
    """One rater's answer to a question about a unit; `history` is what they said before."""

    answer: str
    rater: str
    rater_url: str
    kind: str
    seconds: str
    time: Moment
    notes: tuple[str, ...]
    counted: bool
    history: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A question about one unit with everybody's answers; `summary` is their distribution."""

    question: str
    text: str
    about: str
    url: str
    summary: tuple[str, ...]
    answers: tuple[PlacedAnswer, ...]
    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """An answer to a question about this dialogue and another one."""

    question: str
    answer: str
    other: Choice
    said: PlacedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueJudgements:
    """The labels of a dialogue: by the event they stand under, about the whole, and comparisons."""

    by_event: Mapping[int, tuple[Judged, ...]]
    whole: tuple[Judged, ...]
    comparisons: tuple[Comparison, ...]
    count: int
    excluded: str
    choices: tuple[Choice, ...]
