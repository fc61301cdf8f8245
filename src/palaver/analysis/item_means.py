"""Means over the items of a data set, each with the one interval that it has wherever it is shown.

A run's score, a board, the standings of a challenge and a command show the same mean of the same items;
all of them ask here. The interval is one of

- Wilson's, for values that are all 0 or 1: a share of items;
- the bound below, for values that all lie on one end of a known range;
- the middle of a thousand draws of items, always the same draws, widened as Student's t is;
- none, with the reason, for a single value and for values that are all the same.

The mean of values between 0 and 1 is at most the share of items that are not 0, because no item adds
more than 1. Where all n are 0, the upper end of Wilson's interval for 0 of n therefore bounds the mean,
too; at the other end of the range, and for other ranges, the same holds moved and scaled.
"""

import math

from palaver.analysis.means import NO_VALUES, few_warning
from palaver.analysis.proportions import wilson_interval
from palaver.analysis.resampling import (
    RESAMPLES,
    SEED,
    count_draws,
    item_counts,
    percentile_interval,
)
from palaver.core.estimates import Estimate, Interval, all_the_same
from palaver.core.numeric import Numbers, np

# Up to so many different values are drawn as counts of each, which takes no longer for many items.
MOST_PATTERNS = 32
# The lowest and the highest value that an item can have.
Range = tuple[float, float]
SHARE: Range = (0.0, 1.0)
OPEN: Range = (-math.inf, math.inf)

WILSON = "Wilson interval; assumes independent values"
AT_AN_END = "Wilson interval of the share of other values, as all lie on one end of the range"
DRAWN = f"percentile bootstrap, {RESAMPLES:,} draws of values; assumes independent values"


def item_mean(values: Numbers, within: Range = OPEN) -> Estimate:
    """The mean of the values that are not NaN; `within` is the range that they may lie in.

    >>> two_of_two = item_mean(np.array([1.0, 1.0]), SHARE)
    >>> f"{two_of_two.interval.low:.2f} {two_of_two.interval.high:.2f}"
    '0.34 1.00'
    >>> item_mean(np.array([0.7, 0.7, 0.7])).reason
    'all 3 values are the same'
    """
    (found,) = column_means(values[:, None], [within])
    return found


def column_means(matrix: Numbers, within: list[Range] | Range = OPEN) -> list[Estimate]:
    """The mean of each column over the rows where it has a value; NaN says that it has none.

    `within` is the range of the values of all columns, or of each. Rows are drawn once for all columns
    and always in the same way, so that hundreds of columns take no longer than a few.

    >>> found = column_means(np.array([[1.0, 4.0], [2.0, np.nan], [3.0, 6.0]]))
    >>> [(each.value, each.n) for each in found]
    [(2.0, 3), (5.0, 2)]
    """
    ranges = within if isinstance(within, list) else [within] * matrix.shape[1]
    found: list[Estimate] = [Estimate.undefined(NO_VALUES)] * matrix.shape[1]
    alike: dict[bytes, list[int]] = {}
    has_value = ~np.isnan(matrix)
    for column, rows in enumerate(has_value.T):
        alike.setdefault(np.packbits(rows).tobytes(), []).append(column)
    for columns in alike.values():
        table = matrix[has_value[:, columns[0]]][:, columns]
        if not len(table):
            continue
        known = [
            _without_draws(values, ranges[at]) for at, values in zip(columns, table.T, strict=True)
        ]
        drawn = [place for place, each in enumerate(known) if each is None]
        intervals = dict(zip(drawn, _drawn_intervals(table[:, drawn]), strict=True))
        for place, column in enumerate(columns):
            told = known[place] or (intervals[place], DRAWN, all_the_same(len(table)))
            found[column] = _estimate(table[:, place], *told)
    return found


def _without_draws(values: Numbers, within: Range) -> tuple[Interval | None, str, str] | None:
    """The interval, its method and why there is none, where nothing needs to be drawn; else None."""
    n = len(values)
    low, high = float(values.min()), float(values.max())
    if low < high:
        # Zeros and ones, whatever they may be beside.
        is_share = bool(np.isin(values, SHARE).all())
        return (wilson_interval(float(values.sum()), n), WILSON, "") if is_share else None
    if low in within and within[0] < within[1] and all(map(math.isfinite, within)):
        bound = wilson_interval(n if low == within[1] else 0, n)
        assert bound is not None
        width = within[1] - within[0]
        ends = Interval(within[0] + width * bound.low, within[0] + width * bound.high)
        return ends, WILSON if within == SHARE else AT_AN_END, ""
    return None, "", all_the_same(n)


def _drawn_intervals(table: Numbers) -> list[Interval | None]:
    """The percentile interval of the mean of each column; items are drawn once for all of them."""
    if not table.size:
        return []
    n = len(table)
    draws: dict[int, Numbers] = {}
    patterns = [_patterns(column) for column in table.T]
    for place, few in enumerate(patterns):
        if few is not None:
            values, times = few
            counted = count_draws(times, resamples=RESAMPLES, seed=SEED)
            draws[place] = np.concatenate([counts @ values for counts in counted]) / n
    many = [place for place, few in enumerate(patterns) if few is None]
    if many:
        sums = np.concatenate([counts.astype(float) @ table[:, many] for counts in item_counts(n)])
        draws |= dict(zip(many, sums.T / n, strict=True))
    return [percentile_interval(draws[place], independent=n) for place in range(table.shape[1])]


def _patterns(values: Numbers) -> tuple[Numbers, Numbers] | None:
    """The different values and how often each occurs; None where there are too many."""
    if len(np.unique(values[: 2 * MOST_PATTERNS])) > MOST_PATTERNS:
        return None
    found, times = np.unique(values, return_counts=True)
    return (found, times) if len(found) <= MOST_PATTERNS else None


def _estimate(values: Numbers, interval: Interval | None, method: str, reason: str) -> Estimate:
    n = len(values)
    # Wilson's interval holds for few values, too.
    words = few_warning(n, "values") if interval and method == DRAWN else ""
    return Estimate(
        # Exactly rounded, as the scores of runs are: one file has one number wherever it is scored.
        value=math.fsum(values.tolist()) / n,
        interval=interval,
        n=n,
        method=method if interval else "",
        reason="" if interval else reason,
        warnings=(words,) if words else (),
        few=words,
    )
