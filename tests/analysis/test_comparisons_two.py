"""Tests of two systems against scipy, statsmodels and enumeration; what they share is tested once."""

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.proportion import proportions_ztest

from palaver.analysis.comparisons import (
    Successes,
    mann_whitney,
    mcnemar,
    paired_permutation,
    paired_t,
    sign_test,
    two_shares,
    unpaired_permutation,
    welch,
    wilcoxon,
)
from palaver.analysis.comparisons import permutation as permutation_module
from palaver.core.errors import InputError
from palaver.core.serial import plain

PAIRED = [paired_permutation, paired_t, wilcoxon, sign_test]
UNPAIRED = [unpaired_permutation, welch, mann_whitney]
INTEGERS = st.lists(st.integers(0, 9), min_size=3, max_size=6)
PAIRS = st.integers(3, 9).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 9), min_size=n, max_size=n)] * 2)
)


@pytest.fixture
def sample() -> tuple[np.ndarray, np.ndarray]:
    dice = np.random.default_rng(1)
    a = dice.normal(0.4, 1, size=30)
    return a, a * 0.5 + dice.normal(0, 1, size=30)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_they_are_those_of_scipy(sample, alternative) -> None:
    a, b = sample
    found = {
        "t": paired_t(a, b, alternative=alternative).p,
        "wilcoxon": wilcoxon(a, b, alternative=alternative).p,
        "sign": sign_test(a, b, alternative=alternative).p,
        "welch": welch(a, b, alternative=alternative).p,
        "u": mann_whitney(a[:15], b[:18], alternative=alternative).p,
    }
    above = int((a > b).sum())
    expected = {
        "t": stats.ttest_rel(a, b, alternative=alternative).pvalue,
        "wilcoxon": stats.wilcoxon(a, b, alternative=alternative, method="exact").pvalue,
        "sign": stats.binomtest(above, 30, alternative=alternative).pvalue,
        "welch": stats.ttest_ind(a, b, equal_var=False, alternative=alternative).pvalue,
        "u": stats.mannwhitneyu(a[:15], b[:18], alternative=alternative, method="exact").pvalue,
    }
    assert found == pytest.approx(expected, abs=1e-9)


def test_ties_are_stated_and_corrected() -> None:
    a, b = [3, 4, 4, 5, 2, 5, 1, 3, 4, 5], [3, 3, 4, 3, 3, 4, 1, 2, 2, 3]
    signed, ranked = wilcoxon(a, b), mann_whitney(a, b)

    assert signed.p == pytest.approx(
        stats.wilcoxon(a, b, correction=False, method="asymptotic").pvalue
    )
    assert "3 tied pairs left out, ties share their mean rank" in signed.method
    assert ranked.p == pytest.approx(
        stats.mannwhitneyu(a, b, use_continuity=False, method="asymptotic").pvalue
    )
    assert "corrected for ties" in ranked.method


def test_the_statistic_of_wilcoxon_is_the_sum_of_ranks_above() -> None:
    assert (
        wilcoxon([5, 6, 7, 3], [1, 4, 4, 4]).statistic == 9
    )  # ranks of 4, 2, 3; the fourth is below


@given(PAIRS)
@settings(max_examples=30, deadline=None)
def test_flipping_signs_is_enumerated(pair) -> None:
    a, b = pair
    apart = np.array(a) - np.array(b)
    sums = [int(np.dot(signs, apart)) for signs in product([1, -1], repeat=len(apart))]
    two = np.mean([abs(each) >= abs(apart.sum()) for each in sums])
    one = np.mean([each >= apart.sum() for each in sums])

    assert paired_permutation(a, b).p == pytest.approx(two)
    assert paired_permutation(a, b, alternative="greater").p == pytest.approx(one)


@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=5),
    st.lists(st.integers(0, 9), min_size=2, max_size=4),
)
@settings(max_examples=30, deadline=None)
def test_dealing_is_enumerated(a, b) -> None:
    values = [*a, *b]
    found = []
    for chosen in combinations(range(len(values)), len(a)):
        one = [values[n] for n in chosen]
        other = [values[n] for n in range(len(values)) if n not in chosen]
        found.append(np.mean(one) - np.mean(other))
    observed = np.mean(a) - np.mean(b)
    expected = np.mean([abs(each) >= abs(observed) - 1e-9 for each in found])

    assert unpaired_permutation(a, b).p == pytest.approx(expected)


def test_chance_comes_close_to_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(2)
    a, b = dice.normal(size=8), dice.normal(0.8, size=8)
    exact = [paired_permutation(a, b).p, unpaired_permutation(a, b).p]
    monkeypatch.setattr(permutation_module, "EXACT", 1)
    drawn = [paired_permutation(a, b, trials=20_000).p, unpaired_permutation(a, b, trials=20_000).p]

    assert drawn == pytest.approx(exact, abs=0.015)


def points(seed: int, n: int, *, shift: float) -> list[float]:
    """Answers on a scale of five points."""
    drawn = np.random.default_rng(seed).normal(3 + shift, 1, n)
    return [float(each) for each in np.clip(np.round(drawn), 1, 5)]


def same_share(one: float, other: float, trials: int) -> bool:
    """Whether two shares of so many draws differ by no more than four standard errors."""
    error = (2 * max(one * (1 - one), 1 / trials) / trials) ** 0.5
    return abs(one - other) <= 4 * error


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_counts_of_repeated_values_are_drawn_as_often_as_they_are_dealt(
    alternative: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = [1.0, 1, 1, 0, 0, 1, 1], [0.0, 0, 0, 1, 0, 0, 1]
    x, y = [1.0] * 9 + [0.0] * 4, [0.0] * 9 + [1.0] * 4
    enumerated = [
        unpaired_permutation(a, b, alternative=alternative).p,
        paired_permutation(x, y, alternative=alternative).p,
    ]

    monkeypatch.setattr(permutation_module, "EXACT", 1)
    monkeypatch.setattr(permutation_module, "SIGNS_PER_COUNT", 1)
    drawn = [
        unpaired_permutation(a, b, alternative=alternative, trials=50_000).p,
        paired_permutation(x, y, alternative=alternative, trials=50_000).p,
    ]

    assert all(same_share(one, other, 50_000) for one, other in zip(enumerated, drawn, strict=True))


def test_counts_of_repeated_values_are_those_of_full_shuffles() -> None:
    a, b = points(1, 120, shift=0.15), points(2, 90, shift=0.0)
    trials = 20_000

    def apart(one: Any, other: Any, axis: int) -> Any:
        return np.mean(one, axis=axis) - np.mean(other, axis=axis)

    # One-sided: with two sides scipy doubles the smaller one.
    given: dict[str, Any] = {"n_resamples": trials, "alternative": "greater", "vectorized": True}
    shuffled = stats.permutation_test((a, b), apart, rng=np.random.default_rng(3), **given)
    flipped = stats.permutation_test(
        (a[:90], b), apart, permutation_type="samples", rng=np.random.default_rng(3), **given
    )
    dealt = unpaired_permutation(a, b, trials=trials, alternative="greater")
    signed = paired_permutation(a[:90], b, trials=trials, alternative="greater")

    assert same_share(dealt.p, float(shuffled.pvalue), trials)
    assert same_share(signed.p, float(flipped.pvalue), trials)


def test_clusters_that_are_alike_are_dealt_as_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = points(4, 200, shift=0.2), points(5, 160, shift=0.0)
    # Two or three answers about each dialogue: a cluster is known by its sum and its size.
    clusters = {
        "clusters_a": [f"a{n * 2 // 5}" for n in range(200)],
        "clusters_b": [f"b{n * 2 // 5}" for n in range(160)],
    }
    monkeypatch.setattr(permutation_module, "PLACES_PER_COUNT", 1)
    as_counts = unpaired_permutation(a, b, **clusters, trials=20_000).p
    monkeypatch.setattr(permutation_module, "PLACES_PER_COUNT", 1_000)
    shuffled = unpaired_permutation(a, b, **clusters, trials=20_000).p

    assert as_counts != shuffled
    assert same_share(as_counts, shuffled, 20_000)


def test_the_same_seed_draws_the_same_counts() -> None:
    a, b = points(6, 300, shift=0.1), points(7, 300, shift=0.0)

    assert unpaired_permutation(a, b).p == unpaired_permutation(a, b).p
    assert unpaired_permutation(a, b).p != unpaired_permutation(a, b, seed=2).p
    assert paired_permutation(a, b).p == paired_permutation(a, b).p
    assert paired_permutation(a, b).p != paired_permutation(a, b, seed=2).p


def test_a_drawn_p_is_never_0() -> None:
    a, b = np.arange(40) + 100.0, np.arange(40) * 1.0

    assert paired_permutation(a, b, trials=99).p == 0.01
    assert unpaired_permutation(a, b, trials=99).p == 0.01


def test_rounding_breaks_no_ties() -> None:
    a, b = [0.3, 0.1, 0.7, 0.2], [0.1, 0.3, 0.5, 0.4]  # differences of ±0.2, up to rounding

    assert paired_permutation(a, b).p == 1
    assert "share their mean rank" in wilcoxon(a, b).method


def test_whole_clusters_change_sign() -> None:
    """Ten pairs in two clusters have four patterns only."""
    a, b = [5, 6, 5, 7, 6, 5, 6, 7, 6, 5], [1] * 10

    assert paired_permutation(a, b).p == 2 / 1024
    assert paired_permutation(a, b, clusters=["x"] * 5 + ["y"] * 5).p == 0.5


def test_whole_clusters_are_dealt() -> None:
    a, b = [5, 6, 5, 6], [1, 2, 2, 1]
    dealt = unpaired_permutation(
        a, b, clusters_a=["p", "p", "q", "q"], clusters_b=["r", "r", "s", "s"]
    )

    assert dealt.p == pytest.approx(2 / 6)
    with pytest.raises(InputError, match="pair by the cluster"):
        unpaired_permutation(a, b, clusters_a=["p"] * 4, clusters_b=["p"] * 4)


@pytest.mark.parametrize("test", PAIRED)
@given(pair=PAIRS, scale=st.sampled_from([0.5, 2, 4]), shift=st.integers(-3, 3))
@settings(max_examples=25, deadline=None)
def test_pairs_may_be_swapped_shifted_scaled_and_shuffled(test, pair, scale, shift) -> None:
    a, b = (np.array(each, dtype=float) for each in pair)
    found = test(a, b)
    order = np.random.default_rng(0).permutation(len(a))

    assert math.isnan(found.p) == bool(found.reason)
    assert test(b, a).p == pytest.approx(found.p, nan_ok=True)
    assert test(b, a).difference == pytest.approx(-found.difference, nan_ok=True)
    assert test(a * scale + shift, b * scale + shift).p == pytest.approx(found.p, nan_ok=True)
    assert test(a[order], b[order]).p == pytest.approx(found.p, nan_ok=True)
    if not found.reason:
        assert 0 < found.p <= 1


@pytest.mark.parametrize("test", UNPAIRED)
@given(a=INTEGERS, b=INTEGERS, scale=st.sampled_from([0.5, 2, 4]), shift=st.integers(-3, 3))
@settings(max_examples=25, deadline=None)
def test_sides_may_be_swapped_shifted_scaled_and_shuffled(test, a, b, scale, shift) -> None:
    one, other = np.array(a, dtype=float), np.array(b, dtype=float)
    found = test(one, other)

    assert math.isnan(found.p) == bool(found.reason)
    assert test(other, one).p == pytest.approx(found.p, nan_ok=True)
    assert test(other, one).difference == pytest.approx(-found.difference, nan_ok=True)
    assert test(one * scale + shift, other * scale + shift).p == pytest.approx(found.p, nan_ok=True)
    assert test(one[::-1], np.sort(other)).p == pytest.approx(found.p, nan_ok=True)
    if not found.reason:
        assert 0 < found.p <= 1


@pytest.mark.parametrize("test", [*PAIRED, *UNPAIRED])
def test_without_a_difference_p_is_small_as_often_as_it_says(test) -> None:
    dice = np.random.default_rng(4)
    p = [test(dice.normal(size=14), dice.normal(size=14)).p for _ in range(120)]

    assert np.mean(np.array(p) <= 0.2) < 0.2 + 3 * (0.16 / 120) ** 0.5
    if test is not sign_test:  # few values of p are possible there
        assert np.mean(np.array(p) <= 0.2) > 0.2 - 3 * (0.16 / 120) ** 0.5


@given(st.tuples(*[st.integers(0, 12)] * 4))
@settings(max_examples=50, deadline=None)
def test_mcnemar_is_that_of_statsmodels_and_mid_p_is_smaller(cells) -> None:
    both, only_a, only_b, neither = cells
    a = [1] * (both + only_a) + [0] * (only_b + neither)
    b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
    exact, mid = mcnemar(a, b, kind="exact"), mcnemar(a, b)
    if not only_a + only_b:
        assert exact.reason
        assert mid.reason
        return
    expected = statsmodels_mcnemar([[both, only_a], [only_b, neither]], exact=True).pvalue
    below = stats.binom.pmf(min(only_a, only_b), only_a + only_b, 0.5)

    assert exact.p == pytest.approx(expected)
    if only_a != only_b:
        assert mid.p == pytest.approx(expected - below)  # Fagerland and others (2013), equation 6
    assert 0 < mid.p <= exact.p <= 1
    assert mcnemar(b, a).p == pytest.approx(mid.p)


@given(st.integers(1, 30), st.integers(1, 30), st.data())
@settings(max_examples=50, deadline=None)
def test_two_shares_are_those_of_statsmodels(n_a, n_b, data) -> None:
    a = Successes(data.draw(st.integers(0, n_a)), n_a)
    b = Successes(data.draw(st.integers(0, n_b)), n_b)
    found = two_shares(a, b)
    if a.successes + b.successes in (0, n_a + n_b):
        assert found.reason == "every answer is the same"
        return
    for ours, theirs in (("two-sided", "two-sided"), ("greater", "larger"), ("less", "smaller")):
        z, p = proportions_ztest([a.successes, b.successes], [n_a, n_b], alternative=theirs)
        assert two_shares(a, b, alternative=ours).statistic == pytest.approx(z)
        assert two_shares(a, b, alternative=ours).p == pytest.approx(p)
    assert two_shares(b, a).statistic == pytest.approx(-found.statistic)


def test_few_expected_answers_are_warned_about() -> None:
    assert "5 or more" in two_shares(Successes(1, 10), Successes(0, 10)).warnings[0]
    assert not two_shares(Successes(30, 60), Successes(20, 60)).warnings


@pytest.mark.parametrize(
    ("test", "a", "b", "reason"),
    [
        (paired_t, [1, 2], [0, 1], "all differences are the same"),
        (paired_t, [1], [0], "fewer than two pairs"),
        (wilcoxon, [1, 2], [1, 2], "every pair is tied"),
        (sign_test, [1, 2], [1, 2], "every pair is tied"),
        (sign_test, [], [], "no pairs"),
        (paired_permutation, [], [], "no pairs"),
        (unpaired_permutation, [], [1], "no values"),
        (welch, [1], [1, 2], "fewer than two values"),
        (welch, [1, 1], [2, 2], "no side varies"),
        (mann_whitney, [1, 1], [1, 1], "all values are the same"),
        (mann_whitney, [], [1], "no values"),
    ],
)
def test_undefined_tests_have_a_reason(test, a, b, reason) -> None:
    found = test(a, b)

    assert reason in found.reason
    assert plain(found)["p"] is None


@pytest.mark.parametrize("test", [*PAIRED, *UNPAIRED])
def test_bad_values_are_refused(test) -> None:
    with pytest.raises(InputError, match="missing or not finite"):
        test([1, 2, math.nan], [1, 2, 3])
    with pytest.raises(InputError, match="An alternative is one of"):
        test([1, 2, 3], [1, 2, 4], alternative="upwards")


def test_other_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="the same length"):
        sign_test([1], [1, 2])
    with pytest.raises(InputError, match="0 or 1"):
        mcnemar([1, 2], [0, 1])
    with pytest.raises(InputError, match="successes"):
        Successes(5, 4)
    with pytest.raises(InputError, match="trial"):
        paired_permutation([1, 2], [2, 1], trials=0)


def test_a_notebook_shows_the_test() -> None:
    assert "welch" in welch([1, 2, 3], [2, 3, 5])._repr_html_()
