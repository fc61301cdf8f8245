"""The task file: what it says, what is wrong with it and where, and that it can be written again."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError, StudyError
from palaver.core.tasks import MetricChoice, WrongRule
from palaver.evaluation.tasks import load_task, task_data, task_digest, task_from_data
from palaver.evaluation.tasks.definition import task_yaml, trusted_task
from palaver.formats.marked_yaml import parse_marked

TASK = """\
name: verdicts
title: Verdicts
context:
  - {name: passage, type: string}
input:
  - {name: claim, type: string, title: the claim}
  - {name: verdict, type: multiclass, labels: [right, wrong]}
output:
  - verdict
  - {name: prob, type: prob, labels: [right, wrong]}
perf_metric: accuracy
metrics:
  - {metric: f1, options: {positive: right}, name: f1_right}
delta_metrics: [fairness]
aggregation:
  weights: {accuracy: 5, memory: 0}
model_wrong: exact_match
codes: {r: right}
perturb: [claim]
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "task.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_becomes_a_task(tmp_path: Path) -> None:
    task = load_task(write(tmp_path, TASK))
    assert task.name == "verdicts"
    assert [each.name for each in task.asked] == ["passage", "claim"]
    assert task.gold == {"verdict": "verdict"}
    assert task.metrics == (
        MetricChoice(metric="accuracy", fields=("verdict",)),
        MetricChoice(
            metric="f1", fields=("verdict",), options={"positive": "right"}, name="f1_right"
        ),
    )
    assert task.wrong == WrongRule(kind="exact_match", fields=("verdict",))
    assert task.weights == {"accuracy": 5, "memory": 0}
    assert task.deltas == ("fairness",)
    assert task.folder == str(tmp_path)


def test_what_is_written_can_be_read_again(tmp_path: Path) -> None:
    task = load_task(write(tmp_path, TASK))
    data = task_data(task)
    assert task_from_data(data, folder=task.folder, source="again") == task
    assert trusted_task(data, folder=task.folder) == task
    assert load_task(write(tmp_path, task_yaml(data))) == task
    assert task_digest(load_task(write(tmp_path, task_yaml(data)))) == task_digest(task)


WRONG: list[tuple[str, str, str]] = [
    ("title: Verdicts", "titel: Verdicts", "2:1: Unknown key 'titel'. Near: 'title'."),
    ("name: verdicts", "name: 17", "1:7: 'name' takes text; got 17. Put it in quotes."),
    ("name: verdicts", 'name: "17"', "1:7: 'name' takes lower-case letters, digits"),
    (
        "type: string}\ninput",
        "type: strin}\ninput",
        "4:27: No kind of field 'strin'. Near: 'string'",
    ),
    ("name: claim", "name: uid", "6:12: The name 'uid' is reserved in records"),
    ("name: claim", "name: passage", "6:5: The field 'passage' is listed twice."),
    ("labels: [right, wrong]}\noutput", "labels: [right]}\noutput", "two labels or more"),
    (
        "labels: [right, wrong]}\noutput",
        "label: [right]}\noutput",
        "Unknown key 'label'. Near: 'labels'",
    ),
    (
        "labels: [right, wrong]}\noutput",
        "labels: [right, 1]}\noutput",
        "7:55: Entry 2 of 'labels' takes text; got 1.",
    ),
    (", labels: [right, wrong]}\noutput", "}\noutput", "7:5: The field 'verdict' needs 'labels'."),
    (
        "  - verdict\n",
        "  - verdikt\n",
        "9:5: There is no input or context 'verdikt'. Near: 'verdict'.",
    ),
    ("  - verdict\n", "  - {name: verdict, type: string}\n", "differs from the input of that name"),
    (
        "perf_metric: accuracy",
        "perf_metric: acuracy",
        "11:14: No metric 'acuracy'. Near: 'accuracy'",
    ),
    ("perf_metric: accuracy", "perf_metric: nmd", "takes a list of two or more masses"),
    (
        "perf_metric: accuracy",
        "perf_metric: {metric: accuracy, fields: prob}",
        "the output 'prob' is prob.",
    ),
    (
        "perf_metric: accuracy",
        "perf_metric: {metric: accuracy, fields: [x]}",
        "There is no output 'x'.",
    ),
    ("perf_metric: accuracy\n", "", "'perf_metric' is missing."),
    (
        "{positive: right}",
        "{positiv: right}",
        "13:28: Metric 'f1' has no option 'positiv'. Near: 'positive'.",
    ),
    ("name: f1_right", "name: accuracy", "The metric 'accuracy' is listed twice."),
    ("name: f1_right", "name: memory", "The name 'memory' is taken"),
    (
        "[fairness]",
        "[fairnes]",
        "14:17: Entry 1 of 'delta_metrics' takes 'fairness', 'robustness' or",
    ),
    (
        "memory: 0",
        "memori: 0",
        "16:26: 'weights' names 'memori', which is not a column of the board.",
    ),
    ("memory: 0", "memory: -1", "'memory' takes 0 or more; got -1."),
    ("accuracy: 5, memory: 0", "accuracy: 0", "Every weight is 0."),
    (
        "exact_match",
        "exact",
        "17:14: 'rule' takes 'exact_match', 'string_f1' or 'ask_user'; got 'exact'.",
    ),
    ("exact_match", "{rule: exact_match, fields: [prob]}", "'model_wrong' compares 'prob'"),
    (
        "{r: right}",
        "{r: rigth}",
        "18:12: The code 'r' stands for 'rigth', which is not a label. Near: 'right'",
    ),
    ("{r: right}", "{wrong: right}", "'wrong' is a label itself"),
    (
        "perturb: [claim]",
        "perturb: [verdict]",
        "'perturb' names 'verdict', which is not sent to models.",
    ),
    ("perturb: [claim]", "function: nothing_here:run", "There is no file"),
    ("perturb: [claim]", "function: nothing", "'function' takes 'module:function'; got 'nothing'."),
    ("perturb: [claim]", "gold: {verdikt: x}", "'gold' names the output 'verdikt'"),
    ("perturb: [claim]", "gold: {verdict: tags}", "'tags' is reserved"),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
def test_a_problem_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in TASK
    file = write(tmp_path, TASK.replace(old, new))
    with pytest.raises(StudyError) as refused:
        load_task(file)
    assert message in str(refused.value.problems[0])


def test_a_reference_that_leads_nowhere(tmp_path: Path) -> None:
    text = TASK.replace("type: string, title: the claim", "type: string").replace(
        "  - {name: prob, type: prob, labels: [right, wrong]}",
        "  - {name: why, type: context_string_selection, reference: pasage}",
    )
    with pytest.raises(
        StudyError, match=r"10:\d+: Field 'why' refers to 'pasage', which is not a field"
    ):
        load_task(write(tmp_path, text))


def test_a_metric_that_needs_gold_where_there_is_none(tmp_path: Path) -> None:
    text = "name: t\ninput: [{name: a, type: string}]\noutput: [{name: b, type: string}]\n"
    with pytest.raises(StudyError, match="Metric 'bleu' needs gold, but 'b' has none"):
        load_task(write(tmp_path, text + "perf_metric: bleu\n"))
    task = load_task(write(tmp_path, text + "perf_metric: distinct_2\n"))
    assert task.performance.fields == ("b",)
    assert task.gold == {}
    held = load_task(write(tmp_path, text + "perf_metric: bleu\ngold: {b: right}\n"))
    assert held.gold == {"b": "right"}


def test_a_task_where_a_model_is_sent_nothing(tmp_path: Path) -> None:
    text = "name: t\ninput: [{name: a, type: string}]\noutput: [a]\nperf_metric: bleu\n"
    with pytest.raises(StudyError, match="a model would be sent nothing"):
        load_task(write(tmp_path, text))


def test_a_mean_over_all_targets_unless_fields_are_named(tmp_path: Path) -> None:
    prob = "type: prob, labels: [x, y]"
    text = (
        f"name: t\ninput: [{{name: q, type: string}}, {{name: A, {prob}}}, {{name: B, {prob}}}]\n"
    )
    task = load_task(write(tmp_path, text + "output: [A, B]\nperf_metric: jsd\n"))
    assert task.performance.fields == ("A", "B")


def test_python_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def polite(predictions, references):\n    return 1.0\n\n"
        "def evaluate(examples, answers):\n    return 0.5\n"
    )
    text = TASK.replace("perf_metric: accuracy", "perf_metric: mine:polite")
    text = text.replace("{accuracy: 5, memory: 0}", '{"mine:polite": 1}')
    task = load_task(write(tmp_path, text + "function: mine:evaluate\n"))
    assert task.performance.metric == "mine:polite"
    assert task.function == "mine:evaluate"
    with pytest.raises(StudyError, match=r"'mine' has no function 'evaluat'\. Near: 'evaluate'"):
        load_task(write(tmp_path, text + "function: mine:evaluat\n"))


def test_several_problems_are_told_at_once(tmp_path: Path) -> None:
    text = TASK.replace("acc", "akk").replace("{r: right}", "{r: rite}")
    with pytest.raises(StudyError) as refused:
        load_task(write(tmp_path, text))
    assert [problem.line for problem in refused.value.problems] == [11, 18]


def test_problems_about_data_name_their_source() -> None:
    with pytest.raises(StudyError, match="stored: 'input' is missing"):
        task_from_data({"name": "x"}, folder="", source="stored")


def test_a_stored_task_whose_kind_of_field_is_gone() -> None:
    data = {
        "name": "x",
        "input": [{"name": "a", "type": "hologram"}],
        "output": [{"name": "b", "type": "string"}],
        "perf_metric": "distinct_1",
    }
    with pytest.raises(InputError, match="Task 'x': No kind of field 'hologram'"):
        trusted_task(data, folder="")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="Cannot be read"):
        load_task(tmp_path / "none.yaml")


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=30)


@settings(max_examples=50, deadline=None)
@given(
    title=TEXTS,
    about=TEXTS,
    labels=st.lists(TEXTS.filter(bool), min_size=2, max_size=4, unique=True),
)
def test_any_words_survive_the_file(title: str, about: str, labels: list[str]) -> None:
    data: dict[str, Any] = {
        "name": "t",
        "title": title,
        "about": f"{about}x\nand more",
        "input": [
            {"name": "q", "type": "string"},
            {"name": "a", "type": "multiclass", "labels": labels},
        ],
        "output": ["a"],
        "perf_metric": "accuracy",
    }
    read = parse_marked(task_yaml(data).encode(), file="t.yaml").data
    assert read["input"] == data["input"]
    assert read["title"] == title
    assert read["about"].split() == data["about"].split()
