"""Intervals of what is measured on models, beside scipy's bootstrap and the rest of Palaver's."""

import numpy as np
import pytest
from scipy import stats

from palaver.analysis.proportions import wilson_interval
from palaver.models.measured import (
    MeasuredFigure,
    Numbers,
    mean_figure,
    ratio_figure,
    student,
)


def numbers(*values: float) -> Numbers:
    return np.array(values, np.float64)


def test_the_interval_of_a_mean_is_the_percentile_bootstrap() -> None:
    values = np.random.default_rng(1).gamma(2.0, size=300)

    found = mean_figure("score", values, about="", unit="dialogues")

    expected = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=5000, rng=np.random.default_rng(2)
    ).confidence_interval
    width = expected.high - expected.low
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(expected.low, abs=0.06 * width)
    assert found.high == pytest.approx(expected.high, abs=0.06 * width)
    assert (found.n, found.unit) == (300, "dialogues")


def test_a_ratio_of_sums_draws_both_of_a_unit_together() -> None:
    dice = np.random.default_rng(3)
    words = dice.integers(5, 60, size=400).astype(np.float64)
    right = dice.binomial(words.astype(int), 0.4).astype(np.float64)

    found = ratio_figure("token accuracy", right, words, about="", unit="dialogues")

    # The linearised ratio (Cochran 1977, section 6.3).
    share = right.sum() / words.sum()
    off = right - share * words
    reach = 1.96 * np.sqrt((off**2).sum()) / words.sum()
    assert found.value == pytest.approx(share)
    assert found.low == pytest.approx(share - reach, abs=0.15 * reach)
    assert found.high == pytest.approx(share + reach, abs=0.15 * reach)


def test_what_is_written_of_a_ratio_is_written_of_its_ends() -> None:
    nll, words = numbers(10, 14, 9, 20), numbers(5, 7, 6, 8)
    plain = ratio_figure("nll", nll, words, about="", unit="dialogues")

    found = ratio_figure("perplexity", nll, words, about="", unit="dialogues", write=np.exp)

    for name in ("value", "low", "high"):
        assert getattr(found, name) == pytest.approx(np.exp(getattr(plain, name)))


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_none_or_all_has_wilsons_interval(share: float) -> None:
    # Of forty units five have nothing to be counted.
    whole = np.repeat([0.0, 2.0], [5, 35])

    found = ratio_figure("agreed", share * whole, whole, about="", unit="dialogues", is_share=True)

    expected = wilson_interval(share * 35, 35)
    assert expected is not None
    assert found.value == share
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_amounts_that_are_alike_have_no_interval() -> None:
    found = mean_figure("score", numbers(0, 0, 0), about="", unit="dialogues")
    single = mean_figure("score", numbers(4), about="", unit="dialogues")

    assert (found.value, found.low, found.high) == (0, None, None)
    assert (single.value, single.low, single.high) == (4, None, None)
    point = MeasuredFigure(name="score", value=1.0, low=1.0, high=1.0)
    assert (point.low, point.high) == (None, None)


def test_a_share_of_units_has_wilsons_interval_and_counts_those_that_can_have_it() -> None:
    agreed = np.repeat([1.0, 0.0], [1, 63])
    pareto = np.repeat([1.0, 0.0], [1, 63])

    found = mean_figure("agreed", agreed, about="", unit="dialogues", is_share=True)
    among = ratio_figure("pareto", pareto, agreed, about="", unit="dialogues", is_share=True)

    expected = wilson_interval(1, 64)
    assert expected is not None
    assert (found.low, found.high, found.n) == pytest.approx((expected.low, expected.high, 64))
    assert (among.value, among.n) == (1, 1)


def test_a_share_of_what_units_hold_is_drawn() -> None:
    dice = np.random.default_rng(5)
    right = dice.binomial(2, 0.5, size=100).astype(np.float64)

    found = ratio_figure(
        "told", right, np.full(100, 2.0), about="", unit="dialogues", is_share=True
    )

    reach = 1.96 * right.std() / 2 / 10
    assert found.low == pytest.approx(found.value - reach, abs=0.15 * reach)
    assert found.high == pytest.approx(found.value + reach, abs=0.15 * reach)


def test_students_t_is_that_of_scipy() -> None:
    for degrees in (4, 9, 30, 1000):
        assert student(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), abs=0.02)


@pytest.mark.parametrize(("n", "least"), [(5, 0.90), (10, 0.91), (40, 0.925)])
def test_intervals_of_few_units_hold_the_mean_as_often_as_they_say(n: int, least: float) -> None:
    held = 0
    for number in range(300):
        values = np.random.default_rng([n, number]).normal(size=n)
        found = mean_figure("score", values, about="", unit="dialogues", seed=number)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0 <= found.high
    assert least <= held / 300 <= 0.985
