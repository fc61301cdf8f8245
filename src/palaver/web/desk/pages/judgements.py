"""What was judged: agreement on a study's questions, and the labels of a dialogue."""

from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Where a dot, the ends of its interval and zero stand, in percent of the width."""

    at: float
    low: float | None
    high: float | None
    zero: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaRow:
    """Agreement on one thing; `reason` says why there is no α."""

    name: str
    coefficient: str
    alpha: str
    interval: str
    percent: str
    n: str
    reason: str
    mark: Mark | None
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """A question on the page of its study, with a row per thing that its answers say."""

    name: str
    text: str
    url: str
    labels: int
    units: int
    shared: int
    raters: int
    reason: str
    alphas: tuple[AlphaRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetsRow:
    """How far the sheets of a rate stage are."""

    name: str
    needed: int
    done: int
    held: int
    free: int
    sheets: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """What raters said so far; `answer` says it in one sentence."""

    answer: str
    excluded: str
    raters_url: str
    choices: tuple[Choice, ...]
    sheets: tuple[SheetsRow, ...]
    questions: tuple[QuestionRow, ...]
    ticks: tuple[tuple[str, float], ...]


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
