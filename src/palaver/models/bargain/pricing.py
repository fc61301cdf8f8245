"""Prices as one side of a bargain sees them, and the few words that stand for them.

A side measures a price between the worst that it thinks of, 0, and its target, 1: a seller begins at
seven tenths of its target, a buyer at the list price. Rounded to hundredths, prices of all things become
one small vocabulary.
"""

import math
from dataclasses import dataclass
from typing import Self

from palaver.games.craigslist_bargain.sides import BargainSide

# What a seller's worst price is of its target.
WORST = 0.7
# Beyond this a number is no price: a slip of the finger, or a year.
MOST_SCALED = 4.0
# A price that is meant and cannot be told.
UNKNOWN_PRICE = "<price:unknown>"
# Where less than this lies between worst price and target, cents count.
_WHOLE_DOLLARS = 5.0
# Less of the target than this is nothing to bargain about.
_LEAST_WIDTH = 0.01


@dataclass(frozen=True, slots=True)
class PriceScale:
    """The prices of one side: `worst` is 0, `target` is 1; the two differ."""

    worst: float
    target: float

    @classmethod
    def of(cls, side: BargainSide) -> Self:
        """The scale of a side; where its worst price is its target, as wide as a seller's.

        >>> PriceScale.of(BargainSide(role="seller", target=200, price=200))
        PriceScale(worst=140.0, target=200)
        """
        worst = side.price if side.is_buyer else WORST * side.target
        whole = max(side.target, side.price, 1.0)
        if abs(side.target - worst) < _LEAST_WIDTH * whole:
            width = (1 - WORST) * whole
            worst = side.target + width if side.is_buyer else side.target - width
        return cls(worst, side.target)

    @property
    def width(self) -> float:
        """From the worst price to the target: below zero for most buyers."""
        return self.target - self.worst

    @property
    def step(self) -> float:
        """What prices are rounded to, a dollar or a cent."""
        return 1.0 if abs(self.width) >= _WHOLE_DOLLARS else 0.01

    def scaled(self, price: float) -> float | None:
        """A price on the scale, in hundredths; None where it is too far off to be meant.

        >>> PriceScale(worst=140, target=200).scaled(173)
        0.55
        """
        share = (price - self.worst) / self.width
        if not math.isfinite(share) or abs(share) > MOST_SCALED:
            return None
        # Not -0.0, which would be a word of its own.
        return round(share, 2) + 0.0

    def price(self, scaled: float) -> float:
        """The price that a share of the scale is, as people would say it; never below 0.

        >>> PriceScale(worst=140, target=200).price(0.55)
        173.0
        """
        steps = math.floor((self.worst + scaled * self.width) / self.step + 0.5)
        return max(0.0, round(steps * self.step, 2))

    def word(self, price: float | None) -> str:
        """The word that stands for a price; `UNKNOWN_PRICE` where there is none, or none is meant."""
        scaled = None if price is None else self.scaled(price)
        return UNKNOWN_PRICE if scaled is None else price_word(scaled)


def price_word(scaled: float) -> str:
    """The word of a scaled price.

    >>> price_word(0.5)
    '<price:0.50>'
    """
    return f"<price:{scaled:.2f}>"


def scaled_of(word: str) -> float | None:
    """The scaled price that a word stands for; None for other words.

    >>> scaled_of("<price:-0.25>")
    -0.25
    """
    if not word.startswith("<price:") or not word.endswith(">") or word == UNKNOWN_PRICE:
        return None
    try:
        return float(word[len("<price:") : -1])
    except ValueError:
        return None
