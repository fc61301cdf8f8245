"""Kendall's τ-b against scipy, the worked example and its own properties."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from palaver.analysis.kendall import ALL_TIED, TOO_SHORT, kendall
from palaver.core.errors import InputError
from palaver.core.serial import plain
from support.shared import SHARED

EXAMPLES = SHARED / "data" / "dialeval" / "examples.json"
LISTS = st.integers(3, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n)] * 2)
)


@given(LISTS)
@settings(max_examples=50, deadline=None)
def test_tau_is_that_of_scipy(lists: tuple[list[int], list[int]]) -> None:
    x, y = lists
    found = kendall(x, y, resamples=0)
    expected = stats.kendalltau(x, y).statistic

    assert found.tau.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    if np.isnan(expected):
        assert found.tau.reason == ALL_TIED
    else:
        assert -1 <= found.tau.value <= 1
        assert kendall(y, x, resamples=0).tau.value == pytest.approx(found.tau.value)
        assert kendall(x, [-each for each in y], resamples=0).tau.value == pytest.approx(
            -found.tau.value
        )
        assert kendall([2 * each + 1 for each in x], y, resamples=0).tau == found.tau


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the worked examples are not here")
def test_the_worked_example_holds() -> None:
    example = json.loads(EXAMPLES.read_text(encoding="utf-8"))["kendall"]
    found = kendall(example["x"], example["y"], resamples=10_000)

    assert found.tau.value == pytest.approx(example["tau_b"], abs=1e-12)
    assert plain(found.tau.interval) == pytest.approx(example["asymptotic_ci95"], abs=1e-9)
    assert plain(found.bootstrap) == pytest.approx(
        example["bootstrap_percentile_ci95_B10000_approx"], abs=0.02
    )


def test_the_bootstrap_is_that_of_drawing_rows() -> None:
    dice = np.random.default_rng(4)
    x = dice.normal(size=15)
    y = x + dice.normal(size=15)
    rows = dice.integers(0, 15, size=(1500, 15))
    slow = [stats.kendalltau(x[row], y[row]).statistic for row in rows]
    found = kendall(x, y, resamples=4000).bootstrap

    assert plain(found) == pytest.approx(np.quantile(slow, [0.025, 0.975]), abs=0.06)


def test_draws_without_a_tau_are_counted() -> None:
    found = kendall([1, 1, 1, 2], [1, 2, 3, 4], resamples=500)

    assert 100 < found.undefined < 250  # (3/4)⁴ of the draws lack the one that differs
    assert found.bootstrap is None


def test_the_same_seed_draws_the_same() -> None:
    x, y = [3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8]

    assert kendall(x, y, seed=5) == kendall(x, y, seed=5)
    assert kendall(x, y, seed=5).bootstrap != kendall(x, y, seed=6).bootstrap


@pytest.mark.parametrize(
    ("x", "reason"), [([], TOO_SHORT), ([1], TOO_SHORT), ([2, 2, 2], ALL_TIED)]
)
def test_what_cannot_be_ordered_is_undefined(x: list[float], reason: str) -> None:
    found = plain(kendall(x, list(range(len(x)))))

    assert found["tau"] is None
    assert found["reason"] == reason


@pytest.mark.parametrize(("x", "y"), [([1, 2], [1]), ([1, float("nan")], [1, 2])])
def test_bad_lists_are_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(InputError):
        kendall(x, y)


def test_few_things_are_warned_about() -> None:
    assert "neither interval is reliable" in kendall([1, 2, 3], [1, 3, 2]).tau.warnings[0]
