"""Quality by comparison, against statsmodels' logistic regression and scipy's sign test."""

from math import log

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from palaver.analysis.validity import (
    DialogueComparison,
    comparative_sensitivity,
    comparative_validity,
)
from palaver.core.errors import InputError

from .making import table


def compared(seed: int = 1, n: int = 60, ties: bool = False):
    """Pairs of dialogues d0–d1, d2–d3, …; the one with more of x tends to win."""
    dice = np.random.default_rng(seed)
    x = dice.normal(size=2 * n)
    apart = x[::2] - x[1::2]
    score = np.where(dice.random(n) < 1 / (1 + np.exp(-apart)), 1, -1)
    if ties:
        score[dice.random(n) < 0.25] = 0
    pairs = [DialogueComparison(f"d{2 * k}", f"d{2 * k + 1}", int(score[k])) for k in range(n)]
    return x, apart, score, pairs


def test_without_ties_it_is_logistic_regression_without_intercept() -> None:
    x, apart, score, pairs = compared()
    (found,) = comparative_validity(table({"x": x}), pairs, resamples=0)

    fit = sm.Logit((score + 1) / 2, apart).fit(disp=0)
    value = 1 - fit.llf / (60 * log(0.5))
    assert found.r2.value == pytest.approx(value, abs=1e-9)
    assert found.slope == pytest.approx(fit.params[0], abs=1e-6)
    assert found.p == pytest.approx(stats.chi2.sf(2 * (fit.llf - 60 * log(0.5)), 1), rel=1e-6)


def test_ties_are_half_a_win() -> None:
    x, apart, score, pairs = compared(ties=True)
    (found,) = comparative_validity(table({"x": x}), pairs, resamples=0)

    w = (score + 1) / 2

    def loss(b: float) -> float:
        return float((w * np.logaddexp(0, -b * apart) + (1 - w) * np.logaddexp(0, b * apart)).sum())

    best = optimize.minimize_scalar(loss, bracket=(-2, 2), tol=1e-12)
    assert found.slope == pytest.approx(best.x, abs=1e-5)
    assert found.r2.value == pytest.approx(1 - best.fun / (60 * log(2)), abs=1e-10)


def test_the_interval_draws_comparisons() -> None:
    x, apart, score, pairs = compared()
    (found,) = comparative_validity(table({"x": x}), pairs, resamples=2000)

    def mcfadden(d: np.ndarray, w: np.ndarray) -> float:
        return 1 - sm.Logit(w, d).fit(disp=0).llf / (len(d) * log(0.5))

    theirs = stats.bootstrap(
        (apart, (score + 1) / 2),
        mcfadden,
        paired=True,
        vectorized=False,
        n_resamples=600,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert found.r2.interval is not None
    assert found.r2.interval.low == pytest.approx(theirs.low, abs=0.04)
    assert found.r2.interval.high == pytest.approx(theirs.high, abs=0.04)


@given(st.integers(0, 300), st.floats(0.1, 100))
@settings(max_examples=25, deadline=None)
def test_sides_and_scale_change_nothing(seed: int, factor: float) -> None:
    x, _, _, pairs = compared(seed, n=12, ties=True)
    (plain,) = comparative_validity(table({"x": x}), pairs, resamples=0)
    swapped = [
        DialogueComparison(p.second, p.first, -p.score) if k % 2 else p for k, p in enumerate(pairs)
    ]
    (other,) = comparative_validity(table({"x": factor * x}), swapped * 2, resamples=0)

    assert 0 <= plain.r2.value <= 1
    assert other.r2.value == pytest.approx(plain.r2.value, abs=1e-8)
    assert other.r2.n == plain.r2.n


def test_separation_is_named_and_one_is_its_limit() -> None:
    x = [1.0, 0, 2, 0, 3, 1, 0, 1]
    pairs = [
        DialogueComparison(f"d{k}", f"d{k + 1}", 1 if x[k] > x[k + 1] else -1) for k in (0, 2, 4, 6)
    ]
    (found,) = comparative_validity(table({"x": x}), pairs, resamples=0)

    assert found.r2.value == pytest.approx(1, abs=1e-6)
    assert "separates the 4 comparisons perfectly" in found.r2.warnings[-1]


def test_dialogues_in_many_comparisons_leave_no_interval() -> None:
    pairs = [DialogueComparison("d0", f"d{k}", 1 if k % 2 else -1) for k in range(1, 8)]
    (found,) = comparative_validity(table({"x": [3, 1, 4, 1, 5, 2, 6, 5]}), pairs)

    assert found.r2.interval is None
    assert "all comparisons share dialogues" in found.r2.warnings[0]


def test_undefined_has_a_reason() -> None:
    pairs = [DialogueComparison("d0", "d1", 1), DialogueComparison("d2", "d3", 1)]
    (few,) = comparative_validity(table({"x": [1, 2, 3, 4]}), pairs)
    assert few.r2.reason.startswith("only 2 comparisons")
    pairs.append(DialogueComparison("d4", "d5", -1))
    (same,) = comparative_validity(table({"x": [1, 1, 3, 3, 2, 2]}), pairs)
    assert same.r2.reason == "the label is the same on both sides of every comparison"


def test_systems_are_told_apart_by_a_sign_test() -> None:
    systems = {f"d{k}": "AB"[k % 2] for k in range(40)} | {"e0": "C", "e1": "C"}
    pairs = [
        DialogueComparison(f"d{2 * k}", f"d{2 * k + 1}", 1 if k < 14 else -1) for k in range(18)
    ]
    pairs += [
        DialogueComparison("d37", "d36", 0),
        DialogueComparison("e0", "e1", 1),
        DialogueComparison("e0", "d38", 1),
    ]
    found = comparative_sensitivity("better", pairs, systems)

    by_name = {(pair.a, pair.b): pair for pair in found.pairs}
    assert by_name["A", "B"].p == pytest.approx(stats.binomtest(14, 18).pvalue)
    assert by_name["A", "B"].difference == pytest.approx(10 / 19)
    assert by_name["A", "C"].difference == -1
    assert by_name["A", "C"].p == 1
    assert by_name["B", "C"].reason == "the two systems were not compared"
    assert found.unadjusted == 1


def test_bad_input() -> None:
    scores = table({"x": [1, 2, 3]})
    with pytest.raises(InputError, match="is −1, 0 or 1; got 2"):
        comparative_validity(scores, [DialogueComparison("d0", "d1", 2)])
    with pytest.raises(InputError, match="compared with itself"):
        comparative_validity(scores, [DialogueComparison("d0", "d0", 1)])
    with pytest.raises(InputError, match="None of the dialogues"):
        comparative_validity(scores, [DialogueComparison("a", "b", 1)])
    with pytest.raises(InputError, match="does not compare two systems"):
        comparative_sensitivity("q", [DialogueComparison("d0", "d1", 1)], {"d0": "A", "d1": "A"})
