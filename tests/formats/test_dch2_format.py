"""DCH-2 data sets: what is read, what is refused, and what a dialogue is in between."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.formats.dch2 import (
    NUGGETS,
    DchDialogue,
    DchEntry,
    DchTurn,
    dch_turn,
    dialogue_record,
    read_dch2,
)
from palaver.formats.json_files import write_array

TURNS = [
    {"sender": "customer", "utterances": ["My router is dead.", "Help!"]},
    {"sender": "helpdesk", "utterances": ["Restart it."]},
]


def dialogue(**more: Any) -> dict[str, Any]:
    return {"id": "3801584951735365", "turns": TURNS, **more}


def read(*dialogues: dict[str, Any]) -> list[DchEntry]:
    return read_dch2(json.dumps(dialogues).encode(), name="train_en.json")


def test_a_data_set_as_it_is_published() -> None:
    # Key order varies, and test files have no annotations.
    annotation = {"quality": {"S": -1, "A": 2, "E": 0}, "nugget": ["CNUG0", "HNUG*"]}
    whole, bare = read(dialogue(annotations=[annotation]), dialogue(id="2"))
    assert whole.annotations is not None
    assert whole.annotations[0].nugget == ["CNUG0", "HNUG*"]
    assert whole.annotations[0].quality == {"A": 2, "S": -1, "E": 0}
    assert bare.annotations is None


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ({"nugget": ["CNUG"]}, "2 turns need one nugget each; got 1"),
        ({"nugget": ["HNUG", "HNUG"]}, "A turn of the customer takes CNUG0, CNUG, CNUG"),
        ({"quality": {"A": 3}}, "'A' takes -2 to 2; got 3"),
        ({"quality": {"X": 1}}, "'quality' has A, S and E; got 'X'"),
        ({}, "neither 'nugget' nor 'quality'"),
        ({"quality": {"A": "2"}}, r"Expected `int`, got `str`"),
    ],
)
def test_what_is_no_annotation(annotation: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(dialogue(), dialogue(id="2", annotations=[annotation]))
    assert "train_en.json" in str(caught.value)


def test_what_is_no_data_set() -> None:
    with pytest.raises(InputError, match="the id '3801584951735365' is used twice"):
        read(dialogue(), dialogue())
    with pytest.raises(InputError, match=r"is not a DCH-2 data set: Dialogue '38.*': Invalid enum"):
        read(dialogue(turns=[{"sender": "bot", "utterances": []}]))
    with pytest.raises(InputError, match="is not a DCH-2 data set"):
        read_dch2(b"{")


def test_the_customer_is_the_user_and_an_utterance_a_message() -> None:
    record = dialogue_record(read(dialogue())[0], study="s", time=5.0)
    said = [(event.seat, event.text) for event in record.events if event.action == "message"]
    assert said == [(0, "My router is dead."), (0, "Help!"), (1, "Restart it.")]
    assert (record.status, record.seats[1].occupant) == ("ended", "helpdesk")


TURN = st.builds(DchTurn, st.sampled_from(list(NUGGETS)), st.lists(st.text(max_size=5), max_size=3))


@given(st.lists(TURN, max_size=6), st.text(max_size=9))
def test_any_turns_come_back_from_events(turns: list[DchTurn], name: str) -> None:
    record = dialogue_record(DchDialogue(name, turns), study="s", time=0.0)
    folded = record.dialogue()
    assert [dch_turn(folded, turn) for turn in folded.turns()] == turns
    assert record.source_id == name


def test_writing_gives_what_was_read() -> None:
    content = [dialogue(annotations=[{"nugget": ["CNaN", "HNaN"], "quality": {"A": 0}}])]
    stream = io.BytesIO()
    assert write_array(read(*content), stream) == 1
    assert json.loads(stream.getvalue()) == content
    empty = io.BytesIO()
    assert write_array([], empty) == 0
    assert json.loads(empty.getvalue()) == []
