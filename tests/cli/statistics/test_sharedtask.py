"""`palaver sharedtask`: what is printed and written, and what the exit status says."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palaver.cli.statistics import sharedtask_command
from palaver.cli.statistics.sharedtask_command import command
from palaver.core.errors import InputError
from palaver.reports import packaging
from support.dialeval import dialogue, prediction, write

TRUTH = [
    dialogue(f"d{n}", "ch", ("CNUG0 HNUG", n % 3, 1, 0), ("CNUG HNUG*", -n % 3, 0, 1))
    for n in range(12)
]


def call(*arguments: Any) -> Result:
    result = CliRunner().invoke(command, ["dialeval", *(str(each) for each in arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "gold.json", TRUTH)
    for name, tilt in (("A/run0", 0.2), ("B/run0", 30.0)):
        entries = [prediction(each, tilt * (1 + n % 2)) for n, each in enumerate(TRUTH)]
        write(tmp_path / "runs" / name / "sub.json", entries)
    return tmp_path


def test_the_boards_as_text(folder: Path) -> None:
    result = call(
        folder, "--gold", folder / "gold.json", "--trials", 200, "--baseline", "popularity"
    )
    assert result.exit_code == 0
    assert "Nugget detection: 3 runs, 12 dialogues" in result.stdout
    assert "baseline-popularity*" in result.stdout
    assert "* reads the gold data" in result.stdout
    assert "cannot be distinguished" in result.stdout or "leads" in result.stdout


def test_the_boards_as_json_and_files(folder: Path) -> None:
    out = folder / "out"
    result = call(
        folder, "--gold", folder / "gold.json", "--trials", 99, "-o", out, "--json", "--seed", 3
    )
    found = json.loads(result.stdout)
    assert [board["task"] for board in found["boards"]] == ["nd", "dq"]
    assert (found["trials"], found["seed"], found["invalid"]) == (99, 3, [])
    pair = found["boards"][0]["pairs"]["jsd"][0]
    assert pair.keys() == {"a", "b", "difference", "p", "effect"}
    assert pair["p"] >= 1 / 100
    assert (out / "index.html").is_file()
    # What was written there is no team, and the command can be given again.
    again = call(folder, "--gold", folder / "gold.json", "--trials", 99, "--json", "--seed", 3)
    assert json.loads(again.stdout) == found


def test_an_invalid_run_is_listed_and_the_status_is_1(folder: Path) -> None:
    entries = [prediction(each) for each in TRUTH[1:]]
    write(folder / "runs/C/run0/sub.json", entries)
    arguments = (folder, "--gold", folder / "gold.json", "--trials", 99)
    result = call(*arguments)
    assert result.exit_code == 1
    assert "C/run0/sub.json: 1 problems, not scored" in result.stdout
    assert "A-run0" in result.stdout
    lenient = call(*arguments, "--lenient")
    assert lenient.exit_code == 0
    assert "C-run0" in lenient.stdout
    assert "the rest is scored" in lenient.stdout


def test_what_cannot_be_done(folder: Path) -> None:
    with pytest.raises(InputError, match="contains no runs"):
        call(folder / "runs/A/run0", "--gold", folder / "gold.json")
    with pytest.raises(InputError, match="needs a training file"):
        call(folder, "--gold", folder / "gold.json", "--baseline", "popularity-from-training")


def test_where_results_go_is_checked_before_anything_is_computed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*_: Any, **__: Any) -> None:
        raise AssertionError("it was computed all the same")

    monkeypatch.setattr(sharedtask_command, "score_shared_task", computed)
    full = folder / "full"
    full.mkdir()
    (full / "mine.txt").write_text("")
    arguments = (folder, "--gold", folder / "gold.json", "-o")
    with pytest.raises(InputError, match="is not empty"):
        call(*arguments, full)
    with pytest.raises(InputError, match="is not an export"):
        call(*arguments, full, "--overwrite")
    with pytest.raises(InputError, match="does not exist"):
        call(*arguments, folder / "gone" / "out")
    assert call(*arguments, folder / "gold.json").exit_code == 2
    monkeypatch.setattr(packaging.os, "access", lambda _, mode: not mode & os.W_OK)
    with pytest.raises(InputError, match="Nothing can be written in"):
        call(*arguments, folder / "out")


def test_strays_are_printed_and_the_status_is_1(folder: Path) -> None:
    write(folder / "runs/A/forgotten.json", [])
    arguments = (folder, "--gold", folder / "gold.json", "--trials", 20)
    result = call(*arguments)
    assert result.exit_code == 1
    assert "A/forgotten.json lies beside the runs of its team" in result.stdout
    assert call(*arguments, "--lenient").exit_code == 0


def test_options_that_leave_weak_runs_out_are_offered(folder: Path) -> None:
    near = [prediction(each, 0.2 + 0.3 * (n % 2)) for n, each in enumerate(TRUTH)]
    write(folder / "runs/C/run0/sub.json", near)
    write(folder / "teams.yaml", [{"team": "B", "baseline": True}])
    arguments = (folder, "--gold", folder / "gold.json", "--trials", 400)
    result = call(*arguments)
    assert "B-run0†" in result.stdout
    assert "A test without it would tell apart" in result.stdout
    assert "--without-baselines: test the other runs alone." in result.stdout
    without = call(*arguments, "--without-baselines")
    assert "leads; " in without.stdout
    assert "--without-baselines" not in without.stdout
