"""Mixed models against statsmodels, quadrature, a published fit and simulated truth."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.regression.mixed_linear_model import MixedLM

from palaver.analysis.mixed import likelihood, linear_mixed, ordinal, ordinal_mixed
from palaver.analysis.mixed.likelihood import RestrictedLikelihood
from palaver.analysis.mixed.ratings import gathered
from palaver.analysis.student import quantile
from palaver.core.errors import InputError
from palaver.core.serial import plain

# Randall (1989), bitterness of wine: bottles in rows, judges in columns; two bottles of each of cold
# without skin contact, cold with, warm without, warm with.
WINE = """
2 1 2 3 2 3 1 2 1
3 2 3 2 3 2 1 2 2
3 1 3 3 4 3 2 2 3
4 3 2 2 3 2 2 3 2
4 2 5 3 3 2 2 3 3
4 3 5 2 3 4 3 3 2
5 5 4 5 3 5 2 3 4
5 4 4 3 3 4 3 4 4
"""


def simulated(n=240, raters=10, items=15, *, seed=1, apart=0.6, taste=0.0):
    """Ratings of two systems by raters on items, crossed at random; some suit one system."""
    dice = np.random.default_rng(seed)
    system = np.arange(n) % 2
    rater, item = dice.integers(0, raters, n), dice.integers(0, items, n)
    hidden = apart * system + 0.7 * dice.normal(size=raters)[rater]
    hidden += 0.9 * dice.normal(size=items)[item]
    if taste:
        hidden += taste * dice.normal(size=(raters, 2))[rater, system]
        hidden += taste * dice.normal(size=(items, 2))[item, system]
    names = [["old", "new"][each] for each in system]
    return hidden, names, {"rater": rater.tolist(), "item": item.tolist()}, dice


def test_the_linear_model_is_that_of_statsmodels() -> None:
    hidden, names, factors, dice = simulated(300, 8, 12, seed=4, taste=0.5)
    values = hidden + dice.normal(size=len(hidden))
    found = linear_mixed(values, names, factors)
    frame = pd.DataFrame({"y": values, "system": names, "one": 1, **factors})
    fit = MixedLM.from_formula(
        "y ~ 0 + C(system)",
        frame,
        groups="one",
        vc_formula={
            "rater": "0 + C(rater)",
            "item": "0 + C(item)",
            "rater × system": "0 + C(rater):C(system)",
            "item × system": "0 + C(item):C(system)",
        },
    ).fit(reml=True)
    variances = dict(zip(fit.model.exog_vc.names, fit.vcomp, strict=True))
    covariance = fit.cov_params().iloc[:2, :2].to_numpy()
    error = (covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]) ** 0.5
    contrast = found.contrasts[0]

    assert found.converged
    assert found.log_likelihood == pytest.approx(fit.llf, abs=1e-5)
    assert found.effects["new"] == pytest.approx(fit.fe_params["C(system)[new]"], abs=1e-3)
    assert list(found.components) == ["rater", "item", *list(variances)[1::2][::-1], "residual"]
    for name, variance in variances.items():
        assert found.components[name] == pytest.approx(variance, rel=5e-3)
    assert found.components["residual"] == pytest.approx(fit.scale, rel=5e-3)
    width = contrast.difference.interval.high - contrast.difference.interval.low
    assert width == pytest.approx(2 * quantile(0.95, contrast.degrees) * error, rel=5e-3)


def test_the_linear_model_of_a_balanced_layout_is_its_analysis_of_variance() -> None:
    """Every rater judges both systems once: the contrast is the mean, its test that of pairs."""
    dice = np.random.default_rng(2)
    a, b = dice.normal(size=(2, 25)) + 2 * dice.normal(size=25)
    found = linear_mixed([*a, *b], ["a"] * 25 + ["b"] * 25, {"rater": [*range(25)] * 2})

    assert found.contrasts[0].difference.value == pytest.approx((a - b).mean())
    assert found.contrasts[0].degrees == pytest.approx(24, rel=5e-3)
    assert found.contrasts[0].p == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=5e-3)
    assert found.warnings == (
        "No 'rater' has two ratings of one system, so the variance of 'rater × system' is part of "
        "the residual.",
    )


@pytest.mark.parametrize("taste", [0.8, 0.0])
def test_repeated_ratings_of_raters_with_tastes_are_their_means(taste: float) -> None:
    """Four ratings of each system by each of nine raters: a t test of nine differences."""
    dice = np.random.default_rng(11)
    rater, system, _ = (each.ravel() for each in np.indices((9, 2, 4)))
    values = taste * dice.normal(size=(9, 2))[rater, system] + dice.normal(size=72)
    values += 2 * dice.normal(size=9)[rater]
    found = linear_mixed(values, [f"s{each}" for each in system], {"rater": rater.tolist()})
    means = values.reshape(9, 2, 4).mean(axis=2)

    assert found.levels == {"rater": 9, "rater × system": 18}
    assert found.contrasts[0].difference.value == pytest.approx(-np.diff(means).mean())
    if taste:
        assert found.contrasts[0].degrees == pytest.approx(8, rel=5e-3)
        assert found.contrasts[0].p == pytest.approx(stats.ttest_rel(*means.T).pvalue, rel=5e-3)
    else:  # what is estimated as 0 from nine raters still leaves t with nine raters' freedom
        assert found.components["rater × system"] == 0
        assert found.contrasts[0].degrees == 8


def test_what_cannot_be_told_apart_is_left_out_and_said() -> None:
    dice = np.random.default_rng(12)
    system = np.repeat([0, 1], 40)
    names = [f"s{each}" for each in system]
    dialogue = np.arange(80) // 4  # ten dialogues of each system, four ratings each
    nested = linear_mixed(dice.normal(size=80), names, {"dialogue": dialogue.tolist()})
    item = dialogue % 10
    both = linear_mixed(
        dice.normal(size=80), names, {"dialogue": dialogue.tolist(), "item": item.tolist()}
    )

    assert list(nested.components) == ["dialogue", "residual"]
    assert any("Each 'dialogue' has ratings of one system" in each for each in nested.warnings)
    assert nested.contrasts[0].degrees <= 18 or nested.components["dialogue"] > 0
    assert "'item × system' is the same as 'dialogue', and has no variance of its own." in (
        both.warnings
    )


def test_the_slope_of_the_likelihood_is_that_of_its_values() -> None:
    """With and without zeros held, and for every factor that may be cleared first."""
    hidden, names, factors, dice = simulated(90, 5, 8, seed=5)
    values = hidden + dice.normal(size=90)
    at = np.array([0.5, 0.3, 0.2, 0.1])
    for some in (factors, {"rater": factors["rater"]}):
        found = RestrictedLikelihood(gathered(values, names, some))
        ratios = at[: found.factors]
        steps = np.eye(found.factors) * 1e-5
        numeric = [
            (found.profile(ratios + step).criterion - found.profile(ratios - step).criterion) / 2e-5
            for step in steps
        ]
        assert found.profile(ratios).slope == pytest.approx(numeric, rel=1e-5)


def test_sparse_tables_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden, names, factors, dice = simulated(90, 5, 8, seed=6, taste=0.5)
    values = hidden + dice.normal(size=90)
    dense = linear_mixed(values, names, factors)
    monkeypatch.setattr(likelihood, "MOST_DENSE", 0)
    assert linear_mixed(values, names, factors).contrasts[0].p == pytest.approx(
        dense.contrasts[0].p, rel=1e-6
    )


def test_a_model_that_would_take_too_long_is_refused() -> None:
    n = 4_000
    rater, item = np.random.default_rng(1).integers(0, 500, n), np.arange(n) // 4
    with pytest.raises(InputError, match="1,483 of them not of 'item'"):
        linear_mixed(np.arange(n) % 7, ["a", "b"] * (n // 2), {"rater": rater, "item": item})


def test_shifting_and_swapping_carry_over() -> None:
    hidden, names, factors, dice = simulated(seed=3)
    values = hidden + dice.normal(size=len(hidden))
    found = linear_mixed(values, names, factors).contrasts[0]
    moved = linear_mixed(2 * values + 5, names, factors).contrasts[0]
    turned = linear_mixed(values[::-1], names[::-1], {k: v[::-1] for k, v in factors.items()})

    assert moved.difference.value == pytest.approx(2 * found.difference.value, rel=1e-4)
    assert moved.p == pytest.approx(found.p, rel=1e-3)
    assert turned.contrasts[0].difference.value == pytest.approx(-found.difference.value, rel=1e-4)


def test_a_factor_without_variance_is_at_its_boundary() -> None:
    dice = np.random.default_rng(5)
    values = np.tile([1.0, 2.0, 3.0, 4.0], 20) + dice.normal(size=80) * 0.01
    rater = np.repeat(np.arange(20), 4)  # each rater has the same four values
    found = linear_mixed(values, ["a", "b"] * 40, {"rater": rater.tolist()})

    assert found.components["rater"] == pytest.approx(0, abs=1e-3)
    assert any("boundary" in each for each in found.warnings)


def test_the_linear_model_finds_what_was_put_in_and_covers_it() -> None:
    hits, spread = [], []
    for seed in range(20):
        hidden, names, factors, dice = simulated(300, 20, 25, seed=seed)
        found = linear_mixed(hidden + dice.normal(size=300), names, factors)
        hits.append(-0.6 in found.contrasts[0].difference.interval)
        spread.append([found.components["rater"], found.components["item"]])
    assert np.mean(hits) > 0.8
    assert np.mean(spread, axis=0) == pytest.approx([0.49, 0.81], rel=0.25)


def test_without_random_factors_it_is_the_ordered_logit_of_statsmodels() -> None:
    hidden, names, _, dice = simulated(400, seed=6)
    values = np.digitize(hidden + dice.logistic(size=400), [-1.5, 0, 1.5])
    found = ordinal_mixed(values, names, {})
    x = np.array([[each == "new"] for each in names], dtype=float)
    fit = OrderedModel(values, x, distr="logit").fit(method="bfgs", disp=False)

    assert found.log_likelihood == pytest.approx(fit.llf, abs=1e-5)
    assert found.effects["new"] == pytest.approx(fit.params[0], abs=1e-3)
    apart = found.contrasts[0].difference
    assert apart.interval.high - apart.value == pytest.approx(
        quantile(0.95, found.contrasts[0].degrees) * fit.bse[0], rel=1e-3
    )


def test_the_slope_of_laplaces_approximation_is_that_of_its_values() -> None:
    hidden, names, factors, dice = simulated(120, 5, 6, seed=8, taste=0.5)
    values = np.digitize(hidden + dice.logistic(size=120), [-1, 0, 1.5])
    model = ordinal._model(gathered(values, names, factors))
    at = ordinal._start(model) + 0.1 * dice.normal(size=8)
    steps = 1e-5 * np.eye(8)
    numeric = [
        (model.criterion(at + step)[0] - model.criterion(at - step)[0]) / 2e-5 for step in steps
    ]
    assert model.criterion(at)[1] == pytest.approx(numeric, rel=1e-4, abs=1e-4)


def test_the_published_fit_of_the_wine_data() -> None:
    """R. H. B. Christensen's tutorial of `clmm2`: rating on temperature and contact, judges random."""
    rows = [list(map(int, line.split())) for line in WINE.split("\n") if line]
    values = [rating for row in rows for rating in row]
    bottles, judges = np.divmod(np.arange(72), 9)
    names = [str(each // 2) for each in bottles]
    model = ordinal._model(gathered(values, names, {"judge": judges.tolist()}, with_slopes=False))
    model.design = np.column_stack([bottles >= 4, bottles % 4 >= 2]).astype(float)
    fit = ordinal._fitted(model)
    errors = np.sqrt(np.diag(ordinal._covariance(model, fit.at)))[1:]

    assert fit.log_likelihood == pytest.approx(-81.57, abs=0.005)
    assert model.effects(fit.at) == pytest.approx([3.0630, 1.8349], abs=1e-4)
    assert errors == pytest.approx([0.5954, 0.5125], abs=2e-4)
    assert model.thresholds(fit.at) == pytest.approx([-1.6237, 1.5134, 4.2285, 6.0888], abs=2e-4)
    assert model.spreads(fit.at) ** 2 == pytest.approx([1.279], abs=1e-3)


def test_laplace_comes_close_to_quadrature() -> None:
    """One random factor: the integral over each rater by 60 nodes, and its maximum by brute force."""
    hidden, names, factors, dice = simulated(400, 16, seed=7)
    values = np.digitize(hidden + dice.logistic(size=400), [-1, 1])
    rater = np.array(factors["rater"])
    model = ordinal._model(gathered(values, names, {"rater": rater}, with_slopes=False))
    found = ordinal._fitted(model)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    new = np.array([each == "new" for each in names], dtype=float)

    def unlikely(at: np.ndarray) -> float:
        cuts = np.array([-np.inf, at[0], at[0] + np.exp(at[1]), np.inf])
        place = new[:, None] * at[2] + at[3] * nodes[None, :]
        inside = special.expit(cuts[values + 1][:, None] - place)
        inside -= special.expit(cuts[values][:, None] - place)
        logs = np.zeros((16, 60))
        np.add.at(logs, rater, np.log(inside))
        return -float(np.log(np.exp(logs) @ weights / (2 * np.pi) ** 0.5).sum())

    start = [-1.0, 0.5, 0.5, 0.7]
    exact = optimize.minimize(
        unlikely,
        start,
        method="Nelder-Mead",
        options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 2000},
    )

    assert found.log_likelihood == pytest.approx(-exact.fun, abs=0.1)
    assert model.effects(found.at) == pytest.approx([exact.x[2]], abs=0.01)
    assert model.spreads(found.at) == pytest.approx([exact.x[3]], rel=0.03)


def test_the_ordinal_model_finds_what_was_put_in() -> None:
    apart, spread = [], []
    for seed in range(5):
        hidden, names, factors, dice = simulated(500, 15, 20, seed=seed, apart=1.0)
        values = np.digitize(hidden + dice.logistic(size=500), [-2, 0, 1, 2.5])
        found = ordinal_mixed(values, names, factors)
        assert found.converged
        apart.append(found.effects["new"] - found.effects["old"])
        spread.append([found.components["rater"], found.components["item"]])
    # The standard error of one study is about 0.18; of five, 0.08.
    assert np.mean(apart) == pytest.approx(1.0, abs=0.25)
    assert np.mean(spread, axis=0) == pytest.approx([0.49, 0.81], rel=0.5)


def test_only_the_order_of_values_counts() -> None:
    hidden, names, factors, dice = simulated(150, 6, 6, seed=9)
    values = np.digitize(hidden + dice.logistic(size=150), [-1, 1])
    plain = ordinal_mixed(values, names, {"rater": factors["rater"]})
    stretched = ordinal_mixed(np.array([1, 5, 70])[values], names, {"rater": factors["rater"]})
    turned = ordinal_mixed(-values, names, {"rater": factors["rater"]})

    assert stretched.contrasts == plain.contrasts
    assert turned.contrasts[0].difference.value == pytest.approx(
        -plain.contrasts[0].difference.value, abs=1e-3
    )
    assert any("only 6 values of 'rater'" in each for each in plain.warnings)


def test_separated_systems_are_said_to_be() -> None:
    found = ordinal_mixed([1, 1, 1, 1, 2, 2, 2, 2], ["a"] * 4 + ["b"] * 4, {})

    assert any("no bound" in each or "flat" in each for each in found.warnings)


@pytest.mark.parametrize("model", [linear_mixed, ordinal_mixed])
@pytest.mark.parametrize(
    ("values", "systems", "factors", "said"),
    [
        ([1, 2, 3], ["a", "b"], {}, "3 ratings and 2"),
        ([1, 2, 3, 4], ["a"] * 4, {}, "Two or more systems"),
        ([1, 2, 1, 2], ["a", "b"] * 2, {"rater": ["r"] * 4}, "one value only"),
        ([1, 2, 1, 2], ["a", "b"] * 2, {"rater": [1, 2, 3, 4]}, "Every rating has its own"),
        ([1, 1, 1, 1], ["a", "b"] * 2, {"rater": [1, 1, 2, 2]}, "Every rating is the same"),
        ([1, 2, 1, 2], ["a", "b"] * 2, {"rater": [1, None, 2, 2]}, "no 'rater'"),
        ([1, float("nan"), 1, 2], ["a", "b"] * 2, {}, "missing"),
        ([], [], {}, "Two or more systems"),
    ],
)
def test_bad_ratings_are_refused(model, values, systems, factors, said) -> None:
    with pytest.raises(InputError, match=said):
        model(values, systems, factors)


def test_too_many_steps_are_for_the_linear_model() -> None:
    with pytest.raises(InputError, match="linear mixed model"):
        ordinal_mixed(list(range(50)), ["a", "b"] * 25, {})


def test_results_are_json_and_tables() -> None:
    found = linear_mixed([1, 2, 3, 5, 2, 4], ["a", "b"] * 3, {"rater": [1, 1, 2, 2, 3, 3]})

    assert plain(found)["contrasts"][0]["a"] == "a"
    assert "<table>" in found._repr_html_()
