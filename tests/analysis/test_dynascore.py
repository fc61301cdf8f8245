"""Dynascores: the published table, a table worked by hand, a plain loop, and what is left open."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from palaver.analysis.dynascore import (
    dynascore,
    exchange_rates,
    neighbours,
    shares_in_use,
    weigh,
)
from palaver.core.errors import InputError

DIRECTIONS = [1, 1, -1, 1, 1]
METRICS = ["perf", "throughput", "memory", "fairness", "robustness"]
HAND = np.array([[60, 10, 4, 90, 80], [70, 6, 8, 92, 70], [65, 8, 2, 95, 85]], dtype=float)
# Dynaboard (2021), Table 2, natural language inference; the last column is the published score.
NLI = {
    "DeBERTa": (69.54, 7.41, 5.71, 91.97, 75.70, 38.83),
    "RoBERTa": (69.07, 9.23, 4.82, 90.94, 74.82, 38.61),
    "ALBERT": (67.29, 9.60, 2.18, 89.94, 74.12, 37.72),
    "T5": (67.16, 7.10, 10.62, 91.89, 73.47, 37.53),
    "BERT": (64.82, 9.39, 4.13, 92.11, 66.38, 36.36),
    "Majority": (32.41, 77.33, 1.15, 100, 100, 22.78),
    "FastText": (31.29, 73.94, 2.20, 83.23, 69.14, 21.13),
}


def plainly(
    rows: Sequence[Sequence[float]],
    weights: Sequence[float],
    directions: Sequence[int],
    offsets: Sequence[float],
) -> list[float]:
    """The published steps, one after the other."""
    order = sorted(range(len(rows)), key=lambda n: rows[n][0])
    good = [[d * x + o for x, d, o in zip(row, directions, offsets, strict=True)] for row in rows]
    threshold = 1e-4 * max(row[0] for row in good)
    ratios: list[list[float]] = [[] for _ in weights]
    for lower, higher in pairwise(order):
        step = good[higher][0] - good[lower][0]
        if abs(step) > threshold:
            for metric, kept in enumerate(ratios):
                kept.append(abs(good[higher][metric] - good[lower][metric]) / step)
    amrs = [abs(sum(kept) / len(kept)) for kept in ratios]
    return [
        sum(w / sum(weights) * x / rate for w, x, rate in zip(weights, row, amrs, strict=True))
        for row in good
    ]


def test_the_table_worked_by_hand_holds_exactly() -> None:
    found = dynascore(HAND, directions=DIRECTIONS, offsets=[0, 0, 16, 0, 0])
    assert found.scores.tolist() == [54.0625, 56.875, 57.34375]
    assert found.amrs.tolist() == pytest.approx([1, 0.4, 0.8, 0.8, 2], abs=1e-12)
    assert found.pairs == 2


def test_the_published_scores_hold_within_a_tenth_and_in_order() -> None:
    table = np.array(list(NLI.values()))
    found = dynascore(table[:, :5], directions=DIRECTIONS, offsets=[0, 0, 32, 0, 0], models=[*NLI])
    assert np.abs(found.scores - table[:, 5]).max() < 0.1
    assert found.best_first() == sorted(NLI, key=lambda name: -NLI[name][5])


def test_sixteen_gib_do_not_reproduce_the_published_scores() -> None:
    table = np.array(list(NLI.values()))
    found = dynascore(table[:, :5], directions=DIRECTIONS, offsets=[0, 0, 16, 0, 0])
    assert np.abs(found.scores - table[:, 5]).max() > 0.1


def test_a_near_tie_that_decides_rates_is_named() -> None:
    table = np.array(list(NLI.values()))[:, :5]
    found = dynascore(
        table, directions=DIRECTIONS, offsets=[0, 0, 32, 0, 0], models=[*NLI], metrics=METRICS
    )
    assert any(
        "throughput and memory" in each and "T5 and ALBERT" in each for each in found.warnings
    )


tables = st.integers(2, 8).flatmap(
    lambda models: st.lists(
        st.lists(st.floats(1, 100), min_size=4, max_size=4), min_size=models, max_size=models
    )
)


def told_apart(rows: Sequence[Sequence[float]]) -> bool:
    """Whether steps are clear: performance is nowhere nearly tied, and each metric moves."""
    perf = sorted(row[0] for row in rows)
    clear = all(b - a > 0.1 for a, b in pairwise(perf))
    columns = list(zip(*rows, strict=True))
    return clear and all(max(column) - min(column) > 1e-3 for column in columns)


@settings(max_examples=50, deadline=None)
@given(tables)
def test_it_equals_the_published_steps(rows: list[list[float]]) -> None:
    assume(told_apart(rows))
    weights, directions, offsets = [4.0, 1.0, 2.0, 0.5], [1, 1, -1, 1], [0.0, 0.0, 120.0, 3.0]
    found = dynascore(np.array(rows), weights=weights, directions=directions, offsets=offsets)
    expected = plainly(rows, weights, directions, offsets)
    assert found.scores.tolist() == pytest.approx(expected, rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_models_and_of_columns_does_not_matter(
    rows: list[list[float]], dice: Any
) -> None:
    assume(told_apart(rows))
    values = np.array(rows)
    weights = np.array([4.0, 1.0, 2.0, 0.5])
    models = dice.sample(range(len(rows)), len(rows))
    columns = [0, *dice.sample([1, 2, 3], 3)]
    found = dynascore(values, weights=weights.tolist())
    other = dynascore(values[models][:, columns], weights=weights[columns].tolist())
    assert other.scores.tolist() == pytest.approx(found.scores[models].tolist(), rel=1e-9)
    assert other.amrs.tolist() == pytest.approx(found.amrs[columns].tolist(), rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(tables, st.floats(0.01, 100))
def test_the_unit_of_a_metric_does_not_matter(rows: list[list[float]], unit: float) -> None:
    assume(told_apart(rows))
    values = np.array(rows)
    other = values.copy()
    other[:, 2] *= unit
    assert dynascore(other).scores.tolist() == pytest.approx(
        dynascore(values).scores.tolist(), rel=1e-9
    )


@settings(max_examples=50, deadline=None)
@given(tables)
def test_a_metric_of_weight_0_might_as_well_not_be_there(rows: list[list[float]]) -> None:
    assume(told_apart(rows))
    values = np.array(rows)
    without = dynascore(values[:, :3], weights=[4, 1, 1])
    assert dynascore(values, weights=[4, 1, 1, 0]).scores.tolist() == without.scores.tolist()


def test_many_tables_at_once_are_each_table_alone() -> None:
    dice = np.random.default_rng(3)
    values = dice.uniform(1, 100, (20, 6, 5))
    offsets = [0.0, 0.0, 100.0, 0.0, 0.0]
    near = neighbours(values[..., 0])
    rates = exchange_rates(values, near, directions=DIRECTIONS, offsets=offsets)
    shares = shares_in_use(rates.amrs, [4, 1, 1, 1, 1])
    scores = weigh(values, rates.amrs, shares, directions=DIRECTIONS, offsets=offsets)
    for table, found in zip(values, scores, strict=True):
        alone = dynascore(table, directions=DIRECTIONS, offsets=offsets)
        assert found.tolist() == pytest.approx(alone.scores.tolist(), rel=1e-12)


def test_one_model_is_scored_by_performance_alone() -> None:
    found = dynascore(HAND[:1], metrics=METRICS)
    assert found.scores.tolist() == [60]
    assert found.pairs == 0
    assert found.shares.tolist() == [1, 0, 0, 0, 0]
    assert found.set_aside["memory"] == "there is only one model"
    assert found.by_name.amrs["memory"] is None


def test_models_that_all_tie_are_scored_by_performance_alone() -> None:
    found = dynascore(np.array([[50.0, 1.0], [50.0, 9.0], [50.001, 5.0]]))
    assert found.scores.tolist() == [50, 50, 50.001]
    assert found.pairs == 0
    assert "no neighbouring models differ" in found.warnings[0]


def test_a_constant_metric_is_set_aside_and_the_others_share_its_weight() -> None:
    values = np.column_stack([HAND[:, :2], np.full(3, 7.3)])
    found = dynascore(values, metrics=["perf", "speed", "same"])
    assert found.scores.tolist() == dynascore(HAND[:, :2]).scores.tolist()
    assert found.shares.tolist() == [0.8, 0.2, 0]
    assert any(each.startswith("same is set aside") for each in found.warnings)


def test_a_metric_that_differs_by_rounding_alone_is_constant() -> None:
    found = dynascore(np.array([[1.0, 0.3], [2.0, 0.1 + 0.2], [3.0, 0.3]]))
    assert found.scores.tolist() == [1, 2, 3]


def test_lower_performance_can_be_better_and_ties_do_not_divide_by_zero() -> None:
    values = np.array([[0.5, 10.0], [0.5, 12.0], [0.25, 20.0]])
    found = dynascore(values, directions=[-1, 1], models=["a", "b", "c"])
    assert np.isfinite(found.scores).all()
    assert found.best_first()[0] == "c"
    assert found.pairs == 1
    assert any("a and b" in each for each in found.warnings)


def test_a_model_without_a_value_is_not_scored_and_nobodys_neighbour() -> None:
    values = np.vstack([HAND, [[62.0, math.nan, 3.0, 91.0, 75.0]]])
    found = dynascore(values, models=["a", "b", "c", "d"], metrics=METRICS)
    assert found.scores[:3].tolist() == dynascore(HAND).scores.tolist()
    assert np.isnan(found.scores[3])
    assert found.not_scored == {"d": "it has no throughput"}
    assert found.by_name.scores["d"] is None
    kept = dynascore(values, weights=[4, 0, 1, 1, 1])
    assert np.isfinite(kept.scores).all()


def test_a_metric_that_makes_up_nearly_all_of_the_scores_is_named() -> None:
    # AMRS is 0.1 / 50, so that 77 examples/s at a weight of 20 % are 7,705 points; accuracy adds 48.
    table = np.array([[85.0, 77.1], [35.0, 77.0]])
    (told,) = dynascore(table, metrics=["accuracy", "throughput"]).warnings
    assert told.startswith("throughput makes up 99.4 % of the scores at a weight of 20 %")
    assert not dynascore(table, metrics=["accuracy", "throughput"], weights=[1, 9]).warnings
    assert not dynascore(np.array([[85.0, 77.1], [35.0, 27.0]])).warnings
    # AMRS is 2: performance itself makes up 91 %, as it should.
    assert not dynascore(np.array([[85.0, 100.0], [35.0, 0.0]])).warnings


def test_without_performance_and_without_pairs_there_is_no_score() -> None:
    found = dynascore(HAND[:1, :2], weights=[0, 1])
    assert np.isnan(found.scores).all()
    assert "no score can be computed" in found.warnings[0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"weights": [0.0] * 5}, "All weights are 0"),
        ({"weights": [4, 1, 1, 1, -1]}, "must be 0 or more"),
        ({"weights": [4, 1]}, "as many weights"),
        ({"directions": [1, 1, 0, 1, 1]}, "is 1 (higher is better) or -1"),
        ({"offsets": [0, 0, math.inf, 0, 0]}, "must be a number"),
    ],
)
def test_bad_settings_are_named(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        dynascore(HAND, **options)
    assert says in str(caught.value)


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(InputError, match="at least one model"):
        dynascore(np.empty((0, 3)))


def test_a_metric_that_hardly_moves_is_set_aside_like_one_that_does_not() -> None:
    table = np.array([[60.0, 0.0401], [70.0, 0.0403], [65.0, 0.0402]])
    options: dict[str, Any] = {"directions": [1, -1], "offsets": [0.0, 32.0]}
    found = dynascore(table, metrics=("accuracy", "memory"), **options)
    assert found.scores.tolist() == [60.0, 70.0, 65.0]
    assert found.amrs[1] == 0
    assert "hardly changes" in found.set_aside["memory"]
    # A hundredth of a GiB between two of them is more than 0.01 % of 32.
    table[1, 1] = 0.0502
    assert dynascore(table, **options).set_aside == {}
