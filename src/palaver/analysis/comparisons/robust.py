"""The test of two systems whose answers share raters, items or other clusters.

The difference is that of the two means over answers, and the p-value and the interval come from one
spread: an interval leaves 0 out exactly where p is below 1 − its confidence.
"""

from palaver.analysis.comparisons.effects import hedges_g
from palaver.analysis.comparisons.result import TestResult
from palaver.analysis.means import Clusters, Values, finite, spread_apart
from palaver.core.estimates import MISSING

NO_CLUSTERS = "a side has a single cluster"
ALIKE = "the clusters do not differ, so the spread is unknown"


def robust(
    a: Values, b: Values, clusters_a: Clusters = (), clusters_b: Clusters = ()
) -> TestResult:
    """The cluster-robust t test: t = (mean a − mean b) / √V, with V and its degrees of `clustered`.

    `clusters_a` and `clusters_b` hold, per clustering, the cluster of each value; a cluster may hold
    values of both. Without clusters this is Welch's test. Undefined where a side has a single
    cluster, and where clusters do not differ.

    >>> round(robust([3, 4, 5, 6], [1, 2, 3, 4]).p, 4)
    0.071
    """
    one, other = finite(a), finite(b)
    n = len(one) + len(other)
    if not len(one) or not len(other):
        return TestResult(name="robust", p=MISSING, n=n, reason="a side has no values")
    apart = float(one.mean() - other.mean())
    spread = spread_apart(one, other, clusters_a, clusters_b)
    if spread is None or not spread.variance > 0:
        reason = NO_CLUSTERS if spread is None else ALIKE
        return TestResult(name="robust", p=MISSING, n=n, difference=apart, reason=reason)
    return TestResult(
        name="robust",
        p=spread.p(apart),
        statistic=apart / spread.error,
        n=n,
        difference=apart,
        effects={"Hedges' g": hedges_g(one, other, confidence=None)},
        method=f"cluster-robust t test (CR2), {spread.degrees:.1f} degrees of freedom; assumes "
        "independent clusters",
    )
