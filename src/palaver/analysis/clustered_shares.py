"""Shares of things that come in clusters: how often writers fool a model, say.

What one writer writes hangs together: a few are much better at it than others, and some write far more.
A share p of n things has Wilson's interval with n divided by the design effect and with a quantile of
Student's t. The design effect is V / (p̃(1 − p̃)/n): V is the cluster-robust variance of `clustered`
(CR2), never taken below that of independent things, p̃ the centre of Wilson's interval; the degrees of
freedom are those of V. Where none or all are, clusters say nothing of how much they differ: each is
then counted once, as many as there are in effect, n² / Σ n_g².
"""

from collections.abc import Hashable, Sequence

from palaver.analysis import student
from palaver.analysis.clustered import mean_spread
from palaver.analysis.means import few_warning
from palaver.analysis.proportions import binary_variance, score_ends
from palaver.analysis.resampling import encode
from palaver.core.estimates import Estimate, Interval
from palaver.core.numeric import Numbers, np

CONFIDENCE = 0.95


def clustered_share(
    values: Sequence[float] | Numbers,
    clusters: Sequence[Hashable],
    *,
    what: str = "clusters",
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The share of values that are 1, with an interval that takes whole clusters for the sample.

    There is none for a single cluster. `what` is what clusters are called.

    >>> found = clustered_share([1, 1, 0, 0, 1, 0, 0, 0], list("aabbccdd"), what="writers")
    >>> f"{found.value:.3f} {found.interval.low:.2f} {found.interval.high:.2f}"
    '0.375 0.05 0.88'
    >>> clustered_share([1, 0], ["a", "a"], what="writers").reason
    'there is a single writer, and nobody knows how much others differ'
    """
    given = np.asarray(values, dtype=float)
    n = len(given)
    if not n:
        return Estimate.undefined("there is nothing to take a share of")
    codes = encode(clusters).codes
    share, many = float(given.mean()), int(codes.max()) + 1
    if many < 2:
        reason = f"there is a single {what[:-1]}, and nobody knows how much others differ"
        return Estimate(value=share, n=n, reason=reason)
    warning = few_warning(many, what, drawn=False)
    return Estimate(
        value=share,
        interval=_interval(given, codes, share, confidence),
        n=n,
        method=f"Wilson interval with the design effect of {what} and Student's t",
        warnings=(warning,) if warning else (),
        few=warning,
    )


def effective_clusters(codes: Numbers) -> float:
    """How many clusters of equal size would weigh as much: n² / Σ n_g².

    >>> effective_clusters(np.array([0, 0, 1, 1])), effective_clusters(np.array([0, 0, 0, 1]))
    (2.0, 1.6)
    """
    counts = np.bincount(codes).astype(float)
    return float(counts.sum() ** 2 / (counts @ counts))


def _interval(values: Numbers, codes: Numbers, share: float, confidence: float) -> Interval:
    n, spread = len(values), mean_spread(values, [codes])
    if not 0 < share < 1 or spread is None:
        size = effective_clusters(codes)
        return score_ends(share, size, student.quantile(confidence, max(1.0, size - 1)))
    binary = binary_variance(share, n, confidence=confidence)
    size = min(binary / spread.variance, float(n))
    return score_ends(share, size, student.quantile(confidence, spread.degrees))
