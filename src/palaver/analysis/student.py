"""Quantiles and chances of Student's t, with the normal distribution as its limit.

A variance that is estimated from few things is itself uncertain, and its degrees of freedom say how
much. Whoever turns a standard error into an interval or a p-value does it here.
"""

from palaver.core.numeric import special

# From so many degrees of freedom on, t is the normal distribution.
MOST_DEGREES = 1e6


def quantile(level: float, degrees: float = MOST_DEGREES) -> float:
    """How many standard errors an interval of this level reaches to each side.

    >>> round(quantile(0.95), 4), round(quantile(0.95, 4), 4)
    (1.96, 2.7764)
    """
    if degrees >= MOST_DEGREES:
        return float(special.ndtri((1 + level) / 2))
    return float(special.stdtrit(degrees, (1 + level) / 2))


def two_sided(statistic: float, degrees: float = MOST_DEGREES) -> float:
    """The chance of a statistic as far from 0.

    >>> round(two_sided(1.96), 4), round(two_sided(2.7764, 4), 4)
    (0.05, 0.05)
    """
    if degrees >= MOST_DEGREES:
        return float(2 * special.ndtr(-abs(statistic)))
    return float(2 * special.stdtr(degrees, -abs(statistic)))
