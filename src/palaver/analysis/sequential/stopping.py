"""When a study has enough votes: the rule, and whether it says to stop."""

from dataclasses import dataclass
from typing import Literal

from palaver.analysis.ranking.verdict import VoteVerdict

Until = Literal["order", "leader"]
StopReason = Literal["decided", "spent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingRule:
    """Stop when the order (or the leader) is decided, and after `at_most` votes in any case.

    Two systems count as equal when the win rate between them is surely within `within` of one half.
    """

    until: Until = "order"
    within: float = 0.05
    at_most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """That a rule says to stop, after how many votes, why, and what was decided."""

    reason: StopReason
    votes: int
    answer: str


def should_stop(rule: StoppingRule, verdict: VoteVerdict) -> Stop | None:
    """What the rule says to votes as they stand; None to go on."""
    settled = _is_led(verdict) if rule.until == "leader" else verdict.is_settled
    if settled:
        return Stop(reason="decided", votes=verdict.votes, answer=verdict.answer)
    if rule.at_most is not None and verdict.votes >= rule.at_most:
        return Stop(reason="spent", votes=verdict.votes, answer=verdict.answer)
    return None


def _is_led(verdict: VoteVerdict) -> bool:
    """Whether somebody leads, or nobody can: all that might be first are equal."""
    if verdict.leader is not None:
        return True
    first = set(verdict.tied_sets[0]) if verdict.tied_sets else set()
    among = [pair for pair in verdict.pairs if {pair.higher, pair.lower} <= first]
    return bool(among) and all(pair.equal for pair in among)
