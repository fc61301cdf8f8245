"""Wilson's interval: against scipy, against a published table, and in simulation."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from palaver.analysis.proportions import rare_share, wilson_interval
from palaver.core.errors import InputError
from palaver.core.estimates import Interval


@pytest.mark.parametrize("n", [1, 2, 5, 20, 61, 400, 100_000])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_it_agrees_with_scipy(n, confidence):
    for k in {0, 1, n // 7, n // 2, n - 1, n}:
        expected = binomtest(k, n).proportion_ci(confidence, method="wilson")
        found = wilson_interval(k, n, confidence=confidence)

        assert found.low == pytest.approx(expected.low, abs=1e-12)
        assert found.high == pytest.approx(expected.high, abs=1e-12)


# R. G. Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3 (score, without
# continuity correction).
@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_it_agrees_with_newcombes_table(k, n, low, high):
    found = wilson_interval(k, n)

    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize("n", [10, 30, 100])
def test_it_covers_the_truth_as_often_as_it_says(n):
    rng = np.random.default_rng(n)
    truths = rng.uniform(0.02, 0.98, 20_000)
    drawn = rng.binomial(n, truths)
    ends = np.array([[i.low, i.high] for i in (wilson_interval(k, n) for k in range(n + 1))])
    low, high = ends[drawn].T

    coverage = np.mean((low <= truths) & (truths <= high))

    assert coverage == pytest.approx(0.95, abs=0.01)


def test_its_exact_coverage_near_one_half_is_close_to_what_it_says():
    n, k = 60, np.arange(61)
    ends = np.array([[i.low, i.high] for i in (wilson_interval(int(j), n) for j in k)])
    for truth in np.linspace(0.3, 0.7, 81):
        covered = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        assert 0.92 < binom.pmf(k[covered], n, truth).sum() < 0.98


def test_half_a_success_lies_between_its_neighbours():
    below, half, above = (wilson_interval(k, 20) for k in (7, 7.5, 8))

    assert below.low < half.low < above.low
    assert below.high < half.high < above.high


def test_none_and_all_reach_the_edges_exactly():
    assert wilson_interval(0, 7).low == 0.0
    assert wilson_interval(7, 7).high == 1.0


def test_of_nothing_it_is_undefined():
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (1, 0), (0, -1), (float("nan"), 5)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(InputError, match="0 ≤ successes ≤ n"):
        wilson_interval(k, n)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95])
def test_impossible_confidence_is_refused(confidence):
    with pytest.raises(InputError, match="between 0 and 1"):
        wilson_interval(1, 2, confidence=confidence)


def test_intervals_that_touch_overlap():
    assert Interval(0.1, 0.5).overlaps(Interval(0.5, 0.9))
    assert not Interval(0.1, 0.4).overlaps(Interval(0.5, 0.9))
    assert Interval(0.2, 0.3).overlaps(Interval(0.1, 0.9))


def test_the_statistics_load_without_scipy():
    code = (
        "import sys, palaver.analysis.win_rates; "
        "assert not {'scipy', 'sqlalchemy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_share_of_a_few_is_rough() -> None:
    assert rare_share(4, 20).startswith("fewer than 5 of 20")
    assert rare_share(16.5, 20).startswith("fewer than 5 of 20")
    assert rare_share(5, 20) == rare_share(15, 20) == rare_share(0, 0) == ""
