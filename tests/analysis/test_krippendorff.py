"""α from matrices and at level ratio: against `krippendorff`, and what must not matter."""

import warnings
from importlib import import_module

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.agreement import LEVELS, NO_PAIRS, agreement, alpha_from_matrix
from palaver.core.errors import InputError
from palaver.core.serial import plain
from support.raters import FOUR_OBSERVERS, judged, matrices, noisy, read

patterns_module = import_module("palaver.analysis.agreement.patterns")
krippendorff_module = import_module("palaver.analysis.agreement.alpha")


def by_package(matrix, level):
    """α as the package has it; None where it has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = krippendorff.alpha(
                reliability_data=np.asarray(matrix, dtype=float).T, level_of_measurement=level
            )
        except ValueError:  # fewer than two distinct values
            return None
    return None if np.isnan(found) else found


def test_the_published_ratio_example():
    # Krippendorff (2011) gives this for the same table at level ratio: α = 0.797.
    assert agreement(read(FOUR_OBSERVERS), level="ratio").alpha == pytest.approx(0.797, abs=5e-4)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", range(20))
def test_a_matrix_gives_what_the_package_gives(level, case):
    rng = np.random.default_rng(case)
    values = [[1, 2, 3, 4, 5], [0.0, 0.25, 3.5, 10.0], [0, 7, 200, 20_000], [1, 2, 9]][case % 4]
    matrix = noisy(
        rng, units=4 + 3 * case, raters=2 + case % 4, values=values, missing=case % 3 / 8
    )

    found = alpha_from_matrix(matrix, level=level, resamples=0)

    assert found.alpha == pytest.approx(by_package(matrix, level), abs=1e-10)


@pytest.mark.parametrize("level", LEVELS)
def test_many_raters_and_many_values_take_other_ways_to_the_same_number(level, monkeypatch):
    rng = np.random.default_rng(3)
    few = noisy(rng, units=30, raters=30, values=[1, 2, 3, 4, 5], missing=0.2)
    many = noisy(rng, units=60, raters=20, values=np.arange(400) / 7, missing=0.2)
    for matrix in (few, many, np.round(rng.random((80, 3)), 4)):
        expected = pytest.approx(by_package(matrix, level), abs=1e-10)
        assert alpha_from_matrix(matrix, level=level, resamples=0).alpha == expected
        plain = alpha_from_matrix(matrix, level=level, resamples=50).interval
        with monkeypatch.context() as patch:
            patch.setattr(patterns_module, "DENSE", 0)
            patch.setattr(krippendorff_module, "BLOCK", 100)
            assert alpha_from_matrix(matrix, level=level, resamples=0).alpha == expected
            sparse = alpha_from_matrix(matrix, level=level, resamples=50).interval
        assert [sparse.low, sparse.high] == pytest.approx([plain.low, plain.high], abs=1e-10)


@settings(max_examples=50, deadline=None)
@given(matrix=matrices(), level=st.sampled_from(LEVELS))
def test_a_matrix_and_its_judgements_give_the_same(matrix, level):
    from_matrix = alpha_from_matrix(matrix, level=level, resamples=0)
    from_judgements = agreement(judged(matrix), level=level, resamples=0)

    assert from_matrix.alpha == pytest.approx(from_judgements.alpha, abs=1e-10)
    assert from_matrix.percent == from_judgements.percent
    for name in ("units", "lone", "raters", "pairs", "reason"):
        assert getattr(from_matrix, name) == getattr(from_judgements, name)


@settings(max_examples=50, deadline=None)
@given(matrix=matrices(), level=st.sampled_from(LEVELS), seed=st.integers(0, 99))
def test_the_order_of_units_and_raters_does_not_matter(matrix, level, seed):
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(rng.permutation(matrix, axis=0), axis=1)

    one = plain(alpha_from_matrix(matrix, level=level, resamples=20))
    other = plain(alpha_from_matrix(shuffled, level=level, resamples=20))

    assert one == other


@settings(max_examples=50, deadline=None)
@given(matrix=matrices(), level=st.sampled_from(LEVELS))
def test_it_is_one_where_all_agree_and_never_above(matrix, level):
    found = alpha_from_matrix(matrix, level=level, resamples=0)
    agreed = alpha_from_matrix(np.column_stack([matrix[:, 0]] * 3), level=level, resamples=0)

    assert found.alpha is None or found.alpha <= 1
    assert (found.alpha == 1) == (found.alpha is not None and found.percent == 1)
    assert agreed.alpha in (None, 1.0)


@settings(max_examples=50, deadline=None)
@given(matrix=matrices(least=1), times=st.floats(0.1, 50))
def test_ratio_does_not_know_the_unit_of_measurement(matrix, times):
    one = alpha_from_matrix(matrix, level="ratio", resamples=0).alpha

    assert alpha_from_matrix(matrix * times, level="ratio", resamples=0).alpha == pytest.approx(
        one, abs=1e-9
    )


@pytest.mark.parametrize(
    ("matrix", "level", "said"),
    [
        ([1, 2, 3], "nominal", "two dimensions"),
        ([["a", "b"]], "nominal", "holds numbers"),
        ([[1, np.inf]], "interval", "finite"),
        ([[1, -2]], "ratio", "0 or more; got -2"),
        ([[1, 2]], "likert", "got 'likert'"),
    ],
)
def test_matrices_that_cannot_be_compared_are_refused(matrix, level, said):
    with pytest.raises(InputError, match=said):
        alpha_from_matrix(matrix, level=level)


@pytest.mark.parametrize("matrix", [np.zeros((0, 0)), np.full((3, 2), np.nan), [[1.0, np.nan]]])
def test_matrices_without_pairs_are_undefined(matrix):
    found = alpha_from_matrix(matrix, level="interval")

    assert (found.alpha, found.reason) == (None, NO_PAIRS)
    assert plain(found)["reason"] == NO_PAIRS


def test_a_cluster_is_needed_for_every_row():
    with pytest.raises(InputError, match="one per unit"):
        alpha_from_matrix([[1, 2], [2, 2]], level="nominal", clusters=[[1]])
