"""Measured numbers with their intervals, which cards, sweeps and diagnoses tell.

An interval draws whole units (dialogues, examples) anew, because what was said in one dialogue belongs
together. Training does without the rest of Palaver, so that Wilson's formula stands here once more; a
test holds it to `analysis.proportions`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

# How often units are drawn anew.
DRAWS = 2000
# Draws that are held at a time.
_BLOCK = 50
# The quantile of the normal distribution at 97.5 %.
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFigure:
    """A measured number with its interval; `n` counts `unit`s, which are what was drawn anew.

    None has an interval of no width: equal values say nothing of how sure one may be.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int = 0
    unit: str = ""
    about: str = ""

    def __post_init__(self) -> None:
        low, high = self.low, self.high
        if low is None or high is None or math.isclose(low, high, rel_tol=1e-6, abs_tol=1e-9):
            object.__setattr__(self, "low", None)
            object.__setattr__(self, "high", None)


def ratio_figure(
    name: str,
    upper: Numbers,
    lower: Numbers,
    *,
    about: str,
    unit: str,
    seed: int = 1,
    is_share: bool = False,
    write: Callable[[Numbers], Numbers] | None = None,
) -> MeasuredFigure:
    """The sum of `upper` over the sum of `lower`, both by unit, with its 95 % interval.

    The interval is the percentile bootstrap in which units are drawn anew, widened where they are few.
    Where a share is of units that have it or not, and where it is none or all, it is Wilson's, because
    the bootstrap is too short near the ends and has no width there. Other ratios that are alike in all
    units have no interval. `write` is what is told instead of the ratio, such as its exponential; `n`
    counts the units that have anything to divide by.
    """
    counted = int((lower > 0).sum())
    if not counted:
        raise ValueError(f"There is nothing to divide '{name}' by.")
    value = upper.sum() / lower.sum()
    is_of_units = bool(np.isin(upper, (0, 1)).all() and np.isin(lower, (0, 1)).all())
    if is_share and (is_of_units or math.isclose(value, round(value), abs_tol=1e-12)):
        low, high = _wilson(value * counted, counted)
    else:
        drawn = _drawn(upper, lower, seed)
        tail = left_out(counted)
        low, high = np.quantile(drawn, [tail, 1 - tail])
    ends = np.array([value, low, high])
    value, low, high = ends if write is None else write(ends)
    return MeasuredFigure(
        name=name,
        value=float(value),
        low=float(low),
        high=float(high),
        n=counted,
        unit=unit,
        about=about,
    )


def mean_figure(
    name: str,
    values: Numbers,
    *,
    about: str,
    unit: str,
    seed: int = 1,
    is_share: bool = False,
) -> MeasuredFigure:
    """The mean of values, one for each unit, with its 95 % interval."""
    return ratio_figure(
        name, values, np.ones_like(values), about=about, unit=unit, seed=seed, is_share=is_share
    )


def left_out(n: int) -> float:
    """What a 95 % interval leaves out of the draws on either side: of few units less than 2.5 %.

    The percentile bootstrap is too narrow for few units, by √((n − 1) / n) and by what Student's t is
    wider than the normal distribution. Tails of Φ(−√(n / (n − 1)) t) make up for both (T. Hesterberg,
    2015, What teachers should know about the bootstrap, The American Statistician 69, 371–386).

    >>> round(left_out(5), 4), round(left_out(30), 4), round(left_out(1000), 4)
    (0.001, 0.0188, 0.0248)
    """
    if n < 2:
        return 0.0
    return NormalDist().cdf(-math.sqrt(n / (n - 1)) * student(n - 1))


def student(degrees: int) -> float:
    """The 97.5 % quantile of Student's t, by its expansion in 1 / degrees (Abramowitz and Stegun,
    26.7.5): without scipy, and within 0.02 from 4 degrees on."""
    z = _Z
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return sum(each / float(degrees) ** n for n, each in enumerate(terms))


def _drawn(upper: Numbers, lower: Numbers, seed: int) -> Numbers:
    """The ratio in each draw that has anything to divide by."""
    n, dice = len(upper), np.random.default_rng(seed)
    ratios = []
    for _ in range(DRAWS // _BLOCK):
        times = dice.multinomial(n, np.full(n, 1 / n), size=_BLOCK)
        below = times @ lower
        ratios.append((times @ upper)[below > 0] / below[below > 0])
    return np.concatenate(ratios)


def _wilson(successes: float, n: int) -> tuple[float, float]:
    """Wilson's score interval (95 %) of a share."""
    share, square = successes / n, _Z**2
    middle = share + square / (2 * n)
    reach = _Z * math.sqrt(share * (1 - share) / n + square / (4 * n**2))
    whole = 1 + square / n
    return max(0.0, (middle - reach) / whole), min(1.0, (middle + reach) / whole)
