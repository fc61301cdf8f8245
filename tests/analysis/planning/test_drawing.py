"""Simulated studies: what was assumed is what is drawn."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.choice import preference_chances
from palaver.analysis.planning import assume
from palaver.analysis.planning.simulated_studies import StudyDrawing, odds_deviation, win_rate


def test_win_rates_are_davidsons() -> None:
    for lean, ties in ((0.7, 0.0), (-1.2, 0.3), (0.0, 0.9)):
        chances = preference_chances(np.exp(lean), 1.0, ties)
        assert win_rate(np.array([lean]), ties)[0] == pytest.approx(chances.rate, abs=1e-12)


@pytest.mark.parametrize("cluster", ["rater", "dialogue"])
def test_votes_have_the_win_rate_that_was_asked_for(cluster: str) -> None:
    assumed = assume("votes", 0.15, 200, rater_sd=0.8, item_sd=0.9, ties=0.2, cluster=cluster)
    drawn = StudyDrawing(assumed, seed=1).study(60_000, 0)

    rate = (drawn.value == 0).mean() + (drawn.value == 2).mean() / 2
    # Without raters in the calculation the rate would be 0.61; two hundred of them vary by 0.012.
    assert rate == pytest.approx(0.65, abs=0.03 if cluster == "rater" else 0.012)


def test_proportions_and_ratings_are_those_asked_for() -> None:
    drawn = StudyDrawing(assume("proportion", 0.2, 300, base=0.1, taste_sd=0.0), seed=2).study(
        30_000, 0
    )
    shares = [drawn.value[drawn.first == system].mean() for system in (0, 1)]
    assert shares == pytest.approx([0.3, 0.1], abs=0.015)
    assumed = assume("rating", 0.4, 300, rater_sd=0.3, taste_sd=0.0, item_sd=0.6, residual_sd=0.8)
    drawn = StudyDrawing(assumed, seed=2).study(30_000, 0)
    means = [drawn.value[drawn.first == system].mean() for system in (0, 1)]
    assert means[0] - means[1] == pytest.approx(0.4, abs=0.03)
    assert drawn.value[drawn.first == 1].var() == pytest.approx(0.09 + 0.36 + 0.64, rel=0.05)


@given(
    st.sampled_from(["votes", "rating", "proportion"]),
    st.integers(2, 4),
    st.integers(1, 3),
    st.integers(3, 9),
    st.integers(2, 30),
)
@settings(max_examples=50, deadline=None)
def test_a_larger_study_is_the_smaller_one_and_more(
    outcome: str, systems: int, each: int, raters: int, blocks: int
) -> None:
    options = {"systems": systems, "per_dialogue": each, "cluster": "rater"}
    drawing = StudyDrawing(assume(outcome, 0.1, raters, **options), seed=3)
    small, large = drawing.study(blocks, 5), drawing.study(blocks + 7, 5)

    rows = len(small.value)
    assert rows == blocks * drawing.assumed.block * each
    assert (large.value[:rows] == small.value).all()
    assert (large.rater[:rows] == small.rater).all()
    pairs = Counter(zip(small.dialogue.tolist(), small.rater.tolist(), strict=True))
    assert set(pairs.values()) == {1}
    assert (np.bincount(small.dialogue) == each).all()
    work = Counter(
        zip(*(each.tolist() for each in (small.rater, small.first, small.second)), strict=True)
    )
    assert max(work.values()) - min(work.values()) <= 1 or len(set(small.rater)) < raters


def test_other_numbers_are_other_studies() -> None:
    drawing = StudyDrawing(assume("votes", 0.1, 10), seed=3)
    assert (drawing.study(50, 1).value == drawing.study(50, 1).value).all()
    assert (drawing.study(50, 1).value != drawing.study(50, 2).value).any()


def test_a_deviation_of_rates_as_one_of_log_odds() -> None:
    assert odds_deviation(0.05, 0.5) == pytest.approx(0.2, rel=1e-4)
    assert odds_deviation(0.05, 0.2) == pytest.approx(0.05 / 0.16, rel=1e-4)
    assert odds_deviation(0.05, 0.5, ties=0.3) > odds_deviation(0.05, 0.5)
