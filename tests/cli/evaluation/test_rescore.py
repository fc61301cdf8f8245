"""`palaver rescore`: a metric on what old runs have kept."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palaver.cli.evaluation.rescore_command import command
from palaver.core.errors import InputError
from support.scored_home import ScoredHome, scored_home

GOLD = ["not-hateful", "hateful", "hateful", "not-hateful"]
GIVEN = ["not-hateful", "hateful", "not-hateful", "not-hateful"]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScoredHome]:
    """Two models on one data set, one of them with a run that is not done."""
    monkeypatch.chdir(tmp_path)
    database = tmp_path / "home" / "palaver.db"
    database.parent.mkdir()
    with scored_home(tmp_path, f"sqlite:///{database}", "hs") as made:
        made.add(
            "four",
            [{"uid": str(n), "statement": "x", "label": each} for n, each in enumerate(GOLD)],
        )
        for name, given in (("good", GOLD), ("fair", GIVEN)):
            answers = [(str(n), {"label": each}) for n, each in enumerate(given)]
            made.run(made.model(name), "four", answers, state="done")
        made.run(made.model("late"), "four", [("0", {"label": "hateful"})], state="answering")
        yield made


def rescored(house: ScoredHome, *words: str) -> Result:
    """The command in the home."""
    return CliRunner().invoke(command, ["--home", str(house.folder / "home"), *words])


def test_a_table_of_runs(house: ScoredHome) -> None:
    found = rescored(house, "--metric", "mcc", "hs")
    assert found.exit_code == 0
    lines = found.output.splitlines()
    assert " ".join(lines[0].split()) == "model data set mcc [95 % interval] n note"
    assert lines[1].split()[:3] == ["good", "four", "1.0000"]
    assert lines[2].split()[:3] == ["fair", "four", "0.5774"]
    assert lines[-1] == "mcc: 2 runs scored and stored; no model was asked."
    assert "late" not in found.output


def test_json_and_choices(house: ScoredHome) -> None:
    words = ["--metric", "accuracy", "--model", "fair", "--dataset", "four", "--json"]
    found = json.loads(rescored(house, *words).output)
    (row,) = found["scores"]
    assert (row["task"], row["model"], row["value"], row["n"]) == ("hs", "fair", 0.75, 4)
    assert row["interval"][0] < 0.75 < row["interval"][1]


def test_other_options_are_stored_under_another_name(house: ScoredHome) -> None:
    words = ["--metric", "macro_f1", "--option", 'labels=["hateful"]', "--json"]
    found = json.loads(rescored(house, *words).output)
    assert {row["metric"] for row in found["scores"]} == {"macro_f1[labels=['hateful']]"}
    same = json.loads(rescored(house, "--metric", "macro_f1", "--json").output)
    assert {row["metric"] for row in same["scores"]} == {"macro_f1"}


def test_a_metric_of_ones_own(house: ScoredHome) -> None:
    (house.folder / "mine.py").write_text(
        "def unsure(predictions):\n    return 0.5\n", encoding="utf-8"
    )
    found = rescored(house, "--metric", "mine:unsure")
    assert found.output.splitlines()[1].split()[:3] == ["good", "four", "0.5000"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--metric", "mccc"], "No metric 'mccc'. Near: 'mcc'"),
        (
            ["--metric", "mcc", "--model", "god"],
            "No finished run has the model 'god'. Near: 'good'",
        ),
        (["--metric", "mcc", "--dataset", "five"], "No finished run has the data set 'five'"),
        (["--metric", "nmd"], "must be a list of two or more masses"),
        (["--metric", "mcc", "--field", "lable"], "has no output 'lable'; it has label, prob"),
        (["--metric", "mcc", "nlli"], "No task 'nlli' is stored here"),
        (
            ["--metric", "f1", "--option", "posit=1"],
            "None of 2 runs could be scored: Metric 'f1' has no option",
        ),
    ],
)
def test_what_is_wrong_is_said(house: ScoredHome, words: list[str], message: str) -> None:
    found = rescored(house, *words)
    assert found.exit_code == 1
    assert isinstance(found.exception, InputError)
    assert message in str(found.exception)


def test_an_option_without_a_value_is_a_usage_error(house: ScoredHome) -> None:
    found = rescored(house, "--metric", "mcc", "--option", "x")
    assert found.exit_code == 2
    assert "--option takes KEY=VALUE; got 'x'" in found.output
