"""How far intervals of advice reach, and how sure differences are: for one look, or for many.

A round that is closed is looked at once: Student's t. While a round runs, its board is looked at again
and again; there the boundary of the asymptotic confidence sequence stands in the place of the normal
quantile (`analysis/sequential/asymptotic`), from `LEAST` situations on. With z the number of standard
errors, n situations and ρ of that sequence, p = √(nρ² + 1) exp(−z² nρ² / (2(nρ² + 1))) is below α at
any moment with a chance of α at most (Robbins): so is z above the boundary. Few degrees of freedom are
made up for as Student's t does: a statistic counts as the normal one of the same tail.
"""

from dataclasses import dataclass
from math import exp, sqrt

from palaver.analysis.ranking.verdict import Inference
from palaver.analysis.sequential.asymptotic import boundary, mixture_scale
from palaver.analysis.student import quantile, two_sided
from palaver.core.estimates import MISSING
from palaver.core.numeric import special

# Before so many situations are judged nothing is said while a round runs.
LEAST = 50
# Sequences are tightest around as many situations as a round usually has.
BEST_AT = 200


@dataclass(frozen=True, slots=True)
class Looks:
    """How often numbers are looked at: once (`fixed`), or whenever one likes (`anytime`)."""

    inference: Inference = "fixed"

    def reach(self, level: float, degrees: float, situations: int) -> float:
        """How many standard errors an interval reaches to each side; NaN where it is too early.

        >>> round(ONCE.reach(0.95, 1e9, 200), 2), round(AT_ANY_TIME.reach(0.95, 1e9, 200), 2)
        (1.96, 3.04)
        """
        if self.inference == "fixed":
            return quantile(level, degrees)
        if situations < LEAST:
            return MISSING
        errors = boundary(situations, confidence=level, best_at=BEST_AT)
        return quantile(1 - two_sided(errors), degrees)

    def p(self, statistic: float, degrees: float, situations: int, *, level: float) -> float:
        """The p-value of a statistic: at most α at any moment with a chance of α."""
        tail = two_sided(statistic, degrees)
        if self.inference == "fixed":
            return tail
        if situations < LEAST:
            return MISSING
        errors = -float(special.ndtri(max(tail, 1e-300) / 2))
        scaled = situations * mixture_scale(BEST_AT, confidence=level) ** 2
        return min(1.0, sqrt(scaled + 1) * exp(-(errors**2) * scaled / (2 * (scaled + 1))))


ONCE, AT_ANY_TIME = Looks(), Looks("anytime")
