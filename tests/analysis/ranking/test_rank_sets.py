"""Rank intervals and tied sets, against brute force and simulation."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import studentized_range

from palaver.analysis.rank_sets import compare_draws, compare_normal, order_sentence, tied_sets


def test_for_independent_equal_errors_it_is_tukeys_critical_value():
    # max |d| / s over all pairs of independent errors is the studentized range over √2.
    found = compare_normal(np.zeros(5), np.eye(5), confidence=0.95, simulations=40_000)
    assert found.critical == pytest.approx(
        studentized_range.ppf(0.95, 5, np.inf) / 2**0.5, rel=0.01
    )
    few = compare_normal(np.zeros(5), np.eye(5), confidence=0.95, freedom=10, simulations=40_000)
    assert few.critical == pytest.approx(studentized_range.ppf(0.95, 5, 10) / 2**0.5, rel=0.015)


def test_draws_and_covariance_give_the_same():
    dice = np.random.default_rng(1)
    root = dice.normal(size=(4, 4))
    values = np.array([3.0, 1.0, 0.0, -4.0])
    draws = values + dice.standard_normal((20_000, 4)) @ root.T
    one = compare_draws(values, draws, confidence=0.9)
    other = compare_normal(values, root @ root.T, confidence=0.9, simulations=20_000)
    assert one.critical == pytest.approx(other.critical, rel=0.02)


def test_two_systems_are_an_ordinary_test():
    for gap, better in ((1.97, True), (1.94, False)):
        values = np.array([gap / 2, -gap / 2])
        found = compare_normal(values, np.eye(2) / 2, confidence=0.95, simulations=200_000)
        assert found.critical == pytest.approx(1.96, abs=0.015)
        assert bool(found.better[0, 1]) is better


def test_ranks_cover_the_truth_together():
    """All ranks at once hold in at least the share promised, with ties in the truth."""
    truth = np.array([1.0, 0.0, 0.0, 0.0, -0.3])
    dice = np.random.default_rng(3)
    covariance = np.diag([0.05, 0.02, 0.08, 0.02, 0.04])
    critical = compare_normal(truth, covariance, confidence=0.95).critical
    held = 0
    for _ in range(1000):
        values = truth + dice.standard_normal(5) @ np.sqrt(covariance)
        error = np.sqrt(np.add.outer(np.diag(covariance), np.diag(covariance)))
        better = values[:, None] - values[None, :] > critical * error
        low = 1 + better.sum(axis=0)
        high = 5 - better.sum(axis=1)
        least = 1 + (truth[:, None] > truth[None, :]).sum(axis=0)
        most = 5 - (truth[:, None] > truth[None, :]).sum(axis=1)
        held += bool(((low <= least) & (high >= most)).all())
    assert held / 1000 >= 0.935


def test_no_variation_tells_nothing_apart():
    found = compare_draws(np.array([1.0, 0.0]), np.tile([1.0, 0.0], (50, 1)), confidence=0.95)
    assert not found.better.any()
    assert found.rank_interval(0) == (1, 2)


def by_brute_force(names: str, apart: set[tuple[str, str]]) -> list[list[str]]:
    def tied(chosen: tuple[str, ...]) -> bool:
        return not any(pair in apart or pair[::-1] in apart for pair in combinations(chosen, 2))

    all_tied = [
        set(chosen)
        for size in range(1, len(names) + 1)
        for chosen in combinations(names, size)
        if tied(chosen)
    ]
    largest = [each for each in all_tied if not any(each < other for other in all_tied)]
    return sorted(
        (sorted(each, key=names.index) for each in largest),
        key=lambda each: [names.index(name) for name in each],
    )


@given(st.sets(st.sampled_from(list(combinations("ABCDEF", 2)))))
@settings(max_examples=100, deadline=None)
def test_tied_sets_are_the_largest_sets_of_brute_force(apart):
    found = tied_sets("ABCDEF", lambda a, b: (a, b) in apart)
    assert found == by_brute_force("ABCDEF", apart)
    assert {name for each in found for name in each} == set("ABCDEF")


def test_a_thousand_systems_that_are_all_tied_are_one_set():
    names = [str(place) for place in range(1000)]
    assert tied_sets(names, lambda a, b: False) == [names]


def test_sets_of_many_systems():
    names = [f"s{place:03}" for place in range(120)]
    near = tied_sets(names, lambda a, b: abs(int(a[1:]) - int(b[1:])) > 10)
    assert len(near) == 110
    assert near[0] == names[:11]
    assert order_sentence(names, near) == (
        "No system leads yet; s000 cannot be distinguished from s001, s002, s003 and 7 others; "
        "all 120 systems are told apart only in part"
    )


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        ([], "No comparisons yet"),
        ([["A", "B", "C", "D"]], "No system leads; A, B, C and D cannot be distinguished"),
        ([["A"], ["B"]], "A leads; B follows"),
        ([["A"], ["B"], ["C"]], "A leads; B and C follow, in this order"),
        (
            [["A"], ["B", "C"], ["D"], ["E"]],
            "A leads; B and C cannot be distinguished; D and E follow, in this order",
        ),
        (
            [["A", "B"], ["C"], ["D", "E"]],
            "No system leads; A and B cannot be distinguished; C follows; D and E cannot be "
            "distinguished",
        ),
        (
            [["A"], ["B"], ["C", "D"], ["E"]],
            "A leads; B follows; C and D cannot be distinguished; E follows",
        ),
        (
            [["A", "C"], ["B"], ["D"]],
            "No system leads; A and C cannot be distinguished; B differs from all others; D follows",
        ),
        (
            [["A"], ["B", "C"], ["C", "D"]],
            "A leads; B and C cannot be distinguished, nor can C and D",
        ),
        (
            [["A", "B"], ["B", "D"], ["C"]],
            "No system leads; A and B cannot be distinguished, nor can B and D; "
            "C differs from all others",
        ),
    ],
)
def test_sentences(sets, said):
    assert order_sentence("ABCDE", sets, final=True) == said


def test_sentences_on_forty_systems():
    names = [f"s{place:02}" for place in range(40)]
    assert order_sentence(names, [[name] for name in names]) == (
        "s00 leads; s01, s02, s03 and 36 others follow, in this order"
    )
    led = [names[:1], *([one, other] for one, other in pairwise(names[1:]))]
    assert order_sentence(names, led) == (
        "s00 leads; the other 39 systems are told apart only in part"
    )
    assert order_sentence(names, [names]) == (
        "No system leads yet; s00, s01, s02 and 37 others cannot be distinguished"
    )
