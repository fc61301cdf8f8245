"""Bootstrap intervals of means and of differences of means.

A mean is a sum over a count. Each value, or each whole cluster, brings both, and a thousand samples are
two matrix products.

B. Efron (1987), Better bootstrap confidence intervals, Journal of the American Statistical
Association 82, 171–185.
"""

from palaver.analysis.resampling import (
    BootstrapSettings,
    bca_interval,
    count_draws,
    distinct_rows,
)
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np


def drawn_mean(
    values: Numbers, codes: Numbers | None, settings: BootstrapSettings
) -> Interval | None:
    """BCa of the mean over values, or over whole clusters by their `codes`; None without draws.

    >>> found = drawn_mean(np.arange(20.0), None, BootstrapSettings())
    >>> found.low < 9.5 < found.high
    True
    """
    if not settings.resamples:
        return None
    table = _rows(values)
    if codes is not None:
        table = np.column_stack([np.bincount(codes, weights=column) for column in table.T])
    return bca_interval(
        float(values.mean()),
        _drawn(table, settings.resamples, settings.seed),
        _ratio(table.sum(axis=0) - table),
        confidence=settings.confidence,
        independent=len(table),
    )


def drawn_difference(
    a: Numbers, b: Numbers, settings: BootstrapSettings, *, degrees: float
) -> Interval | None:
    """BCa of mean(a) − mean(b), each side drawn on its own, as wide as t with so many degrees."""
    if not settings.resamples:
        return None
    one, other = _rows(a), _rows(b)
    draws = _drawn(one, settings.resamples, settings.seed)
    draws = draws - _drawn(other, settings.resamples, settings.seed + 1)
    left = _ratio(one.sum(axis=0) - one) - b.mean(), a.mean() - _ratio(other.sum(axis=0) - other)
    return bca_interval(
        float(a.mean() - b.mean()),
        draws,
        np.concatenate(left),
        confidence=settings.confidence,
        independent=degrees + 1,
    )


def _rows(values: Numbers) -> Numbers:
    return np.column_stack([values, np.ones(len(values))])


def _ratio(sums: Numbers) -> Numbers:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = sums[:, 0] / sums[:, 1]
    return found


def _drawn(table: Numbers, resamples: int, seed: int) -> Numbers:
    """The means of samples of the rows of sums and counts."""
    distinct, times = distinct_rows(table)
    draws = count_draws(times, resamples=resamples, seed=seed)
    return _ratio(np.concatenate([weights @ distinct for weights in draws]))
