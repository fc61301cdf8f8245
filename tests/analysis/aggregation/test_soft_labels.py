"""Soft labels: against scipy's entropy, counting pairs one by one, and what must always hold."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy

from palaver.analysis.aggregation import Answers, soft_labels
from palaver.core.errors import InputError
from palaver.core.serial import plain

ANSWERS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.sampled_from([1, 2, 3, 5])),
    min_size=1,
    max_size=30,
    unique_by=lambda each: each[:2],
)


@settings(max_examples=50, deadline=None)
@given(ANSWERS)
def test_it_agrees_with_scipy_and_with_the_definitions(said):
    for soft in soft_labels(Answers.of(said), level="interval").units:
        values = [value for unit, _, value in said if unit == soft.unit]
        shares = np.array([values.count(label) / len(values) for label in soft.counts])
        assert soft.n == len(values)
        assert list(soft.distribution.values()) == pytest.approx(shares.tolist())
        assert soft.entropy == pytest.approx(entropy(shares, base=2), abs=1e-12)
        # Two answers drawn with replacement, one by one.
        differ = sum(one != other for one, other in product(values, repeat=2)) / len(values) ** 2
        assert soft.disagreement == pytest.approx(differ, abs=1e-12)
        assert soft.variance == pytest.approx(np.var(values), abs=1e-12)
        if len(soft.counts) > 1:
            assert 0 <= soft.normalised_entropy <= 1 + 1e-12
            assert soft.normalised_entropy == pytest.approx(
                soft.entropy / np.log2(len(soft.counts)), abs=1e-12
            )


@settings(max_examples=50, deadline=None)
@given(ANSWERS, st.randoms())
def test_the_order_of_rows_changes_nothing(said, dice):
    shuffled = list(said)
    dice.shuffle(shuffled)
    before = {each.unit: each for each in soft_labels(Answers.of(said)).units}
    after = {each.unit: each for each in soft_labels(Answers.of(shuffled)).units}
    assert before == after


def test_an_ordinal_variance_is_over_places():
    said = [("d", rater, value) for rater, value in enumerate(["low", "low", "high", "high"])]
    answers = Answers.of(said, labels=["low", "middle", "high"])
    (soft,) = soft_labels(answers, level="ordinal").units
    assert soft.variance == pytest.approx(1.0)
    assert soft.counts == {"low": 2, "middle": 0, "high": 2}


def test_smoothing_is_added_and_stated():
    answers = Answers.of([("d", 1, "a"), ("d", 2, "a"), ("e", 1, "b")])
    found = soft_labels(answers, smoothing=0.5)
    assert found.units[0].distribution == {"a": pytest.approx(2.5 / 3), "b": pytest.approx(0.5 / 3)}
    assert "0.5 added" in found.method
    assert found.warnings == ("1 of 2 units have one answer, so they cannot show disagreement.",)


def test_one_label_has_no_normalised_entropy():
    (soft,) = soft_labels(Answers.of([("d", 1, "a"), ("d", 2, "a")])).units
    assert soft.entropy == 0
    assert plain(soft)["normalised_entropy"] is None


def test_a_notebook_shows_a_table():
    html = soft_labels(Answers.of([("<d>", 1, "a"), ("<d>", 2, "b")]))._repr_html_()
    assert "&lt;d&gt;" in html
    assert "disagreement" in html


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([], "no answer"),
        ([("d", 1, None), ("d", 2, float("nan"))], "no answer"),
        ([("d", 1, "a"), ("d", 1, "b")], r"Rater 1 judged unit 'd' twice"),
        ([("d", 1, "a"), ("d", 2, 3)], "numbers and texts"),
        ([("d", 1, True), ("d", 2, 1)], "numbers and true/false"),
        ([("d", 1, ["a"])], r"got \['a'\]"),
    ],
)
def test_bad_answers_are_named(said, message):
    with pytest.raises(InputError, match=message):
        Answers.of(said)


def test_bad_settings_are_named():
    answers = Answers.of([("d", 1, "a")])
    with pytest.raises(InputError, match="got -1"):
        soft_labels(answers, smoothing=-1)
    with pytest.raises(InputError, match="got 'metric'"):
        soft_labels(answers, level="metric")
    with pytest.raises(InputError, match="labels are numbers"):
        soft_labels(answers, level="interval")
    with pytest.raises(InputError, match="'a' was given"):
        Answers.of([("d", 1, "a")], labels=["b", "c"])


def test_every_order_of_labels_gives_the_same_distribution():
    said = [("d", rater, value) for rater, value in enumerate("aabc")]
    found = {
        order: soft_labels(Answers.of(said, labels=order)).units[0] for order in permutations("abc")
    }
    assert len({tuple(sorted(each.distribution.items())) for each in found.values()}) == 1
