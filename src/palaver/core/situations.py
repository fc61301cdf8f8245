"""Situations that somebody asks advice about, the advice they got, and how it was judged.

The best advice of people is what models are compared with; a second piece of people's advice may be
compared with it, too, as a control.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

# What stands where a system stands: people's best advice, and the second one as a control.
PEOPLE, CONTROL = "people", "people-2"

Topic = Literal["Relationship", "Legal", "Life", "Technology"]
TOPICS: Mapping[str, Topic] = {
    **dict.fromkeys(
        ("relationships", "relationship_advice", "dating_advice", "dating", "Marriage", "love"),
        "Relationship",
    ),
    "legaladvice": "Legal",
    **dict.fromkeys(("Advice", "internetparents", "needadvice"), "Life"),
    "techsupport": "Technology",
}

# How helpful the worse advice still is, and, for each of these, why it is the worse one.
Helpfulness = Literal["helpful", "nothelpful", "dangerous"]
Reason = Literal["writing", "meaning", "neutral", "contradiction"]
REASONS: Mapping[Helpfulness, tuple[Reason, Reason]] = {
    "helpful": ("writing", "meaning"),
    "nothelpful": ("neutral", "contradiction"),
    "dangerous": ("neutral", "contradiction"),
}


def topic_of(subreddit: str) -> str:
    """The topic of a subreddit; one that is not known is a topic of its own.

    >>> topic_of("techsupport"), topic_of("Cooking")
    ('Technology', 'Cooking')
    """
    return TOPICS.get(subreddit, subreddit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A piece of advice that somebody gave; `more` is all else that its line says."""

    id: str
    body: str
    author: str | None = None
    score: int | None = None
    created: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What somebody asks advice about, and the advice of people in the order of the file.

    `notice` names what is distressing about it, empty where nothing is. `more` is all else that its
    line says.
    """

    id: str
    title: str
    text: str
    subreddit: str = ""
    author: str | None = None
    score: int | None = None
    created: float | None = None
    permalink: str = ""
    notice: str = ""
    advice: tuple[Advice, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def topic(self) -> str:
        """What it is about."""
        return topic_of(self.subreddit)

    @property
    def ranked(self) -> tuple[Advice, ...]:
        """The advice by score, the best first; what has no score comes last, in its order."""
        return tuple(sorted(self.advice, key=_rank))

    @property
    def best(self) -> Advice | None:
        """The advice that models are compared with."""
        return next(iter(self.ranked), None)


def _rank(advice: Advice) -> float:
    return float("inf") if advice.score is None else -advice.score


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisingModel:
    """A model that takes part, as the board names it."""

    name: str
    title: str = ""
    team: str = ""
    parameters: float | None = None
    date: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceJudgement:
    """One rater on one model's advice beside the best advice of people.

    `model` may be `CONTROL`. `degree` is 2 for definitely and 1 for slightly. `worse` is how helpful
    the advice that was not preferred still is, `reason` why it is the worse one; None where that was
    not asked or not told.
    """

    situation: str
    model: str
    rater: str
    prefers_model: bool
    degree: int = 1
    worse: Helpfulness | None = None
    reason: Reason | None = None
    topic: str = ""
    rater_kind: str = "person"
    seconds: float | None = None
    comment: str = ""


def parameter_words(count: float) -> str:
    """A number of parameters as people say it.

    >>> parameter_words(11e9), parameter_words(340e6), parameter_words(1.5e12), parameter_words(900)
    ('11 B', '340 M', '1.5 T', '900')
    """
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if count >= size:
            return f"{count / size:.3g} {letter}"
    return f"{count:g}"


_NUMBER = re.compile(r"([0-9][0-9_,]*(?:\.[0-9]+)?(?:e[0-9]+)?)\s*([kmbt]?)", re.IGNORECASE)
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}


def parameter_count(words: str) -> float | None:
    """A number of parameters out of what people write; None where it is no number.

    >>> [parameter_count(each) for each in ("350M", "1.5 b", "11,000,000", "11e9", "many")]
    [350000000.0, 1500000000.0, 11000000.0, 11000000000.0, None]
    """
    found = _NUMBER.fullmatch(words.strip())
    if found is None:
        return None
    return float(re.sub("[_,]", "", found[1])) * _SCALES[found[2].lower()]
