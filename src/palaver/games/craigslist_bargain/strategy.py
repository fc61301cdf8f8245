"""What a bargainer asks for next, and what it settles for.

A buyer begins below its target, a seller at the list price. Each has a bottom line a little beyond the
middle between the two targets, so that two fair bargainers always meet; a seller guesses the buyer's
target from its first price. From there each moves part of the way towards the other, less the nearer
it comes to its bottom line, and says so once when it is there.
"""

import random
from dataclasses import dataclass, field
from typing import Self

from palaver.games.craigslist_bargain.sides import BargainSide

# How far below its target a buyer begins, at least and at most; a guess for buyers one does not know.
OVERSHOOT = (0.16, 0.24)
USUAL_OVERSHOOT = 0.2
# How much of the range between both targets a bargainer gives away at most.
GIVES = (0.54, 0.64)
# How far it goes towards the partner's price at a time, and where the partner does not move.
COMPROMISE, STUBBORN = 0.4, 0.2
# From this share of the way between bottom line and target on, a price is too good to haggle.
GOOD_DEAL = 0.7
# What a seller takes who has not heard any price.
UNASKED = 0.8
# No seller believes that less than this share of the list price was ever meant.
BELIEVED = 0.4
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 5000, 10000)


@dataclass(frozen=True, slots=True)
class Temper:
    """What tells one bargainer from another."""

    overshoot: float = USUAL_OVERSHOOT
    gives: float = 0.58

    @classmethod
    def drawn(cls, rng: random.Random) -> Self:
        return cls(rng.uniform(*OVERSHOOT), rng.uniform(*GIVES))


@dataclass(slots=True)
class Stance:
    """Where the prices stand in one dialogue, as one side sees it."""

    side: BargainSide
    temper: Temper = field(default_factory=Temper)
    own: list[float] = field(default_factory=list)
    heard: list[float] = field(default_factory=list)

    @property
    def opening(self) -> float:
        """The first price that it names."""
        if not self.side.is_buyer:
            return self.side.target
        return self._rounded(self.side.target * (1 - self.temper.overshoot))

    @property
    def partner_target(self) -> float:
        """What the other side is after: the list price, or a guess from the buyer's first price."""
        if self.side.is_buyer:
            return max(self.side.price, self.side.target)
        if not self.heard:
            return UNASKED * self.side.price
        guessed = max(self.heard[0], BELIEVED * self.side.price) / (1 - USUAL_OVERSHOOT)
        return min(guessed, self.side.target)

    @property
    def bottom_line(self) -> float:
        """The worst price that it agrees to."""
        if self.side.bottom_line is not None:
            return self.side.bottom_line
        return self.side.target + self.temper.gives * (self.partner_target - self.side.target)

    @property
    def next_price(self) -> float:
        """What it says next: some of the way to the partner, never past its bottom line."""
        if not self.own:
            return self._better(self.opening, self.heard[-1] if self.heard else None)
        last = self.own[-1]
        if not self.heard:
            towards = last + STUBBORN * (self.bottom_line - last)
        else:
            moved = len(self.heard) < 2 or self.heard[-1] != self.heard[-2]
            towards = last + (COMPROMISE if moved else STUBBORN) * (self.heard[-1] - last)
        if not self.side.prefers(towards, self.bottom_line):
            return self._rounded(self.bottom_line)
        price = self._rounded(towards)
        return (
            price if self.side.prefers(price, self.bottom_line) else self._rounded(self.bottom_line)
        )

    @property
    def is_stuck(self) -> bool:
        """Whether it would say again what it said last."""
        return bool(self.own) and self.next_price == self.own[-1]

    @property
    def is_at_the_end(self) -> bool:
        """Whether what it said last is as far as it goes."""
        if not self.own:
            return False
        return not self.side.prefers(self.own[-1], self._rounded(self.bottom_line))

    def is_good(self, price: float) -> bool:
        """Whether a price is one to take at once: as good as what it would say next, or nearly so."""
        if not self.side.prefers(self.next_price, price):
            return True
        way = self.side.target - self.bottom_line
        return way != 0 and (price - self.bottom_line) / way >= GOOD_DEAL

    def is_acceptable(self, price: float) -> bool:
        """Whether a price, offered once and for all, is better than no deal."""
        slack = max(1.0, 0.01 * self.side.price)
        bound = self.bottom_line + (slack if self.side.is_buyer else -slack)
        if self.own and self.side.prefers(bound, self.own[-1]):
            bound = self.own[-1]
        return not self.side.prefers(bound, price)

    @property
    def final_price(self) -> float:
        """What it offers in the end: the partner's price where that is better than its bottom line."""
        last = self._rounded(self.bottom_line)
        return self._better(last, self.heard[-1] if self.heard else None)

    def _better(self, price: float, other: float | None) -> float:
        return other if other is not None and self.side.prefers(other, price) else price

    def _rounded(self, price: float) -> float:
        """The price in steps that people would use, the coarser the more there is to bargain about."""
        room = (
            abs(self.side.price - self.side.target) if self.side.is_buyer else 0.3 * self.side.price
        )
        step = max((each for each in _STEPS if each <= room / 10), default=1)
        return float(max(1, round(price / step) * step))
