"""Predictive validity, against statsmodels and scipy."""

from math import isnan, nan

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from palaver.analysis.validity import predictive_validity
from palaver.analysis.validity.predictive import squared
from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.serial import plain

from .making import made_up, table


def test_r2_slope_and_p_are_those_of_least_squares() -> None:
    columns = made_up()
    found = {
        each.label: each for each in predictive_validity(table(columns), "quality", resamples=0)
    }

    for label, each in found.items():
        fit = sm.OLS(columns["quality"], sm.add_constant(np.array(columns[label]))).fit()
        assert each.r2.value == pytest.approx(fit.rsquared, abs=1e-12)
        assert each.slope == pytest.approx(fit.params[1], abs=1e-12)
        assert each.p == pytest.approx(fit.pvalues[1], rel=1e-9)
        assert each.r2.n == 80
    assert set(found) == {"x0", "x1", "x2", "x3"}


def test_the_interval_is_that_of_a_bca_bootstrap() -> None:
    columns = made_up()
    (mine,) = predictive_validity(
        table({"x": columns["x0"], "quality": columns["quality"]}), "quality", resamples=20_000
    )

    theirs = stats.bootstrap(
        (columns["x0"], columns["quality"]),
        lambda x, y: np.corrcoef(x, y)[0, 1] ** 2,
        paired=True,
        vectorized=False,
        n_resamples=5000,
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert mine.r2.interval is not None
    assert mine.r2.interval.low == pytest.approx(theirs.low, abs=0.012)
    assert mine.r2.interval.high == pytest.approx(theirs.high, abs=0.012)


def test_a_label_that_says_nothing_may_explain_nothing() -> None:
    dice = np.random.default_rng(5)
    scores = table({"x": dice.normal(size=60), "q": dice.normal(size=60)})
    (found,) = predictive_validity(scores, "q")

    assert found.p > 0.1
    assert found.r2.interval is not None
    assert found.r2.interval.low == 0
    assert found.r2.interval.high > found.r2.value


@pytest.mark.parametrize(
    ("ends", "expected"), [((-0.2, 0.5), (0, 0.25)), ((-0.5, -0.2), (0.04, 0.25)), ((0, 1), (0, 1))]
)
def test_squares_of_an_interval(ends: tuple[float, float], expected: tuple[float, float]) -> None:
    found = squared(Interval(*ends))
    assert found is not None
    assert (found.low, found.high) == pytest.approx(expected)
    assert squared(None) is None


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=12),
    st.floats(0.1, 100),
    st.floats(-50, 50),
    st.randoms(use_true_random=False),
)
@settings(max_examples=50, deadline=None)
def test_r2_knows_neither_scale_nor_order(
    rows: list[tuple[int, int]], factor: float, shift: float, dice: object
) -> None:
    x, y = zip(*rows, strict=True)
    (plain,) = predictive_validity(table({"x": x, "q": y}), "q", resamples=0)
    moved = table({"x": [-factor * each + shift for each in x], "q": [3 * each - 1 for each in y]})
    (other,) = predictive_validity(moved, "q", resamples=0)
    dice.shuffle(rows)
    x, y = zip(*rows, strict=True)
    (shuffled,) = predictive_validity(table({"x": x, "q": y}), "q", resamples=0)

    if not plain.r2.is_defined:
        assert plain.r2.reason
        assert not other.r2.is_defined
        assert not shuffled.r2.is_defined
        return
    assert 0 <= plain.r2.value <= 1
    assert other.r2.value == pytest.approx(plain.r2.value, abs=1e-9)
    assert shuffled.r2.value == pytest.approx(plain.r2.value, abs=1e-12)
    assert other.slope * plain.slope <= 1e-12


def test_a_straight_line_explains_all() -> None:
    (found,) = predictive_validity(table({"x": [1, 2, 3, 5], "q": [2, 4, 6, 10]}), "q")

    assert found.r2.value == pytest.approx(1)
    assert found.p == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"x": [1, 1, 1, 1], "q": [1, 2, 3, 4]}, "the label is the same"),
        ({"x": [1, 2, 3, 4], "q": [2, 2, 2, 2]}, "quality is the same"),
        ({"x": [1, 2, nan, nan], "q": [1, 2, 3, 4]}, "only 2 dialogues"),
        ({"x": [0.1 + 0.2, 0.3, 0.3], "q": [1, 2, 3]}, "the label is the same"),
    ],
)
def test_undefined_has_a_reason(columns: dict[str, list[float]], reason: str) -> None:
    (found,) = predictive_validity(table(columns), "q")

    assert isnan(found.r2.value)
    assert found.r2.reason.startswith(reason)
    assert plain(found)["r2"] is None
    assert plain(found)["p"] is None


def test_dialogues_without_the_label_do_not_count() -> None:
    columns = {"x": [1, 2, 4, nan], "q": [1, 3, 3, 9]}
    (found,) = predictive_validity(table(columns), "q", resamples=0)

    assert found.r2.n == 3
    assert found.r2.value == pytest.approx(np.corrcoef([1, 2, 4], [1, 3, 3])[0, 1] ** 2)


def test_warnings_for_few_dialogues_and_rare_labels() -> None:
    rare = [1, 1] + [0] * 58
    (found,) = predictive_validity(table({"x": rare, "q": range(60)}), "q")
    assert found.r2.warnings == ("'x' occurs in 2 dialogues only; its R² depends on these few.",)
    (few,) = predictive_validity(table({"x": [1, 2, 3, 5], "q": [1, 2, 2, 3]}), "q")
    assert "rests on 4 dialogues" in few.r2.warnings[0]


def test_bad_input() -> None:
    scores = table({"q": [1, 2, 3]})
    with pytest.raises(InputError, match="no label besides 'q'"):
        predictive_validity(scores, "q")
    with pytest.raises(InputError, match="There is no label 'z'"):
        predictive_validity(scores, "z")


def test_a_notebook_shows_a_table() -> None:
    (found,) = predictive_validity(table({"x": [1, 2, 3, 5], "q": [1, 2, 2, 3]}), "q")
    assert "<td>x</td>" in found._repr_html_()
