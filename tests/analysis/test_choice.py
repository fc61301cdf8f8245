"""Davidson's model of a choice between two."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from palaver.analysis.choice import draw_preference, preference_chances
from palaver.core.errors import InputError

strengths = st.floats(1e-3, 1e3)
ties = st.floats(0, 0.95)


@given(strengths, strengths, ties)
def test_the_chances_sum_to_one_and_mirror(first, second, tie):
    chances = preference_chances(first, second, tie)
    mirrored = preference_chances(second, first, tie)

    assert chances.first + chances.second + chances.tie == pytest.approx(1)
    assert chances.rate + mirrored.rate == pytest.approx(1)


@given(strengths, strengths, ties)
def test_ties_leave_the_odds_as_they_are(first, second, tie):
    chances = preference_chances(first, second, tie)

    assert chances.first / chances.second == pytest.approx(first / second)


@given(strengths, ties)
def test_equals_tie_as_often_as_the_tie_probability_says(strength, tie):
    assert preference_chances(strength, strength, tie).tie == pytest.approx(tie)


def test_a_hand_worked_case():
    # pi = 4 and 1, nu = 2 * 0.2 / 0.8 = 0.5: 4 / (4 + 1 + 0.5 * 2) = 4 / 6, 1 / 6 and 1 / 6.
    chances = preference_chances(4, 1, 0.2)

    assert (chances.first, chances.second, chances.tie) == pytest.approx((4 / 6, 1 / 6, 1 / 6))


@pytest.mark.parametrize(("first", "second", "tie"), [(2.0, 1.0, 0.3), (0.5, 3.0, 0.1), (1, 1, 0)])
def test_answers_come_as_often_as_the_model_says(first, second, tie):
    rng = random.Random(f"{first}{second}{tie}")
    drawn = Counter(draw_preference(rng, first, second, tie) for _ in range(20_000))
    chances = preference_chances(first, second, tie)
    expected = {"first": chances.first, "second": chances.second, "tie": chances.tie}
    possible = [side for side, chance in expected.items() if chance]

    assert set(drawn) == set(possible)
    fit = chisquare(
        [drawn[side] for side in possible], [20_000 * expected[side] for side in possible]
    )
    assert fit.pvalue > 0.001


@pytest.mark.parametrize("strength", [0.0, -1.0, float("nan"), float("inf")])
def test_a_strength_is_above_zero(strength):
    with pytest.raises(InputError, match="above 0"):
        preference_chances(strength, 1.0, 0.0)


@pytest.mark.parametrize("tie", [-0.1, 1.0, float("nan")])
def test_not_everything_can_tie(tie):
    with pytest.raises(InputError, match="below 1"):
        preference_chances(1.0, 1.0, tie)
