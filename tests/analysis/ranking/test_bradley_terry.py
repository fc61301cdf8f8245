"""The ranking as a whole: invariances, what votes cannot tell, and what is said of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.result import Ranking
from palaver.analysis.ranking.votes import Votes
from palaver.core.errors import InputError
from palaver.core.serial import plain

from .simulated import draw_votes

rows = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.sampled_from("abcd"),
        st.sampled_from(["model_a", "model_b", "tie"]),
        st.sampled_from("rst"),
    ),
    max_size=40,
)
TURNED = {"model_a": "model_b", "model_b": "model_a", "tie": "tie"}


def ranked(table: list[tuple[str, str, str, str]], **options: object) -> Ranking:
    first, second, winner, rater = (
        (list(column) for column in zip(*table, strict=True)) if table else ([],) * 4
    )
    votes = Votes.of(first, second, winner, clusters={"rater": rater})
    return bradley_terry(votes, **{"interval": None, **options})


def strengths(ranking: Ranking) -> dict[str, float]:
    return {each.system: each.strength for each in ranking.standings}


@given(rows, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_votes_and_of_sides_does_not_matter(table, random):
    shuffled = [
        row if random.random() < 0.5 else (row[1], row[0], TURNED[row[2]], row[3]) for row in table
    ]
    random.shuffle(shuffled)
    options = {"interval": "sandwich", "clusters": ["rater"]}
    one, other = ranked(table, **options), ranked(shuffled, **options)
    assert strengths(one) == pytest.approx(strengths(other), abs=1e-6, nan_ok=True)
    for each in one.standings:
        twin = other.of(each.system)
        assert (each.wins, each.ties, each.losses) == (twin.wins, twin.ties, twin.losses)


@given(rows)
@settings(max_examples=50, deadline=None)
def test_names_do_not_matter(table):
    names = {"a": "z", "b": "y", "c": "x", "d": "w"}
    renamed = [(names[a], names[b], *rest) for a, b, *rest in table]
    one, other = strengths(ranked(table)), strengths(ranked(renamed))
    if len(ranked(table).groups) == 1:
        assert {names[name]: value for name, value in one.items()} == pytest.approx(
            other, abs=1e-6, nan_ok=True
        )


@given(rows)
@settings(max_examples=50, deadline=None)
def test_whatever_the_votes_strengths_are_numbers_or_have_a_reason(table):
    ranking = ranked(table, interval="bootstrap", resamples=20)
    known = [each.strength for each in ranking.standings if not np.isnan(each.strength)]
    assert sum(known) == pytest.approx(0, abs=1e-6)
    assert known == sorted(known, reverse=True)
    for each in ranking.standings:
        assert np.isfinite(each.strength) or each.reason
        if each.rank_interval:
            low, high = each.rank_interval
            assert 1 <= low <= high <= len(known)
    json.dumps(plain(ranking), allow_nan=False)


@given(rows)
@settings(max_examples=50, deadline=None)
def test_votes_with_the_winners_swapped_turn_the_ranking_round(table):
    turned = [(a, b, TURNED[won], rater) for a, b, won, rater in table]
    one, other = strengths(ranked(table)), strengths(ranked(turned))
    assert {name: -value for name, value in one.items()} == pytest.approx(
        other, abs=1e-6, nan_ok=True
    )


@pytest.mark.parametrize("interval", ["sandwich", "bootstrap"])
def test_twice_the_votes_shrink_intervals_by_the_root_of_two(interval):
    votes = draw_votes([0.7, 0.1, -0.2, -0.6], 2000, seed=1)
    names = np.array(votes.systems)
    first, second = names[votes.first].tolist(), names[votes.second].tolist()
    winner = np.array(["model_a", "model_b", "tie"])[votes.outcome].tolist()
    twice = Votes.of(first * 2, second * 2, winner * 2)
    options = {"interval": interval, "resamples": 4000}
    one, two = bradley_terry(votes, **options), bradley_terry(twice, **options)
    assert strengths(one) == pytest.approx(strengths(two), abs=1e-8)
    for each in one.standings:
        wide = each.interval.high - each.interval.low
        narrow = two.of(each.system).interval
        ratio = wide / (narrow.high - narrow.low)
        assert ratio == pytest.approx(2**0.5, rel=0.001 if interval == "sandwich" else 0.06)


def test_copies_of_the_same_raters_votes_add_nothing_when_clustered():
    votes = draw_votes([0.5, 0.0, -0.5], 600, seed=1, raters=60)
    tripled = Votes(
        systems=votes.systems,
        first=np.tile(votes.first, 3),
        second=np.tile(votes.second, 3),
        outcome=np.tile(votes.outcome, 3),
        both_bad=np.tile(votes.both_bad, 3),
        clusters={"rater": np.tile(votes.clusters["rater"], 3)},
    )
    for interval in ("sandwich", "bootstrap"):
        options = {"interval": interval, "clusters": ["rater"], "resamples": 300}
        one, two = bradley_terry(votes, **options), bradley_terry(tripled, **options)
        for each in one.standings:
            twin = two.of(each.system).interval
            assert (each.interval.low, each.interval.high) == pytest.approx(
                (twin.low, twin.high), abs=2e-3
            )


def test_true_strengths_are_found():
    truth = [1.0, 0.5, 0.0, -0.5, -1.0]
    ranking = bradley_terry(draw_votes(truth, 20_000, seed=9, nu=0.5), interval="sandwich")
    assert [each.system for each in ranking.standings] == ["s00", "s01", "s02", "s03", "s04"]
    assert [each.strength for each in ranking.standings] == pytest.approx(truth, abs=0.1)
    assert ranking.tie_chance == pytest.approx(0.5 / 2.5, abs=0.02)
    assert ranking.tied_sets == (("s00",), ("s01",), ("s02",), ("s03",), ("s04",))
    assert [each.rank_interval for each in ranking.standings] == [(n, n) for n in range(1, 6)]


def test_the_elo_scale_is_stated_and_can_be_turned_back():
    ranking = bradley_terry(draw_votes([0.5, 0.0, -0.5], 300, seed=1), interval="sandwich")
    moved = ranking.on_scale("elo")
    factor = 400 / np.log(10)
    for each in ranking.standings:
        twin = moved.of(each.system)
        assert twin.strength == pytest.approx(1000 + factor * each.strength)
        assert twin.interval.high == pytest.approx(1000 + factor * each.interval.high)
    back = moved.on_scale("log")
    assert strengths(back) == pytest.approx(strengths(ranking))
    assert "1000" in plain(moved)["scale"]
    with pytest.raises(InputError, match="A scale is one of"):
        ranking.on_scale("chess")


def test_systems_that_were_never_compared_are_named():
    votes = Votes.of("aabbaccdd", "bbaabddcc", "ababacdcd")
    ranking = bradley_terry(votes, resamples=50)
    assert ranking.groups == (("a", "b"), ("c", "d"))
    assert np.isnan(ranking.of("c").strength)
    assert "no chain of wins and ties" in ranking.of("c").reason
    assert "cannot be placed" in ranking.answer
    assert any("do not compare all systems" in each for each in ranking.warnings)
    assert ranking.votes == 9


def test_a_system_that_won_or_lost_everything_has_no_strength_and_the_rest_have_theirs():
    inner = [
        ("a", "b", "a", "r"),
        ("a", "b", "b", "r"),
        ("a", "b", "a", "s"),
        ("a", "b", "tie", "s"),
    ]
    table = [*inner, ("a", "c", "a", "r"), ("b", "c", "b", "r"), ("d", "a", "d", "s")]
    ranking = ranked(table)
    alone = ranked(inner)
    assert ranking.of("a").strength == alone.of("a").strength
    assert "won every comparison" in ranking.of("d").reason
    assert "lost every comparison" in ranking.of("c").reason
    assert ranking.of("a").wins == 3
    assert plain(ranking)["systems"][-1]["strength"] is None


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([], "there are no votes"),
        ([("a", "a", "tie", "r")], "there are no votes"),
        ([("a", "b", "tie", "r")] * 5, "every vote is a tie"),
        ([("a", "b", "a", "r")] * 5, "no two systems"),
        ([("a", "b", "a", "r"), ("a", "b", "tie", "r")], "more wins than ties"),
    ],
)
def test_votes_that_say_nothing_give_no_strengths(table, reason):
    ranking = ranked(table, interval="bootstrap", resamples=50)
    assert all(np.isnan(each.strength) and reason in each.reason for each in ranking.standings)
    assert reason in ranking.answer
    assert ranking.tied_sets == ()


def test_too_many_separated_samples_leave_no_bootstrap_interval():
    votes = Votes.of(["strong"] * 20, ["weak"] * 20, ["strong"] * 19 + ["weak"])
    ranking = bradley_terry(votes)
    assert ranking.separated > 200
    assert ranking.of("weak").interval is None
    assert ranking.of("weak").strength == pytest.approx(-np.log(19) / 2)
    (warning,) = ranking.warnings
    assert warning.startswith(f"In {ranking.separated:,} of 1,000 bootstrap samples a system")
    assert warning.endswith("so there are no intervals: collect more votes.")
    assert ranking.answer.startswith("No system leads: there are too few votes for intervals")


@pytest.mark.parametrize("interval", ["sandwich", "bootstrap"])
def test_few_clusters_and_few_votes_are_warned_of(interval):
    votes = draw_votes([0.2, 0.0, -0.2], 28, seed=4, raters=6)
    ranking = bradley_terry(votes, interval=interval, clusters=["rater"], resamples=100)
    # One sentence, which says what to do.
    (warning,) = ranking.warnings
    assert warning.startswith("Votes are of 6 raters")
    assert "fewer than 20 votes" in warning
    assert warning.endswith("collect votes until every system has 20, from 20 raters or more.")


@pytest.mark.parametrize("interval", ["sandwich", "bootstrap"])
def test_one_cluster_gives_no_interval(interval):
    votes = draw_votes([0.2, 0.0, -0.2], 100, seed=4, raters=1)
    ranking = bradley_terry(votes, interval=interval, clusters=["rater"], resamples=100)
    assert all(each.interval is None for each in ranking.standings)
    assert ranking.warnings == (
        "Votes are of 1 rater, so there are no intervals: collect more votes, from 20 raters or more.",
    )
    assert ranking.answer.startswith("No system leads: all votes share one rater;")
    assert np.isfinite(ranking.standings[0].strength)


@pytest.mark.parametrize("interval", ["sandwich", "bootstrap"])
def test_who_hangs_on_one_rater_leaves_no_intervals(interval):
    votes = draw_votes([0.2, 0.0, -0.2], 100, seed=4, raters=8)
    codes = votes.clusters["rater"].copy()
    codes[(votes.first == 2) | (votes.second == 2)] = 8
    alone = replace(votes, clusters={"rater": codes})
    ranking = bradley_terry(alone, interval=interval, clusters=["rater"], resamples=100)
    assert all(each.interval is None for each in ranking.standings)
    assert ranking.answer.startswith(
        "No system leads: only the votes of one rater compare s02 with the others;"
    )


def test_of_unconnected_groups_the_one_with_most_votes_is_ranked():
    rows = [("a", "b")] * 4 + [("x", "y")] * 9 + [("x", "z")] * 2
    first, second = zip(*rows, strict=True)
    winners = ["a", "b"] * 2 + ["x", "y", "tie"] * 3 + ["x", "z"]
    ranking = bradley_terry(Votes.of(first, second, winners), interval=None)
    assert ranking.groups == (("x", "y", "z"), ("a", "b"))
    assert {each.system for each in ranking.standings if np.isfinite(each.strength)} == set("xyz")
    more = Votes.of([*first, *"a" * 20], [*second, *"b" * 20], [*winners, *"ab" * 10])
    ranking = bradley_terry(more, interval=None)
    assert ranking.groups[0] == ("a", "b")
    assert "highest" not in ranking.answer


@pytest.mark.parametrize("interval", ["sandwich", "bootstrap", None])
@pytest.mark.parametrize("raters", [1, 8])
def test_an_exact_tie_has_no_leader(interval, raters):
    names = [f"r{n % raters}" for n in range(16)]
    even = Votes.of(
        ["friendly", "terse"] * 8,
        ["terse", "friendly"] * 8,
        ["friendly"] * 8 + ["terse"] * 8,
        clusters={"rater": names},
    )
    ranking = bradley_terry(even, interval=interval, clusters=["rater"], resamples=100)
    assert {each.strength for each in ranking.standings} == {0.0}
    assert ranking.answer.startswith("No system leads")
    assert "highest" not in ranking.answer
    assert "friendly and terse" in ranking.answer


def test_a_comparison_keeps_how_far_pairs_are_apart():
    votes = draw_votes([0.8, 0.0, -0.8], 300, seed=4)
    ranking = bradley_terry(votes, interval="sandwich")
    told = {pair for pair, gap in ranking.gaps.items() if gap > ranking.critical}
    assert told == {
        (one, other)
        for one, other in ranking.gaps
        if not any({one, other} <= set(each) for each in ranking.tied_sets)
    }
    # The difference of two strengths over its standard error, from two systems alone.
    pair = bradley_terry(draw_votes([0.4, -0.4], 100, seed=4), interval="sandwich")
    first = pair.standings[0]
    half = (first.interval.high - first.interval.low) / 2
    assert pair.gaps["s00", "s01"] == pytest.approx(first.strength / (half / 1.959964), rel=1e-6)


def test_a_plan_makes_it_provisional_until_it_is_reached():
    votes = draw_votes([0.0, 0.0], 100, seed=2)
    assert bradley_terry(votes, interval="sandwich").state is None
    early = bradley_terry(votes, interval="sandwich", planned=101)
    done = bradley_terry(votes, interval="sandwich", planned=100)
    assert (early.state, done.state) == ("provisional", "final")
    assert early.answer.startswith("No system leads yet")
    assert done.answer.startswith("No system leads;")
    assert (plain(early)["state"], plain(early)["planned"]) == ("provisional", 101)


def test_assumptions_are_said():
    votes = draw_votes([0.3, -0.3], 200, seed=2, raters=30, dialogues=40)
    said = [
        bradley_terry(votes, interval="bootstrap", clusters=ways, resamples=50)
        for ways in ([], ["rater"], ["rater", "dialogue"])
    ]
    assert "independent of every other" in said[0].assumption
    assert "Votes that share a rater may depend" in said[1].assumption
    assert "share a rater or a dialogue" in said[2].assumption
    assert "wild cluster bootstrap of raters and dialogues" in said[2].method
    assert "<table>" in said[0]._repr_html_()


@pytest.mark.parametrize(
    "options",
    [
        {"interval": "exact"},
        {"resamples": -1},
        {"confidence": 1.0},
        {"clusters": ["rater"]},
        {"planned": 0},
    ],
)
def test_settings_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError):
        bradley_terry(Votes.of("ab", "ba", "aa"), **options)
