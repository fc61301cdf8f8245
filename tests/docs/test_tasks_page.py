"""Every key of the task file is in docs/tasks.md with its default, and its example works."""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from palaver.core.tasks import FIELDS, Example
from palaver.evaluation.tasks import builtin_names, builtin_task, load_task
from palaver.evaluation.tasks.entries import (
    RESERVED,
    AggregationEntry,
    FieldEntry,
    MetricEntry,
    TaskEntry,
    WrongEntry,
)

from .reading import CODE, FENCE, own_section, page, rows

PAGE = page("tasks.md")
TABLES: dict[type[BaseModel], str] = {
    TaskEntry: "The file",
    MetricEntry: "Metrics",
    WrongEntry: "model_wrong",
}
BLOCKS = [(language, text) for language, text in FENCE.findall(PAGE)]


def block(language: str, n: int = 0) -> str:
    return [text for kind, text in BLOCKS if kind == language][n]


@pytest.mark.parametrize(("model", "title"), TABLES.items())
def test_the_keys_are_those_of_the_file(model: type[BaseModel], title: str) -> None:
    described = rows(own_section(PAGE, title))
    assert {name for name in described if name in model.model_fields} == set(model.model_fields)
    for name, field in model.model_fields.items():
        assert (described[name][2] == "required") is field.is_required(), name


def test_fields_and_their_kinds() -> None:
    text = own_section(PAGE, "Fields")
    described = rows(text)
    assert set(FieldEntry.model_fields) <= set(described)
    assert {*FIELDS.names(), *FieldEntry.model_fields} == set(described)
    for kind in FIELDS.names():
        several = described[kind][3] == "yes"
        assert FIELDS.get(kind).takes_several is several, kind
    assert set(CODE.findall(described["name"][3])) == RESERVED


def test_weights_are_named() -> None:
    for name in AggregationEntry.model_fields:
        assert f"`{name}`" in own_section(PAGE, "Aggregation")


def test_the_threshold_is_the_one_described() -> None:
    shown = rows(own_section(PAGE, "model_wrong"))["threshold"][2]
    assert float(shown) == WrongEntry.model_fields["threshold"].default


def test_every_built_in_task_is_described() -> None:
    described = rows(own_section(PAGE, "Built-in tasks"))
    assert set(described) == set(builtin_names())
    for name in builtin_names():
        task = builtin_task(name)
        assert described[name][3] == task.performance.metric
        assert described[name][1] == ", ".join(each.name for each in task.asked)
        for each in task.targets:
            assert each.name in described[name][2]


def test_the_worked_task_is_right_and_its_function_runs(tmp_path: Path) -> None:
    (tmp_path / "verdicts.yaml").write_text(block("yaml"), encoding="utf-8")
    (tmp_path / "judging.py").write_text(block("python"), encoding="utf-8")
    task = load_task(tmp_path / "verdicts.yaml")
    record, reply = (json.loads(line) for line in block("json").splitlines())
    example = task.read_example(record)
    answer = task.read_answer(reply, example, strict=True)
    namespace: dict[str, object] = {}
    exec(compile(block("python"), "judging.py", "exec"), namespace)
    evaluate = namespace["evaluate"]
    assert callable(evaluate)
    other = Example(uid="2", values={**example.values, "verdict": "supported"})
    said = evaluate([example, other], [answer.values, answer.values])
    assert said == {"boldness": [True, True], "precision_when_bold": 0.5}


def test_the_weights_shown_are_columns_of_a_board(tmp_path: Path) -> None:
    (tmp_path / "judging.py").write_text(block("python"), encoding="utf-8")
    (tmp_path / "t.yaml").write_text(block("yaml") + block("yaml", 1), encoding="utf-8")
    assert load_task(tmp_path / "t.yaml").weights["robustness"] == 2
