"""Tests of two systems that were judged on different items: Welch, Mann–Whitney, two shares.

The permutation test of unpaired values stands in `permutation`.
"""

from palaver.analysis.comparisons.effects import (
    cliffs_delta,
    cohens_d,
    common_language,
    hedges_g,
)
from palaver.analysis.comparisons.result import Alternative, TestResult, check_alternative
from palaver.analysis.comparisons.shares import Successes, odds_ratio, risk_difference
from palaver.analysis.means import Values, finite
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING
from palaver.core.numeric import np, stats

# The normal approximation of two shares asks for this many expected successes and failures.
EXPECTED = 5
# Mann and Whitney's test is exact up to this many values on each side, where nothing is tied.
EXACT_VALUES = 20


def welch(
    a: Values,
    b: Values,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Welch's t test: two means whose values may differ in spread.

    t = (mean a − mean b) / √(s_a²/n_a + s_b²/n_b), with Satterthwaite's degrees of freedom.
    B. L. Welch (1947), Biometrika 34, 28–35. Undefined for fewer than two values on a side, and
    where neither side varies.

    >>> round(welch([3, 4, 5, 6], [1, 2, 3, 4]).p, 4)
    0.071
    """
    check_alternative(alternative)
    one, other = finite(a), finite(b)
    n = len(one) + len(other)
    if min(len(one), len(other)) < 2:
        return TestResult(name="welch", p=MISSING, n=n, reason="a side has fewer than two values")
    apart = float(one.mean() - other.mean())
    if not (np.ptp(one) > 0 or np.ptp(other) > 0):
        reason = "no side varies, so the spread is unknown"
        return TestResult(name="welch", p=MISSING, n=n, difference=apart, reason=reason)
    found = stats.ttest_ind(one, other, equal_var=False, alternative=alternative)
    few = _few(min(len(one), len(other)))
    return TestResult(
        name="welch",
        p=float(found.pvalue),
        statistic=float(found.statistic),
        n=n,
        difference=apart,
        effects={
            "Cohen's d": cohens_d(a, b, confidence=confidence),
            "Hedges' g": hedges_g(a, b, confidence=confidence),
        },
        alternative=alternative,
        method=f"Welch's t test, {float(found.df):.1f} degrees of freedom; assumes "
        "independent values",
        warnings=few,
        few="".join(few),
    )


def mann_whitney(
    a: Values,
    b: Values,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Mann and Whitney's U: whether values of a tend to lie above those of b.

    U counts the pairs of one value from each side in which a is above, ties as half. Exact for up to
    20 values a side without ties, otherwise normal, with the variance corrected for ties and no
    correction for continuity. Undefined when all values are the same.

    H. B. Mann and D. R. Whitney (1947), Annals of Mathematical Statistics 18, 50–60.

    >>> mann_whitney([5, 6, 7], [1, 2, 3]).p
    0.1
    """
    check_alternative(alternative)
    one, other = finite(a), finite(b)
    n = len(one) + len(other)
    if not len(one) or not len(other):
        return TestResult(name="mann-whitney", p=MISSING, n=n, reason="a side has no values")
    together = np.concatenate([one, other])
    if not np.ptp(together) > 0:
        reason = "all values are the same"
        return TestResult(name="mann-whitney", p=MISSING, n=n, difference=0.0, reason=reason)
    tied = len(np.unique(together)) < n
    exact = not tied and max(len(one), len(other)) <= EXACT_VALUES
    found = stats.mannwhitneyu(
        one,
        other,
        alternative=alternative,
        use_continuity=False,
        method="exact" if exact else "asymptotic",
    )
    how = "exact" if exact else "normal approximation"
    few = _few(min(len(one), len(other)))
    return TestResult(
        name="mann-whitney",
        p=float(found.pvalue),
        statistic=float(found.statistic),
        n=n,
        difference=float(one.mean() - other.mean()),
        effects={
            "Cliff's δ": cliffs_delta(a, b, confidence=confidence),
            "common language": common_language(a, b, confidence=confidence),
        },
        alternative=alternative,
        method=f"Mann–Whitney U, {how}{', corrected for ties' if tied else ''}; assumes "
        "independent values",
        warnings=few,
        few="".join(few),
    )


def two_shares(
    a: Successes,
    b: Successes,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """The z test of two shares with the pooled share p: z = (a − b) / √(p(1 − p)(1/n_a + 1/n_b)).

    Undefined without answers on a side, and when all succeed or all fail.

    >>> round(two_shares(Successes(56, 70), Successes(48, 80)).p, 4)
    0.008
    """
    check_alternative(alternative)
    n = a.n + b.n
    if not a.n or not b.n:
        return TestResult(name="z", p=MISSING, n=n, reason="a side has no answers")
    pooled = (a.successes + b.successes) / n
    apart = a.share - b.share
    if pooled in (0, 1):
        reason = "every answer is the same"
        return TestResult(name="z", p=MISSING, n=n, difference=apart, reason=reason)
    z = apart / (pooled * (1 - pooled) * (1 / a.n + 1 / b.n)) ** 0.5
    tails = {"two-sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z)}
    expected = min(a.n, b.n) * min(pooled, 1 - pooled)
    return TestResult(
        name="z",
        p=float(tails.get(alternative, stats.norm.cdf(z))),
        statistic=float(z),
        n=n,
        difference=apart,
        effects={
            "risk difference": risk_difference(a, b, confidence=confidence),
            "odds ratio": odds_ratio(a, b, confidence=confidence),
        },
        alternative=alternative,
        method="z test of two shares, pooled; assumes independent answers",
        warnings=()
        if expected >= EXPECTED
        else (f"Only {expected:.1f} answers are expected in a cell: the z test needs 5 or more.",),
    )


def counted(values: Values) -> Successes:
    """The successes among values that are 0 or 1; InputError where one is neither.

    >>> counted([1, 0, 1])
    Successes(successes=2, n=3)
    """
    given = finite(values)
    if not np.isin(given, [0, 1]).all():
        raise InputError("Answers that are counted should be 0 or 1; some are neither.")
    return Successes(int(given.sum()), len(given))


def _few(n: int) -> tuple[str, ...]:
    if n >= 6:
        return ()
    return (f"A side has only {n} values: the test can only find large differences.",)
