"""`palaver convert`: single files, standard input and output, and what it says of them."""

import io
import json
import sys
from pathlib import Path

import pytest

from support.cocoa import (
    DEAL_EXAMPLE,
    DEAL_LINE,
    EXAMPLES,
    FRIENDS_EXAMPLE,
    FRIENDS_SCENARIO,
    OTHER_DEAL_LINE,
    changed,
    write_array,
)

from ..conftest import Palaver


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    return write_array(tmp_path / "examples.json", *EXAMPLES)


def test_a_file_is_converted_and_counted(palaver: Palaver, examples: Path, tmp_path: Path) -> None:
    said = palaver("convert", "examples.json", "out.jsonl", "--from", "cocoa", "--to", "palaver")
    assert said.status == 0, said.err
    assert said.out.splitlines() == [
        "Converted 3 dialogues (craigslist_bargain: 1, deal_or_no_deal: 1 and mutual_friends: 1).",
        "  out.jsonl: 3 dialogues",
    ]
    back = palaver("convert", "out.jsonl", "-", "--from", "palaver", "--to", "cocoa")
    assert json.loads(back.out) == list(EXAMPLES)
    assert "Converted 3 dialogues" in back.err


def test_standard_input_is_read(palaver: Palaver, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = io.BytesIO(f"{DEAL_LINE}\n{OTHER_DEAL_LINE}\n".encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(lines))
    said = palaver("convert", "-", "-", "--from", "deal-text", "--to", "cocoa")
    assert said.status == 0, said.err
    assert len(json.loads(said.out)) == 1
    assert "left out, the other side's view of a dialogue: 1" in said.err


def test_nothing_goes_to_standard_output_where_something_is_wrong(
    palaver: Palaver, tmp_path: Path
) -> None:
    wrong = changed(DEAL_EXAMPLE, "events", 0, "agent", to=5)
    write_array(tmp_path / "x.json", FRIENDS_EXAMPLE, wrong)
    said = palaver("convert", "x.json", "-", "--from", "cocoa", "--to", "palaver")
    assert (said.status, said.out) == (1, "")
    assert "x.json:1: example 2 (E_deal): Event 1: There are agents 0 and 1; got agent 5." in (
        said.err
    )
    lenient = palaver("convert", "x.json", "-", "--from", "cocoa", "--to", "palaver", "--lenient")
    assert lenient.status == 0
    assert len(lenient.out.splitlines()) == 1
    assert "wrong and left out: 1" in lenient.err


def test_files_are_merged_split_and_told_as_json(
    palaver: Palaver, examples: Path, tmp_path: Path
) -> None:
    write_array(tmp_path / "more.json", *({**DEAL_EXAMPLE, "uuid": f"E_{n}"} for n in range(7)))
    said = palaver(
        "convert", "examples.json", "more.json", "all.json", "--from", "cocoa", "--to", "cocoa",
        "--split", "train=0.7,test=0.3", "--seed", "3", "--json",
    )  # fmt: skip
    assert said.status == 0, said.err
    told = json.loads(said.out)
    assert told["records"] == 10
    assert told["files"] == [
        {"file": "all-train.json", "records": 7},
        {"file": "all-test.json", "records": 3},
    ]
    assert len(json.loads((tmp_path / "all-test.json").read_text())) == 3


def test_scenarios_and_the_schema_stand_in_other_files(palaver: Palaver, tmp_path: Path) -> None:
    alone = {key: value for key, value in FRIENDS_EXAMPLE.items() if key != "scenario"}
    write_array(tmp_path / "x.json", alone)
    write_array(tmp_path / "scenarios.json", FRIENDS_SCENARIO)
    schema = {
        "values": {"name": ["Ada", "Bo", "Cy"], "hobby": ["Chess", "Go", "Judo"]},
        "attributes": FRIENDS_SCENARIO["attributes"],
    }
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    options = ("--from", "cocoa", "--to", "cocoa", "--scenarios", "scenarios.json")
    said = palaver("convert", "x.json", "-", *options, "--schema", "schema.json")
    assert json.loads(said.out) == [FRIENDS_EXAMPLE]
    schema["values"]["hobby"] = ["Chess"]
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    said = palaver("convert", "x.json", "-", *options, "--schema", "schema.json")
    assert said.status == 1
    assert "scenario 1 (S_friends): Knowledge base 0: 'Hobby' does not take 'Go'." in said.err


@pytest.mark.parametrize("dialogues", ["examples.json", "examples.jsonl"])
def test_surveys_come_back_with_the_dialogues(
    palaver: Palaver, examples: Path, tmp_path: Path, dialogues: str
) -> None:
    palaver("convert", "examples.json", "examples.jsonl", "--from", "cocoa", "--to", "palaver")
    types = {raw["uuid"]: raw["agents"] for raw in EXAMPLES}
    answers = {chat: {"0": {"fluent": 5}, "1": {}} for chat in types}
    write_array(tmp_path / "s.json", types, answers)
    palaver("convert", "s.json", "labels.jsonl", "--from", "cocoa-surveys", "--to", "labels")
    said = palaver(
        "convert", "labels.jsonl", "-", "--from", "labels", "--to", "cocoa-surveys",
        "--dialogues", dialogues,
    )  # fmt: skip
    assert json.loads(said.out) == [types, answers]


def test_the_formats_are_listed(palaver: Palaver) -> None:
    said = palaver("convert", "--list")
    assert said.status == 0
    for name in ("cocoa ", "deal-text ", "hf-bargain ", "messages ", "palaver "):
        assert f"\n{name}" in said.out


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["examples.json"], 2, "Give IN and OUT, --from and --to"),
        (["examples.json", "y"], 2, "Give IN and OUT, --from and --to"),
        (["examples.json", "y", "--from", "cocao", "--to", "palaver"], 1, "Near: 'cocoa'"),
        (["examples.json", "-", "--from", "cocoa", "--to", "cocoa", "--json"], 2, "name a file"),
        (
            ["examples.json", "-", "--from", "cocoa", "--to", "cocoa", "--split", "0.5,0.5"],
            1,
            "OUT cannot be '-'",
        ),
        (["no.json", "y", "--from", "cocoa", "--to", "palaver"], 2, "does not exist"),
        (
            ["examples.json", "no/y", "--from", "cocoa", "--to", "palaver"],
            1,
            "cannot be written: No such file or directory",
        ),
    ],
)
def test_a_wrong_call_is_one_sentence(
    palaver: Palaver, examples: Path, arguments: list[str], status: int, message: str
) -> None:
    said = palaver("convert", *arguments)
    assert said.status == status
    assert message in said.err
    assert "Traceback" not in said.err
