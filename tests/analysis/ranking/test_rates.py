"""Win rates of raters who differ, against t tests of the raters' own means and hand calculations."""

import numpy as np
import pytest
from scipy import stats

from palaver.analysis.proportions import wilson_interval
from palaver.analysis.ranking.rates import rates_by_pair, rates_by_system
from palaver.analysis.ranking.votes import Votes


def votes_of(scores: np.ndarray, rater: np.ndarray) -> Votes:
    """Votes of a against b, each 1, ½ or 0 for a."""
    words = {1.0: "a", 0.5: "tie", 0.0: "b"}
    n = len(scores)
    return Votes.of(
        ["a"] * n, ["b"] * n, [words[s] for s in scores], clusters={"rater": rater.tolist()}
    )


def test_raters_with_equal_numbers_have_the_variance_of_their_means():
    dice = np.random.default_rng(1)
    rater = np.repeat(np.arange(8), 10)
    scores = (dice.random(80) < dice.beta(2, 2, 8)[rater]).astype(float)
    votes = votes_of(scores, rater)
    found = rates_by_system(votes, votes.factors(["rater"]))
    means = scores.reshape(8, 10).mean(axis=1)
    assert found.value[0] == pytest.approx(scores.mean())
    assert found.variance[0] == pytest.approx(stats.sem(means) ** 2)
    assert found.degrees[0] == pytest.approx(7)
    # The other side, and the pair, are the same votes.
    pair = rates_by_pair(votes, votes.factors(["rater"]))
    assert found.variance[1] == pytest.approx(found.variance[0])
    assert pair.variance[1] == pytest.approx(found.variance[0])


def test_unequal_raters_by_hand():
    # Rater 0: 3 of 4; rater 1: 0 of 2. p = ½; (3 − 2)² / (1 − 4/6) + (0 − 1)² / (1 − 2/6) = 4.5.
    votes = votes_of(np.array([1, 1, 1, 0, 0, 0.0]), np.array([0, 0, 0, 0, 1, 1]))
    found = rates_by_system(votes, votes.factors(["rater"]))
    assert found.variance[0] == pytest.approx(4.5 / 36)


def test_without_clusters_it_is_wilsons():
    votes = votes_of(np.array([1.0] * 15 + [0.0] * 5), np.arange(20))
    found = rates_by_system(votes, []).estimate(0, confidence=0.95, lone="")
    assert found.interval == wilson_interval(15, 20)


def test_raters_who_differ_are_worth_fewer_votes():
    rater = np.repeat(np.arange(10), 20)
    scores = np.where(rater < 5, 1.0, 0.0)
    votes = votes_of(scores, rater)
    found = rates_by_system(votes, votes.factors(["rater"])).estimate(0, confidence=0.95, lone="")
    # Ten raters of one mind each are ten votes (and Student's t).
    ten = wilson_interval(5, 10)
    assert found.interval.low < ten.low < 0.25
    assert found.interval.low > 0.1


def test_all_won_has_an_interval_and_one_rater_has_none():
    votes = votes_of(np.ones(12), np.repeat(np.arange(4), 3))
    found = rates_by_system(votes, votes.factors(["rater"])).estimate(0, confidence=0.95, lone="x")
    assert found.interval.high == 1
    assert found.interval.low < wilson_interval(12, 12).low
    votes = votes_of(np.array([1.0, 0.0, 1.0]), np.zeros(3, dtype=int))
    found = rates_by_system(votes, votes.factors(["rater"])).estimate(0, confidence=0.95, lone="x")
    assert found.interval is None
    assert found.reason == "x"


def test_two_ways_are_never_less_than_one():
    dice = np.random.default_rng(4)
    n = 120
    votes = Votes.of(
        ["a"] * n,
        ["b"] * n,
        [["a", "b"][k] for k in dice.integers(0, 2, n)],
        clusters={
            "rater": dice.integers(0, 9, n).tolist(),
            "dialogue": dice.integers(0, 20, n).tolist(),
        },
    )
    both = rates_by_system(votes, votes.factors(["rater", "dialogue"]))
    for way in ("rater", "dialogue"):
        one = rates_by_system(votes, votes.factors([way]))
        assert both.variance[0] >= one.variance[0] - 1e-12
        assert both.degrees[0] <= one.degrees[0]
