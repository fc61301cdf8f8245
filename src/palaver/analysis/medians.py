"""A median with an interval that takes nothing for granted of how the values spread.

A value m is kept as long as the sign test does not speak against it: each value lies below or above m,
and by chance alone either is as likely. Values that belong together, such as the times of two people who
talked with each other, lie on one side together: their signs are added up, and the sum is turned as a
whole. Where each value is alone that is the binomial interval between two of the values in their order.
Up to 200 values the chances are counted exactly; above, the sum is taken as normal. Five values or
fewer cannot give 95 %, and get no interval. Times are long-tailed, and the mean of a few of them says
little of what somebody may expect.

H. A. David, H. N. Nagaraja (2003), Order Statistics, 7.1. D. Larocque, J. Nevalainen, H. Oja (2007), A
weighted multivariate sign test for cluster-correlated data.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from statistics import NormalDist, median

from palaver.core.estimates import Estimate, Interval, all_the_same

METHOD = "between two of the values in their order; assumes independent values"
CLUSTERED = "between two of the values in their order; values of one cluster count together"
MOST_COUNTED = 200


def sample_median(
    values: Sequence[float], *, clusters: Sequence[Hashable] | None = None, level: float = 0.95
) -> Estimate:
    """The median of values and the interval between two of them.

    `clusters` says which cluster each value is of; without it each is independent of the others.

    >>> print(sample_median([1, 2, 3, 4, 5, 6, 7, 8]).interval)
    Interval(low=1.0, high=8.0)
    >>> sample_median([1, 2, 3]).reason
    'fewer than 6 values cannot give one'
    """
    if not values:
        return Estimate.undefined("there are no values")
    named = range(len(values)) if clusters is None else clusters
    pairs = sorted(zip(map(float, values), named, strict=True), key=lambda pair: pair[0])
    ordered = [value for value, _ in pairs]
    n, sizes = len(ordered), Counter(named)
    if ordered[0] == ordered[-1]:
        return Estimate(value=ordered[0], n=n, reason=all_the_same(n))
    from_below = _rank([cluster for _, cluster in pairs], sizes, level)
    from_above = _rank([cluster for _, cluster in reversed(pairs)], sizes, level)
    if not from_below or not from_above:
        return Estimate(value=median(ordered), n=n, reason=_too_few(n, len(sizes), level))
    interval = Interval(ordered[from_below - 1], ordered[n - from_above])
    method = METHOD if len(sizes) == n else f"{CLUSTERED} ({len(sizes)} clusters)"
    return Estimate(value=median(ordered), interval=interval, n=n, method=method)


def _too_few(n: int, clusters: int, level: float) -> str:
    least = math.ceil(1 - math.log2(1 - level))
    if clusters == n:
        return f"fewer than {least} values cannot give one"
    return f"{n} values of {clusters} clusters cannot give one"


def _rank(clusters: Sequence[Hashable], sizes: Counter[Hashable], level: float) -> int:
    """How many values from one end can be left out at the least; 0 if not one.

    A value between the k-th and the next one is tried for k = 0, 1, …: so many lie outside of it.
    """
    sums = dict(sizes)
    squares = sum(size * size for size in sizes.values())
    for k, cluster in enumerate(clusters[: len(clusters) // 2]):
        distance = len(clusters) - 2 * k
        if _chance(distance, sums.values(), squares, n=len(clusters)) > 1 - level:
            return k
        before = sums[cluster]
        sums[cluster] = before - 2
        squares += (before - 2) ** 2 - before**2
    return len(clusters) // 2


def _chance(distance: int, sums: Iterable[int], squares: int, *, n: int) -> float:
    """How likely sums that are turned at random come to `distance` or more, on either side."""
    if n > MOST_COUNTED:
        # Sums move in steps of two.
        return 2 * NormalDist().cdf(-(distance - 1) / math.sqrt(squares)) if squares else 1.0
    chances = {0: 1.0}
    for size, count in Counter(abs(each) for each in sums if each).items():
        spread: dict[int, float] = {}
        for total, chance in chances.items():
            for up, share in enumerate(_turned(count)):
                reached = total + size * (2 * up - count)
                spread[reached] = spread.get(reached, 0.0) + chance * share
        chances = spread
    return sum(chance for total, chance in chances.items() if abs(total) >= distance)


@lru_cache(maxsize=MOST_COUNTED)
def _turned(count: int) -> tuple[float, ...]:
    """How likely so many of `count` sums turn up."""
    return tuple(math.comb(count, up) / 2**count for up in range(count + 1))
