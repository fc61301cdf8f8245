"""At least as good, or the same, within a margin: non-inferiority and equivalence.

A test that finds no difference does not show that there is none. These tests turn the question
round: they reject that a is worse than b by the margin or more (non-inferiority), or that the two are
apart by the margin or more either way (equivalence, two one-sided tests). Higher values are better.

D. J. Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach,
Journal of Pharmacokinetics and Biopharmaceutics 15, 657–680.

Of shares they are score tests that the difference is a given number other than 0. The shares are
estimated as if that were so (their restricted maximum-likelihood estimates), and the variance is
computed from those; the statistic is then close to normal also for small samples and shares near 0
or 1.
"""

from dataclasses import dataclass
from math import acos, copysign, cos, inf, pi
from typing import Literal

from palaver.analysis.comparisons.effects import differences
from palaver.analysis.comparisons.paired import paired_table
from palaver.analysis.comparisons.shares import (
    PairedTable,
    Successes,
    paired_risk_difference,
    risk_difference,
)
from palaver.analysis.means import Values, finite
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, Estimate, Interval, html_table
from palaver.core.numeric import np, stats
from palaver.core.serial import flat, if_any, key, plain
from palaver.core.words import percent

Claim = Literal["at least", "equivalent"]
LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginResult:
    """Whether a claim about a and b within a margin is shown.

    `difference` is a minus b with its (1 − 2 · level) interval: the claim holds at the level where
    the interval lies inside the margin. `p` is the larger of the one-sided p-values involved, and
    NaN with a `reason` where there is none.
    """

    claim: Claim
    margin: float
    level: float
    difference: Estimate
    p: float
    shown: bool
    method: str
    reason: str = if_any("")

    def verdict(self, a: str = "a", b: str = "b", *, word: str = "good") -> str:
        """The finding as a sentence.

        >>> from palaver.analysis.comparisons.equivalence import margin_shares
        >>> found = margin_shares(Successes(180, 200), Successes(178, 200), margin=0.1)
        >>> found.verdict("new", "old", word="helpful")
        'new is at least as helpful as old, within a margin of 0.1.'
        """
        said = {
            "at least": f"{a} is at least as {word} as {b}, within a margin of {self.margin:g}.",
            "equivalent": f"{a} and {b} are equally {word}, within a margin of {self.margin:g}.",
        }[self.claim]
        return said if self.shown else f"Not shown: {said}"

    def _repr_html_(self) -> str:
        return html_table([plain(self) | {"difference": str(self.difference)}])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the test with a margin says of two systems, in a sentence that names them."""

    sentence: str = key("verdict")
    result: MarginResult = flat()


def margin_means(
    a: Values,
    b: Values,
    *,
    margin: float,
    claim: Claim = "at least",
    paired: bool = False,
    level: float = LEVEL,
) -> MarginResult:
    """Non-inferiority or equivalence of means, by t tests: of the differences, or Welch's.

    With the standard error s of the difference d, t₁ = (d + margin) / s rejects that a is worse by
    the margin, t₂ = (margin − d) / s that it is better by it; equivalence needs both.

    >>> found = margin_means([4, 5, 4, 5, 4, 5], [4, 4, 5, 5, 4, 5], margin=1, claim="equivalent")
    >>> found.shown
    True
    """
    _check(margin, claim, level)
    apart, error, freedom, n = _paired_t(a, b) if paired else _welch(a, b)
    test = "paired t" if paired else "Welch's t"
    if not error > 0:
        reason = "there are too few values, or they do not vary"
        return _result(claim, margin, level, Estimate(value=apart, n=n), MISSING, test, reason)
    half = float(stats.t.ppf(1 - level, freedom)) * error
    estimate = Estimate(value=apart, interval=Interval(apart - half, apart + half), n=n)
    not_worse = float(stats.t.sf((apart + margin) / error, freedom))
    not_better = float(stats.t.sf((margin - apart) / error, freedom))
    p = not_worse if claim == "at least" else max(not_worse, not_better)
    return _result(claim, margin, level, estimate, p, test, "")


def margin_shares(
    a: Successes,
    b: Successes,
    *,
    margin: float,
    claim: Claim = "at least",
    level: float = LEVEL,
) -> MarginResult:
    """Non-inferiority or equivalence of two shares, by the score test of Farrington and Manning.

    >>> margin_shares(Successes(18, 20), Successes(17, 20), margin=0.1).shown
    False
    """
    _check(margin, claim, level)
    estimate = risk_difference(a, b, confidence=1 - 2 * level)
    if not estimate.is_defined:
        return _result(claim, margin, level, estimate, MISSING, "score", estimate.reason)
    p = float(stats.norm.sf(score(a, b, -margin)))
    if claim == "equivalent":
        p = max(p, float(stats.norm.cdf(score(a, b, margin))))
    return _result(claim, margin, level, estimate, p, "Farrington and Manning's score", "")


def margin_paired_shares(
    a: Values,
    b: Values,
    *,
    margin: float,
    claim: Claim = "at least",
    level: float = LEVEL,
) -> MarginResult:
    """Non-inferiority or equivalence of paired answers of 0 or 1, by Tango's score test.

    >>> margin_paired_shares([1] * 40 + [0] * 10, [1] * 39 + [0] * 11, margin=0.1).shown
    True
    """
    _check(margin, claim, level)
    table = paired_table(a, b)
    estimate = paired_risk_difference(table, confidence=1 - 2 * level)
    if not estimate.is_defined:
        return _result(claim, margin, level, estimate, MISSING, "score", estimate.reason)
    p = float(stats.norm.sf(paired_score(table, -margin)))
    if claim == "equivalent":
        p = max(p, float(stats.norm.cdf(paired_score(table, margin))))
    return _result(claim, margin, level, estimate, p, "Tango's score", "")


def margin_interval(
    difference: Estimate, *, margin: float, claim: Claim = "at least", level: float = LEVEL
) -> MarginResult:
    """The claim judged by an interval alone, such as one that respects clusters.

    `difference` carries its (1 − 2 · level) interval; there is no p-value.
    """
    _check(margin, claim, level)
    ends = difference.interval
    inside = ends is not None and ends.low > -margin and (claim == "at least" or ends.high < margin)
    reason = "judged by the interval" if ends else difference.reason or "there is no interval"
    return MarginResult(
        claim=claim,
        margin=margin,
        level=level,
        difference=difference,
        p=MISSING,
        shown=inside,
        method=f"{percent(1 - 2 * level, 0)} interval: {difference.method}",
        reason=reason,
    )


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


def _check(margin: float, claim: str, level: float) -> None:
    if not 0 < margin < float("inf"):
        raise InputError(f"A margin is a number above 0; got {margin}.")
    if claim not in ("at least", "equivalent"):
        raise InputError(f"A claim is 'at least' or 'equivalent'; got '{claim}'.")
    if not 0 < level < 0.5:
        raise InputError(f"A level must be between 0 and 0.5; got {level}.")


def _result(
    claim: Claim,
    margin: float,
    level: float,
    difference: Estimate,
    p: float,
    test: str,
    reason: str,
) -> MarginResult:
    count = "one-sided" if claim == "at least" else "two one-sided"
    return MarginResult(
        claim=claim,
        margin=margin,
        level=level,
        difference=difference,
        p=p,
        shown=p < level,
        method=f"{test} test, {count}, level {level:g}, with the {percent(1 - 2 * level, 0)} interval",
        reason=reason,
    )


def _paired_t(a: Values, b: Values) -> tuple[float, float, float, int]:
    """The mean difference, its standard error, the degrees of freedom, and how many pairs."""
    apart = differences(a, b)
    n = len(apart)
    if n < 2:
        return float(apart.mean()) if n else MISSING, MISSING, MISSING, n
    return float(apart.mean()), float(apart.std(ddof=1)) / n**0.5, n - 1, n


def _welch(a: Values, b: Values) -> tuple[float, float, float, int]:
    """The difference of means, its standard error, the degrees of freedom, and how many values."""
    one, other = finite(a), finite(b)
    n = len(one) + len(other)
    if min(len(one), len(other)) < 2:
        return MISSING, MISSING, MISSING, n
    parts = np.array([one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)])
    below = parts**2 / np.array([len(one) - 1, len(other) - 1])
    freedom = float(parts.sum() ** 2 / below.sum()) if parts.sum() > 0 else MISSING
    return float(one.mean() - other.mean()), float(parts.sum()) ** 0.5, freedom, n


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
