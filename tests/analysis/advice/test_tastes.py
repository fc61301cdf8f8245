"""Variance components and intervals beside dense matrices, statsmodels and simulations."""

import numpy as np
import pytest
from coverage_study.points.advice import POINTS
from coverage_study.simulating import measure

from palaver.analysis.advice.intervals import judged_share
from palaver.analysis.advice.tastes import pair_weight, shared_tastes, tastes


def crossed(dice, situations=60, raters=9, each=3, taste=0.2):
    rater = np.argsort(dice.random((situations, raters)), axis=1)[:, :each].ravel()
    situation = np.repeat(np.arange(situations), each)
    values = dice.normal(0, 1, len(rater)) + dice.normal(0, taste, raters)[rater]
    return values + dice.normal(0, 0.3, situations)[situation], rater, situation


def test_components_solve_the_equations_of_moments_written_as_matrices():
    values, rater, situation = crossed(np.random.default_rng(1), taste=1.0)
    n = len(values)
    centring = np.eye(n) - 1 / n
    same = [np.eye(n)]
    forms = [np.eye(n)]
    for codes in (rater, situation):
        pairs = (codes[:, None] == codes).astype(float) - np.eye(n)
        same.append(pairs)
        forms.append(pairs / np.maximum(np.bincount(codes)[codes] - 1, 1)[:, None])
    expected = [[np.trace(k @ centring @ v @ centring) for v in same] for k in forms]
    apart = centring @ values
    by_hand = np.linalg.solve(expected, [apart @ k @ apart for k in forms])
    found = tastes(values, rater, situation)
    assert (found.total, found.rater, found.situation) == pytest.approx(np.maximum(by_hand, 0))
    k = forms[1]
    covariance = sum(
        part * v for part, v in zip(by_hand, (*same[:2], np.zeros((n, n))), strict=True)
    )
    covariance[np.diag_indices(n)] = found.total
    known_mean = 2 * np.trace(k @ covariance @ k @ covariance) / np.trace(k @ same[1]) ** 2
    assert found.rater_variance == pytest.approx(known_mean * 9 / 8)


def test_components_are_unbiased_on_average():
    dice = np.random.default_rng(2)
    found = []
    for _ in range(300):
        values, rater, situation = crossed(dice, taste=0.8)
        found.append(tastes(values, rater, situation))
    assert np.mean([each.rater for each in found]) == pytest.approx(0.64, abs=0.07)
    assert np.mean([each.situation for each in found]) == pytest.approx(0.09, abs=0.03)


def test_common_tastes_of_two_models_are_found():
    dice = np.random.default_rng(3)
    found = []
    for _ in range(300):
        own = dice.normal(0, 1, 9)
        rater, other = dice.integers(0, 9, 200), dice.integers(0, 9, 150)
        one = own[rater] + dice.normal(0, 1, 200)
        two = 0.5 * own[other] + dice.normal(0, 1, 150)
        found.append(shared_tastes(one, two, rater, other))
    assert np.mean(found) == pytest.approx(0.5, abs=0.06)


def test_pairs_that_share_a_rater_are_counted():
    assert pair_weight(np.ones(5), np.array([0, 0, 0, 1, 2])) == 6


def test_many_clusters_give_the_width_of_statsmodels_two_way_clusters():
    sm = pytest.importorskip("statsmodels.api")
    dice = np.random.default_rng(4)
    situations, raters = 600, 150
    rater = np.argsort(dice.random((situations, raters)), axis=1)[:, :3].ravel()
    situation = np.repeat(np.arange(situations), 3)
    chance = 0.4 + dice.uniform(-0.3, 0.3, raters)[rater]
    chosen = (dice.random(len(rater)) < chance).astype(float)
    fitted = sm.OLS(chosen, np.ones((len(chosen), 1))).fit(
        cov_type="cluster", cov_kwds={"groups": np.column_stack([rater, situation])}
    )
    found = judged_share(chosen, rater, situation, level=0.95)
    width = found.interval.high - found.interval.low
    assert found.value == pytest.approx(fitted.params[0])
    assert width == pytest.approx(2 * 1.96 * fitted.bse[0], rel=0.08)


@pytest.mark.parametrize(
    ("words", "shortfall"),
    [
        ("200 situations × 3 of 12 raters, taste 1, rate 0.4", False),
        ("200 situations × 3 of 30 raters, taste 0.5, rate 0.14", False),
        ("200 situations × 3 of 30 raters, taste 0, rate 0.04, one did a third", False),
        ("200 situations × 3 of 12 raters, taste 1, rate 0.4, raters ignored", True),
        ("equal models, taste 1 (correlation 0.5), rate 0.4", False),
    ],
)
def test_an_interval_holds_the_truth_with_raters_who_differ(words, shortfall):
    (point,) = [each for each in POINTS if each.name.endswith(words)]
    found = measure(point, simulations=200)
    assert (found.share < 0.85) == shortfall, f"{found.share:.1%}"
    assert shortfall or found.share > 0.9
