"""`palaver board`: a task's models in the terminal, as files, and saved."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from palaver.cli.evaluation.board_command import command
from palaver.core.errors import PalaverError
from palaver.storage import Store
from palaver.storage.evaluation.datasets import register_dataset
from palaver.storage.evaluation.tasks import find_task
from support.databases import new_sqlite
from support.dynaboards import NOW, Lab, bare, labels

WORDS = ["entailed", "neutral", "contradictory"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("PALAVER_DATABASE_URL", "PALAVER_HOME"):
        monkeypatch.delenv(name, raising=False)
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    lab = Lab(store)
    dice = np.random.default_rng(0)
    gold = dice.choice(WORDS, 50)
    dataset = lab.dataset("snli", 50)
    for name, skill in {"ann": 0.95, "bob": 0.6, "cat": 0.2}.items():
        run = lab.run(lab.model(name, published=name != "cat"), dataset, 50)
        given = np.where(dice.random(50) < skill, gold, dice.choice(WORDS, 50))
        lab.score(
            run,
            labels(run.id, "accuracy", given.tolist(), gold.tolist()),
            bare(run.id, "throughput", 10 + skill),
        )
    lab.run(lab.model("dan"), dataset, 50, state="failed", reason="no answer in 30 s")
    store.close()
    return tmp_path


def board(home: Path, *arguments: object) -> Result:
    return CliRunner().invoke(command, ["nli", "--home", str(home), *map(str, arguments)])


def document(home: Path, *arguments: object) -> dict[str, Any]:
    said = board(home, *arguments, "--json")
    assert said.exit_code == 0, (said.output, said.exception)
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def refused(home: Path, *arguments: object) -> str:
    said = board(home, *arguments)
    assert isinstance(said.exception, PalaverError), said.output
    return str(said.exception)


def test_the_board_says_who_leads_how_sure_that_is_and_who_is_missing(home: Path) -> None:
    said = board(home, "--draws", 300).output
    assert "ann" in said.splitlines()[0]
    assert "cat (unpublished)" in said
    assert "dan: snli failed (no answer in 30 s)" in said
    assert "AMRS" in said
    assert "2 neighbouring pairs" in said
    assert "snli (50 items, weight 100 %)" in said


def test_json_holds_intervals_on_everything(home: Path) -> None:
    found = document(home, "--draws", 300)
    best = found["models"][0]
    assert best["rank_interval"][0] == 1
    low, high = best["dynascore"]["interval"]
    assert low < best["dynascore"]["value"] < high
    cell = best["scores"]["snli"]["accuracy"]
    assert cell["n"] == 50
    assert cell["interval"][0] < cell["value"] < cell["interval"][1]
    assert found["not_ranked"][0]["name"] == "dan"


def test_the_same_seed_says_the_same(home: Path) -> None:
    assert document(home, "--draws", 100) == document(home, "--draws", 100)
    assert document(home, "--draws", 100) != document(home, "--draws", 100, "--seed", 2)


def test_tables_are_written(home: Path) -> None:
    sheet, paper = home / "out" / "board.csv", home / "out" / "board.tex"
    said = board(home, "--draws", 50, "--csv", sheet, "--latex", paper)
    assert str(sheet) in said.output
    rows = list(csv.DictReader(sheet.open()))
    assert [row["model"] for row in rows] == ["ann", "bob", "cat", "dan"]
    assert float(rows[0]["snli: Accuracy"]) > float(rows[2]["snli: Accuracy"])
    assert "no answer in 30 s" in rows[3]["not ranked because"]
    assert r"\begin{tabular}" in paper.read_text()


def test_a_fork_keeps_weights_and_a_snapshot_everything(home: Path) -> None:
    said = board(home, "--draws", 50, "--weight", "throughput=3", "--fork", "fast").output
    assert "palaver board nli --saved 'fast'" in said
    forked = document(home, "--draws", 50, "--saved", "fast")
    assert [each["weight"] for each in forked["metrics"]] == [4, 3]
    frozen = document(home, "--draws", 50, "--snapshot", "then")
    again = document(home, "--saved", frozen["saved"]["key"])
    assert again["models"] == frozen["models"]
    assert "cat" not in [each["name"] for each in again["models"]]
    assert "is a snapshot" in refused(home, "--saved", "then", "--weight", "throughput=1")
    assert "already" in refused(home, "--draws", 0, "--fork", "then")


def test_a_board_of_a_round(home: Path) -> None:
    assert refused(home, "--round", 2) == (
        "No scoring data set is of round 2, nor of any other. To say of which round one is: palaver "
        "dataset set TASK NAME --round N."
    )
    store = Store(f"sqlite:///{home / 'palaver.db'}")
    store.write_now(
        lambda c: register_dataset(c, task_id=find_task(c, "nli").id, name="snli", now=NOW, round=2)
    )
    store.close()
    assert "Some data sets are of round 2: --round N shows the board of one." in board(home).output
    said = board(home, "--round", 2).output
    assert said.startswith("Natural language inference, round 2: ann leads")
    assert "--round N" not in said
    found = document(home, "--round", 2, "--fork", "second")
    assert (found["round"], found["rounds"], found["saved"]["weights"]["round"]) == (2, [2], 2)
    assert document(home, "--saved", "second")["round"] == 2
    assert refused(home, "--round", 3) == (
        "No scoring data set is of round 3. There are some of round 2."
    )
    board(home, "--draws", 0, "--snapshot", "then")
    assert "--round cannot be used with it" in refused(home, "--saved", "then", "--round", 2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--weight", "speed=1"), "no metric 'speed'"),
        (("--dataset-weight", "mnli=1"), "no data set 'mnli'"),
        (("--saved", "nothing"), "No saved board 'nothing'"),
    ],
)
def test_what_is_wrong_is_said(home: Path, arguments: tuple[str, ...], says: str) -> None:
    assert says in refused(home, *arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--weight", "throughput"), "--weight takes NAME=NUMBER"),
        (("--fork", "a", "--snapshot", "b"), "cannot be combined"),
        (("--draws", "-1"), "--draws must be 0 or more"),
    ],
)
def test_usage_errors(home: Path, arguments: tuple[str, ...], says: str) -> None:
    said = CliRunner().invoke(command, ["nli", "--home", str(home), *arguments])
    assert said.exit_code == 2
    assert says in said.output


def test_an_unknown_task_and_an_empty_home_are_named(home: Path, tmp_path: Path) -> None:
    said = CliRunner().invoke(command, ["nil", "--home", str(home)])
    assert "No task 'nil' is stored here. Near: 'nli'" in str(said.exception)
    said = CliRunner().invoke(command, ["nli", "--home", str(tmp_path / "empty")])
    assert "Nothing is stored at" in str(said.exception)
