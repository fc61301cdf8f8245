"""That a study was stopped by its rule: when, after how many votes, why, and what was decided."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from palaver.core.words import counted

StopReason = Literal["decided", "spent"]
Until = Literal["order", "leader"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingRule:
    """Stop when the order (or the leader) is decided, and after `at_most` votes in any case.

    Two systems count as equal when the win rate between them is surely within `within` of one half.
    """

    until: Until = "order"
    within: float = 0.05
    at_most: int | None = None


@dataclass(frozen=True, slots=True)
class VoteLimit:
    """That a stage brings votes on a question, and hands out nothing more once its study has stopped.

    Where votes are limited to `at_most`, what is handed out counts until its vote is in, so that no
    more people work than votes are wanted.
    """

    question: str
    at_most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedPair:
    """Two systems when a study stopped: the first is better, or they are equal, or neither is known."""

    higher: str
    lower: str
    decided: bool
    equal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyStop:
    """That a study was stopped by its rule; it stays stopped.

    It was stopped because the rule had its answer (`decided`), or because the votes that it may cost
    were in (`spent`). `answer` and `pairs` are what was known then; `until`, `within` (a share) and
    `at_most` are the rule as it was.
    """

    derived: ClassVar[tuple[str, ...]] = ("words", "rule")
    time: float
    reason: StopReason
    votes: int
    raters: int
    answer: str
    until: str
    within: float
    at_most: int | None = None
    pairs: tuple[DecidedPair, ...] = ()

    @property
    def words(self) -> str:
        """After how many votes it stopped, and what was decided.

        >>> StudyStop(time=0, reason="decided", votes=312, raters=312, answer="A leads",
        ...           until="order", within=0.05).words
        'Stopped by its rule after 312 votes: A leads.'
        """
        of = " (as many as the rule allows)" if self.reason == "spent" else ""
        said = self.answer.rstrip(".")
        return f"Stopped by its rule after {counted(self.votes, 'vote')}{of}: {said}."

    @property
    def rule(self) -> str:
        """The rule in words.

        >>> StudyStop(time=0, reason="spent", votes=600, raters=60, answer="Open.",
        ...           until="order", within=0.05, at_most=600).rule
        'until the order is decided, or what is open is equal within 5 points; at most 600 votes'
        """
        return rule_words(self.until, self.within, self.at_most)


def rule_words(until: str, within: float, at_most: int | None) -> str:
    """A stopping rule in words; `within` is a share."""
    points = f"within {within * 100:g} points"
    if until == "leader":
        told = f"until the leader is decided, or all that may be first are equal {points}"
    else:
        told = f"until the order is decided, or what is open is equal {points}"
    return told if at_most is None else f"{told}; at most {counted(at_most, 'vote')}"
