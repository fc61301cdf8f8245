"""A weighted mean of independent estimates, against an independent implementation."""

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from palaver.analysis.item_means import SHARE, item_mean
from palaver.analysis.weighted_means import combined_ends


def wilson(right: int, n: int) -> tuple[float, float, float]:
    low, high = proportion_confint(right, n, method="wilson")
    return right / n, low, high


@pytest.mark.parametrize(
    ("one", "other"), [((17, 20), (41, 60)), ((20, 20), (30, 50)), ((0, 9), (9, 9))]
)
def test_two_shares_are_those_of_newcombe(one: tuple[int, int], other: tuple[int, int]) -> None:
    """p + q is p − (1 − q) + 1, whose interval statsmodels makes by Newcombe's method."""
    parts = np.array([wilson(*one), wilson(*other)])
    low, high = combined_ends(*(each[:, None] for each in parts.T), np.array([0.5, 0.5]))
    wrong = other[1] - other[0]
    ends = confint_proportions_2indep(*one, wrong, other[1], method="newcomb", compare="diff")
    assert (low[0], high[0]) == pytest.approx(((ends[0] + 1) / 2, (ends[1] + 1) / 2), abs=1e-9)


def test_one_part_keeps_its_interval_to_the_last_bit() -> None:
    parts = np.array([wilson(7, 9), wilson(2, 31)])
    low, high = combined_ends(*(each[:, None] for each in parts.T), np.array([0.0, 5.0]))
    assert (low[0], high[0]) == tuple(parts[1, 1:])


def test_a_part_of_which_all_is_right_is_not_taken_for_sure() -> None:
    perfect, other = (item_mean(np.array(v, float), SHARE) for v in ([1] * 6, [1] * 40 + [0] * 20))
    assert perfect.interval is not None
    assert other.interval is not None
    ends = np.array([[e.value, e.interval.low, e.interval.high] for e in (perfect, other)])  # type: ignore[union-attr]
    low, high = combined_ends(*(each[:, None] for each in ends.T), np.array([0.5, 0.5]))
    alone = (other.interval.high - other.interval.low) / 2
    assert high[0] - low[0] > 1.5 * alone
    assert high[0] < 1


def test_a_part_without_an_interval_leaves_the_mean_without_one() -> None:
    values, lows, highs = (np.array([[0.5], [0.4]]) + d for d in (0.0, -0.1, 0.1))
    lows[0] = np.nan
    for weights, has in (([0.5, 0.5], False), ([0.0, 1.0], True)):
        low, _ = combined_ends(values, lows, highs, np.array(weights))
        assert np.isfinite(low[0]) == has
