"""All coefficients together: JSON, warnings, and input that cannot be compared."""

import json
import subprocess
import sys

import numpy as np
import pytest

from palaver.analysis.agreement import LEVELS, NO_PAIRS, NO_VARIATION, Judgement, measure
from palaver.core.errors import InputError
from palaver.core.serial import plain
from support.raters import FOUR_OBSERVERS, judged, noisy, read


def warned(found, *words):
    return any(all(word in each for word in words) for each in found.warnings)


def test_as_json():
    found = plain(measure(read(FOUR_OBSERVERS), level="ordinal", resamples=100))

    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["alpha"] == pytest.approx(0.815, abs=5e-4)
    assert (found["units"], found["raters"], found["lone"], found["pairs"]) == (11, 4, 1, 55)
    assert found["interval"] == found["intervals"]["alpha"]
    assert found["kappa"] is None
    assert "two raters" in found["reasons"]["kappa"]
    assert found["reason"] is None
    assert found["clusters"] is None
    assert set(found) >= {"percent", "fleiss", "ac2", "icc", "icc_forms", "method", "warnings"}


def test_a_notebook_shows_a_table():
    shown = measure(read(FOUR_OBSERVERS), level="nominal", resamples=50)._repr_html_()

    assert shown.startswith("<table><caption>95 % BCa bootstrap, 50 draws of units")
    assert "ac1" in shown


@pytest.mark.parametrize("level", LEVELS)
def test_undefined_numbers_are_null_with_a_reason(level):
    for said, reason in [([], NO_PAIRS), (read(["111", "111"]), NO_VARIATION)]:
        found = plain(measure(said, level=level))
        assert (found["alpha"], found["interval"], found["reason"]) == (None, None, reason)
        json.dumps(found, allow_nan=False)


def test_one_rater_is_no_agreement():
    found = measure(read(["1234"]), level="interval")

    assert found.alpha.reason == NO_PAIRS
    assert (found.units, found.lone) == (0, 4)
    assert all(not each.is_defined for each in found.estimates().values())


def test_few_raters_units_and_rare_answers_are_said():
    found = measure(read(["aaaaaaab", "aaaaaabb"]), level="nominal")

    assert warned(found, "only two raters")
    assert warned(found, "only 8 units", "fewer than 30")
    assert warned(found, "Given fewer than 5 times", "b (3)")
    assert warned(found, "anything but 'a'", "2")


def test_plenty_of_everything_warns_of_nothing():
    matrix = noisy(np.random.default_rng(1), units=200, raters=4, values=[1, 2, 3])

    assert measure(judged(matrix), level="nominal", resamples=100).warnings == ()


def test_few_disagreements_are_said():
    rng = np.random.default_rng(2)
    matrix = np.repeat(rng.integers(5, size=(100, 1)), 3, axis=1).astype(float)
    all_alike = measure(judged(matrix), level="ordinal", resamples=100)
    matrix[:4, 0] = 4 - matrix[:4, 0]

    found = measure(judged(matrix), level="ordinal", resamples=100)

    assert warned(found, "Units on which raters differ")
    assert warned(all_alike, "there is no interval of α")
    assert all_alike.alpha.value == 1
    assert all_alike.alpha.interval is None


def test_few_clusters_are_said():
    matrix = noisy(np.random.default_rng(3), units=100, raters=3, values=[1, 2, 3])
    clusters = [{unit: unit % 10 for unit in range(100)}]

    found = measure(judged(matrix), level="interval", clusters=clusters, resamples=100)

    assert warned(found, "only 10 clusters")
    assert warned(found, "intraclass", "ignore clusters")
    assert "whole clusters" in found.method
    two = measure(judged(matrix), level="nominal", clusters=clusters * 2, resamples=100)
    assert "pigeonhole" in two.method
    assert plain(two)["clusters"] == [10, 10]


def test_an_order_of_names():
    rows = [("low", "A", 1), ("mid", "B", 1), ("mid", "A", 2), ("mid", "B", 2), ("high", "A", 3)]
    rows += [("low", "B", 3)]
    named = [Judgement(unit, rater, value) for value, rater, unit in rows]
    numbers = [Judgement(j.unit, j.rater, ["low", "mid", "high"].index(j.value)) for j in named]

    found = measure(named, level="ordinal", order=["low", "mid", "high"], resamples=0)

    assert found.alpha.value == pytest.approx(
        measure(numbers, level="ordinal", resamples=0).alpha.value
    )
    assert found.icc.forms == measure(numbers, level="interval", resamples=0).icc.forms


@pytest.mark.parametrize(
    ("values", "given", "said"),
    [
        ([1, "1"], {"level": "nominal"}, "all numbers or all names"),
        ([True, 1], {"level": "nominal"}, "all numbers or all names"),
        (["a", "b"], {"level": "ordinal"}, "order of the names"),
        (["a", "b"], {"level": "interval"}, "are numbers; got"),
        ([True, False], {"level": "interval"}, "are numbers; got"),
        ([1.0, -1.0], {"level": "ratio"}, "0 or more; got -1.0"),
        ([1.0, float("nan")], {"level": "interval"}, "left out"),
        ([1.0, float("inf")], {"level": "interval"}, "left out"),
        ([None, "a"], {"level": "nominal"}, "left out"),
        ([["a"], ["b"]], {"level": "nominal"}, "single values"),
        (["a", "c"], {"level": "ordinal", "order": ["a", "b"]}, "'c' is not in the order: a, b"),
        (["a", "b"], {"level": "ordinal", "order": ["a", "b", "a"]}, "twice"),
        ([1, 2], {"level": "cardinal"}, "got 'cardinal'"),
    ],
)
def test_values_that_cannot_be_compared_are_refused(values, given, said):
    judgements = [Judgement(1, rater, value) for rater, value in enumerate(values)]

    with pytest.raises(InputError, match=said):
        measure(judgements, **given)


def test_a_rater_who_answers_twice_is_refused():
    with pytest.raises(InputError, match="Rater 'A' judged unit 7 twice"):
        measure([Judgement(7, "A", 1), Judgement(7, "A", 1)], level="nominal")


def test_numpy_is_loaded_only_when_something_is_computed():
    code = (
        "import sys, palaver.analysis.agreement; assert not {'numpy', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
