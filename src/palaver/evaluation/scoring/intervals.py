"""The 95 % interval of a score, from what each item adds to it.

Items are drawn with replacement, a thousand times, always in the same way. Items that add the same
are drawn together: a hundred thousand right or wrong labels are a handful of patterns. A share of
items is no matter for draws: it gets Wilson's interval, which says something even where all are right.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.analysis.proportions import wilson_interval
from palaver.analysis.resampling import (
    RESAMPLES,
    SEED,
    count_draws,
    item_counts,
    percentile_interval,
)
from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np
from palaver.metrics.metric import Metric
from palaver.metrics.sums import Form

# Items that are looked at to tell whether many add the same, and how many different ones that takes.
LOOKED_AT = 2000
MOST_DIFFERENT = 0.25
# How many items are drawn in all for a metric that must be computed anew.
BUDGET = 2_000_000
FEWEST = 200

Value = Callable[[Numbers], Numbers]


@dataclass(frozen=True, slots=True)
class Additive:
    """Rows whose sum has a value; the same few rows again and again are `patterns` of `codes`."""

    value: Value
    rows: Numbers
    is_share: bool
    patterns: Numbers | None = None
    codes: Numbers | None = None

    def at(self, items: Numbers) -> "Additive":
        if self.codes is None:
            return Additive(self.value, self.rows[items], self.is_share)
        return Additive(
            self.value, self.rows[items], self.is_share, self.patterns, self.codes[items]
        )

    def total(self) -> float:
        return float(self.value(self.rows.sum(axis=0)))

    def interval(self) -> Interval | None:
        """The 95 % interval; None where it cannot be said."""
        if self.is_share:
            right, items = self.rows.sum(axis=0)
            return wilson_interval(float(right), int(items))
        if len(self.rows) < 2:
            return None
        sums = self._pattern_sums() if self.codes is not None else item_sums(self.rows)
        draws = np.concatenate([self.value(block) for block in sums])
        return _unless_a_point(percentile_interval(draws, independent=len(self.rows)))

    def _pattern_sums(self) -> Iterator[Numbers]:
        assert self.patterns is not None
        assert self.codes is not None
        times = np.bincount(self.codes, minlength=len(self.patterns))
        there = times > 0
        for counts in count_draws(times[there], resamples=RESAMPLES, seed=SEED):
            yield counts @ self.patterns[there]


def additive(form: Form, rows: Numbers) -> Additive:
    return _grouped(form.value, rows, is_share=form.name == "mean" and _are_shares(rows))


def mean_of_fields(parts: Sequence[tuple[Form, Numbers]]) -> Additive:
    """The mean over several fields, each with a form and rows of its own."""
    ends = np.cumsum([rows.shape[1] for _, rows in parts])[:-1]

    def value(sums: Numbers) -> Numbers:
        each = np.split(sums, ends, axis=-1)
        values = [form.value(own) for (form, _), own in zip(parts, each, strict=True)]
        found: Numbers = np.mean(values, axis=0)
        return found

    return _grouped(value, np.hstack([rows for _, rows in parts]), is_share=False)


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
    if items < 2 or draws < FEWEST:
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
    found = _unless_a_point(percentile_interval(np.array(values), independent=items))
    return found, "" if found else "the samples have no spread, so there is no interval"


def _grouped(value: Value, rows: Numbers, *, is_share: bool) -> Additive:
    if is_share or not len(rows):
        return Additive(value, rows, is_share)
    some = rows[:LOOKED_AT]
    if len(np.unique(some, axis=0)) > max(16, MOST_DIFFERENT * len(some)):
        return Additive(value, rows, is_share)
    patterns, codes = np.unique(rows, axis=0, return_inverse=True)
    return Additive(value, rows, is_share, patterns, codes.reshape(-1))


def _are_shares(rows: Numbers) -> bool:
    return bool(np.isin(rows, (0.0, 1.0)).all() and (rows[:, 0] <= rows[:, 1]).all())


def _unless_a_point(found: Interval | None) -> Interval | None:
    """Samples without any spread say nothing of how sure one may be."""
    return None if found is None or found.low == found.high else found
