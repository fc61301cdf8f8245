"""Elo ratings against evalica, and their dependence on order."""

import evalica
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.ranking.elo import elo
from palaver.analysis.ranking.votes import Votes
from palaver.core.errors import InputError

from .simulated import draw_votes

WINNERS = (evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw)


def test_as_in_evalica():
    votes = draw_votes([1.0, 0.2, -0.1, -1.1], 500, seed=2)
    names = votes.systems
    theirs = evalica.elo(
        [names[place] for place in votes.first],
        [names[place] for place in votes.second],
        [WINNERS[said] for said in votes.outcome],
        initial=1000.0,
        base=10.0,
        scale=400.0,
        k=4.0,
    ).scores
    assert elo(votes).ratings == pytest.approx(theirs.to_dict(), abs=1e-9)


def test_order_matters_and_is_warned_of():
    votes = Votes.of("aab", "bba", ["a", "a", "b"])
    turned = Votes.of("baa", "abb", ["b", "a", "a"])
    assert elo(votes, k=32).ratings["a"] != pytest.approx(elo(turned, k=32).ratings["a"])
    assert "depend on the order" in elo(votes).warnings[0]


def test_the_mean_over_shuffles_does_not_depend_on_the_order_much():
    votes = draw_votes([0.6, 0.0, -0.6], 200, seed=2)
    found = [elo(votes, k=16, shuffles=200, seed=seed).ratings for seed in (1, 2)]
    assert found[0] == pytest.approx(found[1], abs=6)
    assert elo(votes, shuffles=3, seed=1).ratings == elo(votes, shuffles=3, seed=1).ratings


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 2, st.sampled_from(["first", "tie"]))))
@settings(max_examples=50, deadline=None)
def test_what_one_wins_the_other_loses(table):
    votes = Votes.of(*(list(column) for column in zip(*table, strict=True)) if table else ([],) * 3)
    ratings = elo(votes, k=32, start=1500).ratings.values()
    assert sum(ratings) == pytest.approx(1500 * len(votes.systems))


@pytest.mark.parametrize("options", [{"k": 0}, {"k": float("nan")}, {"shuffles": -1}])
def test_settings_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError, match="Elo takes a K above 0"):
        elo(Votes.of("a", "b", "a"), **options)
