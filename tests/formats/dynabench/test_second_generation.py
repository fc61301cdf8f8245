"""The second generation: annotation lists in YAML, in a row, in dynalab's JSON, and its old form."""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, StudyError
from palaver.core.tasks import Prob, Task
from palaver.evaluation.tasks import task_from_data
from palaver.formats.dynabench import TaskDraft, convert, read_sources

NLI_LABELS = ["entailed", "neutral", "contradictory"]


def classification(labels: list[str], text: str, metric: str) -> dict[str, Any]:
    """A configuration as those of nli, hs and sentiment are built."""
    return {
        "aggregation_metric": {"type": "dynascore"},
        "perf_metric": {"type": metric, "reference_name": "label"},
        "delta_metrics": [{"type": "fairness"}, {"type": "robustness"}],
        "model_wrong_metric": {"type": "exact_match", "reference_names": ["label"]},
        "context": [{"name": "context", "type": "string", "placeholder": "Some context"}],
        "input": [
            {"name": text, "type": "string", "placeholder": "Write here"},
            {"name": "label", "type": "multiclass", "labels": labels, "as_goal_message": True},
        ],
        "output": [
            {"name": "label"},
            {"name": "prob", "type": "prob", "reference_name": "label"},
        ],
        "metadata": {
            "create": [{"name": "why", "type": "string", "display_name": "your reason"}],
            "validate": [
                {"name": "corrected_label", "type": "multiclass", "labels": labels},
                {"name": "flag_reason", "type": "string"},
            ],
        },
    }


NLI = classification(NLI_LABELS, "hypothesis", "accuracy")
QA = {
    "goal_message": "ask what the model cannot answer",
    "perf_metric": {"type": "squad_f1", "reference_name": "answer"},
    "delta_metrics": [{"type": "fairness"}, {"type": "robustness"}],
    "model_wrong_metric": {"type": "string_f1", "reference_name": "answer", "threshold": 0.4},
    "context": [{"name": "context", "type": "string"}],
    "input": [
        {"name": "question", "type": "string"},
        {"name": "answer", "type": "context_string_selection", "reference_name": "context"},
    ],
    "output": [{"name": "answer"}, {"name": "conf", "type": "prob", "single_prob": True}],
}
VQA = {
    "perf_metric": {"type": "vqa_accuracy", "reference_name": "answer"},
    "model_wrong_metric": {"type": "ask_user"},
    "context": [{"name": "image", "type": "image", "display_name": "image"}],
    "input": [{"name": "question", "type": "string"}],
    "output": [{"name": "answer", "type": "string"}],
}
FLORES = {
    "perf_metric": {"type": "sp_bleu", "reference_name": "translatedText"},
    "context": [
        {"name": "sourceLanguage", "type": "string"},
        {"name": "targetLanguage", "type": "string"},
    ],
    "input": [
        {"name": "sourceText", "type": "string"},
        {"name": "translatedText", "type": "string"},
    ],
    "output": [{"name": "translatedText"}],
}
DATAPERF = {
    "perf_metric": {"type": "dataperf_f1", "reference_name": "labels"},
    "train_file_metric": {"type": "dataperf", "seeds": [1], "reference_name": "labels"},
    "input": [
        {"name": "image", "type": "image"},
        {"name": "labels", "type": "multilabel", "labels": ["bird", "canoe", "hat", "tea", "x"]},
    ],
    "output": [{"name": "labels"}],
}


def draft_of(folder: Path, content: Any, name: str = "nli.json") -> TaskDraft:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    (source,) = read_sources(file)
    return convert(source)


def task_of(draft: TaskDraft) -> Task:
    return task_from_data(draft.data, folder="", source=draft.name)


def test_nli(tmp_path: Path) -> None:
    draft = draft_of(tmp_path, NLI)
    task = task_of(draft)
    assert task.name == "nli"
    assert [each.name for each in task.asked] == ["context", "hypothesis"]
    assert [each.name for each in task.targets] == ["label"]
    assert task.output("prob") == Prob(name="prob", labels=tuple(NLI_LABELS))
    assert task.performance.metric == "accuracy"
    assert task.deltas == ("fairness", "robustness")
    assert (task.wrong.kind, task.wrong.fields) == ("exact_match", ("label",))
    assert task.codes["e"] == "entailed"
    assert "targets, hidden from models: label" in draft.taken
    assert not draft.look_at


@pytest.mark.parametrize(
    ("labels", "metric"),
    [(["not-hateful", "hateful"], "macro_f1"), (["negative", "positive", "neutral"], "macro_f1")],
)
def test_hs_and_sentiment(tmp_path: Path, labels: list[str], metric: str) -> None:
    config = {**classification(labels, "statement", metric), "content_warning": "Beware."}
    task = task_of(draft_of(tmp_path, config))
    assert task.performance.metric == metric
    assert task.content_warning == "Beware."
    assert [each.name for each in task.asked] == ["context", "statement"]


def test_the_wrong_labels_for_validators_are_pointed_out(tmp_path: Path) -> None:
    config = classification(["negative", "positive", "neutral"], "statement", "macro_f1")
    config["metadata"]["validate"][0]["labels"] = ["negative", "positive", "entailed"]
    (line,) = draft_of(tmp_path, config).look_at
    assert "'corrected_label' offered validators other labels (entailed)" in line


def test_qa(tmp_path: Path) -> None:
    task = task_of(draft_of(tmp_path, QA))
    assert task.output("answer").refers_to == ("context",)
    assert task.output("conf") == Prob(name="conf")
    assert (task.wrong.kind, task.wrong.threshold) == ("string_f1", 0.4)
    assert task.instructions == "ask what the model cannot answer"


def test_vqa_reads_the_answers_of_people(tmp_path: Path) -> None:
    task = task_of(draft_of(tmp_path, VQA))
    assert task.gold == {"answer": "answers"}
    assert task.wrong.kind == "ask_user"
    record = {"uid": 1, "image": "a.png", "question": "?"}
    for key in ("answers", "answer"):
        example = task.read_example({**record, key: ["red", "red"]})
        assert task.gold_of(example, "answer") == ["red", "red"]


def test_flores_finds_its_gold(tmp_path: Path) -> None:
    draft = draft_of(tmp_path, FLORES)
    assert task_of(draft).gold == {"translatedText": "targetText"}
    assert any("is read from 'targetText'" in line for line in draft.changed)


def test_dataperf(tmp_path: Path) -> None:
    draft = draft_of(tmp_path, DATAPERF)
    assert task_of(draft).performance.metric == "dataperf_f1"
    assert any(line.startswith("'train_file_metric'") for line in draft.left_out)


def test_yaml_is_named_by_its_file(tmp_path: Path) -> None:
    text = """
context: []
input:
  - {name: statement, type: string}
  - {name: label, type: multiclass, labels: [yes, no]}
output:
  - name: label
perf_metric: {reference_name: label, type: accuracy}
"""
    draft = draft_of(tmp_path, text, "My Task.yaml")
    assert draft.name == "my-task"
    assert task_of(draft).output("label").labels == ("yes", "no")  # type: ignore[attr-defined]


def test_a_row_that_holds_the_yaml(tmp_path: Path) -> None:
    row = {
        "task_code": "nli",
        "name": "Inference",
        "desc": "Does it follow?",
        "instructions_md": "# Read\n\nthen answer.",
        "config_yaml": json.dumps(NLI),
        "dynalab_threshold": 3,
        "dynalab_hr_diff": 24,
        "hidden": False,
        "instance_type": "ml.m5.2xlarge",
        "cur_round": 3,
    }
    draft = draft_of(tmp_path, row, "row.json")
    task = task_of(draft)
    assert (task.name, task.title, task.about) == ("nli", "Inference", "Does it follow?")
    assert task.instructions.startswith("# Read")
    assert any("palaver task set nli --submissions 3 --hours 24" in each for each in draft.look_at)
    assert any("palaver task set nli --public" in each for each in draft.look_at)
    assert any(each.startswith("instance_type: machines") for each in draft.left_out)
    assert "cur_round: of their site." in draft.left_out


def test_the_file_that_dynalab_keeps(tmp_path: Path) -> None:
    draft = draft_of(tmp_path, {"config": NLI, "task": "nli"}, "x.json")
    assert draft.name == "nli"
    assert draft.data == draft_of(tmp_path, NLI, "nli.json").data


def nested(entry: Any) -> Any:
    """An object in the older form: its arguments under 'constructor_args'."""
    old = {"multiclass": "target_label", "prob": "multiclass_probs"}
    outside = {key: entry[key] for key in ("name", "display_name") if key in entry}
    kind = "conf" if entry.get("single_prob") else old.get(entry["type"], entry["type"])
    inside = {
        key: value
        for key, value in entry.items()
        if key not in ("name", "type", "display_name", "single_prob")
    }
    return {**outside, "type": kind, "constructor_args": inside}


@pytest.mark.parametrize("config", [NLI, QA], ids=["nli", "qa"])
def test_the_older_json_with_constructor_args(tmp_path: Path, config: dict[str, Any]) -> None:
    labelled = {each["name"]: each for each in config["input"]}
    outputs = [labelled.get(each["name"], each) for each in config["output"]]
    older = {
        **config,
        "perf_metric": nested(config["perf_metric"]),
        "model_wrong_metric": nested(config["model_wrong_metric"]),
        "delta_metrics": [nested(each) for each in config["delta_metrics"]],
        "context": [nested(each) for each in config["context"]],
        "input": [nested(each) for each in config["input"]],
        "output": [nested(each) for each in outputs],
        "metadata": {},
    }
    row = {"task_code": "nli", "annotation_config_json": json.dumps(older)}
    draft = draft_of(tmp_path, row, "older.json")
    assert task_of(draft) == task_of(draft_of(tmp_path, config, "nli.json"))
    assert any("the old type" in line for line in draft.changed)


def test_default_weights_that_their_own_check_refused(tmp_path: Path) -> None:
    weights = {"accuracy": 4, "examples_per_second": 1, "memory_utilization": 0, "fairness": 2}
    aggregation = {"type": "dynascore", "default_weights": {**weights, "macro_f1": 1}}
    draft = draft_of(tmp_path, {**NLI, "aggregation_metric": aggregation})
    assert task_of(draft).weights == {"accuracy": 4, "throughput": 1, "memory": 0, "fairness": 2}
    assert any("The weight of 'macro_f1' is left out" in line for line in draft.look_at)


def test_an_unknown_metric_is_a_warning_and_the_task_is_made(tmp_path: Path) -> None:
    config = {**NLI, "perf_metric": {"type": "vibes", "reference_name": "label"}}
    draft = draft_of(tmp_path, config)
    assert draft.data["perf_metric"]["metric"] == "vibes"
    assert any(line.startswith("No metric 'vibes'.") for line in draft.look_at)


def test_what_is_unknown_is_said(tmp_path: Path) -> None:
    config = {
        **NLI,
        "model_wrong_metric": {"type": "gut_feeling"},
        "delta_metrics": [{"type": "charm"}],
        "surprise": 1,
        "context": [{"name": "context", "type": "hologram", "glow": True}],
    }
    draft = draft_of(tmp_path, config)
    said = "\n".join(draft.look_at)
    assert "The rule 'gut_feeling' of model_wrong is not known" in said
    assert "The delta metric 'charm' is not known here." in said
    assert "The type 'hologram' of 'context' is not known; it became a string." in said
    assert "'surprise'." in draft.left_out
    assert "'glow' of the field 'context'." in draft.left_out
    task_of(draft)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "is not a task configuration of Dynabench"),
        ("[3]", "a configuration is a mapping; got int"),
        ("[]", "contains no task"),
        ('{"perf_metric": {"type": "accuracy"}, "input": []}', "has no 'output'"),
        ('{"perf_metric": {"type": "accuracy"}, "input": 3, "output": [1]}', "must be a list"),
        (
            '{"perf_metric": {"type": "accuracy"}, "input": [3], "output": [1]}',
            "Expected an object",
        ),
        ('{"input": [{"type": "string"}], "output": ["x"]}', "A field without 'name'"),
        ('{"config_yaml": "nothing: here", "task_code": "x"}', "(config_yaml) is not a task"),
        ('{"input": [', "nli.json:1:12: Not JSON"),
        ("perf_metric: [", "nli.json:1:15: YAML"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        draft_of(tmp_path, content)
    assert message in str(refused.value)
    if "Not JSON" in message:
        assert isinstance(refused.value, StudyError)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_sources(tmp_path / "x.yaml")
    with pytest.raises(InputError, match="cannot be read"):
        read_sources(tmp_path / "none.yaml")
