"""`palaver import cocoa`: dialogues, who sat where, and what they said of each other, in a home."""

import json
from pathlib import Path

import pytest

from support.chat_state import ChatStateFile, friends_chat
from support.cocoa import EXAMPLES, FRIENDS_SCENARIO, write_array

from ..conftest import Palaver, Said

SURVEYS = (
    {
        "C_friends": {"0": "human", "1": "rulebased"},
        "C_bargain": {"0": "human", "1": "human"},
        "E_deal": {"0": "rulebased", "1": "fb-neural"},
    },
    {
        "C_friends": {"0": {}, "1": {"cooperative": 4, "humanlike": "null", "comments": "Quick."}},
        "C_bargain": {"0": {"negotiator": 5}, "1": {"negotiator": 2}},
        "E_deal": {"0": {}, "1": {}},
    },
)


@pytest.fixture
def files(tmp_path: Path) -> None:
    write_array(tmp_path / "examples.json", *EXAMPLES)
    write_array(tmp_path / "surveys.json", *SURVEYS)


def take(palaver: Palaver, *arguments: str) -> Said:
    said = palaver("import", "cocoa", *arguments, "--study", "games", "--home", "home")
    assert said.status == 0, said.err
    return said


def exported(palaver: Palaver, name: str) -> list[dict]:
    """The lines of one file of an export."""
    palaver("export", "home", "--home", "home", "--study", "games", "-o", "out", "--overwrite")
    return [json.loads(line) for line in Path("out", name).read_text().splitlines()]


@pytest.mark.usefixtures("files")
def test_examples_and_surveys_come_into_a_study_once(palaver: Palaver) -> None:
    said = take(palaver, "examples.json", "--surveys", "surveys.json")
    assert said.out.splitlines()[:2] == [
        "Added 3 dialogues, 5 labels of 3 raters, 0 results of training.",
        "Left out, a chat that nobody rated: 1.",
    ]
    again = take(palaver, "examples.json", "--surveys", "surveys.json")
    assert "Already there: 3 dialogues, 5 labels." in again.out
    dialogues = {each["source_id"]: each for each in exported(palaver, "dialogues.jsonl")}
    assert [seat["kind"] for seat in dialogues["C_friends"]["seats"]] == ["person", "system"]
    assert dialogues["C_friends"]["seats"][1]["occupant"] == "rulebased"
    labels = exported(palaver, "labels.jsonl")
    keys = {each["id"]: name for name, each in dialogues.items()}
    told = {
        (keys[label["dialogue"]], label["unit"][-1], label["question"], label["value"])
        for label in labels
    }
    assert told == {
        ("C_friends", "1", "cooperative", 4),
        ("C_friends", "1", "humanlike", None),
        ("C_friends", "1", "comments", "Quick."),
        ("C_bargain", "0", "negotiator", 5),
        ("C_bargain", "1", "negotiator", 2),
    }
    # Whoever answered is the person who sat on the other side.
    sat = {
        (name, seat["index"]): seat["occupant"]
        for name, each in dialogues.items()
        for seat in each["seats"]
    }
    for label in labels:
        rated = int(label["unit"][-1])
        assert label["rater"] == sat[keys[label["dialogue"]], 1 - rated]


@pytest.mark.usefixtures("files")
def test_what_went_through_a_home_is_written_back_unchanged(palaver: Palaver) -> None:
    take(palaver, "examples.json", "--surveys", "surveys.json")
    exported(palaver, "dialogues.jsonl")
    lines, labels = "out/dialogues.jsonl", "out/labels.jsonl"
    back = palaver("convert", lines, "-", "--from", "palaver", "--to", "cocoa")
    assert json.loads(back.out) == list(EXAMPLES)
    surveys = palaver(
        "convert", labels, "-", "--from", "labels", "--to", "cocoa-surveys", "--dialogues", lines
    )
    assert json.loads(surveys.out) == list(SURVEYS)


def test_a_database_brings_its_surveys_and_the_names_of_its_people(
    palaver: Palaver, tmp_path: Path
) -> None:
    write_array(tmp_path / "scenarios.json", FRIENDS_SCENARIO)
    file = ChatStateFile(tmp_path / "chat_state.db")
    for name in ("C_1", "C_2"):
        friends_chat(file, name)
        file.insert("survey", ("U_ann", name, "rulebased", 4, 5, ""))
    said = take(palaver, "chat_state.db", "--scenarios", "scenarios.json")
    assert "Added 2 dialogues, 4 labels of 1 raters" in said.out
    assert "Left out, a message without words: 2." in said.out
    dialogues = exported(palaver, "dialogues.jsonl")
    assert len({each["seats"][0]["occupant"] for each in dialogues}) == 1
    assert "U_ann" not in Path("out/dialogues.jsonl").read_text()
    assert dialogues[0]["scenario"]["kbs"] == FRIENDS_SCENARIO["kbs"]


def test_nothing_is_stored_of_a_file_that_is_wrong_unless_that_may_be_left_out(
    palaver: Palaver, tmp_path: Path
) -> None:
    file = ChatStateFile(tmp_path / "chat_state.db")
    friends_chat(file)
    file.run("UPDATE chat SET agent_types = '{'")
    friends_chat(file, "C_sound")
    said = palaver("import", "cocoa", "chat_state.db", "--study", "games", "--home", "home")
    assert said.status == 1
    assert "chat_state.db: chat C_1: The agent_types is not JSON; got '{'." in said.err
    assert not Path("home").exists()
    lenient = take(palaver, "chat_state.db", "--lenient")
    assert "Added 1 dialogues" in lenient.out
    assert "Wrong and left out: chat_state.db: chat C_1: The agent_types" in lenient.out


def test_answers_beyond_five_points_get_a_scale_that_holds_them(
    palaver: Palaver, tmp_path: Path
) -> None:
    write_array(tmp_path / "examples.json", *EXAMPLES)
    answers = {"C_bargain": {"0": {"trust": 87.5}, "1": {"trust": 12}}}
    write_array(tmp_path / "surveys.json", {"C_bargain": SURVEYS[0]["C_bargain"]}, answers)
    said = take(palaver, "examples.json", "--surveys", "surveys.json")
    assert "2 labels" in said.out
    [question] = exported(palaver, "questions.jsonl")
    assert (question["question"], question["kind"]) == ("trust", "slider")
