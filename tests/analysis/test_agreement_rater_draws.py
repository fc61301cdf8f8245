"""Intervals for raters like these, against the same jackknife computed from matrices one by one."""

import math

import numpy as np
import pytest
from scipy import stats

from palaver.analysis.agreement import Judgement, alpha_from_matrix, measure
from palaver.analysis.agreement.patterns import collapse
from palaver.analysis.agreement.percent import percents
from palaver.analysis.agreement.rater_draws import NO_REST, TWO_RATERS
from palaver.analysis.agreement.sampling import NO_SPREAD


def ratings(*, units: int, raters: int, per_unit: int | None = None) -> np.ndarray:
    dice = np.random.default_rng(7)
    line = dice.normal(0, 1, (units, 1)) + dice.normal(0, 0.8, (units, raters))
    given = np.digitize(line + dice.normal(0, 0.4, raters), [-1.0, 0.0, 1.0]).astype(float)
    if per_unit is not None:
        given[dice.random(given.shape).argsort(axis=1).argsort(axis=1) >= per_unit] = np.nan
    return given


def judged(matrix: np.ndarray) -> list[Judgement]:
    return [
        Judgement(int(unit), int(rater), float(matrix[unit, rater]))
        for unit, rater in zip(*np.nonzero(~np.isnan(matrix)), strict=True)
    ]


def jackknife(values: list[float]) -> float:
    return (len(values) - 1) / len(values) * float(((values - np.mean(values)) ** 2).sum())


def without_cell(matrix: np.ndarray, unit: int, rater: int) -> np.ndarray:
    rest = matrix.copy()
    rest[unit, rater] = np.nan
    return rest


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("per_unit", [None, 3])
def test_alpha_is_the_jackknife_of_matrices(level, per_unit):
    given = ratings(units=24, raters=5, per_unit=per_unit)

    def alpha(matrix):
        return alpha_from_matrix(matrix, level=level, resamples=0).alpha

    units = jackknife([alpha(np.delete(given, n, axis=0)) for n in range(24)])
    raters = jackknife([alpha(np.delete(given, n, axis=1)) for n in range(5)])
    cells = np.argwhere(~np.isnan(given))
    twice = jackknife([alpha(without_cell(given, *cell)) for cell in cells])
    density = len(cells) / given.size
    quantiles = stats.t.ppf(0.975, [23, 4])
    reach = np.average(quantiles, weights=[units, raters])
    spread = math.sqrt(units + max(0, raters - (1 - density) * twice))
    value = alpha(given)
    ends = np.tanh(np.arctanh(value) + np.array([-1, 1]) * reach * spread / (1 - value**2))

    found = alpha_from_matrix(given, level=level, draw="raters")

    assert [found.interval.low, found.interval.high] == pytest.approx(ends, abs=1e-9)


def test_dialogues_are_left_out_whole():
    given = ratings(units=24, raters=4)
    dialogues = np.repeat(np.arange(8), 3)

    def percent(matrix):
        codes = matrix.astype(int)
        patterns = collapse(codes, values=4, least=2)
        return float(percents(patterns, patterns.times[None, :])[0])

    units = jackknife([percent(given[dialogues != n]) for n in range(8)])
    raters = jackknife([percent(np.delete(given, n, axis=1)) for n in range(4)])
    reach = np.average(stats.t.ppf(0.975, [7, 3]), weights=[units, raters])
    value = percent(given)
    odds = math.log(value / (1 - value))
    half = reach * math.sqrt(units + raters) / (value * (1 - value))
    ends = [1 / (1 + math.exp(-(odds + side * half))) for side in (-1, 1)]

    found = measure(
        judged(given),
        level="ordinal",
        draw="raters",
        clusters=[dict(enumerate(dialogues.tolist()))],
    )

    interval = found.percent.interval
    assert [interval.low, interval.high] == pytest.approx(ends, abs=1e-9)
    assert found.holds_for == "raters like these"
    assert "one rater is left out" in found.method
    assert "other raters" in found.difference


def test_every_coefficient_has_one_and_those_of_cohen_and_of_two_raters_have_none():
    several = measure(judged(ratings(units=30, raters=4)), level="ordinal", draw="raters")
    two = measure(judged(ratings(units=30, raters=2)), level="ordinal", draw="raters")

    for name in ("alpha", "percent", "fleiss", "ac2", "icc"):
        estimate = several.estimates()[name]
        assert estimate.value in estimate.interval
    assert set(two.no_intervals) == {"alpha", "percent", "kappa", "fleiss", "ac2"}
    assert set(two.no_intervals.values()) == {TWO_RATERS}
    assert two.icc.forms["ICC(A,1)"].interval is not None


def test_it_is_wider_than_that_of_these_raters():
    given = ratings(units=60, raters=3)

    these = alpha_from_matrix(given, level="ordinal").interval
    like_these = alpha_from_matrix(given, level="ordinal", draw="raters").interval

    assert like_these.low < these.low
    assert these.high < like_these.high


def test_without_spread_or_rest_there_is_none_and_a_reason():
    alike = np.repeat(np.arange(12.0)[:, None] % 3, 3, axis=1)
    # Without the third rater, the other two never differ from one value.
    one_differs = np.array([[1.0, 1.0, 2.0], [1.0, 1.0, 1.0], [1.0, 1.0, 2.0]])

    same = alpha_from_matrix(alike, level="nominal", draw="raters")
    rest = alpha_from_matrix(one_differs, level="nominal", draw="raters")

    assert (same.alpha, same.interval, same.no_interval) == (1, None, NO_SPREAD)
    assert (rest.interval, rest.no_interval) == (None, NO_REST)


def test_the_number_of_draws_does_not_matter_but_none_means_none():
    given = ratings(units=20, raters=3)

    some, many, none = (
        alpha_from_matrix(given, level="ordinal", draw="raters", resamples=n) for n in (1, 1000, 0)
    )

    assert some.interval == many.interval
    assert none.interval is None
    assert none.no_interval == ""
