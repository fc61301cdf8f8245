"""Corrected p-values against statsmodels, and their properties."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from palaver.analysis.corrections import adjusted, benjamini_hochberg, holm
from palaver.core.errors import InputError

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P_VALUES)
@settings(max_examples=50, deadline=None)
def test_they_are_those_of_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])
    assert benjamini_hochberg(p_values) == pytest.approx(
        multipletests(p_values, method="fdr_bh")[1]
    )


@given(P_VALUES, st.randoms())
@settings(max_examples=50, deadline=None)
def test_order_does_not_matter_and_none_becomes_smaller(p_values: list[float], dice) -> None:
    shuffled = list(enumerate(p_values))
    dice.shuffle(shuffled)
    for correct in (holm, benjamini_hochberg):
        found = correct(p_values)
        again = dict(zip([n for n, _ in shuffled], correct([p for _, p in shuffled]), strict=True))
        assert [again[n] for n in range(len(p_values))] == pytest.approx(found)
        assert all(p <= q <= 1 for p, q in zip(p_values, found, strict=True))
    assert all(
        b <= h + 1e-12 for b, h in zip(benjamini_hochberg(p_values), holm(p_values), strict=True)
    )


def test_undefined_p_values_stay_so_and_do_not_count() -> None:
    first, second, third = holm([0.02, math.nan, 0.03])

    assert (first, third) == (0.04, 0.04)
    assert math.isnan(second)


def test_no_p_values_give_none() -> None:
    assert holm([]) == []


@pytest.mark.parametrize("p", [-0.1, 1.2])
def test_numbers_that_are_no_p_values_are_refused(p: float) -> None:
    with pytest.raises(InputError):
        benjamini_hochberg([0.5, p])


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(InputError, match="holm, bh, none"):
        adjusted([0.5], "bonferroni")
