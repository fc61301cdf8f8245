"""Votes as columns: the words they are read in, and what cannot be read."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.ranking.cells import count_cells
from palaver.analysis.ranking.votes import FIRST, SECOND, TIE, Votes
from palaver.core.errors import InputError

rows = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.sampled_from("abcd"),
        st.sampled_from(["model_a", "model_b", "tie", "bothbad"]),
    ),
    max_size=30,
)


def test_arena_words_own_words_and_names():
    votes = Votes.of(
        ["x", "x", "y", "x", "y", "y", "y"],
        ["y", "y", "x", "y", "x", "x", "x"],
        ["model_a", "second", "tie", "tie (bothbad)", "bothbad", "x", " Model_B "],
    )
    assert votes.systems == ("x", "y")
    assert votes.outcome.tolist() == [FIRST, SECOND, TIE, TIE, TIE, SECOND, SECOND]
    assert votes.both_bad.tolist() == [False, False, False, True, True, False, False]
    assert votes.ties == 3


def test_both_bad_can_be_dropped_and_is_counted():
    votes = Votes.of("xx", "yy", ["tie (bothbad)", "tie"], bothbad="drop", clusters={"r": "uv"})
    assert (len(votes), votes.dropped, votes.ties) == (1, 1, 1)
    assert votes.clusters["r"].tolist() == [0]


def test_a_system_against_itself_is_counted_and_left_out():
    votes = Votes.of("xxy", "xyx", ["tie", "x", "y"])
    assert (len(votes), votes.self_comparisons) == (2, 1)


def test_numbers_and_texts_name_the_same_system():
    votes = Votes.of([1, "1"], [2, "2"], ["1", 2])
    assert votes.systems == ("1", "2")
    assert votes.outcome.tolist() == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (("xx", "yy", ["x", "both"]), "vote 2: the winner is 'both'"),
        (("xz", "yy", ["x", "x"]), "vote 2: the winner is 'x'"),
        (("xx", "yy", ["x", None]), "vote 2: the winner is missing"),
        ((["x", float("nan")], "yy", "xx"), "vote 2: the first system is missing"),
        ((["x", "x"], ["y", " "], "xx"), "vote 2: the second system is missing"),
        (("xx", "yy", "x"), "equally long"),
        ((["tie"], ["y"], ["tie"]), "'tie' is the name of a system"),
    ],
)
def test_what_cannot_be_read_is_named(columns, said):
    with pytest.raises(InputError, match=said):
        Votes.of(*columns)


def test_a_missing_cluster_and_an_unknown_one_are_named():
    with pytest.raises(InputError, match="vote 1: the rater is missing"):
        Votes.of("x", "y", "x", clusters={"rater": [None]})
    votes = Votes.of("x", "y", "x", clusters={"rater": "r"})
    with pytest.raises(InputError, match=r"no clusters 'dialogue'\. They have: rater"):
        votes.factors(["dialogue"])
    with pytest.raises(InputError, match="counts as 'tie' or 'drop'"):
        Votes.of("x", "y", "x", bothbad="loss")


def test_no_votes():
    votes = Votes.of([], [], [])
    assert (len(votes), votes.systems, votes.ties) == (0, (), 0)


def test_votes_among_some():
    votes = Votes.of("aabc", "bccd", ["a", "c", "tie", "d"], clusters={"r": "1223"})
    inner = votes.among(["c", "b"])
    assert inner.systems == ("b", "c")
    assert (inner.first.tolist(), inner.second.tolist(), inner.outcome.tolist()) == (
        [0],
        [1],
        [TIE],
    )
    with pytest.raises(InputError, match="system 'z'"):
        votes.among(["z"])


@given(rows)
@settings(max_examples=50, deadline=None)
def test_cells_are_the_votes_counted_by_hand(table):
    votes = Votes.of(*(list(column) for column in zip(*table, strict=True)) if table else ([],) * 3)
    cells = count_cells(votes)
    low, high, tied = cells.pairs.split(cells.counts)
    for place, (a, b) in enumerate(zip(cells.pairs.low, cells.pairs.high, strict=True)):
        one, other = votes.systems[a], votes.systems[b]
        assert a < b
        assert low[place] == sum(
            row in [(one, other, "model_a"), (other, one, "model_b")] for row in table
        )
        assert high[place] == sum(
            row in [(one, other, "model_b"), (other, one, "model_a")] for row in table
        )
        assert tied[place] == sum(
            {one, other} == {row[0], row[1]} and row[2] in ("tie", "bothbad") for row in table
        )
    assert cells.counts.sum() == len(votes)


def test_sums_by_system():
    pairs = count_cells(Votes.of("aab", "bcc", "aab")).pairs
    values = np.array([[1.0, 10.0, 100.0]])
    assert pairs.net(values).tolist() == [[11.0, 99.0, -110.0]]
    assert pairs.total(values).tolist() == [[11.0, 101.0, 110.0]]
