"""`palaver import dynabench`: from a configuration to a task file, and into a home."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palaver.cli.study.import_dynabench import command
from palaver.core.errors import AnswerError, InputError
from palaver.evaluation.tasks import load_task
from palaver.storage import Store
from palaver.storage.evaluation.tasks import list_tasks

TABLE = """
default_config = {"eval_metrics": ["macro_f1"], "perf_metric": "macro_f1"}
tasks_config = {"default": default_config, "hs": default_config, "sentiment": default_config}
"""
CONFIG = {
    "perf_metric": {"type": "accuracy", "reference_name": "label"},
    "input": [
        {"name": "text", "type": "string"},
        {"name": "label", "type": "multiclass", "labels": ["not-hateful", "hateful"]},
    ],
    "output": [{"name": "label"}],
    "metadata": {"create": []},
    "surprise": True,
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("PALAVER_DATABASE_URL", "PALAVER_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "task_config.py").write_text(TABLE)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))


def imported(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def test_a_configuration_becomes_a_task_file() -> None:
    said = imported("config.json", "--name", "hate", "-o", "tasks/hate.yaml").output
    assert said.startswith("hate: written to tasks/hate.yaml\n")
    assert "  - Old codes of labels are read as well: nothate, nohate, hate." in said
    assert "  - 'surprise'." in said
    assert "It passes the check. Next:\n\n  palaver task add tasks/hate.yaml" in said
    task = load_task(Path("tasks/hate.yaml"))
    assert task.name == "hate"
    assert task.codes["hate"] == "hateful"


def test_a_table_becomes_a_file_each() -> None:
    said = imported("task_config.py", "-o", "out").output
    assert "hs: written to out/hs.yaml" in said
    assert load_task(Path("out/sentiment.yaml")).performance.metric == "macro_f1"
    assert not Path("out/default.yaml").exists()


def test_one_of_several() -> None:
    imported("task_config.py", "--task", "hs", "-o", "mine.yaml")
    assert load_task(Path("mine.yaml")).name == "hs"
    with pytest.raises(InputError, match="has no task 'h'"):
        imported("task_config.py", "--task", "h")
    with pytest.raises(InputError, match="is one file, but there are 2 tasks"):
        imported("task_config.py", "-o", "all.yaml")
    with pytest.raises(InputError, match="--name is for one task"):
        imported("task_config.py", "--name", "x")


def test_straight_into_a_home(tmp_path: Path) -> None:
    said = imported("config.json", "--home", "home").output
    assert "Added to home. Next:\n\n  palaver dataset add config NAME FILE --home home" in said
    assert "palaver task add" not in said
    store = Store(f"sqlite:///{tmp_path / 'home' / 'palaver.db'}")
    try:
        assert [row.name for row in store.read_now(list_tasks)] == ["config"]
    finally:
        store.close()


def test_nothing_is_overwritten_unasked() -> None:
    imported("config.json")
    with pytest.raises(InputError, match=r"config\.yaml would be overwritten"):
        imported("config.json")
    assert imported("config.json", "--overwrite").exit_code == 0


def test_a_metric_nobody_knows_is_told_and_the_file_is_written() -> None:
    config = {**CONFIG, "perf_metric": {"type": "vibes", "reference_name": "label"}}
    Path("vibes.json").write_text(json.dumps(config))
    said = imported("vibes.json").output
    assert "No metric 'vibes'." in said
    assert "It does not pass the check yet\n  - vibes.yaml:" in said
    assert "palaver task show vibes.yaml" in said
    assert "vibes" in Path("vibes.yaml").read_text()
    with pytest.raises(InputError, match="Written, but not added"):
        imported("vibes.json", "--overwrite", "--home", "home")


def test_as_json() -> None:
    found: Any = json.loads(imported("config.json", "--json").stdout)
    (one,) = found["tasks"]
    assert one["file"] == "config.yaml"
    assert one["task"]["perf_metric"] == {"metric": "accuracy", "fields": ["label"]}
    assert one["problems"] == []
    assert "'surprise'." in one["left_out"]


def test_a_configuration_that_says_too_little_names_its_file() -> None:
    Path("poor.json").write_text('{"perf_metric": {"type": "accuracy"}}')
    with pytest.raises(InputError, match=r"poor\.json, task 'poor': .* has no 'output'"):
        imported("poor.json")
    assert not Path("poor.yaml").exists()


MODULE = """
from dynalab.tasks.common import BaseTaskIO

data = [{"uid": "1", "text": "A text."}]


class TaskIO(BaseTaskIO):
    def verify_response(self, response, data):
        assert response["mood"] in {"good", "bad"}
        assert response["mood"] == "good" or "!" in data["text"], "bad moods shout"
"""


def test_a_module_that_says_what_is_answered_becomes_a_task_file_and_is_not_run() -> None:
    Path("moods.py").write_text(f"{MODULE}\nraise SystemExit('this must never run')\n")
    said = imported("moods.py").output
    assert "data: 1 probe" in said
    assert "line 10: response['mood'] == 'good' or '!' in data['text']: no field says this." in (
        " ".join(said.split())
    )
    task = load_task(Path("moods.yaml"))
    assert [each.name for each in task.targets] == ["mood"]
    assert (task.verify, len(task.probes)) == ("", 1)
    assert not Path("moods_check.py").exists()


def test_its_check_is_run_where_the_owner_says_so() -> None:
    Path("moods.py").write_text(MODULE)
    said = imported("moods.py", "--verify", "-o", "tasks").output
    assert "verify_response: run on every answer" in said
    assert sorted(each.name for each in Path("tasks").glob("*.*")) == [
        "moods.py",
        "moods.yaml",
        "moods_check.py",
    ]
    task = load_task(Path("tasks/moods.yaml"))
    assert task.verify == "moods_check:verify"
    example = task.read_example({"uid": "1", "text": "Oh.", "mood": "good"})
    assert task.read_answer({"id": "1", "mood": "good"}, example).values == {"mood": "good"}
    with pytest.raises(AnswerError, match=r"Answer to 1: bad moods shout\."):
        task.read_answer({"id": "1", "mood": "bad"}, example)
    with pytest.raises(InputError, match=r"moods\.yaml, .*moods\.py would be overwritten"):
        imported("moods.py", "--verify", "-o", "tasks")
    # Beside the module itself nothing needs to be copied.
    imported("moods.py", "--verify")
    assert Path("moods.py").read_text() == MODULE


def test_only_a_module_has_a_check() -> None:
    with pytest.raises(InputError, match=r"has 'verify_response'; config\.json has none"):
        imported("config.json", "--verify")
    assert not Path("config.yaml").exists()


def test_the_file_that_dynalab_keeps_of_a_task_is_read() -> None:
    Path(".dynalab").mkdir()
    Path(".dynalab/hate.json").write_text(json.dumps({"config": CONFIG, "task": "hate"}))
    assert imported(".dynalab/hate.json").output.startswith("hate: written to hate.yaml\n")
    assert load_task(Path("hate.yaml")).name == "hate"
