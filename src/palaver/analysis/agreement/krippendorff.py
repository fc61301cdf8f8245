"""Krippendorff's α: how far raters agree beyond what chance would give.

K. Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania,
https://repository.upenn.edu/asc_papers/43. K. Krippendorff (2019), Content analysis, 4th edition,
chapter 12.
"""

from palaver.analysis.agreement.judgements import Measured
from palaver.analysis.agreement.patterns import Patterns
from palaver.core.numeric import Numbers, np

# Sums of squares that differ by less than this share of themselves differ by rounding only.
ROUNDING = 1e-12
# How many distances between values are held at once.
BLOCK = 4_000_000


def alphas(
    patterns: Patterns, weights: Numbers, *, level: Measured, scores: Numbers | None
) -> Numbers:
    """α for each row of `weights`, which says how often each pattern occurs; NaN where undefined.

    With m_u values on unit u, of which m_uc are c, n = Σ m_u pairable values in all, and
    n_c = Σ_u m_uc of them c,

        α = 1 − D_o / D_e
        D_o = 1/n · Σ_u 1/(m_u − 1) · Σ_c Σ_k m_uc m_uk δ²(c, k)
        D_e = 1/(n (n − 1)) · Σ_c Σ_k n_c n_k δ²(c, k)

    where δ² is by level: nominal, 1 if c ≠ k; interval, (c − k)²; ratio, ((c − k) / (c + k))², and 0
    where both are 0; ordinal, (r_c − r_k)² with the mid-ranks r_c = Σ_{g<c} n_g + n_c / 2, which is
    Krippendorff's (Σ_{g=c}^{k} n_g − (n_c + n_k) / 2)². Every pattern has two values or more.
    """
    weights = weights.astype(float)
    if level == "nominal":
        observed, expected = _nominal(patterns, weights)
    elif level == "ordinal":
        observed, expected = _ordinal(patterns, weights)
    elif level == "interval":
        observed, expected = _interval(patterns, weights, _known(scores))
    else:
        observed, expected = _ratio(patterns, weights, _known(scores))
    n = weights @ patterns.size
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = np.where(expected > 0, 1 - (n - 1) * observed / expected, np.nan)
    return found


# Each of these returns n · D_o and n (n − 1) · D_e for each row of weights.


def _nominal(patterns: Patterns, weights: Numbers) -> tuple[Numbers, Numbers]:
    size = patterns.size
    within = (size * (size - 1) - patterns.alike()) / (size - 1)
    marginals = patterns.marginals(weights)
    return weights @ within, marginals.sum(axis=1) ** 2 - (marginals**2).sum(axis=1)


def _ordinal(patterns: Patterns, weights: Numbers) -> tuple[Numbers, Numbers]:
    marginals = patterns.marginals(weights)
    n = marginals.sum(axis=1)
    # The mean of the mid-ranks is n / 2; around it the expected disagreement is a sum of squares.
    ranks = np.cumsum(marginals, axis=1) - marginals / 2 - n[:, None] / 2
    within = patterns.size * patterns.summed(ranks**2) - patterns.summed(ranks) ** 2
    within /= patterns.size - 1
    return 2 * (weights * within).sum(axis=1), 2 * n * (marginals * ranks**2).sum(axis=1)


def _interval(patterns: Patterns, weights: Numbers, scores: Numbers) -> tuple[Numbers, Numbers]:
    counts = patterns.marginals(patterns.times[None, :].astype(float))[0]
    centred = scores - counts @ scores / counts.sum()
    sums, squares = patterns.summed(centred), patterns.summed(centred**2)
    within = (patterns.size * squares - sums**2) / (patterns.size - 1)
    # Where all values of a unit are the same, what is left is rounding.
    within[patterns.alike() == patterns.size * (patterns.size - 1)] = 0
    n, total, total_squares = (weights @ each for each in (patterns.size, sums, squares))
    across = n * total_squares - total**2
    expected = np.where(across > ROUNDING * n * total_squares, across, 0)
    return 2 * (weights @ within), 2 * expected


def _ratio(patterns: Patterns, weights: Numbers, scores: Numbers) -> tuple[Numbers, Numbers]:
    within = patterns.paired(lambda one, other: _apart(scores[one], scores[other]))
    within /= patterns.size - 1
    marginals = patterns.marginals(weights)
    expected = np.zeros(len(weights))
    step = max(1, BLOCK // max(1, len(scores)))
    for start in range(0, len(scores), step):
        some = slice(start, start + step)
        distances = _apart(scores[:, None], scores[None, some])
        expected += ((marginals @ distances) * marginals[:, some]).sum(axis=1)
    return weights @ within, expected


def _apart(one: Numbers, other: Numbers) -> Numbers:
    both = one + other
    share: Numbers = (one - other) / np.where(both > 0, both, 1)
    return share**2


def _known(scores: Numbers | None) -> Numbers:
    assert scores is not None, "values at level interval and ratio are numbers"
    return scores
