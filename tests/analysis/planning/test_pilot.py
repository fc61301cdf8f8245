"""Variance components of a pilot, against the analysis of variance and against the truth."""

from math import nan

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.planning import pilot_components
from palaver.core.errors import InputError
from palaver.core.serial import plain


def crossed(units: int, raters: int, sds: tuple[float, float, float], seed: int):
    """Every rater judges every unit: columns of units, raters and values."""
    dice = np.random.default_rng(seed)
    item, rater = sds[1] * dice.normal(size=units), sds[0] * dice.normal(size=raters)
    value = 3 + item[:, None] + rater[None, :] + sds[2] * dice.normal(size=(units, raters))
    u, r = np.meshgrid(range(units), range(raters), indexing="ij")
    names = [f"u{each}" for each in u.ravel()], [f"r{each}" for each in r.ravel()]
    return *names, value.ravel().tolist()


def test_with_every_cell_filled_it_is_the_analysis_of_variance() -> None:
    units, raters, values = crossed(12, 5, (0.6, 0.8, 0.5), seed=2)
    found = pilot_components(units, raters, values)

    frame = pd.DataFrame({"u": units, "r": raters, "y": values})
    table = sm.stats.anova_lm(smf.ols("y ~ C(u) + C(r)", frame).fit())
    squares = (table["sum_sq"] / table["df"]).to_dict()
    rest = squares["Residual"]
    assert found.residual_sd**2 == pytest.approx(rest, rel=1e-9)
    assert found.item_sd**2 == pytest.approx((squares["C(u)"] - rest) / 5, rel=1e-9)
    assert found.rater_sd**2 == pytest.approx((squares["C(r)"] - rest) / 12, rel=1e-9)
    assert (found.units, found.raters, found.ratings) == (12, 5, 60)
    assert found.mean == pytest.approx(np.mean(values))


def test_the_truth_is_found_with_gaps() -> None:
    """Forty raters, each unit judged by three of them."""
    units, raters, values = crossed(300, 40, (0.5, 0.7, 0.9), seed=3)
    dice = np.random.default_rng(4)
    kept = [n for u in range(300) for n in dice.choice(40, 3, replace=False) + 40 * u]
    found = pilot_components(*([each[n] for n in kept] for each in (units, raters, values)))

    assert found.rater_sd == pytest.approx(0.5, abs=0.12)
    assert found.item_sd == pytest.approx(0.7, abs=0.08)
    assert found.residual_sd == pytest.approx(0.9, abs=0.06)
    assert found.warnings == ()


def test_systems_shift_nothing_and_tastes_are_found() -> None:
    dice = np.random.default_rng(5)
    raters, units, per = 200, 40, 20
    taste = 0.8 / 2**0.5 * dice.normal(size=(raters, 2))
    rows = [
        (f"u{u}", f"r{r}", f"s{u % 2}", 5 * (u % 2) + taste[r, u % 2] + 0.3 * dice.normal())
        for r in range(raters)
        for u in dice.choice(units, per, replace=False)
    ]
    unit, rater, system, value = zip(*rows, strict=True)
    found = pilot_components(unit, rater, value, systems=system)

    assert found.taste_sd == pytest.approx(0.8, abs=0.08)
    assert found.rater_sd < 0.2
    assert found.residual_sd == pytest.approx(0.3, abs=0.03)


@given(
    st.integers(0, 99), st.floats(0.1, 10), st.floats(-100, 100), st.randoms(use_true_random=False)
)
@settings(max_examples=25, deadline=None)
def test_shift_scale_and_order(seed: int, factor: float, shift: float, dice: object) -> None:
    rows = list(zip(*crossed(6, 4, (0.5, 0.5, 0.5), seed), strict=True))
    plain = pilot_components(*zip(*rows, strict=True))
    dice.shuffle(rows)
    units, raters, values = zip(*rows, strict=True)
    moved = pilot_components(units, raters, [factor * value + shift for value in values])

    for name in ("rater_sd", "item_sd", "residual_sd"):
        expected = factor * getattr(plain, name)
        assert getattr(moved, name) == pytest.approx(expected, rel=1e-5, abs=1e-5 * factor)


def test_one_rating_per_unit_leaves_items_in_the_rest() -> None:
    found = pilot_components(list("abcdefgh"), list("xxyyzzww"), [1, 2, 3, 5, 2, 2, 4, 1])

    assert found.item_sd == 0
    assert found.residual_sd > 0
    assert "No unit of the pilot has two raters" in found.warnings[0]


def test_missing_values_do_not_count() -> None:
    units, raters, values = crossed(6, 3, (0.5, 0.5, 0.5), 1)
    values[4] = nan
    assert pilot_components(units, raters, values).ratings == 17


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (
            ("ab", "xx", [1, 2]),
            "needs two raters or more to say how raters differ; it has one, 'x'",
        ),
        (("aab", "xxy", [1, 2, 3]), "two values of rater 'x' for unit 'a'"),
        (("ab", "xy", [1, 2]), "cannot say how raters differ"),
        (("ab", "xy", [nan, nan]), "no values"),
        (("ab", "x", [1, 2]), "a unit, a rater and a value"),
    ],
)
def test_pilots_that_say_nothing(rows: tuple[str, str, list[float]], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        pilot_components(*rows)


def test_few_raters_and_negative_variances_are_warned_of() -> None:
    found = pilot_components(list("aabb"), list("xyxy"), [1, 2, 2, 1])

    assert found.item_sd == 0
    assert any("came out below 0" in text for text in found.warnings)
    assert any("2 raters" in text for text in found.warnings)
    assert plain(found)["raters"] == 2
