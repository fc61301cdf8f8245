"""How a simulated rater chooses between two systems: Bradley–Terry with ties, after Davidson.

With strengths π₁, π₂ > 0 and ν ≥ 0,

    P(first) = π₁ / (π₁ + π₂ + ν√(π₁π₂)),    P(tie) = ν√(π₁π₂) / (π₁ + π₂ + ν√(π₁π₂)).

Ties are likeliest between equals, and leave the odds of first to second as they are. Instead of ν
callers give `tie`, how often two equally strong systems tie: tie = ν / (2 + ν), so
ν = 2 tie / (1 − tie).

R. R. Davidson (1970), On extending the Bradley–Terry model to accommodate ties in paired comparison
experiments, Journal of the American Statistical Association 65, 317–328.
"""

import random
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Literal

from palaver.core.errors import InputError

Side = Literal["first", "second", "tie"]


@dataclass(frozen=True, slots=True)
class Chances:
    """The probability of each answer to a comparison; they sum to 1."""

    first: float
    second: float
    tie: float

    @property
    def rate(self) -> float:
        """The expected win rate of the first, with a tie as half a win."""
        return self.first + self.tie / 2


def preference_chances(strength_first: float, strength_second: float, tie: float) -> Chances:
    """The probabilities of Davidson's model; undefined unless strengths are above 0, tie below 1.

    >>> preference_chances(3.0, 1.0, tie=0.0)
    Chances(first=0.75, second=0.25, tie=0.0)
    >>> preference_chances(4.0, 4.0, tie=0.5)
    Chances(first=0.25, second=0.25, tie=0.5)
    """
    for strength in (strength_first, strength_second):
        if not (isfinite(strength) and strength > 0):
            raise InputError(f"A strength is a number above 0; got {strength}.")
    if not 0 <= tie < 1:
        raise InputError(f"A tie probability is at least 0 and below 1; got {tie}.")
    nu = 2 * tie / (1 - tie)
    ties = nu * sqrt(strength_first) * sqrt(strength_second)
    total = strength_first + strength_second + ties
    return Chances(strength_first / total, strength_second / total, ties / total)


def draw_preference(
    rng: random.Random, strength_first: float, strength_second: float, tie: float
) -> Side:
    """One answer, drawn from Davidson's model."""
    chances = preference_chances(strength_first, strength_second, tie)
    point = rng.random()
    if point < chances.first:
        return "first"
    return "tie" if point < chances.first + chances.tie else "second"
