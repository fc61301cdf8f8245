"""The randomised Tukey HSD against exact enumeration and the worked example."""

import json
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from palaver.analysis import tukey_trials
from palaver.analysis.tukey import NO_RESIDUAL, randomised_tukey
from palaver.core.errors import InputError
from palaver.core.serial import plain
from support.shared import SHARED

EXAMPLES = SHARED / "data" / "dialeval" / "examples.json"
TENTHS = arrays(int, st.tuples(st.integers(3, 6), st.integers(2, 4)), elements=st.integers(0, 9))


def exact_p(tenths: np.ndarray, i: int, j: int) -> float:
    """By going through every way to shuffle every topic, in whole numbers."""
    apart = abs(int(tenths[:, i].sum()) - int(tenths[:, j].sum()))
    reached = total = 0
    for shuffled in product(*(list(permutations(row)) for row in tenths.tolist())):
        sums = np.sum(shuffled, axis=0)
        total += 1
        reached += int(np.ptp(sums) >= apart)
    return reached / total


def test_p_values_are_those_of_going_through_all_shuffles() -> None:
    tenths = np.array([[7, 5, 1], [3, 3, 0], [6, 2, 4], [9, 4, 4]])
    found = randomised_tukey(tenths / 10, ["a", "b", "c"], trials=40_000)

    for pair, (i, j) in zip(found.pairs, [(0, 1), (0, 2), (1, 2)], strict=True):
        p = exact_p(tenths, i, j)
        assert pair.p == pytest.approx(p, abs=4 * (p * (1 - p) / 40_000) ** 0.5 + 1e-4)


def test_rounding_does_not_break_ties() -> None:
    """0.1 + 0.2 and 0.3 are the same score; without a tolerance the p-value of a tie comes out small."""
    scores = [[0.1, 0.2], [0.3, 0.1], [0.2, 0.3]] * 3
    found = randomised_tukey(scores, ["a", "b"], trials=4000)

    assert found.pairs[0].difference == pytest.approx(0)
    assert found.pairs[0].p == 1


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the worked examples are not here")
def test_the_worked_example_holds() -> None:
    example = json.loads(EXAMPLES.read_text(encoding="utf-8"))["randomised_tukey_hsd"]
    matrix = list(zip(*example["systems"].values(), strict=True))
    found = randomised_tukey(matrix, ["a", "b", "c"], trials=100_000)
    legacy = randomised_tukey(matrix, ["a", "b", "c"], trials=1000, legacy=True)
    two = randomised_tukey([row[:2] for row in matrix], ["a", "b"], trials=100_000)

    assert found.variance == pytest.approx(example["two_way_VE"], abs=1e-12)
    assert legacy.variance == pytest.approx(example["one_way_VE"], abs=1e-12)
    for pair, old in zip(found.pairs, legacy.pairs, strict=True):
        name = pair.a + pair.b
        p = example["exact_p"][name]
        assert pair.p == pytest.approx(p, abs=3 * (p * (1 - p) / 100_000) ** 0.5)
        assert pair.difference == pytest.approx(example["absdiff"][name], abs=1e-12)
        assert pair.effect == pytest.approx(example["two_way_ES"][name], abs=1e-9)
        assert old.effect == pytest.approx(example["one_way_ES"][name], abs=1e-9)
    p = example["two_system_ab_exact_p"]
    assert two.pairs[0].p == pytest.approx(p, abs=3 * (p * (1 - p) / 100_000) ** 0.5)


def test_p_counts_the_data_themselves_and_legacy_does_not() -> None:
    scores = np.column_stack([np.arange(20) + 100.0, np.arange(20)])
    found = randomised_tukey(scores, ["a", "b"], trials=99)
    legacy = randomised_tukey(scores, ["a", "b"], trials=99, legacy=True)

    assert found.pairs[0].p == 0.01
    assert legacy.pairs[0].p == 0
    assert any("1/99" in each for each in legacy.warnings)


@given(TENTHS, st.floats(-5, 5), st.floats(0.1, 10))
@settings(max_examples=50, deadline=None)
def test_shifting_and_scaling_change_no_p(tenths: np.ndarray, shift: float, scale: float) -> None:
    names = [f"s{n}" for n in range(tenths.shape[1])]
    plain = randomised_tukey(tenths, names, trials=50)
    moved = randomised_tukey(tenths * scale + shift, names, trials=50, tolerance=1e-9)

    assert [pair.p for pair in moved.pairs] == [pair.p for pair in plain.pairs]
    assert all(0 < pair.p <= 1 for pair in plain.pairs)


@given(TENTHS)
@settings(max_examples=50, deadline=None)
def test_swapping_two_systems_turns_their_difference(tenths: np.ndarray) -> None:
    one = randomised_tukey(tenths[:, :2], ["a", "b"], trials=20).pairs[0]
    other = randomised_tukey(tenths[:, 1::-1], ["b", "a"], trials=20).pairs[0]

    assert other.difference == pytest.approx(-one.difference)
    assert other.effect == pytest.approx(-one.effect, nan_ok=True)


def test_larger_differences_have_smaller_p() -> None:
    scores = np.random.default_rng(1).normal(size=(30, 5)) + np.arange(5) / 4
    pairs = randomised_tukey(scores, list("abcde"), trials=2000).pairs
    ordered = sorted(pairs, key=lambda pair: -abs(pair.difference))

    assert [pair.p for pair in ordered] == sorted(pair.p for pair in pairs)


def test_without_differences_the_family_errs_as_often_as_its_level_says() -> None:
    dice = np.random.default_rng(3)
    least = [
        min(
            pair.p
            for pair in randomised_tukey(dice.normal(size=(12, 4)), list("abcd"), trials=199).pairs
        )
        for _ in range(300)
    ]
    assert np.mean(np.array(least) <= 0.1) == pytest.approx(0.1, abs=0.055)  # 3 standard errors


def test_small_blocks_give_p_values_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tukey_trials, "BLOCK", 7)
    found = randomised_tukey([[1, 2, 4], [2, 1, 3], [1, 1, 5]], list("abc"), trials=100)

    assert found.trials == 100
    assert all(0 < pair.p <= 1 for pair in found.pairs)


def test_an_effect_without_residual_is_undefined() -> None:
    found = randomised_tukey([[1, 2], [2, 3], [5, 6]], ["a", "b"], trials=9)

    assert found.reason == NO_RESIDUAL
    assert plain(found)["pairs"][0]["effect"] is None


def test_scores_that_are_all_the_same_differ_nowhere() -> None:
    assert randomised_tukey(np.full((4, 3), 0.5), list("abc"), trials=9).pairs[0].p == 1


@pytest.mark.parametrize(
    ("matrix", "names", "said"),
    [
        ([[1.0, float("nan")], [1, 2]], ["a", "b"], "Topic 1 has no score of the system 'b'"),
        ([[1, 2, 3]] * 3, ["a", "b"], "one column for each of the 2 systems"),
        ([[1, 2]] * 3, ["a", "a"], "same name"),
        ([[1]] * 3, ["a"], "2 or more systems"),
        ([[1, 2]], ["a", "b"], "2 or more topics"),
        ([], [], "shape"),
        ([["x", 1], [1, 2]], ["a", "b"], "should hold numbers"),
    ],
)
def test_bad_matrices_are_named(matrix, names, said) -> None:
    with pytest.raises(InputError, match=said):
        randomised_tukey(matrix, names)


def test_no_trials_are_refused() -> None:
    with pytest.raises(InputError, match="1 trial or more"):
        randomised_tukey([[1, 2], [2, 1]], ["a", "b"], trials=0)


def test_a_notebook_shows_the_pairs() -> None:
    assert "<td>a</td>" in randomised_tukey([[1, 2], [2, 1], [3, 1]], ["a", "b"])._repr_html_()
