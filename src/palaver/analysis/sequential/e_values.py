"""Evidence as numbers that may be multiplied, averaged and looked at at any moment: e-values.

An e-value has an expectation of at most 1 if the hypothesis is true, whenever one stops; so it reaches
1/α with a chance of at most α. Of s wins among t decided comparisons, against the win rate p,

    E = B(a + s, b + t − s) / B(a, b) / (p^s (1 − p)^(t − s))

averages the likelihood ratio over a Beta(a, b) distribution of the true rate. All p with E < 1/α are a
confidence sequence. It is about single independent comparisons: where raters give several, or ties
count as half, use `betting`.

Averages of any e-values are e-values, and so are products of those from independent batches. Of K
hypotheses, those with E ≥ K/α are all false with a chance of 1 − α (Bonferroni); e-BH finds more, of
which a share of at most α is expected to be true, however the e-values depend on each other.

V. Vovk and R. Wang (2021), E-values: calibration, combination and applications, Annals of Statistics
49, 1736–1754. R. Wang and A. Ramdas (2022), False discovery rate control with e-values, Journal of the
Royal Statistical Society B 84, 822–852.
"""

from collections.abc import Sequence
from math import exp, fsum, inf, log, prod

from palaver.analysis.sequential.checks import check_confidence
from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np, special

JEFFREYS = (0.5, 0.5)
UNIFORM = (1.0, 1.0)
HALVINGS = 60


def beta_e_value(
    wins: float, n: float, *, rate: float = 0.5, prior: tuple[float, float] = JEFFREYS
) -> float:
    """The evidence of `wins` among n decided comparisons against this win rate.

    >>> round(beta_e_value(8, 10), 3), round(beta_e_value(8, 10, prior=UNIFORM), 3)
    (1.676, 2.069)
    """
    _check(wins, n, prior)
    if not 0 <= rate <= 1:
        raise InputError(f"A win rate is from 0 to 1; got {rate}.")
    return _bounded_exp(_log_e(wins, n, rate, prior))


def beta_path(won: Numbers, *, rate: float = 0.5, prior: tuple[float, float] = JEFFREYS) -> Numbers:
    """The same after each of a sequence of decided comparisons, 1 for a win and 0 for a loss."""
    given = np.asarray(won, dtype=float)
    wins, n = np.cumsum(given), np.arange(1, len(given) + 1)
    found: Numbers = np.exp(
        special.betaln(prior[0] + wins, prior[1] + n - wins)
        - special.betaln(*prior)
        - special.xlogy(wins, rate)
        - special.xlogy(n - wins, 1 - rate)
    )
    return found


def beta_interval(
    wins: float, n: float, *, confidence: float = 0.95, prior: tuple[float, float] = JEFFREYS
) -> Interval:
    """The win rates against which the evidence is below 1/α: a confidence sequence at this moment.

    >>> found = beta_interval(70, 100)
    >>> round(found.low, 4), round(found.high, 4)
    (0.5372, 0.8343)
    """
    check_confidence(confidence)
    _check(wins, n, prior)
    if not n:
        return Interval(0.0, 1.0)
    wanted = -log(1 - confidence)

    def end(middle: float, outer: float) -> float:
        inner = middle
        for _ in range(HALVINGS):
            tried = (inner + outer) / 2
            if _log_e(wins, n, tried, prior) < wanted:
                inner = tried
            else:
                outer = tried
        return inner

    # E is smallest at the rate that was seen and grows to both sides.
    seen = wins / n
    low = 0.0 if not wins else end(seen, 0.0)
    return Interval(low, 1.0 if wins == n else end(seen, 1.0))


def e_product(values: Sequence[float]) -> float:
    """The evidence of independent batches together.

    >>> e_product([4.0, 0.5, 10.0])
    20.0
    """
    return prod(_checked(values))


def e_average(values: Sequence[float]) -> float:
    """The evidence of e-values that may depend on each other in any way.

    >>> e_average([4.0, 0.5, 10.5])
    5.0
    """
    given = _checked(values)
    return fsum(given) / len(given) if given else 1.0


def e_bonferroni(values: Sequence[float], *, alpha: float = 0.05) -> list[bool]:
    """Which of K hypotheses are rejected, all of them rightly with a chance of 1 − α: E ≥ K/α.

    >>> e_bonferroni([61.0, 50.0, 1.0])
    [True, False, False]
    """
    check_confidence(alpha)
    given = _checked(values)
    return [value >= len(given) / alpha for value in given]


def e_bh(values: Sequence[float], *, alpha: float = 0.05) -> list[bool]:
    """Which are rejected with a false discovery rate of α: the k* largest, k* = max{k: E₍ₖ₎ ≥ K/(kα)}.

    >>> e_bh([61.0, 50.0, 1.0])
    [True, True, False]
    """
    check_confidence(alpha)
    given = _checked(values)
    count = len(given)
    ordered = sorted(given, reverse=True)
    found = [k for k in range(1, count + 1) if ordered[k - 1] >= count / (k * alpha)]
    least = ordered[found[-1] - 1] if found else inf
    return [bool(found) and value >= least for value in given]


def _log_e(wins: float, n: float, rate: float, prior: tuple[float, float]) -> float:
    a, b = prior
    mixed = float(special.betaln(a + wins, b + n - wins) - special.betaln(a, b))
    return mixed - float(special.xlogy(wins, rate) + special.xlogy(n - wins, 1 - rate))


def _bounded_exp(value: float) -> float:
    return exp(value) if value < 700 else inf


def _check(wins: float, n: float, prior: tuple[float, float]) -> None:
    if not 0 <= wins <= n:
        raise InputError(f"Wins are from 0 to the number of comparisons; got {wins} of {n}.")
    if not min(prior) > 0:
        raise InputError(f"A beta distribution has parameters above 0; got {prior}.")


def _checked(values: Sequence[float]) -> list[float]:
    found = [float(value) for value in values]
    if any(not value >= 0 for value in found):
        raise InputError("An e-value is 0 or more.")
    return found
