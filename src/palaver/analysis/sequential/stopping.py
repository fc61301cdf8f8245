"""When a study has enough votes: whether its rule says to stop."""

from dataclasses import dataclass

from palaver.analysis.ranking.verdict import VoteVerdict
from palaver.core.studies.stops import StoppingRule, StopReason


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
    """Whether all that might be first are equal to each other: one that leads, or several.

    Who is worse than somebody cannot be first; who has no votes yet can.
    """
    worse = {pair.lower for pair in verdict.pairs if pair.decided}
    first = {each.system for each in verdict.systems} - worse
    among = [pair for pair in verdict.pairs if {pair.higher, pair.lower} <= first]
    return bool(verdict.pairs) and all(pair.equal for pair in among)
