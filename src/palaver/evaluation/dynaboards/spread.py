"""How far values vary over bootstrap samples: intervals and variances of many columns at once."""

from dataclasses import dataclass
from math import isfinite

from palaver.analysis.resampling import LEAST_DEFINED, widened
from palaver.core.evaluation.boards import Ends, Measured
from palaver.core.numeric import Numbers, np


@dataclass(frozen=True, slots=True)
class DrawnSpread:
    """Low and high ends and variances, one per column; NaN where there is none."""

    low: Numbers
    high: Numbers
    variance: Numbers

    def interval(self, place: int) -> Ends | None:
        """The interval of one column."""
        return ends_of(self.low[place], self.high[place])

    def around(self, value: float, place: int) -> Measured:
        """A value with the interval and the variance of one column."""
        return Measured(
            value=known(value),
            interval=self.interval(place),
            variance=known(self.variance[place]),
        )


def known(value: float) -> float | None:
    """The number; None where it is not finite."""
    return float(value) if isfinite(value) else None


def ends_of(low: float, high: float) -> Ends | None:
    """The two ends of an interval; None where one of them is NaN."""
    return None if low != low or high != high else (known(low), known(high))


def no_spread(columns: int) -> DrawnSpread:
    """Nothing is known of how these columns vary."""
    nothing = np.full(columns, np.nan)
    return DrawnSpread(nothing, nothing, nothing)


def spread_of(draws: Numbers, *, confidence: float, independent: int) -> DrawnSpread:
    """The middle of each column of draws (samples × columns), for so many independent items.

    Quantiles are widened for the number of items, see `analysis.resampling`. A column with fewer
    than 95 % defined draws has no interval.
    """
    samples, columns = draws.shape
    if samples < 2 or independent < 2:
        return no_spread(columns)
    wide = widened(confidence, independent)
    ends = [(1 - wide) / 2, (1 + wide) / 2]
    by_column = np.ascontiguousarray(draws.T, dtype=np.float64)
    defined = np.isfinite(by_column)
    if defined.all():
        low, high = np.quantile(by_column, ends, axis=1)
        return DrawnSpread(low, high, by_column.var(axis=1, ddof=1))
    low, high, variance = np.full((3, columns), np.nan)
    for place in np.flatnonzero(defined.mean(axis=1) >= LEAST_DEFINED):
        kept = by_column[place][defined[place]]
        low[place], high[place] = np.quantile(kept, ends)
        variance[place] = kept.var(ddof=1)
    return DrawnSpread(low, high, variance)
