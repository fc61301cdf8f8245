"""`rate: data:` reads every format of dialogues, and a dialogue keeps the id of its file."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import StudyError
from palaver.formats.cocoa.examples import example_record
from palaver.formats.dialogue_files import DIALOGUE_FILES, FilesBeside
from palaver.formats.judged_dialogues import IN_LINES
from palaver.studies.check import check_study
from palaver.studies.file.reader import load_study
from palaver.studies.intake.judged_files import PlannedSheet
from palaver.studies.intake.materials import load_material
from support.chat_state import ChatStateFile
from support.cocoa import BARGAIN_EXAMPLE, DEAL_EXAMPLE, EXAMPLES
from support.dialeval import TRUTH

STUDY = """\
title: Judging
consent: {version: "1", text: "Yes?"}
pay: {amount: 1, currency: GBP}
minutes: 5
questions:
  apt: {kind: likert, text: Is it apt?, speaker: any}
stages:
  - rate: {ask: [apt], data: FILE}
"""
COUNTED = [
    {
        "id": entry["id"],
        "turns": entry["turns"],
        "nugget": [{"CNUG" if n % 2 == 0 else "HNUG": 19} for n in range(len(entry["turns"]))],
        "quality": {"A": {"-2": 19}, "S": {"2": 19}, "E": {"0": 19}},
    }
    for entry in TRUTH
]


def sheets(folder: Path, name: str, content: bytes) -> list[PlannedSheet]:
    (folder / name).write_bytes(content)
    (folder / "study.yaml").write_text(STUDY.replace("FILE", name))
    return list(load_material(load_study(folder)).data[0].sheets())


def said(sheet: PlannedSheet) -> list[tuple[str, str]]:
    [text] = sheet.parts[0].dialogues
    return [(turn.speaker, turn.text) for turn in text.turns]


def lines(entries: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(json.dumps(TRUTH, indent=2).encode(), id="array"),
        pytest.param(lines(TRUTH), id="lines"),
        pytest.param(json.dumps(COUNTED).encode(), id="array of counts"),
        pytest.param(lines(COUNTED), id="lines of counts"),
        pytest.param(gzip.compress(lines(COUNTED)), id="packed"),
        pytest.param(lines([{k: e[k] for k in ("turns", "id")} for e in TRUTH]), id="unlabelled"),
    ],
)
def test_both_forms_of_dch2_are_judged(tmp_path: Path, content: bytes) -> None:
    found = sheets(tmp_path, "dialogues.data", content)
    assert [sheet.name for sheet in found] == ["d1", "d2", "d3"]
    assert said(found[0]) == [("user", "…"), ("system", "…"), ("user", "…")]


def test_what_annotators_said_is_not_judged_again_and_that_is_told(tmp_path: Path) -> None:
    sheets(tmp_path, "dialogues.json", json.dumps(COUNTED).encode())
    [warning] = check_study(tmp_path)
    assert warning.warning
    assert "the counts of a dialogue's annotators (palaver score reads them): 3" in str(warning)


def test_two_turns_of_one_side_and_an_empty_one_stay_as_they_are(tmp_path: Path) -> None:
    turns = [
        {"sender": "customer", "utterances": ["One.", "Two."]},
        {"sender": "customer", "utterances": ["Three."]},
        {"sender": "helpdesk", "utterances": []},
    ]
    [sheet] = sheets(tmp_path, "d.json", json.dumps([{"id": "x", "turns": turns}]).encode())
    [text] = sheet.parts[0].dialogues
    assert text.notes == {2: {"new_turn": True}, 3: {"no_utterance": True}}
    assert [len(turn.events) for turn in text.dialogue("key").turns()] == [2, 1, 1]


def files() -> dict[str, bytes]:
    """A file of each format that is read, but for those whose lines tell themselves."""
    written = {}
    for name, records in {
        "cocoa": EXAMPLES,
        "deal-text": [DEAL_EXAMPLE],
        "hf-bargain": [BARGAIN_EXAMPLE],
        "palaver": EXAMPLES,
        "messages": EXAMPLES,
    }.items():
        written[name] = _written(name, records)
    return {**written, "dch2": json.dumps(TRUTH).encode(), "cocoa lines": lines([*EXAMPLES])}


def _written(name: str, examples: Any) -> bytes:
    stream = io.BytesIO()
    writer = DIALOGUE_FILES.get(name).writer
    assert writer is not None
    open_writer = writer(stream, FilesBeside())
    for example in examples:
        open_writer.add(example_record(example))
    open_writer.finish()
    return stream.getvalue()


@pytest.mark.parametrize("name", sorted(files()))
def test_every_format_of_dialogues_is_judged(tmp_path: Path, name: str) -> None:
    found = sheets(tmp_path, "mine.data", files()[name])
    count = {"deal-text": 1, "hf-bargain": 1}.get(name, 3)
    assert len(found) == count
    assert all(said(sheet) for sheet in found)


def test_no_format_of_dialogues_is_forgotten() -> None:
    read = {
        name
        for name in DIALOGUE_FILES.names()
        if (form := DIALOGUE_FILES.get(name)).holds == "dialogues" and form.find is not None
    }
    assert read == {*files(), "cocoa-db"} - {"cocoa lines"}
    assert set(IN_LINES) <= read


def test_moves_of_a_game_are_turns_in_words(tmp_path: Path) -> None:
    _, bargain, deal = sheets(tmp_path, "examples.json", json.dumps([*EXAMPLES]).encode())
    assert [text for _, text in said(bargain)] == [
        *("Would you take $30?", "[offers $30]", "[accepts the offer]")
    ]
    assert bargain.name == BARGAIN_EXAMPLE["uuid"]
    assert said(deal)[0][1] == "books ?"


def test_a_database_of_cocoa_is_judged(tmp_path: Path) -> None:
    database = ChatStateFile(tmp_path / "chat_state.db")
    database.chat("C_1", (0, "message", "Hi"), (1, "message", "Hello!"))
    [sheet] = sheets(tmp_path, "chat_state.db", database.path.read_bytes())
    assert (sheet.name, said(sheet)) == ("C_1", [("user", "Hi"), ("system", "Hello!")])
    # Ann talked in it.
    assert sheet.people == ("U_ann",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (json.dumps([TRUTH[0], TRUTH[0]]).encode(), "the id 'd1' is used twice"),
        (
            lines([*EXAMPLES, EXAMPLES[0]]),
            rf"Example 4 \({EXAMPLES[0]['uuid']}\): The id '{EXAMPLES[0]['uuid']}' was already used",
        ),
        (
            json.dumps([{**COUNTED[0], "nugget": [{"CNUG": 1}]}]).encode(),
            "Dialogue 'd1': 'nugget' takes the counts of each of its 3 turns; got 1",
        ),
        (json.dumps([{"id": "x", "turns": [{"sender": "customer"}]}]).encode(), "'x'"),
        (gzip.compress(lines(TRUTH))[:-20], "cut off"),
        (b'[{"id": "x", "turns": [["user", "Hi"]]}]', "A line takes one JSON object"),
    ],
)
def test_what_is_wrong_is_told_with_its_dialogue(
    tmp_path: Path, content: bytes, message: str
) -> None:
    with pytest.raises(StudyError, match=message) as caught:
        sheets(tmp_path, "mine.data", content)
    assert "mine.data" in str(caught.value)
