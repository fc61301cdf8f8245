"""`palaver dynascore`: any table of models, and what is wrong with others."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palaver.cli.evaluation.dynascore_command import command
from palaver.core.errors import PalaverError

HAND = """model,perf,eps,mem,fair,rob
a,60,10,4,90,80
b,70,6,8,92,70
c,65,8,2,95,85
"""
MEMORY = ("--direction", "mem=-1", "--offset", "mem=16")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments])


def document(*arguments: object) -> dict[str, Any]:
    said = run(*arguments, "--json")
    assert said.exit_code == 0, (said.output, said.exception)
    found: dict[str, Any] = json.loads(said.stdout)
    return found


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(HAND)
    return path


def test_the_table_worked_by_hand(table: Path) -> None:
    found = document(table, *MEMORY)
    assert found["scores"] == {"c": 57.34375, "b": 56.875, "a": 54.0625}
    assert list(found["scores"]) == ["c", "b", "a"]
    assert found["pairs"] == 2
    assert found["amrs"]["perf"] == 1
    assert found["amrs"]["rob"] == pytest.approx(2)


def test_text_shows_scores_rates_and_pairs(table: Path) -> None:
    said = run(table, *MEMORY).output.splitlines()
    assert said[0].split() == ["model", "Dynascore", "perf", "eps", "mem", "fair", "rob"]
    assert said[1].split()[:2] == ["c", "57.34"]
    assert any(line.startswith("AMRS ") for line in said)
    assert any("2 neighbouring pairs" in line for line in said)


def test_weights_move_scores_and_0_removes(table: Path) -> None:
    alone = document(
        table, *(x for c in ("eps", "mem", "fair", "rob") for x in ("--weight", f"{c}=0"))
    )
    assert alone["scores"] == {"b": 70, "c": 65, "a": 60}
    assert document(table, "--weight", "perf=8")["weights"]["perf"] == pytest.approx(8 / 12)


def test_a_model_without_a_value_is_null_and_said(tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    path.write_text(HAND + "d,62,,3,91,75\n")
    found = document(path)
    assert found["scores"]["d"] is None
    assert found["not_scored"] == {"d": "it has no eps"}


def test_one_model_and_a_constant_metric_have_finite_scores(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("model,perf,same\na,0.6,1\n")
    found = document(path)
    assert found["scores"] == {"a": 0.6}
    assert found["amrs"] == {"perf": 1, "same": None}
    path.write_text("model,perf,same\na,0.6,1\nb,0.7,1\n")
    found = document(path)
    assert found["scores"] == {"b": 0.7, "a": 0.6}
    assert "same is set aside" in found["warnings"][0]


@pytest.mark.parametrize(
    ("content", "arguments", "says"),
    [
        ("name,perf\na,1\n", (), "has no column 'model'"),
        ("model,perf\na,1\na,2\n", (), "has the model 'a' twice"),
        ("model,perf\na,high\n", (), "row 2: the column 'perf' should contain finite numbers"),
        ("model,perf\n", (), "has no models"),
        ("model\na\n", (), "no column beside 'model'"),
        ("", (), "is empty"),
        ("model,perf\n,1\n", (), "the column 'model' is empty"),
        (HAND, ("--weight", "fairr=2"), "no metric 'fairr'. Near: 'fair'"),
        (HAND, ("--weight", "fair=-1"), "must be 0 or more"),
        (HAND, ("--offset", "mem=inf"), "must be a number"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, content: str, arguments: tuple[str, ...], says: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content)
    said = run(path, *arguments)
    assert isinstance(said.exception, PalaverError), said.output
    assert says in str(said.exception)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--weight", "fair"), "--weight takes COLUMN=NUMBER; got 'fair'"),
        (("--weight", "fair=x"), "'x' is not a number"),
        (("--direction", "mem=2"), "a direction must be 1 or -1"),
    ],
)
def test_usage_errors(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(HAND)
    said = run(path, *arguments)
    assert said.exit_code == 2
    assert says in said.output
