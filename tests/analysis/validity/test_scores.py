"""Judgements summed up per dialogue."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.validity import dialogue_scores
from palaver.core.errors import InputError

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.integers(0, 5)), min_size=1
)


@given(ROWS)
@settings(max_examples=50, deadline=None)
def test_means_are_those_of_the_rows(rows: list[tuple[str, str, int]]) -> None:
    scores = dialogue_scores(*zip(*rows, strict=True))

    for d, dialogue in enumerate(scores.dialogues):
        for n, label in enumerate(scores.labels):
            own = [value for one, other, value in rows if (one, other) == (dialogue, label)]
            mean = np.mean(own) if own else nan
            assert scores.means[d, n] == pytest.approx(mean, nan_ok=True)
            assert scores.squares[d, n] == sum(value**2 for value in own)
            assert scores.counts[d, n] == len(own)


def test_missing_values_are_counted_and_left_out() -> None:
    scores = dialogue_scores(["a", "a", "b"], ["x"] * 3, [1, nan, 0])

    assert scores.missing == 1
    assert scores.mean_of("x").tolist() == [1.0, 0.0]
    assert scores.binary == (True,)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ((["a"], ["x"], [nan]), "every value is missing"),
        (([], [], []), "every value is missing"),
        ((["a"], ["x"], [inf]), "finite"),
        ((["a", "b"], ["x"], [1.0]), "2 dialogues, 1 labels"),
    ],
)
def test_what_is_no_judgement(rows: tuple[list[str], list[str], list[float]], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        dialogue_scores(*rows)


def test_a_dialogue_has_one_system() -> None:
    with pytest.raises(InputError, match="'a' is assigned to two systems, 's' and 't'"):
        dialogue_scores(["a", "a"], ["x", "y"], [1, 0], systems=["s", "t"])
    with pytest.raises(InputError, match="2 judgements and 1 systems"):
        dialogue_scores(["a", "a"], ["x", "y"], [1, 0], systems=["s"])


def test_an_unknown_label_is_named_with_near_ones() -> None:
    scores = dialogue_scores(["a"], ["quality"], [1])
    with pytest.raises(InputError, match=r"There is no label 'qualty'\. Near: 'quality'"):
        scores.mean_of("qualty")
