"""`palaver selfplay`: two systems of a study talk, and what becomes of it."""

import json
from pathlib import Path

import pytest

from palaver.formats.messages import read_messages
from palaver.formats.palaver import read_dialogues
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records

from ..conftest import Palaver

PAIR = ("selfplay", "first", "--systems", "friendly", "terse")


def test_without_a_place_to_keep_them_one_is_shown(palaver: Palaver, study: Path) -> None:
    said = palaver(*PAIR, "--count", "2")
    assert said.status == 0
    assert said.out.startswith("friendly: Hello")
    assert "\nterse: I see.\n" in said.out
    assert "2 dialogues between 'friendly' and 'terse', 20 messages." in said.out
    assert "ended with 'complete': 2" in said.out
    assert "Nothing was kept." in said.out
    assert not (study / "palaver.db").exists()


def test_a_file_holds_them_and_the_same_seed_writes_it_again(
    palaver: Palaver, study: Path, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        said = palaver(*PAIR, "--count", "3", "--seed", "7", "-o", f"{name}.jsonl")
        assert said.out.endswith(f"Written to {name}.jsonl\n")
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert one.read_bytes() == two.read_bytes()
    with one.open("rb") as stream:
        records = list(read_dialogues(stream))
    assert [record.condition for record in records] == ["selfplay:friendly|terse"] * 3
    assert [seat.occupant for seat in records[0].seats] == ["friendly", "terse"]


def test_as_chat_messages(palaver: Palaver, study: Path, tmp_path: Path) -> None:
    palaver(*PAIR, "--count", "1", "--format", "messages", "-o", "chat.jsonl")
    row = json.loads((tmp_path / "chat.jsonl").read_text())
    assert row["messages"][0]["role"] == "user"
    assert (row["user_system"], row["reason"]) == ("friendly", "complete")
    with (tmp_path / "chat.jsonl").open("rb") as stream:
        assert len(list(read_messages(stream))) == 1


def test_stored_dialogues_stand_with_the_study(palaver: Palaver, study: Path) -> None:
    said = palaver(*PAIR, "--count", "2", "--store")
    assert said.out.endswith("Stored in first/palaver.db\n")
    store = Store(f"sqlite:///{study / 'palaver.db'}", read_only=True)
    try:
        records = store.read_now(lambda c: list(dialogue_records(c, "first")))
    finally:
        store.close()
    assert [(r.condition, r.reason) for r in records] == [
        ("selfplay:friendly|terse", "complete")
    ] * 2


def test_fewer_turns(palaver: Palaver, study: Path) -> None:
    said = palaver(*PAIR, "--count", "1", "--max-turns", "3")
    assert "1 dialogue between 'friendly' and 'terse', 3 messages." in said.out
    assert "ended with 'max_turns': 1" in said.out


def test_a_system_that_fails_is_told(palaver: Palaver, study: Path) -> None:
    file = study / "study.yaml"
    text = file.read_text().replace('"Go on."]', '"Go on."]\n    fails: [1, 2, 3]')
    file.write_text(text)
    said = palaver(*PAIR, "--count", "1")
    assert said.status == 0
    assert "ended with 'system_failed': 1" in said.out
    assert "failures of systems: 3; the first: The script says to fail here" in said.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--systems", "friendly", "ters"],
            "The study 'first' has no system 'ters'. Near: 'terse'.",
        ),
        (["--systems", "friendly", "xyz"], "Known: friendly, terse."),
        (["--systems", "friendly", "terse", "-o", "no/such/x.jsonl"], "cannot be written"),
    ],
)
def test_mistakes(palaver: Palaver, study: Path, arguments: list[str], message: str) -> None:
    said = palaver("selfplay", "first", *arguments)
    assert (said.status, said.out) == (1, "")
    assert message in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--systems", "friendly"], "Option '--systems' requires 2 arguments."),
        (["--systems", "friendly", "terse", "--count", "0"], "0 is not in the range"),
        (["--systems", "friendly", "terse", "--store", "-o", "x"], "Choose one."),
    ],
)
def test_usage_errors(palaver: Palaver, study: Path, arguments: list[str], message: str) -> None:
    said = palaver("selfplay", "first", *arguments)
    assert (said.status, said.out) == (2, "")
    assert message in said.err


def test_a_file_is_not_overwritten_unasked(palaver: Palaver, study: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text("mine")
    said = palaver(*PAIR, "--count", "1", "-o", "mine.jsonl")
    assert said.status == 1
    assert "add --overwrite" in said.err
    assert (tmp_path / "mine.jsonl").read_text() == "mine"
    assert palaver(*PAIR, "--count", "1", "-o", "mine.jsonl", "--overwrite").status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "mine.jsonl"]
