"""A confidence sequence for any mean, once enough is in: the normal mixture of Robbins.

With n values so far, their mean μ̂ and their standard deviation σ̂,

    μ̂ ± σ̂/√n · c(n),    c(n) = √( 2 (nρ² + 1) / (nρ²) · log(√(nρ² + 1) / α) )

holds at all n at once with a chance of 1 − α, where n is large enough for the normal approximation. c
stands in the place of 1.96. It is smallest in relation to the best possible around one number n*,
which sets ρ² = (−2 log α + log(−2 log α) + 1) / n*.

H. Robbins (1970), Statistical methods related to the law of the iterated logarithm, Annals of
Mathematical Statistics 41, 1397–1409. I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and
A. Ramdas (2024), Time-uniform central limit theory and asymptotic confidence sequences, Annals of
Statistics 52, 2613–2640.
"""

from math import log, sqrt

from palaver.analysis.sequential.checks import check_confidence
from palaver.analysis.sequential.paths import Path, running
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np


def mixture_scale(best_at: float, *, confidence: float = 0.95) -> float:
    """ρ of the sequence that is tightest around `best_at` values.

    >>> round(mixture_scale(100), 6)
    0.296341
    """
    check_confidence(confidence)
    if not best_at > 0:
        raise InputError(f"A sequence is tightest at a number above 0; got {best_at}.")
    spent = -2 * log(1 - confidence)
    return sqrt((spent + log(spent) + 1) / best_at)


def boundary(n: float, *, confidence: float, best_at: float) -> float:
    """How many standard errors the sequence reaches to each side after n values, instead of 1.96.

    >>> round(boundary(100, confidence=0.95, best_at=100), 4)
    3.0354
    """
    if not n > 0:
        raise InputError(f"A boundary is of more than 0 values; got {n}.")
    scaled = n * mixture_scale(best_at, confidence=confidence) ** 2
    return sqrt(2 * (scaled + 1) / scaled * log(sqrt(scaled + 1) / (1 - confidence)))


def asymptotic_path(
    values: Numbers, *, confidence: float = 0.95, best_at: float, start: int = 50
) -> Path:
    """The sequence after each value, intersected over time from `start` values on.

    Before that there is no bound: ends are −∞ and ∞. Standard deviations divide by n.
    """
    given = np.asarray(values, dtype=float)
    n = np.arange(1, len(given) + 1)
    mean = np.cumsum(given) / n
    # Around the first value, so that squares of large numbers do not cancel.
    moved = given - given[:1]
    centre = np.cumsum(moved) / n
    variance = np.maximum(np.cumsum(moved**2) / n - centre**2, 0.0)
    scaled = n * mixture_scale(best_at, confidence=confidence) ** 2
    reach = np.sqrt(
        2 * (scaled + 1) / scaled * np.log(np.sqrt(scaled + 1) / (1 - confidence)) * variance / n
    )
    reach[: start - 1] = np.inf
    return running(mean, reach)


class AsymptoticSequence:
    """The same, one value after the other: mean and variance by Welford's updates."""

    def __init__(self, *, confidence: float = 0.95, best_at: float, start: int = 50) -> None:
        check_confidence(confidence)
        self._confidence, self._best_at, self._start = confidence, best_at, start
        self._squares = 0.0
        self.n = 0
        self.mean = 0.0
        self.low, self.high = -float("inf"), float("inf")

    def add(self, value: float) -> None:
        """Take in one value and narrow the interval where it says more."""
        self.n += 1
        off = value - self.mean
        self.mean += off / self.n
        self._squares += off * (value - self.mean)
        if self.n >= self._start:
            reach = (
                sqrt(self._squares)
                / self.n
                * boundary(self.n, confidence=self._confidence, best_at=self._best_at)
            )
            self.low = max(self.low, self.mean - reach)
            self.high = min(self.high, self.mean + reach)
