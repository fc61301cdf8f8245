"""Sensitivity, against scipy, statsmodels and every arrangement there is."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportions_ztest

from palaver.analysis.validity import DialogueScores, dialogue_scores, sensitivity
from palaver.core.errors import InputError
from palaver.core.serial import plain

from .making import table


def turns(seed: int = 1, systems: int = 3) -> tuple[DialogueScores, list[tuple[int, str, int]]]:
    """Labels of turns, in dialogues of unequal length, and their rows (dialogue, system, value)."""
    dice = np.random.default_rng(seed)
    rows = []
    for d in range(20 * systems):
        system = "ABCD"[d % systems]
        chance = np.clip(0.2 + 0.15 * (d % systems) + 0.2 * dice.normal(), 0.02, 0.98)
        rows += [(d, system, int(dice.random() < chance)) for _ in range(int(dice.integers(4, 12)))]
    scores = dialogue_scores(
        [f"d{d}" for d, _, _ in rows],
        ["rude"] * len(rows),
        [value for _, _, value in rows],
        systems=[system for _, system, _ in rows],
    )
    return scores, rows


def clustered(rows: list[tuple[int, str, int]], system: str) -> tuple[float, float, int]:
    """Mean, cluster-robust variance and number of clusters, by statsmodels."""
    own = [(d, value) for d, name, value in rows if name == system]
    groups = np.array([d for d, _ in own])
    fit = sm.OLS([value for _, value in own], np.ones(len(own))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True}
    )
    return fit.params[0], fit.cov_params()[0, 0], len(set(groups))


def test_turns_are_clustered_by_dialogue_as_in_statsmodels() -> None:
    scores, rows = turns()
    (found,) = sensitivity(scores)

    for pair in found.pairs:
        (m1, v1, g1), (m2, v2, g2) = clustered(rows, pair.a), clustered(rows, pair.b)
        freedom = (v1 + v2) ** 2 / (v1**2 / (g1 - 1) + v2**2 / (g2 - 1))
        p = 2 * stats.t.sf(abs(m1 - m2) / (v1 + v2) ** 0.5, freedom)
        assert pair.difference == pytest.approx(m1 - m2)
        assert pair.p == pytest.approx(p, rel=1e-9)


def test_one_judgement_per_dialogue_is_welchs_t_test() -> None:
    dice = np.random.default_rng(3)
    values = dice.normal(size=40) + np.arange(40) % 2
    scores = table({"x": values}, systems=["A", "B"] * 20)
    for test in ("dialogues", "rows"):
        (found,) = sensitivity(scores, test=test)
        expected = stats.ttest_ind(values[::2], values[1::2], equal_var=False)
        assert found.pairs[0].p == pytest.approx(expected.pvalue, rel=1e-9)


def test_rows_of_0_and_1_are_the_z_test() -> None:
    scores, rows = turns()
    (found,) = sensitivity(scores, test="rows")

    for pair in found.pairs:
        own = [[v for _, s, v in rows if s == name] for name in (pair.a, pair.b)]
        _, p = proportions_ztest([sum(each) for each in own], [len(each) for each in own])
        assert pair.p == pytest.approx(p, rel=1e-9)


def test_pairs_are_counted_with_and_without_correction() -> None:
    scores, _ = turns(seed=8, systems=4)
    (found,) = sensitivity(scores, alpha=0.1)

    plain = [pair.p for pair in found.pairs]
    adjusted = multipletests(plain, method="holm")[1]
    assert len(plain) == 6
    assert [pair.adjusted for pair in found.pairs] == pytest.approx(adjusted)
    assert found.apart == sum(adjusted <= 0.1)
    assert found.unadjusted == sum(np.array(plain) <= 0.1)
    assert 0 < found.apart < found.unadjusted
    assert found.share == found.apart / 6


@pytest.mark.parametrize(("n", "m"), [(3, 3), (3, 4), (5, 2)])
def test_systems_that_never_vary_are_told_apart_by_permutation(n: int, m: int) -> None:
    values = np.array([0] * n + [1] * m)
    (found,) = sensitivity(table({"x": values}, systems=["A"] * n + ["B"] * m))

    observed = abs(values[:n].mean() - values[n:].mean())
    ways = [set(each) for each in combinations(range(n + m), n)]
    extreme = 0
    for way in ways:
        one = [values[i] for i in range(n + m) if i in way]
        other = [values[i] for i in range(n + m) if i not in way]
        extreme += abs(np.mean(one) - np.mean(other)) >= observed - 1e-12
    assert found.pairs[0].p == pytest.approx(extreme / len(ways))


@given(st.integers(0, 300), st.floats(0.1, 50), st.floats(-20, 20))
@settings(max_examples=30, deadline=None)
def test_scale_names_and_order_change_nothing(seed: int, factor: float, shift: float) -> None:
    dice = np.random.default_rng(seed)
    values = dice.integers(0, 5, size=18).astype(float)
    systems = ["A", "B", "C"] * 6
    (plain,) = sensitivity(table({"x": values}, systems=systems))
    renamed = [{"A": "Z", "B": "Y", "C": "X"}[name] for name in systems]
    (other,) = sensitivity(table({"x": factor * values + shift}, systems=renamed))

    backwards = {("A", "B"): ("Y", "Z"), ("A", "C"): ("X", "Z"), ("B", "C"): ("X", "Y")}
    found = {(pair.a, pair.b): pair for pair in other.pairs}
    for pair in plain.pairs:
        twin = found[backwards[pair.a, pair.b]]
        assert 0 <= pair.p <= 1
        assert pair.p <= pair.adjusted
        assert twin.p == pytest.approx(pair.p, abs=1e-7)
        assert twin.difference == pytest.approx(-factor * pair.difference, abs=1e-9 * factor)


def test_undefined_has_a_reason() -> None:
    scores = table({"x": [1, 2, 3]}, systems=["A", "A", "B"])
    (found,) = sensitivity(scores)

    assert found.pairs[0].reason == "a system has 1 dialogues with the label"
    assert plain(found)["pairs"][0]["p"] is None
    assert (found.apart, found.unadjusted) == (0, 0)
    (rows,) = sensitivity(scores, test="rows")
    assert rows.pairs[0].reason == "a system has 1 judgements of the label"


def test_equal_systems_have_p_1() -> None:
    (found,) = sensitivity(table({"x": [1, 1, 1, 1]}, systems=["A", "A", "B", "B"]))
    assert found.pairs[0].p == 1
    assert "fewer than 10 dialogues of A, B" in found.warnings[0]
    assert "fewer than 5 dialogues" in found.warnings[1]


def test_bad_input() -> None:
    scores = table({"x": [1, 2]}, systems=["A", "A"])
    with pytest.raises(InputError, match="needs two or more; got A"):
        sensitivity(scores)
    both = table({"x": [1, 2]}, systems=["A", "B"])
    with pytest.raises(InputError, match="between 0 and 1; got 0"):
        sensitivity(both, alpha=0)
    with pytest.raises(InputError, match="dialogues, rows; got 'luck'"):
        sensitivity(both, test="luck")


def test_a_notebook_shows_a_table() -> None:
    scores, _ = turns()
    assert "<caption>rude</caption>" in sensitivity(scores)[0]._repr_html_()
