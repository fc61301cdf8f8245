"""`palaver score`: what is printed, what is written, and what is refused."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palaver.cli.statistics.score_command import command
from palaver.core.errors import InputError
from support.dialeval import EXAMPLES, TRUTH, dialogue, examples, prediction, write


def call(*arguments: Any) -> Result:
    result = CliRunner().invoke(command, [str(each) for each in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path / "gold.json", TRUTH)
    write(tmp_path / "pred.json", [prediction(each, tilt=1) for each in TRUTH])
    return tmp_path


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the shared examples are not here")
def test_the_worked_example_as_json(tmp_path: Path) -> None:
    example = examples()["dialogue_level"]
    gold, pred = (
        write(tmp_path / "g.json", example["truth"]),
        write(tmp_path / "p.json", example["pred"]),
    )
    found = json.loads(call("dialeval", "--gold", gold, "--pred", pred, "--json").stdout)
    mean = example["mean"]
    expected = {
        "nd": mean["nugget"],
        "dq": {s: {m: mean["quality"][m][s] for m in ("rsnod", "nmd")} for s in "ASE"},
    }
    assert list(found) == ["nd", "dq", "estimates", "dialogues", "undefined", "missing"]
    assert (found["dialogues"], found["undefined"], found["missing"]) == (2, 0, 0)
    assert found["nd"] == pytest.approx(expected["nd"], abs=1e-9)
    for scale in "ASE":
        assert found["dq"][scale] == pytest.approx(expected["dq"][scale], abs=1e-9)
    logged = json.loads(
        call(
            "dialeval", "--gold", gold, "--pred", pred, "--json", "--neg-log2", "--task", "nd"
        ).stdout
    )
    assert logged.keys() == {"nd", "estimates", "dialogues", "undefined", "missing"}
    assert logged["nd"] == pytest.approx(example["neg_log2_of_mean"], abs=1e-9)


def test_a_table_for_people(files: Path) -> None:
    result = call(
        "dialeval", "--gold", files / "gold.json", "--pred", files / "pred.json", "--neg-log2"
    )
    assert result.stdout.startswith("pred.json: 3 dialogues\n")
    lines = [line for line in result.stdout.splitlines() if line.startswith(("ND ", "DQ "))]
    assert len(lines) == 8
    assert "−log₂ mean" in result.stdout
    assert "Warning" in result.stdout  # three dialogues are few


def test_only_what_the_submission_holds(files: Path) -> None:
    pred = write(
        files / "dq.json",
        [{k: v for k, v in prediction(e).items() if k != "nugget"} for e in TRUTH],
    )
    found = json.loads(
        call("dialeval", "--gold", files / "gold.json", "--pred", pred, "--json").stdout
    )
    assert found.keys() == {"dq", "estimates", "dialogues", "undefined", "missing"}


def test_faults_are_refused_and_leniently_counted(files: Path) -> None:
    entries = [prediction(each) for each in TRUTH[1:]]
    entries[0]["quality"]["A"]["2"] = -1
    pred = write(files / "bad.json", entries)
    arguments = ("dialeval", "--gold", files / "gold.json", "--pred", pred, "--json")
    with pytest.raises(InputError, match=r"(?s)2 faults.*'d1', id.*'d2', quality, 'A', '2'.*-1"):
        call(*arguments)
    result = call(*arguments, "--lenient")
    assert json.loads(result.stdout)["missing"] == 2
    assert "dialogue 'd2', quality, 'A', '2'" in result.stderr


def test_undefined_dialogues_are_shown(files: Path) -> None:
    truth = [*TRUTH, dialogue("mute", "c", ("CNUG", 0, 0, 0))]
    gold = write(files / "more.json", truth)
    pred = write(files / "pred.json", [prediction(each) for each in truth])
    result = call("dialeval", "--gold", gold, "--pred", pred)
    assert "4 dialogues, 1 undefined" in result.stdout
    assert "dialogue 'mute': the helpdesk has no turn" in result.stderr


def test_every_dialogue_in_a_file(files: Path) -> None:
    target = files / "each.csv"
    call(
        "dialeval",
        "--gold",
        files / "gold.json",
        "--pred",
        files / "pred.json",
        "--per-dialogue",
        target,
    )
    with target.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["dialogue"] for row in rows] == ["d1", "d2", "d3"]
    assert 0 < float(rows[0]["rsnod-A"]) < 1


def test_a_baseline_is_scored_and_written(files: Path) -> None:
    target = files / "base.json"
    arguments = ("dialeval", "--gold", files / "gold.json")
    result = call(*arguments, "--baseline", "popularity", "-o", target, "--json")
    assert "oracle" in result.stderr
    again = call(*arguments, "--pred", target, "--json")
    assert json.loads(again.stdout) == json.loads(result.stdout)
    trained = call(
        *arguments,
        "--baseline",
        "popularity-from-training",
        "--training",
        files / "gold.json",
        "--json",
    )
    assert "oracle" not in trained.stderr
    assert json.loads(trained.stdout)["missing"] == 0


def test_a_baseline_for_test_data_without_annotations(files: Path) -> None:
    bare = write(files / "test.json", [{k: e[k] for k in ("id", "turns")} for e in TRUTH])
    target = files / "base.json"
    result = call("dialeval", "--gold", bare, "--baseline", "uniform", "-o", target)
    assert "was not scored" in result.stderr
    assert len(json.loads(target.read_text())) == 3
    with pytest.raises(InputError, match="no annotations"):
        call("dialeval", "--gold", bare, "--baseline", "uniform")


def test_a_submission_for_dialogues_without_labels_is_checked(files: Path) -> None:
    bare = write(files / "test.json", [{k: e[k] for k in ("id", "turns")} for e in TRUTH])
    arguments = ("dialeval", "--gold", bare, "--pred", files / "pred.json")
    result = call(*arguments)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "pred.json: valid, 3 dialogues, ND and DQ.",
    )
    assert "nothing was scored" in result.stdout
    found = json.loads(call(*arguments, "--json").stdout)
    assert (found["valid"], found["items"], found["track"]) == (True, 3, "nd, dq")


def test_faults_of_a_checked_submission_have_their_place(files: Path) -> None:
    entries = [prediction(each) for each in TRUTH]
    entries[0]["quality"]["A"]["2"] = -1
    del entries[2]
    bad = write(files / "bad.json", entries)
    arguments = ("dialeval", "--gold", files / "gold.json", "--pred", bad, "--check")
    result = call(*arguments)
    assert result.exit_code == 1
    assert "bad.json: not valid, 2 problems" in result.stdout
    assert "dialogue 'd3', id: there is no prediction for it." in result.stdout
    as_json = call(*arguments, "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["valid"] is False
    (files / "none.json").write_text("{")
    broken = call(
        "dialeval", "--gold", files / "gold.json", "--pred", files / "none.json", "--check"
    )
    assert broken.exit_code == 1
    assert "is not JSON" in broken.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--baseline", "popularity-from-training"], "needs a training file"),
    ],
)
def test_what_does_not_go_together(
    files: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(files)
    with pytest.raises(InputError, match=message):
        call("dialeval", "--gold", "gold.json", *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "either --pred"),
        (["--pred", "gone.json"], "File 'gone.json' does not exist"),
        (["--pred", "pred.json", "--baseline", "uniform"], "either --pred"),
        (["--pred", "pred.json", "-o", "x.json"], "needs --baseline"),
        (["--baseline", "uniform", "--training", "gold.json"], "--training is for"),
        (["--baseline", "uniform", "--check"], "give it with --pred"),
        (["--pred", "pred.json", "--check", "--per-dialogue", "x.csv"], "none to write"),
    ],
)
def test_usage_errors(
    files: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(files)
    said = CliRunner().invoke(command, ["dialeval", "--gold", "gold.json", *arguments])
    assert said.exit_code == 2
    assert message in said.output


def test_distributions_of_any_labels(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("item,label\na,low\na,low\na,high\nb,middle\n")
    (tmp_path / "pred.jsonl").write_text(
        '{"item": "a", "label": "low", "p": 1}\n{"item": "b", "label": "high", "p": 0.5}\n'
    )
    arguments = [
        "distributions",
        "--gold",
        tmp_path / "gold.csv",
        "--pred",
        tmp_path / "pred.jsonl",
    ]
    arguments += ["--item", "item", "--label", "label", "--prob", "p"]
    ordinal = call(*arguments, "--level", "ordinal", "--labels", "low, middle,high", "--json")
    found = json.loads(ordinal.stdout)
    assert found["labels"] == ["low", "middle", "high"]
    assert found["nmd"]["value"] == pytest.approx((1 / 3 + 0.5) / 2)
    assert (found["items"], found["missing"]) == (2, 0)
    table = call(*arguments, "--level", "nominal", "--per-item", tmp_path / "each.csv")
    assert table.stdout.startswith("pred.jsonl: 2 items, 3 nominal labels")
    assert (tmp_path / "each.csv").read_text().startswith("item,jsd,rnss,reason\na,")
    with pytest.raises(InputError, match="need an order"):
        call(*arguments, "--level", "ordinal")
