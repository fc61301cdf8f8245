"""What is counted of advice: overlap, variety and length."""

import random

import numpy as np
import pytest

from palaver.metrics.text.rouge import common_length as other_common_length
from palaver.metrics.text.rouge import rouge_l as other_rouge_l
from palaver.models.advice.figures import answer_figures, reading_figures, spread
from palaver.models.advice.overlap import common_length, different, rouge_l, words_of


def test_the_longest_common_subsequence_is_that_of_the_metrics() -> None:
    dice = random.Random(0)
    for _ in range(40):
        one, other = (dice.choices("abcd", k=dice.randint(0, 90)) for _ in range(2))
        assert common_length(one, other) == other_common_length(one, other)


def test_rouge_is_that_of_the_metrics() -> None:
    said, meant = "Call them; don't wait 2 days.", "I'd call, and wait: 2 or 3 days"
    expected = other_rouge_l([said], [(meant,)]).value
    assert rouge_l(words_of(said), words_of(meant)) == pytest.approx(expected)
    assert rouge_l([], ["a"]) == 0


def test_different_pairs_among_all_pairs() -> None:
    shares, counts = different([["a", "b", "a", "b"], ["a", "b"]], 2)
    # a b three times, b a once.
    assert counts == [3, 1]
    assert sum(shares) == pytest.approx(2)


def test_figures_of_answers() -> None:
    found = {each.name: each for each in answer_figures(["Go now", "Go go go"], ["Go", "Stay"])}
    assert found["words"].value == 2.5
    assert found["distinct_1"].value == pytest.approx(2 / 5)
    assert found["distinct_2"].value == pytest.approx(2 / 3)
    assert found["rouge_l"].value == pytest.approx(1 / 3)
    assert "distinct_2" not in {each.name for each in answer_figures(["Go", "Stay"])}


def test_figures_of_reading() -> None:
    tallies = np.array([[2.0, 1, 4, 10], [6.0, 3, 4, 10]])
    found = {each.name: each.value for each in reading_figures(tallies)}
    assert found["perplexity"] == pytest.approx(np.e)
    assert found["token_accuracy"] == 0.5
    assert found["bits_per_byte"] == pytest.approx(8 / np.log(2) / 20)


def test_some_are_taken_from_the_whole() -> None:
    assert spread(10, 3) == [0, 3, 6]
    assert spread(2, 5) == [0, 1]
    assert spread(0, 5) == []
