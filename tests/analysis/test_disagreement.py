"""How split raters are on a unit: hand-worked values and the properties of both measures."""

from math import log

import pytest
from scipy.stats import entropy

from palaver.analysis.agreement import Judgement
from palaver.analysis.disagreement import most_split_first, nominal_split, scaled_split
from palaver.core.errors import InputError


@pytest.mark.parametrize(
    ("counts", "options"),
    [((3, 1), 2), ((2, 2, 1), 3), ((5, 1, 1), 4), ((1, 1), 7), ((4, 3, 2, 1), 4)],
)
def test_names_split_as_their_entropy_says(counts, options):
    found = nominal_split(dict(enumerate(counts)), options=options)

    assert found == pytest.approx(entropy(counts) / log(min(options, sum(counts))))


def test_names_are_split_most_when_everybody_says_something_else():
    assert nominal_split({"a": 1, "b": 1, "c": 1}, options=9) == pytest.approx(1.0)
    assert nominal_split({"a": 3, "b": 3}, options=2) == pytest.approx(1.0)
    assert nominal_split({"a": 6, "b": 0}, options=2) == 0.0


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({1: 1, 5: 1}, 1.0),
        ({1: 2, 5: 2}, 1.0),
        # Median 1, mean distance 4/3, half the scale 2.
        ({1: 2, 5: 1}, 2 / 3),
        # Median 3, distances 2, 0, 2.
        ({1: 1, 3: 1, 5: 1}, 2 / 3),
        ({2: 1, 3: 1}, 0.25),
        ({4: 9}, 0.0),
    ],
)
def test_points_split_by_their_distance_from_the_median(counts, expected):
    assert scaled_split(counts, low=1, high=5) == pytest.approx(expected)


def test_one_answer_or_a_scale_without_length_says_nothing():
    assert nominal_split({"a": 1}, options=2) is None
    assert nominal_split({"a": 4}, options=1) is None
    assert scaled_split({3: 1}, low=1, high=5) is None
    assert scaled_split({3: 2}, low=3, high=3) is None


def test_the_widest_units_come_first_and_lone_ones_are_left_out():
    said = [
        *(Judgement("even", rater, value) for rater, value in zip("ABCD", "xxyy", strict=True)),
        *(Judgement("lopsided", rater, value) for rater, value in zip("ABCD", "xxxy", strict=True)),
        *(Judgement("two", rater, value) for rater, value in zip("AB", "xy", strict=True)),
        *(Judgement("agreed", rater, "x") for rater in "AB"),
        Judgement("lone", "A", "y"),
    ]

    found = most_split_first(said, level="nominal", options=2)

    assert [each.unit for each in found] == ["even", "two", "lopsided", "agreed"]
    assert found[0].counts == {"x": 2, "y": 2}
    assert [each.n for each in found] == [4, 2, 4, 2]


def test_a_scale_without_ends_is_refused():
    said = [Judgement(1, "A", 1), Judgement(1, "B", 2)]
    with pytest.raises(InputError, match="ends of their scale"):
        most_split_first(said, level="interval")
