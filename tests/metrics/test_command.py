"""`palaver metrics`: the list, one metric in full, and the score of files."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palaver.cli.statistics.metrics_command import command
from palaver.core.errors import InputError, PalaverError
from palaver.core.serial import plain
from palaver.metrics import METRICS, find_metric


def run(*arguments: str) -> Result:
    """The command with these arguments; errors of ours go through."""
    result = CliRunner().invoke(command, list(arguments))
    if isinstance(result.exception, PalaverError):
        raise result.exception
    return result


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Predictions and references."""
    said, meant = tmp_path / "p.txt", tmp_path / "r.txt"
    said.write_text("yes\nno\nmaybe\n")
    meant.write_text("yes\nyes\nno\n")
    return str(said), str(meant)


def test_the_list_has_every_metric() -> None:
    head, *lines = run().output.partition("\n\n")[0].splitlines()
    assert head.split() == ["metric", "family", "better", "range", "title"]
    families = {line.split()[0]: line.split()[1] for line in lines}
    assert set(families) == set(METRICS.names())
    assert list(dict.fromkeys(families.values())) == [
        *("classification", "qa", "text", "distribution", "outcome"),
    ]


def test_one_family() -> None:
    told = json.loads(run("--family", "qa", "--json").output)
    assert [each["name"] for each in told["metrics"]] == ["squad_em", "squad_f1", "vqa_accuracy"]
    assert "bleu" not in run("--family", "qa").output


@pytest.mark.parametrize("name", METRICS.names())
def test_one_metric_in_full(name: str) -> None:
    said = run(name).output
    metric = find_metric(name)
    assert said.startswith(f"{name}: {metric.title}\n")
    assert max(map(len, said.splitlines())) <= 100
    for option in metric.options:
        assert f"option        {option}:" in said
    assert ("Example" in said) == (metric.example is not None)
    assert json.loads(run(name, "--json").output) == plain(metric)


def test_files_are_scored(files: tuple[str, str]) -> None:
    said = run("macro_f1", "--pred", files[0], "--ref", files[1]).output
    assert said.splitlines() == [
        "macro_f1  0.2222 share  (n = 3)",
        "Macro F1; higher is better; range 0 to 1",
        "  class  precision     recall      f1  support",
        "  maybe     0.0000  undefined  0.0000        0",
        "  no        0.0000     0.0000  0.0000        1",
        "  yes       1.0000     0.5000  0.6667        2",
    ]


def test_a_score_as_json(files: tuple[str, str]) -> None:
    said, meant = files
    told = json.loads(run("accuracy", "--pred", said, "--ref", meant, "--json", "--items").output)
    assert told == {"metric": "accuracy", "value": 1 / 3, "n": 3, "per_item": [1.0, 0.0, 0.0]}
    told = json.loads(run("accuracy", "--pred", said, "--ref", meant, "--json").output)
    assert "per_item" not in told


def test_options_are_read_as_json_where_they_are(files: tuple[str, str]) -> None:
    said, meant = files
    shared = ("--pred", said, "--ref", meant, "--json")
    told = json.loads(run("macro_f1", *shared, "--option", 'labels=["yes"]').output)
    assert told["value"] == pytest.approx(2 / 3)
    told = json.loads(run("f1", *shared, "--option", "positive=no").output)
    assert told["value"] == 0.0


def test_what_is_undefined_and_what_to_know_is_said(files: tuple[str, str]) -> None:
    assert "mcc  undefined: all references are of one class" in (
        run("mcc", "--pred", files[0], "--ref", _one_class(files)).output
    )
    said = run("macro_f1", "--pred", files[0], "--ref", _one_class(files)).output
    assert "Warning: Only one class occurs" in said


def _one_class(files: tuple[str, str]) -> str:
    path = Path(files[1])
    path.write_text("yes\nyes\nyes\n")
    return str(path)


def test_questions_without_an_answer_have_their_own_line(tmp_path: Path) -> None:
    said, meant = tmp_path / "p.json", tmp_path / "r.json"
    said.write_text('["cat", ""]')
    meant.write_text('[["cat"], []]')
    shown = run("squad_f1", "--pred", str(said), "--ref", str(meant)).output
    lines = [line.split() for line in shown.splitlines()]
    assert ["part", "value", "n"] in lines
    assert ["without_answer", "1.0000", "1"] in lines


def test_a_function_of_the_folder(
    files: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("def half(predictions, references):\n    return 0.5\n")
    monkeypatch.chdir(tmp_path)
    said = run("mine:half", "--pred", files[0], "--ref", files[1]).output
    assert said.startswith("mine:half  0.5000  (n = 3)\n")
    assert "family        own" in run("mine:half").output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ref", "R"], "need --pred"),
        (["accuracy", "--items"], "need --pred"),
        (["accuracy", "--option", "a=b"], "need --pred"),
        (["--pred", "P"], "--pred needs the NAME"),
        (["accuracy", "--family", "qa"], "leave NAME out"),
        (["--family", "tasks"], "is not one of"),
    ],
)
def test_wrong_use(arguments: list[str], words: str, files: tuple[str, str]) -> None:
    placed = [{"P": files[0], "R": files[1]}.get(each, each) for each in arguments]
    result = run(*placed)
    assert result.exit_code == 2
    assert words in result.output


def test_wrong_input_is_one_sentence(files: tuple[str, str]) -> None:
    with pytest.raises(InputError, match=r"No metric 'acuracy'\. Near: 'accuracy'"):
        run("acuracy")
    said = run("macro_f1", "--pred", files[0], "--ref", files[1], "--option", "labels")
    assert said.exit_code == 2
    assert "--option takes KEY=VALUE; got 'labels'" in said.output
