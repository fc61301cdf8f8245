"""Cluster-robust spread against Welch's test, the matrix form of CR2 and exact traces."""

import numpy as np
import pytest
from scipy import linalg, stats

from palaver.analysis.clustered import (
    GROWTH,
    difference_spread,
    mean_spread,
    without_nested,
)


def sides(seed: int, raters: int = 7) -> tuple[np.ndarray, ...]:
    """Values of two systems by raters who give very different numbers of them."""
    dice = np.random.default_rng(seed)
    numbers = dice.integers(1, 9, (2, raters))
    codes = [np.repeat(np.arange(raters), some) for some in numbers]
    lenient = dice.normal(size=raters)
    return *(lenient[each] + dice.normal(size=len(each)) for each in codes), *codes


def matrix_form(
    values: list[np.ndarray], codes: list[np.ndarray], scales: list[float] | None = None
) -> tuple[float, float]:
    """CR2 of a regression on the sides, and Satterthwaite's degrees, from whole matrices."""
    y, group = np.concatenate(values), np.concatenate(codes)
    x = linalg.block_diag(*(np.ones((len(some), 1)) for some in values))
    contrast = np.array([1.0, -1.0][: len(values)])
    bread = np.linalg.inv(x.T @ x)
    hat = np.eye(len(y)) - x @ bread @ x.T
    rows = []
    for code in np.unique(group):
        own = group == code
        half = linalg.fractional_matrix_power(hat[np.ix_(own, own)], -0.5).real
        rows.append(contrast @ bread @ x[own].T @ half @ hat[own])
    brought = np.array(rows)
    # The working model: a cluster's sum on one side has a variance of its size to the power GROWTH.
    working = np.zeros((len(y), len(y)))
    start = 0
    for place, side in enumerate(codes):
        for code in np.unique(side):
            own = start + np.flatnonzero(side == code)
            scale = scales[place] if scales else 1.0
            working[np.ix_(own, own)] = scale * len(own) ** (GROWTH - 2)
        start += len(side)
    spread = brought @ working @ brought.T
    return float(((brought @ y) ** 2).sum()), float(
        np.trace(spread) ** 2 / np.trace(spread @ spread)
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_variance_of_a_difference_is_cr2(seed: int) -> None:
    a, b, codes_a, codes_b = sides(seed)
    variance, alike = matrix_form([a, b], [codes_a, codes_b])
    found = difference_spread(a, b, [codes_a], [codes_b])

    assert found.variance == pytest.approx(variance)
    # Sides that vary alike are the most that few clusters are trusted with.
    shown = [
        mean_spread(values, [codes]).variance / matrix_trace(values, codes)
        for values, codes in ((a, codes_a), (b, codes_b))
    ]
    own = matrix_form([a, b], [codes_a, codes_b], shown)[1]
    assert found.degrees == pytest.approx(min(own, alike))


def matrix_trace(values: np.ndarray, codes: np.ndarray) -> float:
    """The variance of a side's mean that the working model gives for a scale of 1."""
    n, counts = len(values), np.bincount(codes)
    shares, sums = counts / n, counts.astype(float) ** GROWTH
    centred = sums * (1 - 2 * shares) + shares**2 * sums.sum()
    return float((centred / (1 - shares)).sum() / n**2)


def test_the_spread_of_a_mean_is_cr2() -> None:
    a, _, codes, _ = sides(9)
    found = mean_spread(a, [codes])

    assert (found.variance, found.degrees) == pytest.approx(matrix_form([a], [codes]))


def test_values_on_their_own_are_welchs_test() -> None:
    dice = np.random.default_rng(3)
    a, b = dice.normal(0.4, 1, 5), dice.normal(0, 2, 50)
    expected = stats.ttest_ind(a, b, equal_var=False)
    ends = expected.confidence_interval(0.9)
    own = [np.arange(5)], [np.arange(5, 55)]
    for found in (difference_spread(a, b), difference_spread(a, b, *own)):
        apart = float(a.mean() - b.mean())
        assert found.degrees == pytest.approx(expected.df)
        assert found.p(apart) == pytest.approx(expected.pvalue)
        between = found.interval(apart, confidence=0.9)
        assert (between.low, between.high) == pytest.approx((ends.low, ends.high))


def test_items_that_both_sides_answered_once_are_the_paired_t_test() -> None:
    dice = np.random.default_rng(4)
    a, b = dice.normal(size=12), dice.normal(size=12)
    expected = stats.ttest_rel(a, b)
    found = difference_spread(a, b, [np.arange(12)], [np.arange(12)])

    assert found.degrees == pytest.approx(11)
    assert found.p(float((a - b).mean())) == pytest.approx(expected.pvalue)


def test_clusters_of_one_side_each_add_up() -> None:
    a, b, codes_a, codes_b = sides(5)
    found = difference_spread(a, b, [codes_a], [codes_b + 100])
    alone = mean_spread(a, [codes_a]).variance + mean_spread(b, [codes_b]).variance

    assert found.variance == pytest.approx(alone)


def test_crossed_clusterings_are_added_less_what_is_counted_twice() -> None:
    dice = np.random.default_rng(6)
    raters, items = np.divmod(np.arange(200), 20)
    values = dice.normal(size=10)[raters] + dice.normal(size=20)[items] + dice.normal(size=200)
    by_rater, by_item = mean_spread(values, [raters]), mean_spread(values, [items])
    found = mean_spread(values, [raters, items])

    cells = mean_spread(values).variance
    assert found.variance == pytest.approx(by_rater.variance + by_item.variance - cells)
    uncertain = by_rater.variance**2 / 9 + by_item.variance**2 / 19
    assert found.degrees == pytest.approx(found.variance**2 / uncertain)


def test_two_clusterings_are_never_surer_than_one() -> None:
    dice = np.random.default_rng(7)
    raters, items = np.divmod(np.arange(60), 12)
    for _ in range(50):
        values = dice.normal(size=60)
        found = mean_spread(values, [raters, items]).variance
        assert found >= max(mean_spread(values, [each]).variance for each in (raters, items))


def test_a_clustering_within_another_adds_nothing() -> None:
    a, b, codes_a, codes_b = sides(8)
    turns = [np.arange(len(a)) // 2, 1000 + np.arange(len(b)) // 2]
    dialogues = [codes_a * 10_000 + turns[0], codes_b * 10_000 + turns[1]]
    nested = difference_spread(a, b, [dialogues[0], codes_a], [dialogues[1], codes_b])

    assert nested == difference_spread(a, b, [codes_a], [codes_b])
    assert len(without_nested([codes_a, codes_a.copy()])) == 1


def test_a_side_with_a_single_cluster_has_no_spread() -> None:
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])

    assert mean_spread(a, [np.zeros(3, dtype=int)]) is None
    assert difference_spread(a, b, [np.zeros(3, dtype=int)], [np.arange(3)]) is None


def test_clusters_that_are_exactly_alike_are_independent_values_of_few() -> None:
    values, codes = np.array([1.0, 2.0] * 6), np.arange(12) // 4
    found = mean_spread(values, [codes])

    assert found.variance == pytest.approx(mean_spread(values).variance)
    assert found.degrees == pytest.approx(2)


def test_an_interval_leaves_0_out_exactly_where_p_is_small() -> None:
    for seed in range(60):
        a, b, codes_a, codes_b = sides(seed)
        spread = difference_spread(a + 0.8, b, [codes_a], [codes_b])
        apart = float(a.mean() + 0.8 - b.mean())
        for confidence in (0.8, 0.95):
            outside = 0.0 not in spread.interval(apart, confidence=confidence)
            assert outside == (spread.p(apart) < 1 - confidence)
