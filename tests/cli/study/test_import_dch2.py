"""`palaver import dch2`: from a file into a home, and out again."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from palaver.cli.study.import_command import command
from palaver.core.errors import InputError

from ..conftest import Palaver

CONTENT = [
    {
        "id": "1",
        "turns": [
            {"sender": "customer", "utterances": ["It is broken."]},
            {"sender": "helpdesk", "utterances": ["Here is a new one."]},
        ],
        "annotations": [{"nugget": ["CNUG0", "HNUG*"], "quality": {"A": 2, "S": 2, "E": 1}}],
    }
]


def test_a_data_set_goes_in_and_comes_out(tmp_path: Path, palaver: Palaver) -> None:
    (tmp_path / "train_en.json").write_text(json.dumps(CONTENT))
    arguments = ["dch2", "train_en.json", "--study", "dch", "--home", "home"]
    said = CliRunner().invoke(command, arguments)
    assert said.output == (
        "Stored 1 dialogues with 5 labels by 1 anonymous raters in study 'dch'.\n"
        "Stored in home/palaver.db\n"
    )
    again = CliRunner().invoke(command, arguments)
    assert "1 dialogues were already there and were left alone." in again.output
    out = palaver("export", "home", "--study", "dch", "--format", "dch2", "-o", "-")
    assert json.loads(out.out) == CONTENT
    assert "1 annotations, 0 incomplete" in out.err


def test_a_file_that_is_none_stores_nothing(tmp_path: Path, palaver: Palaver) -> None:
    (tmp_path / "odd.json").write_text('[{"id": "1"}]')
    with pytest.raises(InputError, match=r"odd\.json is not a DCH-2 data set"):
        CliRunner().invoke(command, ["dch2", "odd.json", "--study", "dch"], catch_exceptions=False)
    assert not (tmp_path / "palaver.db").exists()


def test_counts_are_no_labels_and_that_is_told(tmp_path: Path) -> None:
    counted = {
        "id": "1",
        "turns": CONTENT[0]["turns"],
        "nugget": [{"CNUG0": 19}, {"HNUG*": 12, "HNaN": 7}],
        "quality": {"A": {"2": 19}, "S": {"1": 19}, "E": {"-1": 10, "0": 9}},
    }
    (tmp_path / "dev.jsonl").write_text(json.dumps(counted) + "\n")
    said = CliRunner().invoke(
        command, ["dch2", str(tmp_path / "dev.jsonl"), "--study", "dch", "--home", str(tmp_path)]
    )
    assert said.output.startswith(
        "Stored 1 dialogues with 0 labels by 0 anonymous raters in study 'dch'.\n"
        "1 dialogues have counts instead of annotations. Counts do not tell who said what, so they "
        f"became no labels; score against {tmp_path / 'dev.jsonl'} itself.\n"
    )


def test_one_id_with_two_contents_is_refused(tmp_path: Path, palaver: Palaver) -> None:
    (tmp_path / "a.json").write_text(json.dumps(CONTENT))
    other = [{**CONTENT[0], "turns": CONTENT[0]["turns"][:1], "annotations": []}]  # type: ignore[index]
    (tmp_path / "b.json").write_text(json.dumps(other))
    options = ["--study", "dch", "--home", "home"]
    CliRunner().invoke(command, ["dch2", "a.json", *options], catch_exceptions=False)
    with pytest.raises(
        InputError,
        match=r"b\.json: dialogue '1' has other turns than the dialogue '1' of a\.json",
    ):
        CliRunner().invoke(command, ["dch2", "b.json", *options], catch_exceptions=False)
    out = palaver("export", "home", "--study", "dch", "--format", "dch2", "-o", "-")
    assert json.loads(out.out) == CONTENT
