"""When a model counts as fooled."""

from typing import Any

import pytest

from palaver.evaluation.scoring.answers import model_wrong
from palaver.evaluation.tasks import builtin_task
from palaver.evaluation.tasks.definition import task_from_data

NLI = builtin_task("nli")
QA = builtin_task("qa")
CONTEXT = "the quick brown fox jumps over the lazy dog near a river bank"


def wrong_label(given: str, gold: Any) -> bool | None:
    example = NLI.read_example({"uid": 1, "context": "a", "hypothesis": "b", "label": gold})
    return model_wrong(NLI, NLI.read_answer({"id": 1, "label": given}, example), example)


def test_a_label_that_differs_is_wrong() -> None:
    assert wrong_label("neutral", "entailed") is True
    assert wrong_label("entailed", "entailed") is False
    assert wrong_label("neutral", ["neutral", "contradictory"]) is False
    assert wrong_label("entailed", ["neutral", "contradictory"]) is True


@pytest.mark.parametrize(
    ("given", "gold", "expected"),
    [
        # Articles do not count: {quick, brown, fox} and {fox}: F1 = 2·1/(3+1) = 0.5, not below 0.4.
        ("the quick brown fox", "fox", False),
        # {quick, brown, fox, jumps, over} and {fox}: 2·1/(5+1) = 0.333 < 0.4.
        ("quick brown fox jumps over", "fox", True),
        ("quick brown fox jumps over", ["fox", "brown fox"], False),  # the best: 2·2/(5+2) = 0.57
        ("river", "fox", True),
    ],
)
def test_an_answer_is_wrong_below_the_threshold(given: str, gold: Any, expected: bool) -> None:
    record = {"uid": 1, "context": CONTEXT, "question": "?", "answer": gold}
    example = QA.read_example(record)
    answer = QA.read_answer({"id": 1, "answer": given}, example)
    assert model_wrong(QA, answer, example) is expected


def test_people_are_asked_where_the_task_says_so() -> None:
    task = builtin_task("vqa")
    example = task.read_example(
        {"uid": 1, "image": "a.png", "question": "?", "answers": ["a", "b"]}
    )
    assert model_wrong(task, task.read_answer({"id": 1, "answer": "c"}, example), example) is None


def test_any_field_that_differs_is_enough() -> None:
    labels = {"type": "multilabel", "labels": ["x", "y", "z"]}
    data = {
        "name": "two",
        "input": [
            {"name": "q", "type": "string"},
            {"name": "a", **labels},
            {"name": "b", "type": "string"},
        ],
        "output": ["a", "b"],
        "perf_metric": {"metric": "dataperf_f1", "fields": ["a"]},
        "model_wrong": {"rule": "exact_match", "fields": ["a", "b"]},
    }
    task = task_from_data(data, folder="", source="two")
    example = task.read_example({"uid": 1, "q": "?", "a": ["x", "y"], "b": "yes"})
    same = task.read_answer({"id": 1, "a": ["y", "x"], "b": "yes"}, example)
    other = task.read_answer({"id": 1, "a": ["y", "x"], "b": "no"}, example)
    assert model_wrong(task, same, example) is False
    assert model_wrong(task, other, example) is True
