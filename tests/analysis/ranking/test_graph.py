"""Whether votes determine strengths, checked against a linear programme."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from palaver.analysis.ranking.cells import VotedPairs, count_cells
from palaver.analysis.ranking.graph import (
    find_backbone,
    groups,
    has_maximum,
    have_maximum,
    is_strongly_connected,
    separation_chance,
)
from palaver.analysis.ranking.votes import Votes

SYSTEMS = 4
LOW, HIGH = np.triu_indices(SYSTEMS, 1)
PAIRS = VotedPairs.of(SYSTEMS, LOW, HIGH)

# Few votes, most cells empty: where maxima are missing in every way.
counts = st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=18, max_size=18).map(np.array)


def rises_for_ever(cells: np.ndarray) -> bool:
    """Whether some direction raises the likelihood without end, by linear programming.

    In the direction (u, ε) the odds of an outcome change by u_d / 2, −u_d / 2 or ε. It never lowers
    the likelihood if what was observed gains at least as much as each alternative (Albert and
    Anderson 1984). Look for the direction in which the gains, each at most 1, sum to the most.
    """
    low, high, tied = PAIRS.split(cells)
    gains = []
    for a, b, *seen in zip(LOW, HIGH, low, high, tied, strict=True):
        difference = np.zeros(SYSTEMS + 1)
        difference[a], difference[b] = 0.5, -0.5
        tie = np.eye(SYSTEMS + 1)[-1]
        ways = [difference, -difference, tie] if tied.any() else [difference, -difference]
        for own, count in zip(ways, seen, strict=False):
            gains += [own - other for other in ways if count and other is not own]
    if not gains:
        return True
    table = np.array(gains)
    found = linprog(
        -table.sum(axis=0),
        A_ub=np.vstack([-table, table]),
        b_ub=np.r_[np.zeros(len(table)), np.ones(len(table))],
        bounds=[(None, None)] * (SYSTEMS + 1),
    )
    assert found.status == 0
    return -found.fun > 1e-6


def flat_directions(cells: np.ndarray) -> bool:
    """Whether some system is not connected with the others at all."""
    seen = np.zeros((SYSTEMS, SYSTEMS), dtype=bool)
    seen[LOW, HIGH] = sum(PAIRS.split(cells)) > 0
    return not is_strongly_connected(seen | seen.T)


@given(counts)
@settings(max_examples=150, deadline=None)
def test_a_maximum_exists_exactly_where_linear_programming_says_so(cells):
    assert has_maximum(PAIRS, cells) == (not flat_directions(cells) and not rises_for_ever(cells))


@given(st.lists(counts, min_size=1, max_size=8).map(np.array), counts)
@settings(max_examples=50, deadline=None)
def test_the_quick_check_of_many_rows_agrees(rows, whole):
    backbone = find_backbone(PAIRS, whole)
    assert have_maximum(PAIRS, rows, backbone).tolist() == [has_maximum(PAIRS, r) for r in rows]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1, 1, 0], True),
        ([1, 1, 3], True),
        ([5, 0, 0], False),
        ([5, 0, 5], False),  # wins one way and ties: the tie parameter grows with the strength
        ([0, 0, 5], False),
    ],
)
def test_two_systems(cells, expected):
    pairs = VotedPairs.of(2, np.array([0]), np.array([1]))
    assert has_maximum(pairs, np.array(cells)) is expected


def test_groups_are_named_largest_first():
    arrow = np.zeros((5, 5), dtype=bool)
    arrow[0, 1] = arrow[1, 0] = True
    arrow[2, 3] = arrow[3, 4] = arrow[4, 2] = True
    arrow[1, 2] = True
    assert groups(arrow, arrow) == [[2, 3, 4], [0, 1]]


def test_how_often_raters_drawn_anew_would_all_agree_on_a_system():
    """Two of six raters ever preferred b: it is without them in (4/6)⁶ of all draws."""
    votes = Votes.of(
        ["a"] * 8, ["b"] * 8, ["a"] * 6 + ["b"] * 2, clusters={"rater": [*range(6), 0, 1]}
    )
    found = separation_chance(count_cells(votes), votes.clusters["rater"])
    dice = np.random.default_rng(1)
    drawn = dice.integers(0, 6, size=(20_000, 6))
    assert found == pytest.approx((4 / 6) ** 6)
    assert (drawn > 1).all(axis=1).mean() == pytest.approx(found, abs=0.01)
