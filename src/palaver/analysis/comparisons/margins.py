"""Score tests that a difference of two shares is a given number other than 0.

The shares are estimated as if that were so (their restricted maximum-likelihood estimates), and the
variance is computed from those. The statistic is then close to normal also for small samples and
shares near 0 or 1.
"""

from math import acos, copysign, cos, inf, pi

from palaver.analysis.comparisons.shares import PairedTable, Successes


def score(a: Successes, b: Successes, difference: float) -> float:
    """z of "share a − share b = difference", separate answers.

    z = (a − b − d) / √(p_a(1 − p_a)/n_a + p_b(1 − p_b)/n_b), with p_a − p_b = d and p_b the root in
    [0, 1] of the cubic that the likelihood gives.

    C. P. Farrington and G. Manning (1990), Test statistics and sample size formulae for comparative
    binomial trials with null hypothesis of non-zero risk difference, Statistics in Medicine 9,
    1447–1454; without the factor n/(n − 1) of Miettinen and Nurminen.

    >>> round(score(Successes(56, 70), Successes(48, 80), 0.0), 4)
    2.6502
    """
    share_b = _restricted(a, b, difference)
    share_a = min(1.0, max(0.0, share_b + difference))
    variance = share_a * (1 - share_a) / a.n + share_b * (1 - share_b) / b.n
    return _over(a.share - b.share - difference, variance)


def paired_score(table: PairedTable, difference: float) -> float:
    """z of "share a − share b = difference" in pairs.

    With n pairs, b of them only a and c of them only b, and d the difference,
    z = (b − c − nd) / √(n(2q + d(1 − d))), where q = (√(B² − 4AC) − B) / 2A is the restricted
    estimate of the chance of "only b", A = 2n, B = −b − c + (2n − b + c)d and C = −c d(1 − d).

    T. Tango (1998), Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design, Statistics in Medicine 17, 891–908.

    >>> round(paired_score(PairedTable(36, 12, 2, 0), 0.0), 4)
    2.6726
    """
    n, only_a, only_b = table.n, table.only_a, table.only_b
    linear = -only_a - only_b + (2 * n - only_a + only_b) * difference
    constant = -only_b * difference * (1 - difference)
    root = max(0.0, linear**2 - 8 * n * constant) ** 0.5
    chance = (root - linear) / (4 * n)
    variance = n * (2 * chance + difference * (1 - difference))
    return _over(only_a - only_b - n * difference, variance)


def _over(distance: float, variance: float) -> float:
    """distance / √variance; infinite, with its sign, where the variance is 0."""
    if variance > 0:
        return float(distance / variance**0.5)
    return copysign(inf, distance) if distance else 0.0


def _restricted(a: Successes, b: Successes, difference: float) -> float:
    """The share of b that makes the counts most likely, given the difference.

    The closed form of the cubic's root that Miettinen and Nurminen (1985) give.
    """
    n = a.n + b.n
    cubic = float(n)
    square = (a.n + 2 * b.n) * difference - n - a.successes - b.successes
    linear = (b.n * difference - n - 2 * b.successes) * difference + a.successes + b.successes
    constant = b.successes * difference * (1 - difference)
    third = square / (3 * cubic)
    v = third**3 - square * linear / (6 * cubic**2) + constant / (2 * cubic)
    u = copysign(max(0.0, third**2 - linear / (3 * cubic)) ** 0.5, v)
    ratio = min(1.0, max(-1.0, v / u**3)) if u else 0.0
    angle = (pi + acos(ratio)) / 3
    low, high = max(0.0, -difference), min(1.0, 1 - difference)
    return min(high, max(low, 2 * u * cos(angle) - third))
