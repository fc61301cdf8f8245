"""Bootstrap samples as weights, and the intervals made of them, against scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from palaver.analysis import resampling
from palaver.analysis.resampling import (
    bca_interval,
    check_settings,
    cluster_draws,
    count_draws,
    distinct_rows,
    encode,
    left_out,
    percentile_interval,
)
from palaver.core.errors import InputError


def together(blocks) -> np.ndarray:
    return np.concatenate(list(blocks))


def test_values_are_numbered_as_they_come() -> None:
    coded = encode(["b", "a", "b", 3])

    assert coded.levels == ["b", "a", 3]
    assert coded.codes.tolist() == [0, 1, 0, 2]


@given(st.lists(st.integers(0, 9), max_size=12))
@settings(max_examples=50, deadline=None)
def test_numbers_are_numbered_like_names(numbers: list[int]) -> None:
    named, numbered = encode(list(map(str, numbers))), encode(np.array(numbers, dtype=np.intp))

    assert numbered.codes.tolist() == named.codes.tolist()
    assert [str(each) for each in numbered.levels] == named.levels


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(-1, 1)), min_size=1, max_size=9))
@settings(max_examples=50, deadline=None)
def test_distinct_rows_are_those_of_numpy(rows: list[tuple[float, float]]) -> None:
    table = np.array([*rows, *rows[:3]], dtype=float)

    distinct, times = distinct_rows(table)

    expected, counts = np.unique(table, axis=0, return_counts=True)
    assert np.array_equal(distinct, expected)
    assert np.array_equal(times, counts)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_a_sample_has_as_many_rows_as_there_are(times: list[int], seed: int) -> None:
    drawn = together(count_draws(np.array(times), resamples=7, seed=seed))

    assert drawn.shape == (7, len(times))
    assert (drawn.sum(axis=1) == sum(times)).all()


def test_clusters_come_whole() -> None:
    codes = np.array([0, 0, 1, 2, 2, 2])
    drawn = together(cluster_draws([codes], resamples=50, seed=1))

    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert (drawn[:, 3] == drawn[:, 5]).all()
    assert (drawn[:, [0, 2, 3]].sum(axis=1) == 3).all()


def test_crossed_factors_multiply() -> None:
    raters, items = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    drawn = together(cluster_draws([raters, items], resamples=400, seed=2))

    assert (drawn[:, 0] * drawn[:, 3] == drawn[:, 1] * drawn[:, 2]).all()
    # E[w] = 1 for each row; the two factors are drawn independently of each other.
    assert drawn.mean(axis=0) == pytest.approx(np.ones(4), abs=0.2)


def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = together(count_draws(np.array([3, 4]), resamples=9, seed=5))
    monkeypatch.setattr(resampling, "BLOCK", 4)
    parts = list(count_draws(np.array([3, 4]), resamples=9, seed=5))

    assert len(parts) == 5
    assert (np.concatenate(parts) == whole).all()


def test_the_jackknife_leaves_each_cluster_out_once() -> None:
    assert together(left_out(np.array([0, 1, 1, 2]))).tolist() == [
        [0, 1, 1, 1],
        [1, 0, 0, 1],
        [1, 1, 1, 0],
    ]


def test_percentile_and_bca_are_those_of_scipy() -> None:
    sample = np.random.default_rng(3).exponential(size=40)
    weights = together(count_draws(np.ones(40), resamples=20_000, seed=4))
    draws = weights @ sample / 40
    jackknifed = together(left_out(np.arange(40))) @ sample / 39
    for method, found in (
        ("percentile", percentile_interval(draws)),
        ("BCa", bca_interval(float(sample.mean()), draws, jackknifed)),
    ):
        theirs = stats.bootstrap(
            (sample,), np.mean, n_resamples=20_000, method=method, random_state=9
        ).confidence_interval
        assert found is not None
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.012)


def test_bca_moves_towards_the_long_tail() -> None:
    sample = np.random.default_rng(3).exponential(size=40)
    draws = together(count_draws(np.ones(40), resamples=5000, seed=4)) @ sample / 40
    plain = percentile_interval(draws)
    bca = bca_interval(float(sample.mean()), draws, together(left_out(np.arange(40))) @ sample / 39)

    assert plain is not None
    assert bca is not None
    assert bca.low > plain.low
    assert bca.high > plain.high


def test_too_many_undefined_draws_give_no_interval() -> None:
    draws = np.where(np.arange(100) < 94, 0.5, np.nan)

    assert percentile_interval(draws) is None
    assert bca_interval(0.5, draws, np.array([0.4, 0.6])) is None
    assert percentile_interval(np.array([])) is None
    spread = np.linspace(0, 1, 100)
    assert percentile_interval(np.where(np.arange(100) < 95, spread, np.nan)) is not None


def test_draws_that_never_differ_give_no_interval() -> None:
    assert bca_interval(1.0, np.ones(50), np.ones(5)) is None
    assert percentile_interval(np.full(50, 0.7)) is None
    # Sums of equal numbers differ by rounding.
    assert percentile_interval(0.7 + 1e-16 * np.arange(50)) is None


@pytest.mark.parametrize(("resamples", "confidence"), [(-1, 0.95), (10, 0.0), (10, 1.0)])
def test_settings_that_make_no_bootstrap(resamples: int, confidence: float) -> None:
    with pytest.raises(InputError, match="A bootstrap takes"):
        check_settings(resamples, confidence)


@pytest.mark.parametrize("n", [6, 12, 40])
def test_widened_intervals_of_a_mean_are_those_of_student(n: int) -> None:
    # Bootstrap means of symmetric values are nearly normal, so the widths can be compared.
    sample = stats.norm.ppf((np.arange(n) + 0.5) / n)
    draws = together(count_draws(np.ones(n), resamples=40_000, seed=1)) @ sample / n
    student = stats.t.interval(0.95, n - 1, 0.0, stats.sem(sample))
    found = percentile_interval(draws, independent=n)
    assert found is not None
    assert found.high - found.low == pytest.approx(student[1] - student[0], rel=0.08)
    plain = percentile_interval(draws)
    assert plain is not None
    assert plain.high - plain.low < student[1] - student[0]


def test_two_things_give_all_that_was_drawn() -> None:
    draws = np.arange(1000.0)
    found = percentile_interval(draws, independent=2)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.0, 999.0), abs=1e-3)
