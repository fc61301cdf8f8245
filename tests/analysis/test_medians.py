"""The median and its interval, against exact binomial tails and simulated long-tailed times."""

import numpy as np
import pytest
from scipy.stats import binom

from palaver.analysis.medians import sample_median


@pytest.mark.parametrize("n", [6, 7, 8, 20, 51, 200, 1001])
def test_its_ends_are_the_outermost_that_keep_the_confidence(n: int) -> None:
    found = sample_median(range(n)).interval
    assert found is not None
    rank = int(found.low) + 1
    assert found.high == n - rank
    assert 1 - 2 * binom.cdf(rank - 1, n, 0.5) >= 0.95
    assert 1 - 2 * binom.cdf(rank, n, 0.5) < 0.95


def test_five_values_give_none() -> None:
    found = sample_median([3.0, 1.0, 2.0, 5.0, 4.0])
    assert (found.value, found.interval) == (3.0, None)
    assert "fewer than 6" in found.reason


def test_equal_values_give_none() -> None:
    assert sample_median([2.0] * 9).interval is None


@pytest.mark.parametrize("n", [8, 15, 40])
def test_it_covers_the_median_of_long_tailed_times(n: int) -> None:
    rng, truth, hits = np.random.default_rng(4), float(np.exp(2.0)), 0
    for _ in range(2000):
        found = sample_median(rng.lognormal(2.0, 0.9, n).tolist()).interval
        hits += found is not None and truth in found
    assert hits / 2000 >= 0.94


def test_a_thousand_values_by_their_binomial_tail() -> None:
    found = sample_median([float(value) for value in range(1, 1001)])
    # The 95 % ranks of 1,000 values by exact enumeration are 469 and 532.
    assert found.interval is not None
    low, high = int(found.interval.low), int(found.interval.high)
    assert low == int(binom.ppf(0.025, 1000, 0.5))
    assert high == 1001 - low
