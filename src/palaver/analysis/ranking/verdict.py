"""What votes say of systems: who is better than whom, and how sure that is, in one record.

Two procedures fill it. `fixed` intervals hold for a study that is looked at once, when all planned
votes are in. `anytime` intervals hold however often one looks and whenever one stops, and are wider
for it. Boards, reports and the desk show the record and never decide anew.
"""

from dataclasses import dataclass
from typing import Literal

from palaver.core.estimates import Estimate

Inference = Literal["fixed", "anytime"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemVerdict:
    """One system: its win rate with interval, its strength (log-odds, mean 0) and possible ranks.

    `rate` counts a tie as half a win; both are undefined, with the reason, where votes do not say.
    """

    system: str
    wins: int = 0
    ties: int = 0
    losses: int = 0
    rate: Estimate
    strength: Estimate
    rank_interval: tuple[int, int] | None = None

    @property
    def votes(self) -> int:
        return self.wins + self.ties + self.losses


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """Two systems, the one that stands higher first.

    `rate` is of their direct comparisons, `difference` that of their strengths. `decided` says that
    the first is better, `equal` that the two differ by less than the margin that was asked for; both
    hold for all pairs at once. `e_value` is the evidence of the direct comparisons against "equally
    often preferred", valid at any moment; None where there is none.
    """

    higher: str
    lower: str
    rate: Estimate
    difference: Estimate
    decided: bool = False
    equal: bool = False
    e_value: float | None = None

    @property
    def is_open(self) -> bool:
        return not (self.decided or self.equal)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteVerdict:
    """All systems, best first, those without votes last; `answer` says who leads in one sentence.

    `tied_sets` are the largest sets that cannot be distinguished; they may overlap. `waiting` votes
    are not yet in `anytime` intervals because their raters are still at work. `method` says how
    intervals were made and what they take for granted.
    """

    inference: Inference
    systems: tuple[SystemVerdict, ...]
    pairs: tuple[PairVerdict, ...] = ()
    tied_sets: tuple[tuple[str, ...], ...] = ()
    answer: str = ""
    method: str = ""
    votes: int = 0
    raters: int = 0
    waiting: int = 0
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()

    @property
    def leader(self) -> str | None:
        """The one that is better than all others; None where nobody is."""
        ranked = [each.system for each in self.systems if each.votes]
        first = self.tied_sets[0] if self.tied_sets else ()
        return first[0] if len(ranked) > 1 and len(first) == 1 else None

    @property
    def is_settled(self) -> bool:
        """Whether every pair is decided, or equal within the margin."""
        return bool(self.pairs) and not any(pair.is_open for pair in self.pairs)
