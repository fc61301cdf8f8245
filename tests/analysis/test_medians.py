"""The median and its interval, against exact binomial tails and simulated long-tailed times."""

from itertools import product

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
    # Above 200 values the chances are those of a normal sum, and an end may lie one value further out.
    further = 0 if n <= 200 else 1
    assert 1 - 2 * binom.cdf(rank + further, n, 0.5) < 0.95


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


@pytest.mark.parametrize(("pairs", "level"), [(15, 0.9), (40, 0.9)])
def test_pairs_that_finish_together_are_one_cluster(pairs: int, level: float) -> None:
    rng, hits, naive = np.random.default_rng(7), 0, 0
    owners = [pair for pair in range(pairs) for _ in range(2)]
    for _ in range(300):
        shared = np.repeat(rng.normal(size=pairs), 2)
        own = rng.normal(size=2 * pairs)
        times = np.exp(np.sqrt(level) * shared + np.sqrt(1 - level) * own).tolist()
        together, apart = sample_median(times, clusters=owners), sample_median(times)
        hits += together.interval is not None and 1.0 in together.interval
        naive += apart.interval is not None and 1.0 in apart.interval
    assert hits / 300 >= 0.94
    assert naive < hits


def test_clusters_agree_with_every_turn_of_their_sums() -> None:
    """The interval of a few clusters against all signs that chance could have given them."""
    values = [3.0, 4.0, 9.0, 1.0, 12.0, 7.5, 8.0, 20.0, 2.0, 6.0, 5.0, 11.0, 15.0, 30.0]
    owners = [0, 0, 1, 1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 9]
    kept = [
        middle
        for middle in (low + 0.01 for low in sorted([0.0, *values]))
        if _chance_by_enumeration(values, owners, middle) > 0.05
    ]
    found = sample_median(values, clusters=owners).interval
    assert found is not None
    inside = [middle for middle in kept if found.low < middle < found.high]
    assert inside == kept


def _chance_by_enumeration(values: list[float], owners: list[int], middle: float) -> float:
    sums = [
        sum(
            1 if value > middle else -1
            for value, each in zip(values, owners, strict=True)
            if each == owner
        )
        for owner in sorted(set(owners))
    ]
    turns = list(product((1, -1), repeat=len(sums)))
    reached = [
        abs(sum(sign * each for sign, each in zip(turn, sums, strict=True))) for turn in turns
    ]
    return sum(each >= abs(sum(sums)) for each in reached) / len(turns)


def test_a_thousand_values_by_their_binomial_tail() -> None:
    found = sample_median([float(value) for value in range(1, 1001)])
    # The 95 % ranks of 1,000 values by exact enumeration are 469 and 532.
    assert found.interval is not None
    low, high = int(found.interval.low), int(found.interval.high)
    assert low == int(binom.ppf(0.025, 1000, 0.5))
    assert high == 1001 - low
