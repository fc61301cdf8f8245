"""What votes say while they come in, at once and vote by vote."""

import numpy as np
import pytest

from palaver.analysis.ranking.votes import Votes
from palaver.analysis.sequential.betting import hedged_interval
from palaver.analysis.sequential.live import live_verdict
from palaver.analysis.sequential.strengths import errors_wanted
from palaver.analysis.sequential.vote_sequences import VoteSequences
from palaver.core.errors import InputError


def cast(
    strengths: list[float], raters: int, each: int, *, seed: int = 1, taste: float = 0.5
) -> Votes:
    """Votes after Davidson's model of raters who differ in taste, one rater after the other."""
    dice = np.random.default_rng(seed)
    size, n = len(strengths), raters * each
    rater = np.repeat(np.arange(raters), each)
    own = np.array(strengths) + taste * dice.normal(size=(raters, size))
    first = dice.integers(size, size=n)
    second = (first + dice.integers(1, size, size=n)) % size
    half = (own[rater, first] - own[rater, second]) / 2
    odds = np.column_stack([np.exp(half), np.exp(-half), np.full(n, 0.6)])
    edges = np.cumsum(odds, axis=1) / odds.sum(axis=1, keepdims=True)
    return Votes(
        systems=tuple("abcdefgh"[:size]),
        first=first,
        second=second,
        outcome=(dice.random(n)[:, None] > edges[:, :2]).sum(axis=1).astype(np.int8),
        both_bad=np.zeros(n, dtype=bool),
        clusters={"rater": rater},
    )


def test_two_systems_are_judged_by_one_value_per_rater_in_the_order_of_finishing() -> None:
    # r ends first with (1 + ½) / 2, s then with 0, t with 1; u is still at work.
    votes = Votes.of(
        ["a", "b", "a", "b", "a", "a"],
        ["b", "a", "b", "a", "b", "b"],
        ["a", "a", "tie", "a", "tie", "b"],
        clusters={"rater": ["t", "r", "r", "t", "u", "s"]},
    )
    found = live_verdict(votes, counted=np.array([True, True, True, True, False, True]))
    wanted = hedged_interval(np.array([0.75, 1.0, 0.0]))
    (pair,) = found.pairs
    assert (pair.higher, pair.rate.n, found.waiting, found.raters) == ("a", 6, 1, 4)
    ends = pair.rate.interval
    assert ends is not None
    assert (ends.low, ends.high) == pytest.approx((wanted.low, wanted.high), abs=1e-6)
    assert found.systems[0].rate.interval == ends
    assert found.answer == "No system leads yet; a and b cannot be distinguished"
    assert found.inference == "anytime"
    assert found.leader is None


def test_a_clear_lead_of_two_is_told_and_its_difference_leaves_out_nothing_else() -> None:
    found = live_verdict(cast([0.9, -0.9], 60, 3), within=0.05)
    (pair,) = found.pairs
    assert found.answer == "a leads; b follows"
    assert found.leader == "a"
    assert pair.decided
    assert not pair.equal
    assert pair.e_value is not None
    assert pair.e_value > 20
    ends = pair.difference.interval
    assert ends is not None
    assert 0 < ends.low < pair.difference.value < ends.high
    assert [each.rank_interval for each in found.systems] == [(1, 1), (2, 2)]


def test_equal_systems_are_called_equal_once_the_sequence_is_within_the_margin() -> None:
    n = 4000
    votes = Votes.of(["a"] * n, ["b"] * n, ["a", "b", "tie", "tie"] * (n // 4))
    found = live_verdict(votes, within=0.05)
    assert found.is_settled
    assert found.pairs[0].equal
    assert found.answer == (
        "No system leads; a and b cannot be distinguished; equal to within 5 points: a and b"
    )
    assert not live_verdict(votes, within=0.01).pairs[0].equal
    assert not live_verdict(votes).pairs[0].equal


def test_three_systems_wait_for_fifty_raters_of_each() -> None:
    votes = cast([1.5, 0.0, -1.5], 45, 6)
    found = live_verdict(votes)
    assert not any(pair.decided for pair in found.pairs)
    assert found.answer == (
        "No system leads yet: undecided until 50 raters have judged each system (the least judged "
        "has 45); a has the highest win rate so far"
    )
    later = live_verdict(cast([1.5, 0.0, -1.5], 60, 6))
    assert later.answer == "a leads; b and c follow, in this order"
    for pair in later.pairs:
        assert pair.difference.interval is not None
        assert pair.difference.interval.low > 0
        assert pair.rate.interval is not None
        assert pair.rate.value in pair.rate.interval


def test_differences_of_strengths_are_robust_errors_times_the_boundary() -> None:
    """For two systems in a field of three, with every rater's votes alike: n raters, not votes."""
    votes = cast([0.4, 0.0, -0.4], 80, 3, seed=2)
    many = Votes(
        systems=votes.systems,
        first=np.tile(votes.first, 5),
        second=np.tile(votes.second, 5),
        outcome=np.tile(votes.outcome, 5),
        both_bad=np.zeros(5 * len(votes), dtype=bool),
        clusters={"rater": np.tile(votes.clusters["rater"], 5)},
    )
    once, often = live_verdict(votes), live_verdict(many)
    for one, other in zip(once.pairs, often.pairs, strict=True):
        assert one.difference.interval is not None
        assert other.difference.interval is not None
        assert other.difference.interval.low == pytest.approx(one.difference.interval.low)
    assert errors_wanted(80, confidence=0.95) > 3


def test_who_won_everything_has_no_strength_and_still_leads() -> None:
    dice = np.random.default_rng(3)
    rows = [("a", "b", "a"), ("a", "c", "a"), ("b", "c", "b"), ("b", "c", "c"), ("b", "c", "tie")]
    drawn = [rows[n] for n in dice.integers(5, size=900)]
    first, second, winner = zip(*drawn, strict=True)
    found = live_verdict(Votes.of(first, second, winner))
    assert found.answer == "a leads; c and b cannot be distinguished"
    assert not found.systems[0].strength.is_defined
    assert found.systems[1].strength.is_defined


def test_systems_without_votes_are_open() -> None:
    found = live_verdict(Votes.of([], [], []), systems=["x", "y"])
    assert found.answer == "No comparisons yet"
    assert not found.is_settled
    votes = cast([0.9, -0.9], 60, 3)
    found = live_verdict(votes, systems=["a", "b", "z"])
    assert found.answer.endswith("; z has no votes yet")
    assert not found.is_settled
    assert found.systems[-1].system == "z"
    itself = live_verdict(Votes.of(["x"], ["x"], ["tie"]))
    assert itself.answer == "No system can lead: every comparison is of a system with itself"


def test_vote_by_vote_is_the_same_as_at_once() -> None:
    votes = cast([0.8, 0.1, 0.0, -0.9], 70, 4)
    board = VoteSequences(votes.systems)
    for place in range(len(votes)):
        rater = f"r{votes.clusters['rater'][place]}"
        one, other = votes.systems[votes.first[place]], votes.systems[votes.second[place]]
        board.add(one, other, int(votes.outcome[place]), rater)
        if place % 4 == 3 and place < 276:
            board.finish(rater)
    found, wanted = (
        board.verdict(within=0.1),
        live_verdict(votes, within=0.1, counted=np.arange(len(votes)) < 276),
    )
    assert len(board) == found.votes == 280
    assert found.waiting == wanted.waiting == 4
    assert (found.answer, found.tied_sets) == (wanted.answer, wanted.tied_sets)
    for one, other in zip(found.pairs, wanted.pairs, strict=True):
        assert one.e_value == pytest.approx(other.e_value)
        assert one.difference == other.difference
        assert one.rate.interval is not None
        assert other.rate.interval is not None
        assert one.rate.interval.low == pytest.approx(other.rate.interval.low, abs=0.002)
    for one, other in zip(found.systems, wanted.systems, strict=True):
        assert (one.wins, one.ties, one.rank_interval) == (
            other.wins,
            other.ties,
            other.rank_interval,
        )


def test_votes_without_raters_stand_by_themselves() -> None:
    board = VoteSequences(["a", "b"])
    for number in range(60):
        board.add("b", "a", 1 if number % 3 else 0)
    found = board.verdict()
    assert (found.raters, found.waiting, found.pairs[0].higher) == (60, 0, "a")
    wanted = hedged_interval(np.array([1.0 if number % 3 else 0.0 for number in range(60)]))
    assert found.pairs[0].rate.interval is not None
    assert found.pairs[0].rate.interval.low == pytest.approx(wanted.low, abs=0.002)


def test_what_cannot_be_is_refused() -> None:
    board = VoteSequences(["a", "b"])
    with pytest.raises(InputError, match="No system 'c'"):
        board.add("a", "c", 0)
    with pytest.raises(InputError, match="two systems"):
        board.add("a", "a", 0)
    votes = Votes.of(["a"], ["b"], ["a"])
    with pytest.raises(InputError, match="margin"):
        live_verdict(votes, within=0.7)
    with pytest.raises(InputError, match="as many marks"):
        live_verdict(votes, counted=np.array([True, False]))
