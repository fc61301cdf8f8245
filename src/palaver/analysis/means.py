"""Means and differences of means, with bootstrap intervals that respect clusters.

Turns of one dialogue, or answers of one rater, are not independent of each other. An interval that
takes them for independent is too narrow, so whole clusters are drawn. A mean is a sum over a count:
each cluster brings both, and a thousand samples are two matrix products.

B. Efron (1987), Better bootstrap confidence intervals, Journal of the American Statistical
Association 82, 171–185. A. B. Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1,
386–411, for several crossed clusterings at once.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from palaver.analysis.proportions import wilson_interval
from palaver.analysis.resampling import (
    RESAMPLES,
    BootstrapSettings,
    bca_interval,
    check_settings,
    cluster_draws,
    count_draws,
    distinct_rows,
    encode,
    item_counts,
    percentile_interval,
)
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval
from palaver.core.numeric import Numbers, np, stats

# One cluster per value, named or numbered.
Clustering = Sequence[Hashable] | Numbers
Clusters = Sequence[Clustering]
Values = Sequence[float] | Numbers

# Below this many clusters, or values without clusters, bootstrap intervals are noticeably too narrow.
FEW_CLUSTERS = 20
NO_VALUES = "there are no values"


def mean(
    values: Values,
    clusters: Clusters = (),
    *,
    resamples: int = RESAMPLES,
    seed: int = 1,
    confidence: float = 0.95,
) -> Estimate:
    """The mean with a bootstrap interval; `clusters` holds, per clustering, the cluster of each value.

    Without clusters, and with one clustering, the interval is Efron's BCa over values or whole
    clusters; with several it is the percentile interval of the pigeonhole bootstrap, which draws
    each clustering on its own. There is no interval for a single value or cluster.

    >>> found = mean([1, 2, 2, 3, 5, 8], [["d1", "d1", "d2", "d2", "d3", "d3"]])
    >>> found.value, found.n
    (3.5, 6)
    >>> mean([]).reason
    'there are no values'
    """
    settings = BootstrapSettings(resamples=resamples, confidence=confidence, seed=seed)
    return _mean(finite(values), clusters, settings, "values")


def column_means(matrix: Numbers) -> list[Estimate]:
    """The mean of each column over the rows where it has a value; NaN says that it has none.

    Rows are drawn once for all columns and always in the same way, so that hundreds of columns take no
    longer than a few, and one column has one interval wherever it is shown. What is all 0 or 1 gets
    Wilson's interval, which says something even where all are right.

    >>> found = column_means(np.array([[1.0, 4.0], [2.0, np.nan], [3.0, 6.0]]))
    >>> [(each.value, each.n) for each in found]
    [(2.0, 3), (5.0, 2)]
    """
    found: list[Estimate] = [Estimate.undefined(NO_VALUES)] * matrix.shape[1]
    alike: dict[bytes, list[int]] = {}
    has_value = ~np.isnan(matrix)
    for column, rows in enumerate(has_value.T):
        alike.setdefault(np.packbits(rows).tobytes(), []).append(column)
    for columns in alike.values():
        table = matrix[has_value[:, columns[0]]][:, columns]
        if not len(table):
            continue
        draws = np.empty((0, len(columns)))
        if len(table) > 1:
            drawn = [counts.astype(float) @ table for counts in item_counts(len(table))]
            draws = np.concatenate(drawn) / len(table)
        for place, column in enumerate(columns):
            found[column] = _column_mean(table[:, place], draws[:, place])
    return found


def _column_mean(values: Numbers, draws: Numbers) -> Estimate:
    n = len(values)
    # Exactly rounded, as the scores of runs are: one file has one number wherever it is scored.
    total = math.fsum(values.tolist())
    if bool(np.isin(values, (0.0, 1.0)).all()):
        interval, method = wilson_interval(total, n), "Wilson interval; assumes independent values"
    else:
        # Values without any spread say nothing of how sure one may be.
        has_spread = len(draws) > 0 and np.ptp(values) > 0
        interval = percentile_interval(draws, independent=n) if has_spread else None
        method = f"percentile bootstrap, {RESAMPLES:,} draws of values; assumes independent values"
    words = few_warning(n, "values")
    return Estimate(
        value=total / n,
        interval=interval,
        n=n,
        method=method,
        warnings=(words,) if words else (),
        few=words,
    )


def t_interval(values: Values, *, confidence: float = 0.95) -> Interval | None:
    """Student's interval, mean ± t √(s²/n), for values that are independent; None for fewer than two.

    >>> found = t_interval([1, 2, 3, 4])
    >>> f"{found.low:.3f} {found.high:.3f}"
    '0.446 4.554'
    """
    given = finite(values)
    if len(given) < 2:
        return None
    half = stats.t.ppf((1 + confidence) / 2, len(given) - 1) * given.std(ddof=1) / len(given) ** 0.5
    return Interval(float(given.mean() - half), float(given.mean() + half))


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
    """The mean of a minus the mean of b, unpaired, with a bootstrap interval.

    Where no cluster holds values of both, each side is drawn on its own; where clusters are shared
    (a rater who judged both systems) they bring their values of both sides. BCa with no clustering
    or one, percentile with several.

    >>> round(difference([3, 4, 5], [1, 2, 2, 1]).value, 3)
    2.5
    """
    one, other = finite(a), finite(b)
    if len(clusters_a) != len(clusters_b):
        raise InputError("Both sides need the same clusterings.")
    named = zip(
        _checked_clusters(clusters_a, len(one)),
        _checked_clusters(clusters_b, len(other)),
        strict=True,
    )
    if not len(one) or not len(other):
        return Estimate.undefined("one side has no values", n=len(one) + len(other))
    rows = np.zeros((len(one) + len(other), 4))
    rows[: len(one), 0], rows[: len(one), 1] = one, 1
    rows[len(one) :, 2], rows[len(one) :, 3] = other, 1
    factors = [encode(joined(first, second)).codes for first, second in named]
    settings = BootstrapSettings(resamples=resamples, confidence=confidence, seed=seed)
    return _estimate(rows, factors, _difference_of, settings, "values")


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


def _mean_of(sums: Numbers) -> Numbers:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = sums[:, 0] / sums[:, 1]
    return found


def _difference_of(sums: Numbers) -> Numbers:
    """The difference of two means from two sums and counts, for each row."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
    return found


def _mean(given: Numbers, clusters: Clusters, settings: BootstrapSettings, what: str) -> Estimate:
    if not len(given):
        return Estimate.undefined(NO_VALUES)
    rows = np.column_stack([given, np.ones(len(given))])
    factors = [encode(cluster).codes for cluster in _checked_clusters(clusters, len(given))]
    found = _estimate(rows, factors, _mean_of, settings, what)
    # The same mean in whatever order the values come, as every other mean of scores is computed.
    return found if factors else replace(found, value=math.fsum(given) / len(given))


def _estimate(
    rows: Numbers,
    factors: list[Numbers],
    statistic: Callable[[Numbers], Numbers],
    settings: BootstrapSettings,
    what: str,
) -> Estimate:
    resamples, seed, confidence = settings.resamples, settings.seed, settings.confidence
    check_settings(resamples, confidence)
    what = "clusters" if factors else what
    value = float(statistic(rows.sum(axis=0, keepdims=True))[0])
    few = min((int(codes.max()) + 1 for codes in factors), default=len(rows))
    interval = None
    if few > 1 and resamples:
        if len(factors) > 1:
            draws = statistic(_crossed_sums(rows, factors, resamples, seed))
            interval = percentile_interval(draws, confidence=confidence, independent=few)
        else:
            table = _by_cluster(rows, factors[0]) if factors else rows
            draws = statistic(_drawn_sums(table, resamples, seed))
            jackknifed = statistic(table.sum(axis=0) - table)
            interval = bca_interval(
                value, draws, jackknifed, confidence=confidence, independent=few
            )
    words = few_warning(few, what)
    return Estimate(
        value=value,
        interval=interval,
        n=len(rows),
        method=_method(len(factors), resamples, what),
        warnings=(words,) if words else (),
        few=words,
    )


def _by_cluster(rows: Numbers, codes: Numbers) -> Numbers:
    return np.column_stack([np.bincount(codes, weights=column) for column in rows.T])


def _drawn_sums(table: Numbers, resamples: int, seed: int) -> Numbers:
    """Sums of samples of the rows of `table`; each side on its own where no row has both."""
    parts = [table]
    if table.shape[1] == 4 and not ((table[:, 1] > 0) & (table[:, 3] > 0)).any():
        parts = [table[table[:, 1] > 0], table[table[:, 3] > 0]]
    found = np.zeros((resamples, table.shape[1]))
    for offset, part in enumerate(parts):
        distinct, times = distinct_rows(part)
        draws = count_draws(times, resamples=resamples, seed=seed + offset)
        found += np.concatenate([weights @ distinct for weights in draws])
    return found


def _crossed_sums(rows: Numbers, factors: list[Numbers], resamples: int, seed: int) -> Numbers:
    """Sums of samples in which each clustering is drawn on its own."""
    cells, codes = np.unique(np.column_stack(factors), axis=0, return_inverse=True)
    table = _by_cluster(rows, codes.ravel())
    draws = cluster_draws(list(cells.T), resamples=resamples, seed=seed)
    return np.concatenate([weights @ table for weights in draws])


def _method(factors: int, resamples: int, what: str) -> str:
    if factors > 1:
        return (
            f"percentile pigeonhole bootstrap, {resamples:,} draws; assumes that the clusters "
            "of each clustering are independent"
        )
    return f"BCa bootstrap, {resamples:,} draws of {what}; assumes independent {what}"


def few_warning(few: int, what: str) -> str:
    """What to know of an interval that rests on so few, and what to do; empty where they suffice."""
    if few == 1:
        return f"There is a single {what[:-1]}, so there is no interval: collect {FEW_CLUSTERS} {what}."
    if few < FEW_CLUSTERS:
        return (
            f"There are only {few} {what}, so the interval is likely to be too narrow: collect "
            f"{FEW_CLUSTERS} or more."
        )
    return ""
