"""`palaver task`: list, show, init, add, set."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palaver.cli.evaluation.task_command import command
from palaver.core.errors import InputError, StudyError, UnknownNameError
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation.tasks import builtin_names


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command runs in an empty folder, with no home set."""
    monkeypatch.chdir(tmp_path)
    for name in ("PALAVER_DATABASE_URL", "PALAVER_HOME"):
        monkeypatch.delenv(name, raising=False)


def task(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def document(*arguments: str) -> Any:
    said = task(*arguments, "--json")
    assert said.exit_code == 0
    return json.loads(said.stdout)


def test_the_list_names_what_is_built_in_and_stores_nothing(tmp_path: Path) -> None:
    said = task("list").output
    for name in builtin_names():
        assert f"\n{name} " in f"\n{said}"
    assert not list(tmp_path.iterdir())


def test_a_task_of_ones_own_from_the_first_line_to_the_store(tmp_path: Path) -> None:
    assert "wrote verdicts.yaml" in task("init", "verdicts").output
    shown = task("show", "verdicts.yaml").output
    assert "The file is valid. To store it: palaver task add verdicts.yaml" in shown
    added = task("add", "verdicts.yaml").output
    assert added.startswith("Task 'verdicts' is stored in ")
    assert "palaver dataset add verdicts NAME FILE" in added
    assert "is already stored in" in task("add", "verdicts.yaml").output
    (found,) = [each for each in document("list")["tasks"] if each["name"] == "verdicts"]
    assert found["stored"] is True
    text = Path("verdicts.yaml").read_text().replace("perf_metric: accuracy", "perf_metric: mcc")
    Path("verdicts.yaml").write_text(text)
    assert "has changed: perf_metric" in task("add", "verdicts.yaml").output


def test_a_built_in_task_under_a_new_name() -> None:
    task("init", "my-nli", "--from", "nli", "-o", "tasks/mine.yaml")
    assert document("show", "tasks/mine.yaml")["name"] == "my-nli"


def test_nothing_is_overwritten() -> None:
    task("init", "one")
    with pytest.raises(InputError, match=r"one\.yaml would be overwritten"):
        task("init", "one")
    with pytest.raises(StudyError, match="'name' takes lower-case letters"):
        task("init", "Not A Name", "-o", "two.yaml")
    assert not Path("two.yaml").exists()


def test_show_says_what_a_stranger_must_know() -> None:
    said = task("show", "qa").output
    assert "context_string_selection  reference context; gold in 'answer'" in said
    assert "squad_f1           SQuAD F1 of answer; higher is better; it ranks" in said
    assert "A model is wrong by: string_f1 of answer below 0.4" in said
    assert '{"id": "1", "answer": "Some words", "conf": 0.5}' in said


def test_show_as_json() -> None:
    found = document("show", "vqa")
    assert found["asked"] == ["image", "question"]
    assert found["targets"] == ["answer"]
    assert len(found["example_record"]["answers"]) == 2
    assert found["policy"] is None


@pytest.mark.parametrize("name", builtin_names())
def test_every_built_in_task_can_be_shown(name: str) -> None:
    assert task("show", name).exit_code == 0


def test_an_unknown_task() -> None:
    with pytest.raises(UnknownNameError, match=r"No task 'nlj' is built in\. Near: 'nli'"):
        task("show", "nlj")


def test_a_file_with_problems_names_them() -> None:
    Path("bad.yaml").write_text("name: x\ninput: []\n")
    with pytest.raises(StudyError, match=r"bad\.yaml:2:1: 'input' is empty"):
        task("add", "bad.yaml")
    with pytest.raises(StudyError, match="'perf_metric' is missing"):
        task("show", "bad.yaml")
    assert not Path("palaver.db").exists()


def test_the_owner_decides() -> None:
    Path("terms.md").write_text("Be honest.\n", encoding="utf-8")
    said = task(
        "set", "nli", "--public", "--terms", "terms.md", "--submissions", "5", "--hours", "12"
    ).output
    assert (
        "its board is public; 5 submissions per team in 12 hours; submitters accept terms" in said
    )
    task("set", "nli", "--private")
    assert document("show", "nli")["policy"] == {
        "public": False,
        "terms": "Be honest.",
        "most_submissions": 5,
        "submission_hours": 12.0,
        "terms_digest": terms_digest("Be honest."),
    }
    assert document("set", "nli", "--submissions", "0")["policy"]["most_submissions"] == 0


def test_set_without_anything_to_set() -> None:
    said = CliRunner().invoke(command, ["set", "nli"])
    assert said.exit_code != 0
    assert "Nothing to set. Give --public" in said.output


def test_another_home(tmp_path: Path) -> None:
    task("init", "one")
    said = task("add", "one.yaml", "--home", "elsewhere").output
    assert "palaver dataset add one NAME FILE --home elsewhere" in said
    assert (tmp_path / "elsewhere" / "palaver.db").exists()
