"""Win rates from counted preferences, and the rates to expect."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.analysis.choice import draw_preference, preference_chances
from palaver.analysis.proportions import wilson_interval
from palaver.analysis.win_rates import CountedPreference, WinTally, expected_win_rates, win_rates
from palaver.core.errors import InputError

VOTES = [
    CountedPreference("a", "b", "first", 6),
    CountedPreference("a", "b", "second", 3),
    CountedPreference("b", "a", "first", 1),
    CountedPreference("b", "a", "tie", 4),
    CountedPreference("c", "a", "second", 5),
]

preferences = st.lists(
    st.builds(
        CountedPreference,
        first=st.sampled_from("abcd"),
        second=st.sampled_from("abcd"),
        value=st.sampled_from(["first", "second", "tie"]),
        count=st.integers(0, 9),
    ),
    max_size=20,
)


def test_a_hand_worked_table():
    rates = win_rates(VOTES, systems=["a", "b", "c", "d"])

    assert rates.systems == {
        "a": WinTally(wins=11, ties=4, losses=4),
        "b": WinTally(wins=4, ties=4, losses=6),
        "c": WinTally(wins=0, ties=0, losses=5),
        "d": WinTally(),
    }
    assert rates.pairs == {
        ("a", "b"): WinTally(wins=6, ties=4, losses=4),
        ("a", "c"): WinTally(wins=5),
    }
    assert rates.systems["a"].rate == 13 / 19
    assert rates.systems["a"].interval == wilson_interval(13, 19)


def test_a_system_without_votes_has_no_rate():
    never = win_rates(VOTES, systems=["d"]).systems["d"]

    assert (never.n, never.rate, never.interval) == (0, None, None)


def test_a_pair_can_be_seen_from_either_side():
    rates = win_rates(VOTES)

    assert rates.between("b", "a") == WinTally(wins=4, ties=4, losses=6)
    assert rates.between("b", "c") == WinTally()


def test_a_system_that_is_not_listed_keeps_its_votes():
    assert list(win_rates(VOTES, systems=["b"]).systems) == ["b", "a", "c"]


def test_a_comparison_with_itself_is_counted_apart():
    rates = win_rates([CountedPreference("a", "a", "first", 3)])

    assert (rates.self_comparisons, rates.comparisons) == (3, 3)
    assert rates.systems["a"].n == 0


def test_an_unknown_answer_is_refused():
    with pytest.raises(InputError, match="'first', 'second' or 'tie'; got 'left'"):
        win_rates([CountedPreference("a", "b", "left", 1)])


@given(preferences)
def test_no_vote_is_lost_or_counted_twice(votes):
    rates = win_rates(votes)

    assert rates.comparisons == sum(vote.count for vote in votes)
    in_pairs = rates.comparisons - rates.self_comparisons
    assert sum(tally.n for tally in rates.systems.values()) == 2 * in_pairs
    won = sum(tally.wins for tally in rates.systems.values())
    assert won == sum(tally.losses for tally in rates.systems.values())


@given(preferences)
def test_the_order_of_the_sides_does_not_matter(votes):
    other = {"first": "second", "second": "first", "tie": "tie"}
    turned = [CountedPreference(v.second, v.first, other[v.value], v.count) for v in votes]

    assert win_rates(votes, "abcd") == win_rates(turned, "abcd")


def test_with_ties_the_interval_covers_the_truth_at_least_as_often_as_it_says():
    rng = random.Random(5)
    truth = preference_chances(1.6, 1.0, 0.3).rate
    hits = 0
    for _ in range(1500):
        drawn = [draw_preference(rng, 1.6, 1.0, 0.3) for _ in range(50)]
        tally = WinTally(drawn.count("first"), drawn.count("tie"), drawn.count("second"))
        hits += tally.interval.low <= truth <= tally.interval.high

    assert hits / 1500 > 0.945


def test_the_expected_rate_weights_pairs_by_their_plan():
    rates = expected_win_rates({"a": 3, "b": 1, "c": 1}, {("a", "b"): 30, ("c", "b"): 10}, 0.0)

    assert rates == pytest.approx({"a": 0.75, "b": (30 * 0.25 + 10 * 0.5) / 40, "c": 0.5})


def test_the_expected_rate_is_what_simulated_votes_come_to():
    rng = random.Random(1)
    strengths = {"a": 2.5, "b": 1.5, "c": 1.0}
    plan = {("a", "b"): 4000, ("a", "c"): 2000, ("b", "c"): 1000}
    votes = [
        CountedPreference(x, y, draw_preference(rng, strengths[x], strengths[y], 0.2), 1)
        for (x, y), planned in plan.items()
        for _ in range(planned)
    ]

    expected = expected_win_rates(strengths, plan, 0.2)

    found = win_rates(votes).systems
    assert {name: tally.rate for name, tally in found.items()} == pytest.approx(expected, abs=0.025)


def test_a_system_outside_the_plan_has_no_expected_rate():
    rates = expected_win_rates({"a": 1, "b": 1, "c": 1}, {("a", "b"): 5, ("c", "c"): 5}, 0.0)

    assert rates == {"a": 0.5, "b": 0.5}


def test_a_missing_strength_is_named():
    with pytest.raises(InputError, match=r"'b' has no strength\. Those given: a"):
        expected_win_rates({"a": 1}, {("a", "b"): 5}, 0.0)
