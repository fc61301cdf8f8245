"""Bonuses of a round as data: who is owed how much, by which rule, and for which examples.

Nothing is paid from here.
"""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.evaluation.rounds import BonusRule
from palaver.core.serial import if_any, internal


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusPart:
    """What one rule adds: `n` times `each`, to the last digit; `examples` are what it rests on."""

    rule: BonusRule
    n: int
    # As the study file writes it, such as "0.50".
    each: str
    amount: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bonus:
    """What somebody is owed beside their pay, by their alias; `minor` counts cents or the like.

    The sum of the parts is rounded to whole ones once.
    """

    derived: ClassVar[tuple[str, ...]] = ("amount",)

    person: str
    parts: tuple[BonusPart, ...]
    currency: str
    minor: int
    # How many digits a minor unit stands behind the point.
    digits: int = internal(2)
    # The panel's name for them, told to owners alone.
    panel_id: str = if_any("")

    @property
    def amount(self) -> str:
        """The amount as it is written, such as "1.50"."""
        whole, rest = divmod(self.minor, 10**self.digits)
        return f"{whole}.{rest:0{self.digits}}" if self.digits else str(whole)

    @property
    def n(self) -> int:
        """How many things it is for."""
        return sum(part.n for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBonuses:
    """The bonuses of a round, the largest first, and what is to be known of them."""

    task: str
    round: int
    currency: str
    rules: dict[BonusRule, float]
    bonuses: tuple[Bonus, ...]
    # How many examples may still become verified.
    waiting: int = 0
    notes: tuple[str, ...] = ()
