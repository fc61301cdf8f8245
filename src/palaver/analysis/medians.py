"""A median with an interval that takes nothing for granted of how the values spread.

Of n values the k-th smallest and the k-th largest hold the median between them with a chance that the
binomial distribution tells: 1 − 2·P(X < k) for X ~ B(n, ½). The largest k that keeps the confidence is
taken. Five values or fewer cannot give 95 %, and get no interval. Times are long-tailed, and the mean
of a few of them says little of what somebody may expect.

H. A. David, H. N. Nagaraja (2003), Order Statistics, 7.1.
"""

import math
from collections.abc import Sequence
from statistics import median

from palaver.core.estimates import Estimate, Interval, all_the_same

METHOD = "between two of the values in their order; assumes independent values"


def sample_median(values: Sequence[float], *, level: float = 0.95) -> Estimate:
    """The median of independent values and the interval between two of them.

    >>> print(sample_median([1, 2, 3, 4, 5, 6, 7, 8]).interval)
    Interval(low=1.0, high=8.0)
    >>> sample_median([1, 2, 3]).reason
    'fewer than 6 values cannot give one'
    """
    if not values:
        return Estimate.undefined("there are no values")
    ordered = sorted(float(value) for value in values)
    n = len(ordered)
    if ordered[0] == ordered[-1]:
        return Estimate(value=ordered[0], n=n, reason=all_the_same(n))
    rank = _rank(n, level)
    if rank == 0:
        least = next(size for size in range(2, 100) if _rank(size, level))
        return Estimate(
            value=median(ordered), n=n, reason=f"fewer than {least} values cannot give one"
        )
    interval = Interval(ordered[rank - 1], ordered[n - rank])
    return Estimate(value=median(ordered), interval=interval, n=n, method=METHOD)


def _rank(n: int, level: float) -> int:
    """The largest k for which the k-th value from either end keeps the confidence; 0 if none does."""
    room = (1 - level) / 2
    below, rank = 0.0, 0
    for k in range(n // 2):
        below += math.exp(_log_choices(n, k) - n * math.log(2))
        if below > room:
            break
        rank = k + 1
    return rank


def _log_choices(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
