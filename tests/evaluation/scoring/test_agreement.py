"""Fairness and robustness: agreement of predictions, and the numbers Dynabench would have stored."""

import math
from typing import Any

import pytest

from palaver.core.tasks import (
    ContextStringSelection,
    Example,
    MetricChoice,
    Multiclass,
    Multilabel,
    Prob,
    String,
    Task,
)
from palaver.evaluation.scoring import Scored, agreement

LABELS = ("no", "yes", "maybe")


def task_of(output: Any, metric: str) -> Task:
    """A task with one output."""
    return Task(
        name="t",
        title="T",
        inputs=(String(name="text"), output),
        outputs=(output,),
        gold={output.name: output.name},
        metrics=(MetricChoice(metric=metric, fields=(output.name,)),),
    )


def compared(
    originals: dict[str, Any],
    variants: list[tuple[str, Any]],
    *,
    output: Any = None,
    metric: str = "macro_f1",
) -> Scored:
    """The agreement of predictions by uid with those of (input_id, prediction)."""
    field = output or Multiclass(name="out", labels=LABELS)
    first = [Example(uid=uid, values={}) for uid in originals]
    second = [Example(uid=f"v{n}", values={}, input_id=of) for n, (of, _) in enumerate(variants)]
    return agreement(
        "fairness",
        task_of(field, metric),
        (first, [{"out": each} for each in originals.values()]),
        (second, [{"out": each} for _, each in variants]),
    )


def test_the_share_of_variants_that_agree_is_averaged_over_originals() -> None:
    found = compared(
        {"a": "yes", "b": "no", "c": "yes"},
        [("a", "yes"), ("a", "no"), ("b", "no"), ("x", "no"), ("b", "no"), ("b", "yes")],
    )
    assert found.value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert found.n == 2
    assert found.interval is not None
    assert {key: found.parts[key] for key in found.parts if key != "legacy"} == {
        "originals": 2,
        "originals_without_variants": 1,
        "variants": 5,
        "variants_without_original": 1,
    }
    assert found.rows is not None
    assert found.rows.tolist() == [[0.5, 1], [pytest.approx(2 / 3), 1], [0, 0]]


@pytest.mark.parametrize(
    ("variants", "metric", "value", "legacy"),
    [
        (["yes", "no"], "macro_f1", 1 / 2, 33.33),
        (["yes", "yes", "no"], "macro_f1", 2 / 3, 40.0),
        (["yes", "yes"], "macro_f1", 1.0, 100.0),
        (["yes", "no"], "accuracy", 1 / 2, 50.0),
        (["yes", "no", "maybe"], "macro_f1", 1 / 3, 16.67),
    ],
)
def test_legacy_is_what_dynabench_stored(
    variants: list[str], metric: str, value: float, legacy: float
) -> None:
    found = compared({"a": "yes"}, [("a", each) for each in variants], metric=metric)
    assert found.value == pytest.approx(value)
    assert found.parts["legacy"] == {"fairness": legacy}


def test_legacy_averages_rounded_values_over_originals() -> None:
    found = compared(
        {"a": "yes", "b": "yes"},
        [("a", "yes"), ("a", "no"), ("b", "yes"), ("b", "yes"), ("b", "no")],
    )
    assert found.parts["legacy"] == {"fairness": round((33.33 + 40.0) / 2, 2)}


def test_without_variants_it_is_undefined() -> None:
    found = compared({"a": "yes"}, [("x", "yes")])
    assert math.isnan(found.value)
    assert found.reason == "no original has a variant"
    assert found.parts["variants_without_original"] == 1


@pytest.mark.parametrize(
    ("output", "metric", "before", "after", "value"),
    [
        (String(name="out"), "squad_f1", "The cat!", "cat", 1.0),
        (String(name="out"), "squad_f1", "The cat!", "cats", 0.0),
        (
            ContextStringSelection(name="out", reference="text"),
            "squad_f1",
            "in  May",
            "in May",
            1.0,
        ),
        (Multilabel(name="out", labels=LABELS), "dataperf_f1", ["no", "yes"], ["yes", "no"], 1.0),
        (Multilabel(name="out", labels=LABELS), "dataperf_f1", ["no", "yes"], ["yes"], 0.0),
        (
            Prob(name="out", labels=("a", "b")),
            "jsd",
            {"a": 0.75, "b": 0.25},
            {"a": 0.5, "b": 0.5},
            0.75,
        ),
        (Prob(name="out"), "jsd", 0.9, 0.6, 0.7),
    ],
)
def test_when_predictions_agree(
    output: Any, metric: str, before: Any, after: Any, value: float
) -> None:
    found = compared({"a": before}, [("a", after)], output=output, metric=metric)
    assert found.value == pytest.approx(value)
