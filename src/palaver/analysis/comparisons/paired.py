"""Tests of two systems that were judged on the same items: paired t, Wilcoxon, sign, McNemar.

The permutation test of pairs stands in `permutation`.
"""

from typing import Literal

from palaver.analysis.comparisons.effects import d_z, differences, rank_biserial
from palaver.analysis.comparisons.result import Alternative, TestResult, check_alternative
from palaver.analysis.comparisons.shares import (
    PairedTable,
    paired_odds_ratio,
    paired_risk_difference,
)
from palaver.analysis.means import Values, finite
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING
from palaver.core.numeric import np, stats

# Wilcoxon's test is exact up to this many pairs, where nothing is tied.
EXACT_PAIRS = 50


def paired_t(
    a: Values,
    b: Values,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Student's t test of the differences: t = mean / (s / √n), n − 1 degrees of freedom.

    Undefined for fewer than two pairs, and when all differences are the same.

    >>> round(paired_t([3, 4, 5, 7], [1, 3, 4, 4]).p, 4)
    0.0354
    """
    check_alternative(alternative)
    apart = differences(a, b)
    n = len(apart)
    if n < 2:
        return TestResult(name="paired t", p=MISSING, n=n, reason="there are fewer than two pairs")
    mean = float(apart.mean())
    if not np.ptp(apart) > 0:
        reason = "all differences are the same, so their spread is unknown"
        return TestResult(name="paired t", p=MISSING, n=n, difference=mean, reason=reason)
    found = stats.ttest_1samp(apart, 0.0, alternative=alternative)
    return TestResult(
        name="paired t",
        p=float(found.pvalue),
        statistic=float(found.statistic),
        n=n,
        difference=mean,
        effects={"d_z": d_z(a, b, confidence=confidence)},
        alternative=alternative,
        method=f"paired t test, {n - 1} degrees of freedom; assumes normal differences",
    )


def wilcoxon(
    a: Values,
    b: Values,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
    seed: int = 1,
) -> TestResult:
    """Wilcoxon's signed-rank test; the statistic is W₊, the sum of ranks of |a − b| where a is above.

    Pairs that are tied are left out (Wilcoxon's rule), and ties of |a − b| share their mean rank.
    The p-value is exact for up to 50 pairs without ties, otherwise normal with the correction of the
    variance for ties and no correction for continuity. Both are stated in `method`.

    F. Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1, 80–83.

    >>> wilcoxon([5, 6, 7, 3, 9], [1, 4, 4, 4, 3]).p
    0.125
    """
    check_alternative(alternative)
    apart = differences(a, b)
    kept = apart[apart != 0]
    zeros = len(apart) - len(kept)
    if not len(kept):
        reason = "every pair is tied" if zeros else "there are no pairs"
        return TestResult(name="wilcoxon", p=MISSING, n=len(apart), reason=reason)
    tied = len(np.unique(np.abs(kept))) < len(kept)
    exact = not tied and len(kept) <= EXACT_PAIRS
    found = stats.wilcoxon(
        kept, alternative=alternative, correction=False, method="exact" if exact else "asymptotic"
    )
    ranks = stats.rankdata(np.abs(kept))
    how = "exact" if exact else "normal approximation"
    ties = ", ties share their mean rank" if tied else ""
    return TestResult(
        name="wilcoxon",
        p=float(found.pvalue),
        statistic=float(ranks[kept > 0].sum()),
        n=len(apart),
        difference=float(apart.mean()),
        effects={"rank-biserial": rank_biserial(a, b, confidence=confidence, seed=seed)},
        alternative=alternative,
        method=f"Wilcoxon signed rank, {how}; {zeros} tied pairs left out{ties}; "
        "assumes symmetric differences",
        warnings=_few(len(kept)),
    )


def sign_test(a: Values, b: Values, *, alternative: Alternative = "two-sided") -> TestResult:
    """The exact sign test; the statistic is how many pairs have a above b. Tied pairs are left out.

    >>> round(sign_test([5, 6, 7, 3, 9], [1, 4, 4, 4, 3]).p, 4)
    0.375
    """
    check_alternative(alternative)
    apart = differences(a, b)
    above, below = int((apart > 0).sum()), int((apart < 0).sum())
    if not above + below:
        reason = "every pair is tied" if len(apart) else "there are no pairs"
        return TestResult(name="sign", p=MISSING, n=len(apart), reason=reason)
    found = stats.binomtest(above, above + below, alternative=alternative)
    return TestResult(
        name="sign",
        p=float(found.pvalue),
        statistic=float(above),
        n=len(apart),
        difference=float(apart.mean()),
        alternative=alternative,
        method=f"exact sign test of {above + below} pairs; {len(apart) - above - below} tied ones "
        "left out",
        warnings=_few(above + below),
    )


def mcnemar(
    a: Values,
    b: Values,
    *,
    kind: Literal["mid-p", "exact"] = "mid-p",
    confidence: float = 0.95,
) -> TestResult:
    """McNemar's test of paired answers that are 0 or 1; the statistic is the pairs that only a has.

    Given the discordant pairs, the successes of a alone are binomial with share ½. `exact` doubles
    the smaller tail; `mid-p` takes half of the probability of what was seen from it, which keeps
    its level in practice and finds more: M. W. Fagerland, S. Lydersen and P. Laake (2013), The
    McNemar test for binary matched-pairs data, BMC Medical Research Methodology 13, 91.

    >>> round(mcnemar([1] * 9 + [0] * 3, [0] * 7 + [1] * 4 + [0]).p, 4)
    0.1094
    """
    table = paired_table(a, b)
    discordant = table.only_a + table.only_b
    if not discordant:
        reason = "both systems have the same answer in every pair" if table.n else "no pairs"
        return TestResult(name=f"McNemar ({kind})", p=MISSING, n=table.n, reason=reason)
    fewer = min(table.only_a, table.only_b)
    p = 2 * float(stats.binom.cdf(fewer, discordant, 0.5))
    if kind == "mid-p":
        p -= float(stats.binom.pmf(fewer, discordant, 0.5))
    return TestResult(
        name=f"McNemar ({kind})",
        p=min(1.0, p),  # where both tails meet, the middle counts twice
        statistic=float(table.only_a),
        n=table.n,
        difference=table.a.share - table.b.share,
        effects={
            "risk difference": paired_risk_difference(table, confidence=confidence),
            "odds ratio": paired_odds_ratio(table, confidence=confidence),
        },
        method=f"McNemar's test, {kind}; {discordant} of {table.n} pairs differ; assumes "
        "independent pairs",
        warnings=_few(discordant),
    )


def paired_table(a: Values, b: Values) -> PairedTable:
    """How often both, only a, only b and neither succeeded; InputError unless all is 0 or 1.

    >>> paired_table([1, 1, 0], [1, 0, 0])
    PairedTable(both=1, only_a=1, only_b=0, neither=1)
    """
    one, other = finite(a), finite(b)
    if len(one) != len(other):
        raise InputError(
            f"Pairs need two lists of the same length; got {len(one)} and {len(other)}."
        )
    if not np.isin(np.concatenate([one, other]), [0, 1]).all():
        raise InputError("Answers that are counted should be 0 or 1; some are neither.")
    return PairedTable(
        both=int(((one == 1) & (other == 1)).sum()),
        only_a=int(((one == 1) & (other == 0)).sum()),
        only_b=int(((one == 0) & (other == 1)).sum()),
        neither=int(((one == 0) & (other == 0)).sum()),
    )


def _few(n: int) -> tuple[str, ...]:
    if n >= 6:
        return ()
    return (f"Only {n} pairs differ: small p-values are out of reach.",)
