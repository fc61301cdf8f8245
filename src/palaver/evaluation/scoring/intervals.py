"""The 95 % interval of a score, from what each item adds to it.

A mean over items has the interval of `analysis.item_means`, which boards and standings ask as well. For
another metric items are drawn with replacement, a thousand times, always in the same way. Items that add
the same are drawn together: a hundred thousand labels are a handful of patterns. Where no draw differs
from another there is no interval, and the reason says so.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palaver.analysis.item_means import OPEN, Range, item_mean
from palaver.analysis.resampling import (
    LEAST_DEFINED,
    RESAMPLES,
    SEED,
    count_draws,
    item_counts,
    percentile_interval,
)
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval
from palaver.core.numeric import Numbers, np
from palaver.metrics.metric import Metric
from palaver.metrics.sums import Form

# Items that are looked at to tell whether many add the same, and how many different ones that takes.
LOOKED_AT = 2000
MOST_DIFFERENT = 0.25
# How many items are drawn in all for a metric that must be computed anew.
BUDGET = 2_000_000
FEWEST = 200
ONE_ITEM = "there is a single item"
ALL_ALIKE = "every sample of the items has the same value"
UNDEFINED_DRAWS = "too many samples of the items have no value"

Value = Callable[[Numbers], Numbers]


@dataclass(frozen=True, slots=True)
class Additive:
    """Rows whose sum has a value; the same few rows again and again are `patterns` of `codes`.

    Rows of a mean over items are a value and 1 each, or nothing; `within` is the range of the values.
    """

    value: Value
    rows: Numbers
    is_mean: bool = False
    within: Range = OPEN
    patterns: Numbers | None = None
    codes: Numbers | None = None

    def at(self, items: Numbers) -> "Additive":
        codes = None if self.codes is None else self.codes[items]
        return replace(self, rows=self.rows[items], codes=codes)

    def total(self) -> float:
        return float(self.value(self.rows.sum(axis=0)))

    def estimate(self) -> Estimate:
        """The value with its 95 % interval, or the reason why there is none."""
        if self.is_mean:
            return item_mean(self.rows[self.rows[:, 1] > 0, 0], self.within)
        value, n = self.total(), len(self.rows)
        if n < 2:
            return Estimate(value=value, n=n, reason=ONE_ITEM)
        sums = self._pattern_sums() if self.codes is not None else item_sums(self.rows)
        draws = np.concatenate([self.value(block) for block in sums])
        found = percentile_interval(draws, independent=n)
        return Estimate(value=value, interval=found, n=n, reason="" if found else _why_none(draws))

    def _pattern_sums(self) -> Iterator[Numbers]:
        assert self.patterns is not None
        assert self.codes is not None
        times = np.bincount(self.codes, minlength=len(self.patterns))
        there = times > 0
        for counts in count_draws(times[there], resamples=RESAMPLES, seed=SEED):
            yield counts @ self.patterns[there]


def additive(form: Form, rows: Numbers, within: Range = OPEN) -> Additive:
    """Rows under a form; `within` is the range of the values that a mean is over."""
    if form.name == "mean":
        return Additive(form.value, rows, is_mean=True, within=within)
    return _grouped(form.value, rows)


def mean_of_fields(parts: Sequence[tuple[Form, Numbers]]) -> Additive:
    """The mean over several fields, each with a form and rows of its own."""
    ends = np.cumsum([rows.shape[1] for _, rows in parts])[:-1]

    def value(sums: Numbers) -> Numbers:
        each = np.split(sums, ends, axis=-1)
        values = [form.value(own) for (form, _), own in zip(parts, each, strict=True)]
        found: Numbers = np.mean(values, axis=0)
        return found

    return _grouped(value, np.hstack([rows for _, rows in parts]))


def item_sums(rows: Numbers) -> Iterator[Numbers]:
    """The sums of samples of as many items as there are."""
    for counts in item_counts(len(rows)):
        yield counts @ rows


def recomputed_interval(
    metric: Metric, predictions: Sequence[Any], references: Sequence[Any] | None, **options: Any
) -> tuple[Interval | None, str]:
    """The interval of a metric that is no sum over items, computed anew for every sample.

    A set so large that this would take too long has none; the second part says so.
    """
    items = len(predictions)
    draws = min(RESAMPLES, BUDGET // max(1, items))
    if items < 2:
        return None, ONE_ITEM
    if draws < FEWEST:
        return None, f"{metric.title} would have to be recomputed too many times for an interval"
    dice = np.random.default_rng(SEED)
    values = []
    for _ in range(draws):
        picks = dice.integers(0, items, items).tolist()
        given = [predictions[n] for n in picks]
        right = None if references is None else [references[n] for n in picks]
        try:
            values.append(metric.compute(given, right, **options).value)
        except InputError:  # a sample may lack what the metric needs, such as a second class
            values.append(float("nan"))
    found = percentile_interval(np.array(values), independent=items)
    return found, "" if found else _why_none(np.array(values))


def _grouped(value: Value, rows: Numbers) -> Additive:
    if not len(rows):
        return Additive(value, rows)
    some = rows[:LOOKED_AT]
    if len(np.unique(some, axis=0)) > max(16, MOST_DIFFERENT * len(some)):
        return Additive(value, rows)
    patterns, codes = np.unique(rows, axis=0, return_inverse=True)
    return Additive(value, rows, patterns=patterns, codes=codes.reshape(-1))


def _why_none(draws: Numbers) -> str:
    return ALL_ALIKE if np.isfinite(draws).mean() >= LEAST_DEFINED else UNDEFINED_DRAWS
