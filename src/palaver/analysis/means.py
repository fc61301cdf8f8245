"""Means and differences of means, with intervals that respect clusters.

Turns of one dialogue, or answers of one rater, are not independent of each other. An interval that
takes them for independent is too narrow. Values, or whole clusters, are bootstrapped (`drawn_means`);
where there are few of them, where clusterings are crossed, and for differences of clustered values,
the interval is Student's with the spread of `clustered`.
"""

import math
from collections.abc import Hashable, Sequence

from palaver.analysis import student
from palaver.analysis.clustered import Spread, difference_spread, mean_spread, without_nested
from palaver.analysis.drawn_means import drawn_difference, drawn_mean
from palaver.analysis.proportions import wilson_interval
from palaver.analysis.resampling import (
    RESAMPLES,
    BootstrapSettings,
    check_settings,
    encode,
)
from palaver.core.errors import InputError
from palaver.core.estimates import NO_SPREAD, Estimate, Interval
from palaver.core.numeric import Numbers, np

# One cluster per value, named or numbered.
Clustering = Sequence[Hashable] | Numbers
Clusters = Sequence[Clustering]
Values = Sequence[float] | Numbers

# Below this many clusters, or values without clusters, bootstrap intervals are noticeably too narrow.
FEW_CLUSTERS = 20
# Of fewer things than this on a side nothing is drawn: the interval is Student's.
FEWEST_DRAWN = 8
NO_VALUES = "there are no values"
ALIKE = NO_SPREAD


def mean(
    values: Values,
    clusters: Clusters = (),
    *,
    resamples: int = RESAMPLES,
    seed: int = 1,
    confidence: float = 0.95,
    shares: bool = True,
) -> Estimate:
    """The mean with its interval; `clusters` holds, per clustering, the cluster of each value.

    Without clusters, and with one clustering, the interval is Efron's BCa over values or whole
    clusters; with several crossed ones, and for fewer than eight values or clusters, it is Student's
    with the spread of `clustered`. A share of none or all has Wilson's, each cluster counted once,
    unless values are known to be no `shares` (ratings that are all 1, say). There is no interval for
    a single value or cluster, nor for values that are all the same.

    >>> found = mean([1, 2, 2, 3, 5, 8], [["d1", "d1", "d2", "d2", "d3", "d3"]])
    >>> found.value, found.n
    (3.5, 6)
    >>> mean([]).reason
    'there are no values'
    """
    settings = BootstrapSettings(resamples=resamples, confidence=confidence, seed=seed)
    return _mean(finite(values), clusters, settings, "values", shares)


def t_interval(values: Values, *, confidence: float = 0.95) -> Interval | None:
    """Student's interval, mean ± t √(s²/n), for values that are independent.

    None for fewer than two values, and for values that are all the same: they say nothing of how far
    others would be from them.

    >>> found = t_interval([1, 2, 3, 4])
    >>> f"{found.low:.3f} {found.high:.3f}"
    '0.446 4.554'
    """
    given = finite(values)
    if len(given) < 2:
        return None
    half = student.quantile(confidence, len(given) - 1) * given.std(ddof=1) / len(given) ** 0.5
    found = Interval(float(given.mean() - half), float(given.mean() + half))
    return None if found.is_a_point else found


def paired_difference(
    a: Values,
    b: Values,
    clusters: Clusters = (),
    *,
    resamples: int = RESAMPLES,
    seed: int = 1,
    confidence: float = 0.95,
) -> Estimate:
    """The mean of a − b over pairs, with the interval of `mean`; clusters are those of the pairs.

    >>> paired_difference([3, 4, 5, 5], [1, 3, 3, 4]).value
    1.5
    """
    one, other = finite(a), finite(b)
    if len(one) != len(other):
        raise InputError(
            f"Pairs need two lists of the same length; got {len(one)} and {len(other)}."
        )
    return _mean(
        one - other,
        clusters,
        BootstrapSettings(resamples=resamples, confidence=confidence, seed=seed),
        "pairs",
    )


def difference(
    a: Values,
    b: Values,
    clusters_a: Clusters = (),
    clusters_b: Clusters = (),
    *,
    resamples: int = RESAMPLES,
    seed: int = 1,
    confidence: float = 0.95,
) -> Estimate:
    """The mean of a minus the mean of b, over values, with its interval.

    A cluster may hold values of both sides (a rater who judged both systems). With clusters, and for
    fewer than eight values on a side, the interval is Student's with the spread of `clustered`;
    otherwise it is BCa with each side drawn on its own, as wide as Satterthwaite's degrees of freedom
    ask for. There is no interval where a side has a single value or cluster, or where nothing varies.

    >>> round(difference([3, 4, 5], [1, 2, 2, 1]).value, 3)
    2.5
    """
    one, other = finite(a), finite(b)
    settings = BootstrapSettings(resamples=resamples, confidence=confidence, seed=seed)
    check_settings(resamples, confidence)
    factors = _sides(one, other, clusters_a, clusters_b)
    n = len(one) + len(other)
    if not len(one) or not len(other):
        return Estimate.undefined("one side has no values", n=n)
    value = float(one.mean() - other.mean())
    what, few = "values", min(len(one), len(other))
    if factors:
        what = "clusters"
        few = min(len(np.unique(codes)) for sides in factors for codes in sides)
    spread = difference_spread(one, other, *_by_side(factors))
    drawn = not factors and few >= FEWEST_DRAWN
    interval, method = None, ALIKE
    if spread is not None and spread.variance > 0:
        if drawn:
            interval = drawn_difference(one, other, settings, degrees=spread.degrees)
            method = _method(settings, what)
        else:
            interval, method = _student(value, spread, confidence, what)
    if interval is not None and is_counted(np.concatenate([one, other])):
        interval = Interval(max(-1.0, interval.low), min(1.0, interval.high))
    return _told(value, interval, n, method, few_warning(few, f"{what} on a side", drawn=drawn))


def spread_apart(
    a: Values, b: Values, clusters_a: Clusters = (), clusters_b: Clusters = ()
) -> Spread | None:
    """The spread of the difference of two means, which `difference` makes its interval of."""
    one, other = finite(a), finite(b)
    factors = _sides(one, other, clusters_a, clusters_b)
    return difference_spread(one, other, *_by_side(factors))


def _sides(
    one: Numbers, other: Numbers, clusters_a: Clusters, clusters_b: Clusters
) -> list[list[Numbers]]:
    """The codes of both sides, per clustering that lies within no other one."""
    if len(clusters_a) != len(clusters_b):
        raise InputError("Both sides need the same clusterings.")
    named = zip(
        _checked_clusters(clusters_a, len(one)),
        _checked_clusters(clusters_b, len(other)),
        strict=True,
    )
    codes = [encode(joined(first, second)).codes for first, second in named]
    return [np.split(each, [len(one)]) for each in without_nested(codes)]


def _by_side(factors: list[list[Numbers]]) -> tuple[list[Numbers], list[Numbers]]:
    return [sides[0] for sides in factors], [sides[1] for sides in factors]


def joined(first: Clustering, second: Clustering) -> Clustering:
    """The clusters of two sides, one side after the other."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return np.concatenate([first, second])
    return [*first, *second]


def finite(values: Values) -> Numbers:
    """The values as an array; InputError where one is missing or not finite."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"Values should be numbers: {error}.") from error
    if found.ndim != 1:
        raise InputError("Values should be a plain list of numbers.")
    if not np.isfinite(found).all():
        place = int(np.argmin(np.isfinite(found)))
        raise InputError(
            f"Value {place + 1} of {len(found)} is missing or not finite; leave such values out."
        )
    return found


def _checked_clusters(clusters: Clusters, n: int) -> Clusters:
    for cluster in clusters:
        if len(cluster) != n:
            raise InputError(
                f"Each of the {n} values needs a cluster; got {len(cluster)} clusters."
            )
    return clusters


def _mean(
    given: Numbers, clusters: Clusters, settings: BootstrapSettings, what: str, shares: bool = False
) -> Estimate:
    check_settings(settings.resamples, settings.confidence)
    named = [encode(cluster).codes for cluster in _checked_clusters(clusters, len(given))]
    if not len(given):
        return Estimate.undefined(NO_VALUES)
    factors = without_nested(named)
    what = "clusters" if factors else what
    # The same mean in whatever order the values come, as every other mean of scores is computed.
    value = math.fsum(given) / len(given)
    few = min((int(codes.max()) + 1 for codes in factors), default=len(given))
    drawn = len(factors) < 2 and few >= FEWEST_DRAWN
    spread = mean_spread(given, factors)
    interval, method = None, ALIKE
    if few > 1 and not np.ptp(given) > 0:
        trials = max((int(codes.max()) + 1 for codes in named), default=len(given))
        interval, method = (
            _constant(value, trials, settings.confidence) if shares else (None, ALIKE)
        )
    elif drawn and _differ(given, factors):
        interval = drawn_mean(given, factors[0] if factors else None, settings)
        method = _method(settings, what)
    elif spread is not None:
        interval, method = _student(value, spread, settings.confidence, what)
    if interval is not None and shares and is_counted(given):
        interval = Interval(max(0.0, interval.low), min(1.0, interval.high))
    return _told(value, interval, len(given), method, few_warning(few, what, drawn=drawn))


def _differ(values: Numbers, factors: list[Numbers]) -> bool:
    """Whether drawing clusters would show a spread: not if all have the same mean."""
    if not factors:
        return True
    means = np.bincount(factors[0], weights=values) / np.bincount(factors[0])
    return bool(np.ptp(means) > 1e-12 * np.abs(values).max())


def is_counted(values: Numbers) -> bool:
    """Whether all values are 0 or 1, so that their mean is a share."""
    return bool(np.isin(values, (0.0, 1.0)).all())


def _constant(value: float, trials: int, confidence: float) -> tuple[Interval | None, str]:
    """Wilson's interval of none or all; values that never vary do not say how sure one may be."""
    if value not in (0, 1):
        return None, ALIKE
    ends = wilson_interval(value * trials, trials, confidence=confidence)
    return ends, "Wilson, each cluster counted once, where all answers are the same"


def _student(
    value: float, spread: Spread, confidence: float, what: str
) -> tuple[Interval | None, str]:
    if not spread.variance > 0:
        return None, ALIKE
    robust = "cluster-robust " if what == "clusters" else ""
    method = (
        f"{robust}Student's t, {spread.degrees:.1f} degrees of freedom; assumes independent {what}"
    )
    return spread.interval(value, confidence=confidence), method


def _told(value: float, interval: Interval | None, n: int, method: str, words: str) -> Estimate:
    if interval is not None and not interval.low < interval.high:
        interval, method = None, ALIKE
    return Estimate(
        value=value,
        interval=interval,
        n=n,
        method="" if method == ALIKE else method,
        reason=ALIKE if method == ALIKE else "",
        warnings=(words,) if words else (),
        few=words,
    )


def _method(settings: BootstrapSettings, what: str) -> str:
    return f"BCa bootstrap, {settings.resamples:,} draws of {what}; assumes independent {what}"


def few_warning(few: int, what: str, *, drawn: bool = True) -> str:
    """What to know of an interval that rests on so few, and what to do; empty where they suffice."""
    if few == 1:
        one = what.replace("s", "", 1) if " on a side" in what else what[:-1]
        return f"There is a single {one}, so there is no interval: collect {FEW_CLUSTERS} {what}."
    if few >= FEW_CLUSTERS:
        return ""
    how = "likely to be too narrow" if drawn else "wide, and assumes that they vary normally"
    return f"There are only {few} {what}, so the interval is {how}: collect {FEW_CLUSTERS} or more."
