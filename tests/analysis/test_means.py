"""Means with bootstrap intervals against scipy, and the effect of clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from palaver.analysis.means import (
    NO_VALUES,
    difference,
    mean,
    paired_difference,
    t_interval,
)
from palaver.analysis.proportions import wilson_interval
from palaver.core.errors import InputError
from palaver.core.serial import plain

VALUES = st.lists(st.integers(-9, 9), min_size=2, max_size=20)


def test_the_interval_is_scipys_bca() -> None:
    sample = np.random.default_rng(2).exponential(size=40)
    found = mean(sample, resamples=20_000)
    expected = stats.bootstrap(
        (sample,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(3)
    ).confidence_interval

    assert found.value == pytest.approx(sample.mean())
    assert plain(found.interval) == pytest.approx([expected.low, expected.high], abs=0.015)


def test_an_unpaired_difference_is_scipys_bca() -> None:
    dice = np.random.default_rng(5)
    a, b = dice.exponential(size=30), dice.exponential(size=45) * 1.5
    found = difference(a, b, resamples=20_000)
    expected = stats.bootstrap(
        (a, b),
        lambda one, other, axis: one.mean(axis=axis) - other.mean(axis=axis),
        n_resamples=20_000,
        method="BCa",
        rng=np.random.default_rng(6),
    ).confidence_interval

    assert plain(found.interval) == pytest.approx([expected.low, expected.high], abs=0.025)


def test_students_interval_is_that_of_scipy() -> None:
    sample = [3.0, 1.0, 4.0, 1.0, 5.0]
    expected = stats.ttest_1samp(sample, 0).confidence_interval(0.9)

    assert plain(t_interval(sample, confidence=0.9)) == pytest.approx([expected.low, expected.high])
    assert t_interval([1]) is None


def test_clusters_of_copies_count_once() -> None:
    """Each value ten times over, clustered, is as sure as each value once."""
    dice = np.random.default_rng(7)
    sample = dice.normal(size=30)
    clustered = mean(np.repeat(sample, 10), [np.repeat(np.arange(30), 10).tolist()], seed=3)
    naive = mean(np.repeat(sample, 10), seed=3)
    once = mean(sample, seed=3)

    assert plain(clustered.interval) == pytest.approx(plain(once.interval), abs=1e-9)
    assert naive.interval.high - naive.interval.low < 0.5 * (
        clustered.interval.high - clustered.interval.low
    )


def test_crossed_clusters_are_wider_than_either() -> None:
    dice = np.random.default_rng(8)
    raters, items = np.divmod(np.arange(600), 30)
    values = dice.normal(size=20)[raters] + dice.normal(size=30)[items] + dice.normal(size=600)
    widths = [
        (found := mean(values, clusters)).interval.high - found.interval.low
        for clusters in ([raters.tolist()], [items.tolist()], [raters.tolist(), items.tolist()])
    ]
    # The variance of the mean is 1/20 + 1/30 (+ 1/600); each clustering alone sees one of them.
    assert widths[0] == pytest.approx(2 * 1.96 * (1 / 20 + 1 / 600) ** 0.5, rel=0.35)
    assert widths[2] > max(widths[:2])


def test_shared_clusters_cancel_and_separate_ones_do_not() -> None:
    """A rater's leniency drops out of the difference where each rater judged both systems."""
    dice = np.random.default_rng(9)
    lenient = dice.normal(size=40) * 3
    a, b = lenient + dice.normal(size=40) * 0.2, lenient + dice.normal(size=40) * 0.2
    raters = [f"r{n}" for n in range(40)]
    shared = difference(a, b, [raters], [raters]).interval
    separate = difference(a, b, [raters], [[f"other {each}" for each in raters]]).interval

    assert shared.high - shared.low < 0.1 * (separate.high - separate.low)


@given(VALUES, st.integers(-5, 5), st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_shift_and_scale_carry_over(values: list[int], shift: int, scale: int) -> None:
    found = mean(values, resamples=50)
    moved = mean([scale * each + shift for each in values], resamples=50)

    assert moved.value == pytest.approx(scale * found.value + shift)
    if found.interval is not None and moved.interval is not None:
        assert found.interval.low <= found.interval.high
        assert plain(moved.interval) == pytest.approx(
            [scale * end + shift for end in plain(found.interval)], abs=1e-6
        )


@given(VALUES, VALUES)
@settings(max_examples=50, deadline=None)
def test_swapping_turns_the_difference(a: list[int], b: list[int]) -> None:
    assert difference(a, b, resamples=0).value == pytest.approx(
        -difference(b, a, resamples=0).value
    )


def test_pairs_are_the_mean_of_differences() -> None:
    a, b = [3.0, 5, 2, 8], [1.0, 4, 4, 2]

    assert paired_difference(a, b).value == 1.75
    assert "pairs" in paired_difference(a, b).method


def test_few_clusters_are_warned_about() -> None:
    assert "only 3 clusters" in mean([1, 2, 3, 4], [["a", "a", "b", "c"]]).warnings[0]
    assert "only 4 values" in mean([1, 2, 3, 4]).warnings[0]
    assert not mean(list(range(20))).warnings


def test_one_cluster_has_no_interval() -> None:
    found = mean([1, 2, 3], [["a", "a", "a"]])

    assert found.value == 2
    assert found.interval is None
    assert "single cluster" in found.warnings[0]


def test_no_interval_is_a_point() -> None:
    assert mean([2, 2, 2]).interval is None
    assert mean([0.3] * 30, [[n // 3 for n in range(30)]]).interval is None
    assert difference([2.0] * 9, [1.0] * 9).interval is None
    # Clusters that are all alike, though their values vary: as sure as independent values at most.
    pairs = [[n // 2 for n in range(20)]]
    alike, apart = mean([1, 2] * 10, pairs).interval, t_interval([1, 2] * 10)
    assert alike.high - alike.low > apart.high - apart.low
    assert difference([1, 2] * 10, [3, 4] * 10, pairs, pairs).interval is not None


def test_a_share_of_none_has_wilsons_interval_with_a_trial_per_cluster() -> None:
    found = mean([0.0] * 40, [[n // 2 for n in range(40)]])

    assert found.interval == wilson_interval(0, 20)


def test_nothing_has_no_mean() -> None:
    assert mean([]).reason == NO_VALUES
    assert difference([], [1]).reason


@pytest.mark.parametrize(
    ("values", "clusters", "said"),
    [
        ([1, float("nan")], (), "Value 2 of 2"),
        (["x"], (), "should be numbers"),
        ([1, 2], (["a"],), "needs a cluster"),
    ],
)
def test_bad_values_are_refused(values, clusters, said) -> None:
    with pytest.raises(InputError, match=said):
        mean(values, clusters)


def test_pairs_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="the same length"):
        paired_difference([1, 2], [1])


def test_coverage_with_clusters_is_near_what_is_promised() -> None:
    """30 clusters of 5 with half of the variance between them; 300 studies, a short check."""
    dice = np.random.default_rng(11)
    codes = [np.repeat(np.arange(30), 5).tolist()]
    hits = 0
    for seed in range(300):
        values = np.repeat(dice.normal(size=30), 5) + dice.normal(size=150)
        hits += 0.0 in mean(values, codes, resamples=400, seed=seed).interval
    assert hits / 300 > 0.90
