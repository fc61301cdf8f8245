"""Percent agreement: the width that its interval always has."""

import numpy as np
import pytest
from scipy import stats

from palaver.analysis.agreement import Judgement, measure
from palaver.analysis.agreement.patterns import collapse
from palaver.analysis.agreement.percent import percent_interval
from palaver.analysis.agreement.sampling import NO_SPREAD, ONE_DRAWN
from palaver.analysis.proportions import wilson_interval


def interval(rows, clusters=(), confidence=0.95):
    codes = np.array(rows)
    patterns = collapse(codes, values=int(codes.max()) + 1, least=2)
    return percent_interval(patterns, [np.array(each) for each in clusters], confidence=confidence)


@pytest.mark.parametrize("units", [2, 3, 12, 100])
def test_where_all_agree_the_bound_is_clopper_and_pearsons(units):
    theirs = stats.binomtest(units, units).proportion_ci(method="exact")

    ours = interval([[n % 3] * 3 for n in range(units)])
    none = interval([[n % 3, (n + 1) % 3] for n in range(units)])

    assert (ours.low, ours.high) == (pytest.approx(theirs.low), 1)
    assert (none.low, none.high) == (0, pytest.approx(1 - theirs.low))


def test_two_raters_are_wilson_with_t():
    rows = [[0, 0]] * 7 + [[0, 1]] * 3
    # The quantile of Student's t with 9 degrees of freedom, as a confidence of the normal one.
    level = 2 * stats.norm.cdf(stats.t.ppf(0.975, 9)) - 1

    ours = interval(rows)

    # Ten units with the divisor 9 in their variance are as sure as nine.
    theirs = wilson_interval(0.7 * 9, 9, confidence=level)
    assert (ours.low, ours.high) == (pytest.approx(theirs.low), pytest.approx(theirs.high))


def test_one_of_three_units_and_equal_shares_have_a_width():
    one_of_three = interval([[0, 0], [0, 1], [1, 0]])
    # Two of three raters agree on every unit: units do not differ, and yet nothing is certain.
    equal = interval([[0, 0, 1], [1, 1, 0], [0, 1, 1]])

    assert one_of_three.low < 1 / 3 - 0.2
    assert one_of_three.high > 1 / 3 + 0.2
    assert equal.low < 1 / 3 - 0.2
    assert equal.high > 1 / 3 + 0.2


def test_turns_of_one_dialogue_count_together():
    rows = [[0, 0]] * 20 + [[0, 1]] * 20
    dialogues = [n // 5 for n in range(40)]

    alone, together = interval(rows), interval(rows, [dialogues])
    unanimous = interval([[0, 0]] * 40, [dialogues])

    assert together.high - together.low > 1.5 * (alone.high - alone.low)
    assert unanimous.low == pytest.approx(0.025 ** (1 / 8))
    assert interval(rows, [[0] * 40]) is None


def test_what_cannot_vary_has_no_interval_and_a_reason():
    said = [Judgement(unit, rater, unit % 3) for unit in range(30) for rater in range(2)]

    found = measure(said, level="nominal", resamples=200)
    lone = measure(said[:2], level="nominal", resamples=200)

    assert found.percent.interval.low == pytest.approx(0.025 ** (1 / 30))
    for name in ("alpha", "kappa", "fleiss", "ac1"):
        assert found.estimates()[name].interval is None
        assert found.no_intervals[name] == NO_SPREAD
    assert lone.no_intervals["percent"] == ONE_DRAWN
    assert found.as_json()["holds_for"] == "these raters"


def test_no_interval_is_a_point():
    dice = np.random.default_rng(5)
    for units in (2, 3, 5, 9):
        for _ in range(20):
            table = dice.integers(0, 2, (units, 3))
            said = [Judgement(u, r, int(table[u, r])) for u in range(units) for r in range(3)]
            for draw in ("units", "raters"):
                found = measure(said, level="nominal", draw=draw, resamples=50)
                for estimate in found.estimates().values():
                    ends = estimate.interval
                    assert ends is None or ends.high - ends.low > 1e-9
