"""The third generation: pages with goal, context and user_input."""

from pathlib import Path

import pytest

from palaver.core.tasks import Multiclass, Task
from palaver.evaluation.tasks import task_from_data
from palaver.formats.dynabench import TaskDraft, convert, read_sources

NLI = """
goal:
  type: multioptions
  options: [entailed, neutral, contradictory]
  field_name_for_the_model: label
context:
  type: plain-text
  field_names_for_the_model: {context: context}
user_input:
  - {type: text, placeholder: Write one, field_name_for_the_model: hypothesis}
model_input: {statement: hypothesis}
response_fields: {input_by_user: statement}
model_output: {model_prediction_label: label}
delta_metrics: [{type: fairness}, {type: robustness}]
aggregation_metric: {type: dynascore}
model_wrong_metric: {type: exact_match, reference_names: [label]}
output:
  - name: label
  - {name: prob, type: prob, reference_name: label}
perf_metric: {type: accuracy, reference_name: label}
"""
QA = """
goal: {type: plain-text, text: Ask what fools the model.}
context:
  type: selectable-text
  field_names_for_the_model: {context: context, answer: label}
user_input:
  - {type: text, field_name_for_the_model: question}
model_input: {question: question, context: context}
output:
  - name: answer
  - {name: conf, type: prob, single_prob: true}
perf_metric: {type: squad_f1, reference_name: answer}
model_output: {model_prediction_label: answer}
model_evaluation_metric: {metric_name: string_f1, artifacts: {threshold: 0.3}}
"""
SENTIMENT = NLI.replace("entailed, neutral, contradictory", "negative, positive, neutral").replace(
    "perf_metric: {type: accuracy, reference_name: label}",
    "perf_metric:\n"
    "  - {type: macro_f1, reference_name: label, utility_direction: 1}\n"
    "  - {type: new_accuracy, reference_name: label}\n"
    "  - {type: matthews_correlation, reference_name: label}\n",
)


def draft_of(folder: Path, text: str) -> TaskDraft:
    file = folder / "page.yaml"
    file.write_text(text, encoding="utf-8")
    (source,) = read_sources(file)
    return convert(source)


def task_of(draft: TaskDraft) -> Task:
    return task_from_data(draft.data, folder="", source=draft.name)


def test_nli(tmp_path: Path) -> None:
    draft = draft_of(tmp_path, NLI)
    task = task_of(draft)
    assert [each.name for each in task.context] == ["context"]
    assert [each.name for each in task.asked] == ["context", "hypothesis"]
    labels = ("entailed", "neutral", "contradictory")
    assert task.targets == (Multiclass(name="label", labels=labels),)
    assert task.output("prob").labels == labels  # type: ignore[attr-defined]
    assert task.codes["n"] == "neutral"
    assert task.wrong.kind == "exact_match"
    (line,) = draft.look_at
    assert "models there were sent 'hypothesis' as 'statement'" in line
    assert "'response_fields': only its page needed it." in draft.left_out


def test_qa_takes_the_answer_from_the_context(tmp_path: Path) -> None:
    draft = draft_of(tmp_path, QA)
    task = task_of(draft)
    assert [each.name for each in task.asked] == ["context", "question"]
    assert task.output("answer").kind == "context_string_selection"
    assert task.output("answer").refers_to == ("context",)
    assert task.instructions == "Ask what fools the model."
    assert (task.wrong.kind, task.wrong.threshold) == ("string_f1", 0.3)
    assert any("its page called it 'label'" in line for line in draft.changed)


def test_several_metrics_the_first_ranks(tmp_path: Path) -> None:
    draft = draft_of(tmp_path, SENTIMENT)
    task = task_of(draft)
    assert [each.metric for each in task.metrics] == ["macro_f1", "accuracy", "mcc"]
    assert "The metric 'new_accuracy' is 'accuracy' here." in draft.changed
    assert any("'utility_direction': the metric knows it" in line for line in draft.left_out)


@pytest.mark.parametrize("direction", [-1, "-1"])
def test_a_direction_that_contradicts_is_pointed_out(tmp_path: Path, direction: object) -> None:
    draft = draft_of(tmp_path, SENTIMENT.replace("direction: 1", f"direction: {direction!r}"))
    assert any("'utility_direction: -1' contradicts the metric" in each for each in draft.look_at)


def test_a_page_without_an_output_answers_what_it_predicts(tmp_path: Path) -> None:
    text = """
goal: {type: multioptions, options: ["0", "1"], field_name_for_the_model: label}
context: {type: image-viewer, field_names_for_the_model: {image: picture}}
user_input: [{type: text, field_name_for_the_model: statement}]
model_output: {model_prediction_label: label}
perf_metric: {type: f1, reference_name: label}
required_fields: [statement]
"""
    draft = draft_of(tmp_path, text)
    task = task_of(draft)
    assert task.context[0].kind == "image"
    assert task.context[0].name == "picture"
    assert task.performance.options == {"positive": "1"}
    assert [each.name for each in task.outputs] == ["label"]
    assert "'required_fields': only its page needed it." in draft.left_out


def test_the_class_that_f1_looks_for_must_be_said(tmp_path: Path) -> None:
    text = NLI.replace("type: accuracy", "type: f1")
    assert any(
        "Set the class that 'f1' looks for" in line for line in draft_of(tmp_path, text).look_at
    )
