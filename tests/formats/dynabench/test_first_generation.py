"""The first generation: a Python table of tasks, read from its syntax and never executed."""

import json
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.evaluation.tasks import task_from_data
from palaver.formats.dynabench import TaskDraft, convert, read_sources

# Built as such files are: a default, changes by task, a function that lays one over the other.
TABLE = """
from machines import machines

default_config = {
    "instance_config": machines["ml.m5.2xlarge"],
    "instance_count": 1,
    "eval_metrics": ["macro_f1", "accuracy"],
    "perf_metric": "macro_f1",
    "delta_metrics": ["fairness", "robustness"],
    "input_keys": ["uid", "statement"],
    "eval_server_id": "default",
}
changes: dict = {
    "nli": {
        "input_keys": ["uid", "context", "hypothesis"],
        "eval_metrics": ["accuracy"],
        "perf_metric": "accuracy",
    },
    "qa": {
        "input_keys": ["uid", "context", "question"],
        "eval_metrics": ["f1"],
        "perf_metric": "f1",
    },
    "flores": {
        "eval_metrics": ["sp_bleu"],
        "perf_metric": "sp_bleu",
        "delta_metrics": [],
        "input_keys": ["uid", "sourceText", "sourceLanguage", "targetLanguage"],
    },
}


def over_default(changed=None):
    raise SystemExit("this must never run")


tasks_config = {
    "default": over_default(),
    "nli": over_default(changes["nli"]),
    "hs": default_config.copy(),
    "sentiment": {**default_config, "instance_count": 2},
    "qa": over_default(changes["qa"]),
    "flores_full": over_default(changes["flores"]) | {"instance_count": 16},
    "flores_small1": over_default(changes["flores"]),
    "poems": dict(default_config, input_keys=["uid", "poem"]),
}
"""
LABELS = {
    "nli": ["entailed", "neutral", "contradictory"],
    "hs": ["not-hateful", "hateful"],
    "sentiment": ["negative", "positive", "neutral"],
}


def drafts(folder: Path, text: str, name: str = "task_config.py") -> dict[str, TaskDraft]:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return {source.name: convert(source) for source in read_sources(file)}


def test_every_task_of_the_table_becomes_a_task(tmp_path: Path) -> None:
    found = drafts(tmp_path, TABLE)
    assert list(found) == ["nli", "hs", "sentiment", "qa", "flores_full", "flores_small1", "poems"]
    for draft in found.values():
        task_from_data(draft.data, folder="", source=draft.name)


@pytest.mark.parametrize("name", sorted(LABELS))
def test_labels_are_those_of_the_task(tmp_path: Path, name: str) -> None:
    draft = drafts(tmp_path, TABLE)[name]
    task = task_from_data(draft.data, folder="", source=name)
    assert list(task.output("label").labels) == LABELS[name]  # type: ignore[attr-defined]
    assert [each.name for each in task.asked] == (
        ["context", "hypothesis"] if name == "nli" else ["statement"]
    )
    assert task.performance.metric == ("accuracy" if name == "nli" else "macro_f1")
    assert [each.metric for each in task.metrics[1:]] == ([] if name == "nli" else ["accuracy"])
    assert task.deltas == ("fairness", "robustness")


def test_the_f1_of_answers_is_that_of_words(tmp_path: Path) -> None:
    draft = drafts(tmp_path, TABLE)["qa"]
    assert draft.data["perf_metric"] == {"metric": "squad_f1", "fields": ["answer"]}
    assert draft.changed.count("The metric 'f1' is 'squad_f1' here.") == 1


def test_old_codes_are_read(tmp_path: Path) -> None:
    found = drafts(tmp_path, TABLE)
    assert found["nli"].data["codes"]["c"] == "contradictory"
    assert found["hs"].data["codes"]["nothate"] == "not-hateful"
    assert "codes" not in found["sentiment"].data


def test_flores_finds_its_gold(tmp_path: Path) -> None:
    draft = drafts(tmp_path, TABLE)["flores_full"]
    task = task_from_data(draft.data, folder="", source="flores")
    assert task.gold == {"translatedText": "targetText"}
    assert [each.name for each in task.context] == ["sourceLanguage", "targetLanguage"]
    assert any("SentencePiece" in line for line in draft.look_at)
    assert task.deltas == ()


def test_a_task_nobody_knows_says_what_is_to_do(tmp_path: Path) -> None:
    draft = drafts(tmp_path, TABLE)["poems"]
    assert draft.data["output"] == ["label"]
    assert "make it multiclass" in draft.look_at[0]


def test_machines_are_left_out_and_said_so(tmp_path: Path) -> None:
    (line,) = drafts(tmp_path, TABLE)["hs"].left_out
    assert line.startswith("instance_config, instance_count, eval_server_id: machines")


def test_the_oldest_form_has_no_keys(tmp_path: Path) -> None:
    text = """
old = {"instance_count": 1, "eval_metrics": ["accuracy"], "perf_metric": "accuracy"}
tasks_config = {"default": old, "nli": old, "hs": old}
"""
    found = drafts(tmp_path, text)
    task = task_from_data(found["nli"].data, folder="", source="nli")
    assert [each.name for each in task.asked] == ["context", "hypothesis"]
    assert "No 'input_keys': those of 'nli'" in found["nli"].changed[0]


def test_the_same_as_json(tmp_path: Path) -> None:
    table = {"qa": {"input_keys": ["uid", "context", "question"], "perf_metric": "f1"}}
    found = drafts(tmp_path, json.dumps(table), "tasks.json")
    assert found["qa"].data["perf_metric"]["metric"] == "squad_f1"
    alone = drafts(tmp_path, json.dumps(table["qa"]), "qa.json")
    assert alone["qa"].data == found["qa"].data


def test_a_bare_dictionary_is_a_table(tmp_path: Path) -> None:
    text = '{"nli": {"perf_metric": "accuracy", "input_keys": ["uid", "context", "hypothesis"]},}'
    assert list(drafts(tmp_path, text)) == ["nli"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "tasks_config = {'nli': open('x').read()}",
            "task_config.py:1: 'open('x').read()' is not a plain value",
        ),
        ("tasks_config = {'nli': missing}", "the name 'missing' is not defined above"),
        ("a = {}\ntasks_config = {'nli': a['b']}", ":2: 'a['b']' is not defined above"),
        ("tasks_config = {'nli': 1 + 1}", "'1 + 1' is not a plain value"),
        ("tasks_config = 3", "'tasks_config' is not a dictionary of tasks"),
        ("tasks_config = {'nli': 3}", "the task 'nli' is not a dictionary"),
        ("tasks_config = {'nli': {}}", "The configuration has no 'perf_metric'"),
    ],
)
def test_what_would_have_to_be_executed_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        drafts(tmp_path, text)
    assert message in str(refused.value)


def test_the_oldest_files_name_a_function_that_measures(tmp_path: Path) -> None:
    file = tmp_path / "task_config.py"
    file.write_text("""
from helpers import get_accuracy, get_f1 as by_words

default_config = {"instance_type": "ml.m5.xlarge", "eval_fn": get_accuracy}
task_config = {"nli": default_config, "qa": {"eval_fn": by_words}}
""")
    nli, qa = (convert(each) for each in read_sources(file))
    assert nli.data["perf_metric"] == {"metric": "accuracy", "fields": ["label"]}
    assert qa.data["perf_metric"] == {"metric": "squad_f1", "fields": ["answer"]}
    assert not [each for each in nli.left_out if "eval_fn" in each]


# A table that leaves things to its default task, and is changed after it was made.
INHERITING = """
base = {
    "eval_metrics": ["macro_f1"],
    "perf_metric": "macro_f1",
    "delta_metrics": ["fairness", "robustness"],
    "input_keys": ["uid", "statement"],
    "seconds": 9,
}

def over(config=None):
    made = base.copy()
    made.update(config or {})
    return made

tasks_config = {
    "default": base,
    "hs": {},
    "nli": {"input_keys": ["uid", "context", "hypothesis"], "perf_metric": "accuracy"},
    "qa": {"perf_metric": "f1", "input_keys": ["uid", "context", "question"], "delta_metrics": []},
    "sentiment": over(None),
}
tasks_config["nli"]["instance_count"] = 2
tasks_config["sentiment"].update({"delta_metrics": ["robustness"]})
for each in tasks_config.values():
    each["more"] = 1
"""


def test_what_a_task_lacks_is_taken_from_the_default_one_and_said(tmp_path: Path) -> None:
    found = drafts(tmp_path, INHERITING)
    deltas = {name: draft.data.get("delta_metrics") for name, draft in found.items()}
    both = ["fairness", "robustness"]
    assert deltas == {"hs": both, "nli": both, "qa": None, "sentiment": ["robustness"]}
    assert found["hs"].data["perf_metric"]["metric"] == "macro_f1"
    said = "From 'default': eval_metrics, perf_metric, delta_metrics, input_keys and seconds."
    assert said in found["hs"].changed
    assert "From 'default': delta_metrics and seconds." in found["nli"].changed
    assert "'seconds'." in found["nli"].left_out
    for draft in found.values():
        task_from_data(draft.data, folder="", source=draft.name)


def test_a_task_that_says_how_it_is_measured_takes_no_metrics_from_the_default_one(
    tmp_path: Path,
) -> None:
    qa = drafts(tmp_path, INHERITING)["qa"]
    assert "metrics" not in qa.data
    assert "eval_metrics of 'default': the task has perf_metric of its own." in qa.left_out
    old = """
default = {"perf_metric": "macro_f1", "delta_metrics": ["fairness"]}
tasks_config = {"default": default, "nli": {"eval_fn": "get_accuracy"}}
"""
    nli = drafts(tmp_path, old)["nli"]
    assert nli.data["perf_metric"]["metric"] == "accuracy"
    assert nli.data["delta_metrics"] == ["fairness"]


def test_what_is_not_executed_is_named_with_its_line(tmp_path: Path) -> None:
    nli = drafts(tmp_path, INHERITING)["nli"]
    assert nli.look_at[-1] == (
        "Line 24, 'for each in tasks_config.values():': it is not executed. If it changes the "
        "configuration, change the task file."
    )
    assert "'over' is not run: it is taken to lay what it is given over 'base'." in nli.changed
    assert "instance_count: machines of a cloud that is not needed." in nli.left_out


def test_the_default_task_is_inherited_in_json_too(tmp_path: Path) -> None:
    table = {
        "default": {"perf_metric": "macro_f1", "delta_metrics": ["robustness"]},
        "hs": {"instance_count": 1},
    }
    hs = drafts(tmp_path, json.dumps(table), "tasks.json")["hs"]
    assert hs.data["delta_metrics"] == ["robustness"]
    assert hs.changed[-1] == "From 'default': perf_metric and delta_metrics."
