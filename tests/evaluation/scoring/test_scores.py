"""Scores of a task's metrics: values, intervals, tags, several fields, reasons."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import sacrebleu
from sklearn.metrics import accuracy_score, f1_score

from palaver.analysis.proportions import wilson_interval
from palaver.core.tasks import Example, MetricChoice, Multiclass, Prob, String, Task
from palaver.evaluation.scoring import Scored, score_choice
from palaver.evaluation.scoring.tags import mean_of_tags
from palaver.metrics import find_metric
from palaver.metrics.sums import FORMS

LABELS = ("hateful", "not-hateful")


def labelled(metric: str = "macro_f1", **changes: Any) -> Task:
    """A task with one label."""
    label = Multiclass(name="label", labels=LABELS)
    known: dict[str, Any] = {
        "name": "hate",
        "title": "Hate",
        "inputs": (String(name="statement"), label),
        "outputs": (label,),
        "gold": {"label": "label"},
        "metrics": (MetricChoice(metric=metric, fields=("label",)),),
    }
    return Task(**(known | changes))


def examples_of(gold: Sequence[Any], tags: Sequence[tuple[str, ...]] = ()) -> list[Example]:
    """Examples with these gold labels and tags."""
    return [
        Example(uid=str(n), values={"statement": "x", "label": each}, tags=tags[n] if tags else ())
        for n, each in enumerate(gold)
    ]


def scored(
    gold: Sequence[Any],
    given: Sequence[str],
    *,
    metric: str = "macro_f1",
    tags: Sequence[tuple[str, ...]] = (),
) -> Scored:
    """The performance of these answers."""
    task = labelled(metric)
    answers = [{"label": each} for each in given]
    return score_choice(task, task.performance, examples_of(gold, tags), answers, by_tag=True)


def random_labels(items: int, seed: int) -> tuple[list[str], list[str]]:
    """Gold labels and answers that are mostly right."""
    dice = np.random.default_rng(seed)
    gold = dice.integers(0, 2, items)
    given = np.where(dice.random(items) < 0.8, gold, 1 - gold)
    return [LABELS[n] for n in gold], [LABELS[n] for n in given]


def test_a_score_has_value_n_and_interval() -> None:
    gold, given = random_labels(400, 1)
    found = scored(gold, given)
    assert found.value == pytest.approx(f1_score(gold, given, average="macro"))
    assert found.n == 400
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high
    # Twice the standard error of a share near 0.8 of 400 is 0.04.
    assert 0.06 < found.interval.high - found.interval.low < 0.10
    assert scored(gold, given).interval == found.interval


def test_a_share_has_wilsons_interval() -> None:
    gold, given = random_labels(50, 2)
    right = sum(a == b for a, b in zip(gold, given, strict=True))
    assert scored(gold, given, metric="accuracy").interval == wilson_interval(right, 50)
    perfect = scored(gold, gold, metric="accuracy")
    assert perfect.value == 1
    assert perfect.interval is not None
    assert perfect.interval.low < 0.95


def test_samples_without_spread_give_no_interval() -> None:
    gold, _ = random_labels(50, 2)
    found = scored(gold, gold)
    assert (found.value, found.interval) == (1.0, None)
    assert found.reason == "every sample of the items has the same value"


def test_the_bootstrap_interval_is_that_of_recomputing() -> None:
    gold, given = random_labels(300, 3)
    found = scored(gold, given)
    dice = np.random.default_rng(9)
    draws = []
    for _ in range(300):
        picks = dice.integers(0, 300, 300)
        draws.append(f1_score([gold[n] for n in picks], [given[n] for n in picks], average="macro"))
    low, high = np.quantile(draws, [0.025, 0.975])
    assert found.interval is not None
    assert found.interval.low == pytest.approx(low, abs=0.02)
    assert found.interval.high == pytest.approx(high, abs=0.02)


def test_rows_and_form_give_the_value() -> None:
    gold, given = random_labels(60, 4)
    found = scored(gold, given)
    assert found.rows is not None
    assert found.form == "macro_f1"
    assert float(FORMS[found.form].value(found.rows.sum(axis=0))) == pytest.approx(found.value)
    kept = found.stored(3)
    assert kept.parts["form"] == "macro_f1"
    assert kept.rows is not None


def test_a_tag_with_one_class_is_undefined_not_half_the_truth() -> None:
    """HateCheck: recall r of one class alone has a macro F1 of r / (1 + r)."""
    gold = ["hateful"] * 100 + ["not-hateful"] * 100
    given = ["hateful"] * 97 + ["not-hateful"] * 3 + ["not-hateful"] * 92 + ["hateful"] * 8
    tags = [(f"Label: {label}", "all") for label in gold]
    found = scored(gold, given, tags=tags)
    assert found.parts["legacy"] == {"perf": 94.5, "pretty_perf": "94.5 %"}
    by_tag = {each["tag"]: each for each in found.parts["perf_by_tag"]}
    hateful = by_tag["Label: hateful"]
    assert (hateful["value"], hateful["low"], hateful["high"]) == (None, None, None)
    assert hateful["reason"] == "all items are of one class, and Macro F1 needs two"
    assert hateful["n"] == 100
    assert hateful["legacy"] == pytest.approx(round(100 * 0.97 / 1.97, 2))
    assert by_tag["all"]["value"] == pytest.approx(found.value)
    assert "reason" not in by_tag["all"]


def test_a_data_set_with_one_class_is_undefined_too() -> None:
    found = scored(["hateful"] * 5, ["hateful"] * 4 + ["not-hateful"])
    assert math.isnan(found.value)
    assert found.reason == "all items are of one class, and Macro F1 needs two"
    assert found.interval is None
    assert found.stored(1).value is None


def test_tags_have_values_and_intervals_of_their_own() -> None:
    gold, given = random_labels(300, 5)
    tags = [
        ("even",) if n % 2 == 0 else ("odd", "odd", "rare") if n < 20 else ("odd",)
        for n in range(300)
    ]
    found = scored(gold, given, tags=tags)
    by_tag = {each["tag"]: each for each in found.parts["perf_by_tag"]}
    assert list(by_tag) == ["even", "odd", "rare"]
    assert [by_tag[tag]["n"] for tag in by_tag] == [150, 150, 10]
    for tag, entry in by_tag.items():
        places = [n for n in range(300) if tag in tags[n]]
        expected = f1_score([gold[n] for n in places], [given[n] for n in places], average="macro")
        assert entry["value"] == pytest.approx(expected)
        assert entry["low"] <= entry["value"] <= entry["high"]
    assert (
        by_tag["rare"]["high"] - by_tag["rare"]["low"]
        > by_tag["odd"]["high"] - by_tag["odd"]["low"]
    )


def test_accuracy_of_a_tag_with_one_class_is_a_number() -> None:
    tags = [("one",)] * 4
    found = scored(["hateful"] * 4, ["hateful"] * 3 + ["not-hateful"], metric="accuracy", tags=tags)
    assert found.parts["perf_by_tag"][0]["value"] == 0.75


def test_several_right_labels() -> None:
    gold = [["hateful", "not-hateful"], "hateful", "hateful"]
    given = ["not-hateful", "hateful", "not-hateful"]
    assert scored(gold, given, metric="accuracy").value == pytest.approx(2 / 3)
    refused = scored(gold, given)
    assert math.isnan(refused.value)
    assert "reference 1 must be a label" in refused.reason


def test_the_mean_over_fields() -> None:
    fields = tuple(Prob(name=name, labels=("a", "b", "c")) for name in "XY")
    task = Task(
        name="t",
        title="T",
        inputs=(String(name="text"), *fields),
        outputs=fields,
        gold={"X": "X", "Y": "Y"},
        metrics=(MetricChoice(metric="nmd", fields=("X", "Y")),),
    )
    dice = np.random.default_rng(1)

    def masses() -> dict[str, float]:
        return dict(zip("abc", dice.dirichlet([1, 1, 1]).tolist(), strict=True))

    examples = [
        Example(uid=str(n), values={"X": masses(), "Y": masses()}, tags=("t",)) for n in range(40)
    ]
    answers = [{"X": masses(), "Y": masses()} for _ in range(40)]
    found = score_choice(task, task.performance, examples, answers, by_tag=True)
    each = {
        name: find_metric("nmd")
        .compute(
            [list(a[name].values()) for a in answers],
            [list(e.values[name].values()) for e in examples],
        )
        .value
        for name in "XY"
    }
    assert found.parts["fields"] == pytest.approx(each)
    assert found.value == pytest.approx(sum(each.values()) / 2)
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high
    assert found.form == "mean"
    assert found.rows is not None
    assert found.rows[:, 0].mean() == pytest.approx(found.value)
    assert found.parts["perf_by_tag"][0]["value"] == pytest.approx(found.value)


def test_an_output_that_was_left_out_has_a_reason() -> None:
    label = Multiclass(name="label", labels=LABELS)
    task = labelled(
        outputs=(label, Prob(name="prob", labels=LABELS)),
        metrics=(MetricChoice(metric="kl_divergence", fields=("prob",)),),
    )
    found = score_choice(task, task.performance, examples_of(["hateful"]), [{"label": "hateful"}])
    assert found.reason == "1 of 1 answers have no 'prob', the first to '0'"


def test_a_metric_that_is_no_sum_is_computed_anew() -> None:
    label = Multiclass(name="label", labels=("0", "1"))
    score = Prob(name="score")
    task = Task(
        name="t",
        title="T",
        inputs=(label,),
        outputs=(score,),
        gold={"score": "label"},
        metrics=(MetricChoice(metric="dataperf_auc", fields=("score",)),),
    )
    dice = np.random.default_rng(3)
    gold = dice.integers(0, 2, 80)
    examples = [
        Example(uid=str(n), values={"label": str(each)}, tags=("first",) if n < 40 else ())
        for n, each in enumerate(gold)
    ]
    answers = [{"score": float(p)} for p in np.clip(gold * 0.3 + dice.random(80) * 0.7, 0, 1)]
    found = score_choice(task, task.performance, examples, answers, by_tag=True)
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high
    assert found.form == ""
    assert found.stored(1).rows is None
    assert found.parts["perf_by_tag"][0]["n"] == 40


def test_versions_change_with_fields_and_options() -> None:
    task = labelled("accuracy")
    examples, answers = examples_of(["hateful"]), [{"label": "hateful"}]
    plain = score_choice(task, task.performance, examples, answers)
    other = MetricChoice(metric="macro_f1", fields=("label",), options={"labels": ["hateful"]})
    assert plain.version.startswith(find_metric("accuracy").version)
    assert (
        score_choice(task, other, examples, answers).version
        != score_choice(
            task, MetricChoice(metric="macro_f1", fields=("label",)), examples, answers
        ).version
    )


def test_a_thousand_tags() -> None:
    gold, given = random_labels(4000, 6)
    found = scored(gold, given, tags=[(f"t{n % 1000}",) for n in range(4000)])
    assert len(found.parts["perf_by_tag"]) == 1000
    assert sum(each["n"] for each in found.parts["perf_by_tag"]) == 4000


def test_accuracy_as_scikit_learn() -> None:
    gold, given = random_labels(100, 7)
    assert scored(gold, given, metric="accuracy").value == pytest.approx(
        accuracy_score(gold, given)
    )


def test_the_mean_over_directions() -> None:
    """The mean over six directions that Dynabench's own test of FLORES states: 28.4617."""
    directions = (28.43, 27.91, 32.46, 24.73, 32.12, 25.12)
    found = mean_of_tags([{"tag": str(n), "value": each} for n, each in enumerate(directions)])
    assert found["value"] == pytest.approx(28.4617, abs=5e-5)
    assert mean_of_tags([{"tag": "a", "value": None}]) == {"value": None, "tags": 0}


def test_text_metrics_by_direction_are_sacrebleus() -> None:
    said = ["the cat sat on a mat", "he went home at noon today", "la maison est rouge", "il va"]
    meant = ["the cat sat on the mat", "he went home at noon", "la maison est verte", "il y va"]
    output = String(name="out")
    task = Task(
        name="t",
        title="T",
        inputs=(String(name="text"), output),
        outputs=(output,),
        gold={"out": "out"},
        metrics=(MetricChoice(metric="chrf_pp", fields=("out",)),),
    )
    examples = [
        Example(uid=str(n), values={"out": each}, tags=("xx-en" if n < 2 else "xx-fr",))
        for n, each in enumerate(meant)
    ]
    found = score_choice(
        task, task.performance, examples, [{"out": each} for each in said], by_tag=True
    )
    assert found.value == sacrebleu.corpus_chrf(said, [meant], word_order=2).score
    halves = [
        sacrebleu.corpus_chrf(said[part], [meant[part]], word_order=2).score
        for part in (slice(0, 2), slice(2, 4))
    ]
    values = [each["value"] for each in found.parts["perf_by_tag"]]
    assert values == pytest.approx(halves)
    assert found.parts["mean_of_tags"]["value"] == pytest.approx(sum(halves) / 2)
    assert found.parts["legacy"]["perf"] == found.value
