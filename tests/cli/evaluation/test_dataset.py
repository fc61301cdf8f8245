"""`palaver dataset`: adding, listing and showing from the terminal, as text and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palaver.cli.evaluation.dataset_command import command
from palaver.cli.evaluation.model_command import command as model

HEADER = "uid,statement,label,tags\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALAVER_DATABASE_URL", raising=False)
    monkeypatch.delenv("PALAVER_HOME", raising=False)
    return tmp_path


def dataset(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments, "--home", "home"])


def printed(*arguments: str) -> Any:
    """The JSON document that a command prints, alone on standard output."""
    done = dataset(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_stranger_adds_a_file_and_looks_at_it(folder: Path) -> None:
    (folder / "mine.csv").write_text(
        HEADER + "1,I hate you,hateful,Target:you\n2,I like you,not-hateful,\n3,Hello,nothate,\n"
    )

    said = dataset("add", "hs", "mine", "mine.csv", "--about", "Three lines.").output

    assert said.startswith("Added mine, version 1 to hs: 3 items checked.\n  read as  palaver\n")
    assert "home/objects/datasets/hs/mine/" in said
    assert "No model to evaluate now." in said
    assert said.endswith("Next: palaver dataset show hs mine --home home\n")
    again = dataset("add", "hs", "mine", "mine.csv").output
    assert again.startswith("mine, version 1 of hs already has this content")

    listed = dataset("list").output.splitlines()
    assert listed[0].split() == [
        "task",
        "data",
        "set",
        "access",
        "items",
        "version",
        "kind",
        "round",
    ]
    assert listed[1].split() == ["hs", "mine", "scoring", "3", "1"]
    shown = dataset("show", "hs", "mine").output
    for line in (
        "hs / mine: 3 items",
        "  about    Three lines.",
        "  access   scoring",
    ):
        assert line in shown
    assert {("not-hateful", "2"), ("Target:you", "1")} <= {
        tuple(line.split()) for line in shown.splitlines()
    }
    assert "    statement: I hate you" in shown


def test_everything_as_json(folder: Path) -> None:
    (folder / "mine.csv").write_text(HEADER + "1,I hate you,hateful,a;b\n")

    added = printed("add", "hs", "mine", "mine.csv", "--access", "hidden")

    assert (added["items"], added["new"], added["access"], added["runs"]) == (1, True, "hidden", [])
    (listed,) = printed("list", "hs")
    assert listed["digest"] == added["digest"]
    shown = printed("show", "hs", "mine")
    assert shown["tags"] == {"a": 1, "b": 1}
    assert shown["labels"] == {"label": {"hateful": 1}}
    assert shown["sample"] == [
        {"uid": "1", "statement": "I hate you", "label": "hateful", "tags": ["a", "b"]}
    ]
    assert [each["version"] for each in shown["versions"]] == [1]


def test_a_mapping_by_options_by_file_and_by_function(folder: Path) -> None:
    (folder / "odd.csv").write_text("n,words,verdict,place\n1,Hello,ok,here\n2,Bye,?,there\n")
    options = ["--map", "uid=n", "--map", "statement=words", "--map", "label=verdict"]
    values = ["--value", "label.ok=not-hateful", "--value", "label.?="]
    (folder / "map.yaml").write_text(
        "map: {uid: n, statement: words, label: verdict}\n"
        'values: {label: {ok: not-hateful, "?": null}}\ntags: {Place: place}\n'
    )
    (folder / "own.py").write_text(
        "def convert(r):\n"
        "    if r['verdict'] == 'ok':\n"
        "        return {'uid': r['n'], 'statement': r['words'], 'label': 'not-hateful',\n"
        "                'tags': [f\"Place:{r['place']}\"]}\n"
    )

    by_options = printed("add", "hs", "odd", "odd.csv", *options, *values, "--tag", "Place=place")
    by_file = printed("add", "hs", "odd", "odd.csv", "--mapping", "map.yaml")
    by_function = printed("add", "hs", "odd", "odd.csv", "--convert", "own:convert")

    assert by_options["digest"] == by_file["digest"] == by_function["digest"]
    assert by_options["warnings"] == ["Left out 1 record: its label is ?."]
    assert printed("show", "hs", "odd")["tags"] == {"Place:here": 1}
    both = dataset("add", "hs", "odd", "odd.csv", *options, "--mapping", "map.yaml")
    assert both.exit_code == 2
    assert "not both" in both.output


def test_variants_stand_beside_their_parent(folder: Path) -> None:
    (folder / "mine.csv").write_text(HEADER + "1,I like him,not-hateful,\n")
    record = {"uid": "1_x", "input_id": "1", "statement": "I like her", "label": "not-hateful"}
    (folder / "variants.jsonl").write_text(json.dumps(record))
    dataset("add", "hs", "mine", "mine.csv")

    done = dataset(
        *("add", "hs", "fairness-mine", "variants.jsonl", "--parent", "mine", "--kind", "fairness")
    )

    assert done.exit_code == 0
    assert "  made of  mine (fairness)" in dataset("show", "hs", "fairness-mine").output


def test_a_model_is_evaluated_at_once_or_later(folder: Path) -> None:
    (folder / "mine.csv").write_text(HEADER + "1,I hate you,hateful,\n2,Hello,not-hateful,\n")
    add_model(folder)

    later = printed("add", "hs", "mine", "mine.csv", "--later")
    assert (len(later["runs"]), later["states"]) == (1, {})
    (folder / "mine.csv").write_text(HEADER + "1,I hate you,hateful,\n")
    now = printed("add", "hs", "mine", "mine.csv")

    assert now["states"] == {"loud": "done"}


def add_model(folder: Path) -> None:
    """A model of the task `hs` that calls everything hateful."""
    (folder / "model").mkdir()
    (folder / "model" / "model.yaml").write_text("task: hs\nkind: handler\nhandler: loud:Loud\n")
    (folder / "model" / "loud.py").write_text(
        "class Loud:\n    def answer(self, question):\n        return {'label': 'hateful'}\n"
    )
    done = CliRunner().invoke(model, ["add", "hs", "loud", "model", "--home", "home"])
    assert done.exit_code == 0, done.output + repr(done.exception)


def test_what_is_wrong_is_said_with_its_line(folder: Path) -> None:
    (folder / "mine.csv").write_text(HEADER + "1,I hate you,bad,\n")

    said = str(dataset("add", "hs", "mine", "mine.csv").exception)

    assert "mine.csv:2: Item 1: 'label': expected one of not-hateful, hateful; got 'bad'" in said
    assert "No task 'hz'" in str(dataset("add", "hz", "mine", "mine.csv").exception)
    assert "No data set 'mien'" in str(dataset("show", "hs", "mien").exception)


def test_nothing_stored_yet(folder: Path) -> None:
    assert "Nothing is stored at" in str(dataset("list").exception)


def test_the_readers() -> None:
    said = CliRunner().invoke(command, ["readers"]).output
    listed = json.loads(CliRunner().invoke(command, ["readers", "--json"]).output)

    assert "hatecheck       hs " in said
    assert {each["reader"] for each in listed} >= {"snli", "flores", "mrqa", "palaver"}
