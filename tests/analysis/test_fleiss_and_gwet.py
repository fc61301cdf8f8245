"""Percent, Fleiss' κ and Gwet's coefficients: statsmodels, Gwet's tables, and plain loops."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from palaver.analysis.agreement import NO_PAIRS, NO_VARIATION, measure
from support.raters import FOUR_OBSERVERS, judged, matrices, noisy, read


def weight(one, other, kind, span):
    apart = abs(one - other) / span
    return (
        float(one == other) if kind == "identity" else 1 - (apart if kind == "linear" else apart**2)
    )


def by_definition(matrix, kind, scale):
    """AC and Fleiss' κ from every pair of values of every unit, one by one."""
    span = max(scale) - min(scale)
    units = [[v for v in row if not np.isnan(v)] for row in matrix]
    units = [values for values in units if values]
    shared = [values for values in units if len(values) > 1]
    observed = np.mean(
        [np.mean([weight(a, b, kind, span) for a, b in permutations(v, 2)]) for v in shared]
    )
    plain = np.mean([np.mean([a == b for a, b in permutations(v, 2)]) for v in shared])
    share = {c: np.mean([v.count(c) / len(v) for v in units]) for c in scale}
    q = len(scale)
    together = sum(weight(a, b, kind, span) for a in scale for b in scale)
    chance = together / (q * (q - 1)) * sum(p * (1 - p) for p in share.values())
    fleiss_chance = sum(p * p for p in share.values())
    return (observed - chance) / (1 - chance), (plain - fleiss_chance) / (1 - fleiss_chance)


@pytest.mark.parametrize("case", range(10))
def test_fleiss_agrees_with_statsmodels(case):
    rng = np.random.default_rng(case)
    matrix = noisy(rng, units=10 + case, raters=3 + case % 3, values=[1, 2, 3, 4])

    found = measure(judged(matrix), level="nominal", resamples=0)

    table, _ = aggregate_raters(matrix.astype(int))
    assert found.fleiss.value == pytest.approx(fleiss_kappa(table), abs=1e-12)


def test_gwets_published_table_with_missing_values():
    # K. L. Gwet (2014), Handbook, and irrCAC on cac.raw4raters: AC1 0.77544, Fleiss' κ 0.76117,
    # percent agreement (mean over units) 0.81818.
    found = measure(read(FOUR_OBSERVERS), level="nominal", resamples=0)

    assert found.gwet.value == pytest.approx(0.77544, abs=5e-6)
    assert found.fleiss.value == pytest.approx(0.76117, abs=5e-6)
    assert found.gwet_name == "ac1"
    # The share of all 55 pairs, in which units with four raters count more.
    assert found.percent.value == pytest.approx(43 / 55)


@pytest.mark.parametrize("kind", ["identity", "linear", "quadratic"])
@pytest.mark.parametrize("case", range(10))
def test_they_agree_with_a_plain_loop(kind, case):
    rng = np.random.default_rng(case)
    scale = [[1, 2, 3, 4, 5], [0, 1, 4]][case % 2]
    matrix = noisy(rng, units=15, raters=4, values=scale[:-1], missing=0.3)

    found = measure(judged(matrix), level="ordinal", order=scale, weights=kind, resamples=0)

    ac, fleiss = by_definition(matrix, kind, scale)
    assert found.gwet.value == pytest.approx(ac, abs=1e-12)
    assert found.fleiss.value == pytest.approx(fleiss, abs=1e-12)
    assert found.gwet_name == ("ac1" if kind == "identity" else "ac2")


@settings(max_examples=50, deadline=None)
@given(matrix=matrices(), seed=st.integers(0, 99))
def test_they_are_bounded_and_do_not_depend_on_order(matrix, seed):
    rng = np.random.default_rng(seed)
    found = measure(judged(matrix), level="ordinal", resamples=0)
    shuffled = rng.permutation(rng.permutation(matrix, axis=0), axis=1)
    other = measure(judged(shuffled), level="ordinal", resamples=0)

    for name in ("percent", "fleiss", "gwet"):
        one = getattr(found, name)
        assert one.value == pytest.approx(getattr(other, name).value, nan_ok=True, abs=1e-12)
        assert one.is_defined != bool(one.reason)
        assert not one.is_defined or one.value <= 1 + 1e-12
    assert not found.percent.is_defined or found.percent.value >= 0


def test_ac1_is_calm_where_one_answer_prevails():
    # The paradox of κ: 118 of 125 units alike, two raters. D. V. Cicchetti and A. R. Feinstein
    # (1990), Journal of Clinical Epidemiology 43, 551–558, discuss such tables.
    pairs = [(1, 1)] * 118 + [(1, 0)] * 5 + [(0, 1)] * 2

    found = measure(judged(pairs), level="nominal", resamples=0)

    assert found.percent.value == pytest.approx(118 / 125)
    assert found.kappa.value < 0
    # P_e = 2 π (1 − π) with π = 243 / 250.
    chance = 2 * 243 / 250 * 7 / 250
    assert found.gwet.value == pytest.approx((118 / 125 - chance) / (1 - chance))


def test_one_value_and_no_pairs_are_named():
    alike = measure(read(["aaa", "aaa"]), level="nominal")
    assert (alike.fleiss.reason, alike.gwet.reason) == (NO_VARIATION, NO_VARIATION)
    assert alike.percent.value == 1.0
    lonely = measure(read(["ab..", "..ab"]), level="nominal")
    for name in ("alpha", "percent", "fleiss", "gwet"):
        assert getattr(lonely, name).reason == NO_PAIRS


def test_a_scale_with_values_that_nobody_gave_makes_ac1_defined():
    found = measure(read(["aaa", "aaa"]), level="nominal", order=["a", "b"], resamples=0)

    assert found.gwet.value == 1.0


def test_a_continuum_has_no_categories():
    rng = np.random.default_rng(1)
    found = measure(judged(rng.random((80, 2))), level="interval", resamples=0)

    for name in ("kappa", "fleiss", "gwet"):
        assert "too many to be categories" in getattr(found, name).reason
    assert found.alpha.is_defined
