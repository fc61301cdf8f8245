"""Means over items: one interval wherever they are shown, and none without any width."""

import math

import numpy as np
import pytest
from scipy import stats

from palaver.analysis.item_means import OPEN, SHARE, column_means, item_mean
from palaver.analysis.means import NO_VALUES, mean
from palaver.analysis.proportions import wilson_interval
from palaver.core.serial import plain
from palaver.evaluation.scoring.intervals import additive
from palaver.metrics.sums import FORMS, mean_rows

# What often comes out without any spread.
ALIKE = {
    "one value": [0.7],
    "two equal values": [3.0, 3.0],
    "three equal values": [0.1, 0.1, 0.1],
    "all 0": [0.0] * 20,
    "all 1": [1.0] * 20,
    "0 of 52": [0.0] * 52,
    "2 of 2": [1.0, 1.0],
    "constant": [0.7] * 31,
}


def test_columns_have_the_means_and_intervals_that_each_has_alone() -> None:
    dice = np.random.default_rng(2)
    table = dice.exponential(size=(300, 4))
    table[:100, 2] = np.nan
    table[:, 3] = 0.3
    found = column_means(table)
    for column, each in zip(table[:, :3].T, found, strict=False):
        alone = mean(column[~np.isnan(column)], resamples=4000)
        assert (each.value, each.n) == (pytest.approx(alone.value), alone.n)
        assert each.interval is not None
        assert alone.interval is not None
        assert each.interval.low == pytest.approx(alone.interval.low, abs=0.03)
        assert each.interval.high == pytest.approx(alone.interval.high, abs=0.03)
    (alone,) = column_means(table[:, 1:2])
    assert plain(found[1].interval) == pytest.approx(plain(alone.interval), abs=1e-12)
    # Samples without any spread say nothing of how sure one may be.
    assert found[3].interval is None


def test_a_column_has_the_interval_that_a_score_is_stored_with() -> None:
    dice = np.random.default_rng(3)
    for values in (dice.exponential(size=400), (dice.random(400) < 0.8).astype(float)):
        (found,) = column_means(values[:, None])
        stored = additive(FORMS["mean"], mean_rows(values)).estimate()
        assert plain(found.interval) == pytest.approx(plain(stored.interval), abs=1e-12)


def test_columns_with_little_in_them() -> None:
    none, one, two = column_means(np.array([[np.nan, 1.0, 1.0], [np.nan, np.nan, 2.0]]))
    assert none.reason == NO_VALUES
    assert (one.value, one.interval, one.reason) == (1.0, None, "there is a single value")
    assert two.interval is not None
    assert two.warnings


@pytest.mark.parametrize("within", [OPEN, SHARE, (0.0, 100.0)])
@pytest.mark.parametrize("name", ALIKE)
def test_equal_values_have_a_bound_or_a_reason(name: str, within: tuple[float, float]) -> None:
    values = ALIKE[name]
    found = item_mean(np.array(values), within)
    is_at_an_end = values[0] in within
    assert (found.interval is not None) == is_at_an_end
    if found.interval is None:
        assert found.reason
    else:
        assert found.interval.low < found.interval.high
        assert found.value in found.interval


def test_shares_of_none_and_all_are_those_of_scipy() -> None:
    for right, n in ((0, 52), (2, 2), (20, 20), (7, 9)):
        found = item_mean(np.array([1.0] * right + [0.0] * (n - right)), SHARE)
        ends = stats.binomtest(right, n).proportion_ci(method="wilson")
        assert plain(found.interval) == pytest.approx([ends.low, ends.high])


def test_scores_that_are_all_at_the_top_are_bounded_by_the_share_of_others() -> None:
    found = item_mean(np.full(30, 100.0), (0.0, 100.0))
    share = wilson_interval(30, 30)
    assert share is not None
    assert plain(found.interval) == pytest.approx([100 * share.low, 100.0])
    # The least mean that would show nothing but the top once in twenty: others worth nothing.
    least = 100 * 0.05 ** (1 / 30)
    assert found.interval is not None
    assert found.interval.low < least


def test_lengths_of_one_word_are_no_share() -> None:
    found = item_mean(np.ones(12), (0.0, math.inf))
    assert (found.interval, found.reason) == (None, "all 12 values are the same")


def test_few_different_values_are_drawn_as_counts_of_each() -> None:
    values = np.random.default_rng(1).choice([0.0, 1 / 3, 2 / 3, 1.0], 5000)
    found = item_mean(values, SHARE)
    half = 1.96 * values.std(ddof=1) / 5000**0.5
    assert plain(found.interval) == pytest.approx(
        [values.mean() - half, values.mean() + half], abs=0.001
    )
