"""What a finished study's votes say: who is better, who is equal, and where nothing is decided."""

from dataclasses import replace

import numpy as np
import pytest

from palaver.analysis.choice import preference_chances
from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.decisions import win_chance
from palaver.analysis.ranking.fixed import fixed_verdict
from palaver.analysis.ranking.verdict import VoteVerdict
from palaver.analysis.ranking.votes import Votes

from .simulated import draw_votes


def verdict(*results: tuple[str, str, int, int], raters: int = 12, **options) -> VoteVerdict:
    """(first, second, wins of the first, wins of the second), dealt out to raters in turn."""
    rows = [
        (one, other, winner)
        for one, other, won, lost in results
        for winner in [one] * won + [other] * lost
    ]
    first, second, won = zip(*rows, strict=True) if rows else ((), (), ())
    clusters = {"rater": [place % raters for place in range(len(rows))]}
    return fixed_verdict(Votes.of(first, second, won, clusters=clusters), **options)


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        ([], "No comparisons yet"),
        ([("A", "B", 40, 40)], "No system leads; A and B cannot be distinguished"),
        ([("A", "B", 20, 2)], "A leads; B follows"),
        ([("A", "B", 2, 20)], "B leads; A follows"),
        (
            [("A", "B", 30, 6), ("A", "C", 31, 5), ("B", "C", 18, 18)],
            "A leads; B and C cannot be distinguished",
        ),
        ([("A", "B", 24, 0)], "A leads; B follows"),
        (
            [("A", "B", 24, 0), ("B", "C", 12, 12), ("A", "C", 24, 0)],
            "A leads; B and C cannot be distinguished",
        ),
    ],
)
def test_the_sentence(results, sentence):
    assert verdict(*results).answer == sentence


def test_it_is_provisional_until_final_and_names_who_has_no_votes():
    found = verdict(("A", "B", 11, 9), systems=["C", "A", "B"], final=False)
    assert found.answer == (
        "No system leads yet; A and B cannot be distinguished; C has no votes yet"
    )
    assert [each.system for each in found.systems] == ["A", "B", "C"]
    assert not found.systems[2].rate.is_defined


def test_one_rater_decides_nothing():
    found = verdict(("A", "B", 40, 2), raters=1)
    assert found.answer == (
        "No system leads: all votes are by one rater; A has the highest win rate so far"
    )
    assert found.leader is None
    assert found.systems[0].rate.interval is None
    assert found.systems[0].rate.reason == "all votes are by one rater"
    assert not found.is_settled


def test_few_raters_of_one_mind_decide_nothing():
    """Where somebody won everything raters count once: five may agree by chance, 2 × ½⁵ > .05."""
    assert verdict(("A", "B", 50, 0), raters=5).leader is None
    assert verdict(("A", "B", 60, 0), raters=6).leader == "A"


def test_unknown_raters_leave_the_votes_alone():
    votes = Votes.of(["A"] * 42, ["B"] * 42, ["A"] * 33 + ["B"] * 9)
    found = fixed_verdict(votes, clusters=())
    assert found.leader == "A"
    assert found.raters == 0
    assert "independent" in found.method


def test_raters_who_differ_are_not_many_votes():
    """Seven of ten raters always prefer A: 140 of 200 votes, and nothing to be sure of."""
    rater = np.repeat(np.arange(10), 20)
    won = np.where(rater < 7, "A", "B")
    columns = (["A"] * 200, ["B"] * 200, won.tolist())
    assert fixed_verdict(Votes.of(*columns), clusters=()).leader == "A"
    known = fixed_verdict(Votes.of(*columns, clusters={"rater": rater.tolist()}))
    assert known.leader is None
    assert 0.5 in known.systems[0].rate.interval


def test_who_met_the_weak_opponent_more_often_is_not_better():
    """Rates of 73 % and 57 % of equal systems: A met the weak C, B met A."""
    found = verdict(("A", "B", 60, 60), ("A", "C", 216, 24), ("B", "C", 36, 4), raters=20)
    rates = {each.system: each.rate for each in found.systems}
    assert rates["A"].interval.low > rates["B"].interval.high
    pair = next(pair for pair in found.pairs if {pair.higher, pair.lower} == {"A", "B"})
    assert not pair.decided
    assert pair.difference.value == pytest.approx(0, abs=0.1)


def test_pairs_ranks_and_sets_say_the_same():
    votes = draw_votes([0.9, 0.2, 0.1, -0.9], 800, seed=4, raters=25)
    found = fixed_verdict(votes)
    for pair in found.pairs:
        assert pair.decided == (pair.difference.interval.low > 0)
    for each in found.systems:
        better = sum(pair.decided for pair in found.pairs if pair.lower == each.system)
        worse = sum(pair.decided for pair in found.pairs if pair.higher == each.system)
        assert each.rank_interval == (1 + better, 4 - worse)
    ranking = bradley_terry(votes, clusters=["rater"])
    assert found.tied_sets == ranking.tied_sets
    assert found.answer == ranking.answer
    assert [each.rank_interval for each in found.systems] == [
        each.rank_interval for each in ranking.standings
    ]


def test_equal_within_a_margin():
    votes = draw_votes([0.0, 0.0, -2.0], 6000, seed=6, nu=0.6, raters=60)
    found = fixed_verdict(votes, within=0.1)
    assert [(pair.decided, pair.equal) for pair in found.pairs] == [
        (False, True),
        (True, False),
        (True, False),
    ]
    assert found.is_settled
    assert not fixed_verdict(votes, within=0.001).pairs[0].equal
    assert not fixed_verdict(votes).pairs[0].equal


def test_all_ties_may_be_equal_and_have_no_leader():
    votes = Votes.of(["A"] * 400, ["B"] * 400, ["tie"] * 400, clusters={"rater": range(400)})
    found = fixed_verdict(votes, within=0.1)
    assert found.answer == "No system leads: all 400 votes are ties"
    assert found.pairs[0].equal
    assert not found.pairs[0].decided


@pytest.mark.parametrize(("difference", "tie"), [(0.0, 0.3), (0.8, 0.0), (-1.2, 0.25)])
def test_the_win_rate_of_a_difference_is_that_of_the_model(difference, tie):
    expected = preference_chances(np.exp(difference), 1.0, tie).rate
    assert win_chance(difference, tie) == pytest.approx(expected)


def test_of_unconnected_votes_the_most_are_ranked_and_nobody_leads_all():
    found = verdict(("A", "B", 6, 6), ("X", "Y", 80, 10))
    assert found.answer == "A and B cannot be placed; of the others, X leads; Y follows"
    assert found.leader is None
    never = next(pair for pair in found.pairs if {pair.higher, pair.lower} == {"A", "X"})
    assert not never.rate.is_defined
    assert not never.decided
    # Within them strengths decide, also of X and Z, which never met.
    chain = verdict(("A", "B", 6, 6), ("X", "Y", 80, 10), ("Y", "Z", 80, 10))
    assert chain.answer.endswith("of the others, X leads; Y and Z follow, in this order")
    assert [each.system for each in chain.systems] == ["X", "Y", "Z", "A", "B"]
    # As many votes: the first by name.
    assert verdict(("A", "B", 40, 5), ("X", "Y", 40, 5)).answer.startswith("X and Y cannot")


def test_systems_that_met_only_themselves():
    found = fixed_verdict(
        Votes.of(["A"] * 3, ["A"] * 3, ["tie"] * 3, clusters={"rater": [1, 2, 3]})
    )
    assert found.answer == "No system can lead: every comparison is of a system with itself"
    assert [each.votes for each in found.systems] == [0]


def test_a_rater_more_or_less_moves_no_order_of_names():
    votes = draw_votes([0.5, 0.0, -0.5], 300, seed=1, raters=15)
    turned = replace(votes, first=votes.second, second=votes.first)
    swap = np.array([1, 0, 2])
    turned = replace(turned, outcome=swap[votes.outcome])
    assert fixed_verdict(turned).answer == fixed_verdict(votes).answer
