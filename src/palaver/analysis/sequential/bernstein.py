"""A confidence sequence for the mean of values between 0 and 1, in closed form.

The empirical-Bernstein predictable mixture: with μ̂ᵢ = (½ + ΣX) / (i + 1) and
σ̂ᵢ² = (¼ + Σ(Xⱼ − μ̂ⱼ)²) / (i + 1), bets that use only what came before,

    λᵢ = min(½, √( 2 log(2/α) / (σ̂²ᵢ₋₁ i log(1 + i)) )),

and vᵢ = 4 (Xᵢ − μ̂ᵢ₋₁)², ψ(λ) = (−log(1 − λ) − λ) / 4, the interval

    ΣλᵢXᵢ / Σλᵢ ± (log(2/α) + Σ vᵢ ψ(λᵢ)) / Σλᵢ

holds at all times at once with a chance of 1 − α, for any values whose mean, given those before, is
always μ. No normal approximation is involved. `betting` is tighter and takes more work.

I. Waudby-Smith and A. Ramdas (2024), Estimating means of bounded random variables by betting, Journal
of the Royal Statistical Society B 86, 1–27.
"""

from math import log, sqrt

from palaver.analysis.sequential.checks import check_confidence, unit_values
from palaver.analysis.sequential.paths import Path, running
from palaver.core.numeric import Numbers, np

MOST_BET = 0.5


class Bets:
    """The bets λ one after the other: each is known before the value that it is laid on."""

    def __init__(self, confidence: float) -> None:
        check_confidence(confidence)
        self._spent = 2 * log(2 / (1 - confidence))
        self._sum, self._squares = 0.5, 0.25
        self.n = 0

    @property
    def mean(self) -> float:
        """μ̂ of the values so far."""
        return self._sum / (self.n + 1)

    @property
    def next(self) -> float:
        """λ of the value to come, without a limit."""
        turn = self.n + 1
        return sqrt(self._spent / (self._squares * log(1 + turn)))

    def add(self, value: float) -> None:
        """Take in one value."""
        self.n += 1
        self._sum += value
        self._squares += (value - self.mean) ** 2


def bets(values: Numbers, *, confidence: float) -> Numbers:
    """λ of every value of a sequence, without a limit."""
    n = np.arange(1, len(values) + 1)
    off = values - (0.5 + np.cumsum(values)) / (n + 1)
    # σ̂²ᵢ₋₁ · i is the sum of squares so far, with the ¼ that it starts from.
    squares = 0.25 + np.concatenate([[0.0], np.cumsum(off**2)[:-1]])[: len(values)]
    found: Numbers = np.sqrt(2 * log(2 / (1 - confidence)) / (squares * np.log(1 + n)))
    return found


def bernstein_path(values: Numbers, *, confidence: float = 0.95) -> Path:
    """The sequence after each value, intersected over time.

    >>> path = bernstein_path(np.tile([1, 1, 0, 1, 0, 1, 1, 1, 0, 1], 10))
    >>> round(float(path.centre[-1]), 9), round(float(path.reach[-1]), 9)
    (0.699469745, 0.15970245)
    """
    check_confidence(confidence)
    given = unit_values(values)
    n = np.arange(1, len(given) + 1)
    laid = np.minimum(bets(given, confidence=confidence), MOST_BET)
    before = (0.5 + np.cumsum(given) - given) / n
    paid = 4 * (given - before) ** 2 * _psi(laid)
    whole = np.cumsum(laid)
    return running(
        np.cumsum(laid * given) / whole, (log(2 / (1 - confidence)) + np.cumsum(paid)) / whole
    )


class BernsteinSequence:
    """The same, one value after the other."""

    def __init__(self, *, confidence: float = 0.95) -> None:
        self._bets = Bets(confidence)
        self._start = log(2 / (1 - confidence))
        self._laid = self._won = self._paid = 0.0
        self.low, self.high = -float("inf"), float("inf")

    def add(self, value: float) -> None:
        """Take in one value and narrow the interval where it says more."""
        bet = min(self._bets.next, MOST_BET)
        self._paid += 4 * (value - self._bets.mean) ** 2 * (-log(1 - bet) - bet) / 4
        self._bets.add(value)
        self._laid += bet
        self._won += bet * value
        centre, reach = self._won / self._laid, (self._start + self._paid) / self._laid
        self.low, self.high = max(self.low, centre - reach), min(self.high, centre + reach)


def _psi(bet: Numbers) -> Numbers:
    found: Numbers = (-np.log1p(-bet) - bet) / 4
    return found
