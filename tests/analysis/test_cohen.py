"""Cohen's κ against scikit-learn and Gwet's table."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.metrics import cohen_kappa_score

from palaver.analysis.agreement import Judgement, measure, pairwise
from palaver.core.errors import InputError
from palaver.core.serial import plain
from support.raters import judged, matrices, noisy, read

SKLEARN = {"identity": None, "linear": "linear", "quadratic": "quadratic"}


def kappa(matrix, **given):
    return measure(judged(matrix), resamples=0, **given).kappa


@pytest.mark.parametrize("weights", SKLEARN)
@pytest.mark.parametrize("case", range(10))
def test_it_agrees_with_scikit_learn(weights, case):
    rng = np.random.default_rng(case)
    matrix = noisy(rng, units=10 + 10 * case, raters=2, values=[1, 2, 3, 4, 5])
    matrix[:5, 0] = [1, 2, 3, 4, 5]  # scikit-learn counts weights in places of what it sees

    found = kappa(matrix, level="ordinal", weights=weights)

    expected = cohen_kappa_score(matrix[:, 0], matrix[:, 1], weights=SKLEARN[weights])
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.n == len(matrix)


def test_values_that_nobody_gave_count_through_the_order():
    rows = ["aacca", "accaa"]
    whole = measure(read(rows), level="ordinal", order=["a", "b", "c"], resamples=0)

    expected = cohen_kappa_score(
        list(rows[0]), list(rows[1]), labels=["a", "b", "c"], weights="linear"
    )
    found = measure(
        read(rows), level="ordinal", order=["a", "b", "c"], weights="linear", resamples=0
    )
    assert found.kappa.value == pytest.approx(expected, abs=1e-12)
    assert whole.weights == "quadratic"


def test_the_published_table_of_two_abstractors():
    # K. L. Gwet, irrCAC, data set cont3x3abstractors: κ 0.7964094, Scott's π 0.7962397,
    # AC1 0.8493305, Krippendorff's α 0.7972585. Fleiss' κ of two raters is Scott's π.
    table = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(table[i][j])]

    found = measure(judged(pairs), level="nominal", resamples=0)

    assert found.kappa.value == pytest.approx(0.7964094, abs=5e-8)
    assert found.fleiss.value == pytest.approx(0.7962397, abs=5e-8)
    assert found.gwet.value == pytest.approx(0.8493305, abs=5e-8)
    assert found.alpha.value == pytest.approx(0.7972585, abs=5e-8)
    assert found.percent.value == pytest.approx(0.89)


@settings(max_examples=50, deadline=None)
@given(matrix=matrices())
def test_it_is_symmetric_and_bounded(matrix):
    pair = matrix[:, :2]
    one = kappa(pair, level="nominal")
    other = kappa(pair[:, ::-1], level="nominal")

    assert one.value == pytest.approx(other.value, nan_ok=True, abs=1e-12)
    assert not one.is_defined or -1 <= one.value <= 1
    assert one.is_defined or one.reason


def test_only_units_that_both_judged_count():
    with_lone = [*read(["aabb", "abbb"]), Judgement("lone", "rater 0", "a")]

    found = measure(with_lone, level="nominal", resamples=0)

    expected = cohen_kappa_score(list("aabb"), list("abbb"))
    assert found.kappa.value == pytest.approx(expected)
    assert (found.kappa.n, found.lone) == (4, 1)


def test_three_raters_have_none_but_each_two_have():
    said = read(["aabb", "abbb", "aabb"])

    found = measure(said, level="nominal", resamples=0)

    assert not found.kappa.is_defined
    assert "two raters" in found.kappa.reason
    assert pairwise(said, level="nominal").pairs[0].kappa == pytest.approx(
        cohen_kappa_score(list("aabb"), list("abbb"))
    )


def test_without_variation_it_is_undefined():
    found = measure(read(["aaa", "aaa"]), level="nominal")

    assert not found.kappa.is_defined
    assert (
        found.kappa.reason
        == "every answer is the same, so agreement cannot be distinguished from chance"
    )
    assert plain(found.kappa)["value"] is None


def test_weights_need_an_order():
    with pytest.raises(InputError, match="names have none"):
        measure(read(["ab", "bb"]), level="nominal", weights="linear")
    with pytest.raises(InputError, match="identity, linear or quadratic"):
        measure(read(["12", "22"]), level="ordinal", weights="cubic")
