"""How many more judgements a study that runs needs, from what it has.

A difference d with standard error s is told apart when |d| > c s, where c is the critical value of the
analysis that the study gets, corrected for as many pairs as it compares. With n judgements so far and
s shrinking as 1/√n, the power is 1 − β at

    n ((c + z_β) s / |d|)²,    z_β the normal quantile at 1 − β

which is the textbook's number with the study's own error (its clusters, its ties) in place of an
assumed one. It takes for granted that the difference is as large as it looks and that what is added
is like what is there: the same systems as often, raters and dialogues in the same proportion. The
simulations of `plan` give the same number (tests/analysis/planning/test_continuation.py).
"""

from dataclasses import dataclass
from math import ceil, isfinite
from statistics import NormalDist
from typing import ClassVar

from palaver.core.errors import InputError

POWER = 0.8
# From this many times of what was collected on, a number says nothing but "far more".
MOST_TIMES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """How many judgements it takes to tell two systems apart; `needed` is None if they are equal."""

    derived: ClassVar[tuple[str, ...]] = ("more", "is_told", "is_far")

    have: int
    needed: int | None
    is_told: bool
    power: float = POWER

    @property
    def more(self) -> int | None:
        """How many more; 0 where the two are told apart already."""
        if self.is_told:
            return 0
        return None if self.needed is None else max(1, self.needed - self.have)

    @property
    def is_far(self) -> bool:
        """Whether it is beyond what more of the same can reach."""
        return self.needed is None or self.needed > MOST_TIMES * self.have


def continuation(
    have: int, errors_apart: float, critical: float, *, power: float = POWER
) -> Continuation:
    """What tells a difference that is `errors_apart` of its standard errors away from 0.

    It is told apart from `critical` on. Of 100 votes with a difference of one standard error,
    tested at .05 alone, ((1.96 + 0.84) / 1)² × 100:

    >>> found = continuation(100, 1.0, 1.96)
    >>> found.needed, found.more, found.is_far
    (785, 685, False)
    >>> continuation(100, 0.0, 1.96).more is None
    True
    """
    if have < 1 or not (isfinite(errors_apart) and isfinite(critical) and critical > 0):
        raise InputError(
            f"A continuation needs judgements, a difference and a critical value above 0; got "
            f"{have}, {errors_apart} and {critical}."
        )
    if not 0 < power < 1:
        raise InputError(f"A power must be between 0 and 1; got {power}.")
    wanted = critical + NormalDist().inv_cdf(power)
    away = abs(errors_apart)
    return Continuation(
        have=have,
        needed=ceil(have * (wanted / away) ** 2) if away > 1e-9 else None,
        is_told=away > critical,
        power=power,
    )
