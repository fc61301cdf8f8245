"""Rows of craigslist_bargains on Hugging Face: what they tell of a bargain, both ways."""

import io
import json
from typing import Any

import msgspec
import pytest

from palaver.core.errors import InputError
from palaver.formats.cocoa.examples import example_json, example_record, read_examples
from palaver.formats.cocoa.hf_rows import find_rows, row_of
from palaver.formats.found_records import FoundRecord, Mistake
from support.cocoa import BARGAIN_EXAMPLE, DEAL_EXAMPLE, changed
from support.shared import COCOA

ROW: dict[str, Any] = {
    "agent_info": {
        "Bottomline": ["None", "None"],
        "Role": ["buyer", "seller"],
        "Target": [20.0, 40.0],
    },
    "agent_turn": [0, 1, 0],
    "dialogue_acts": {
        "intent": ["init-price", "offer", "accept"],
        "price": [30.0, 30.0, -1.0],
    },
    "utterance": ["Would you take $30?", "", ""],
    "items": {
        "Category": ["furniture", "furniture"],
        "Images": ["furniture/1_0.jpg", "furniture/1_0.jpg"],
        "Price": [40.0, 40.0],
        "Description": ["Bright.,Blue.", "Bright.,Blue."],
        "Title": ["Lamp", "Lamp"],
    },
}


def found_in(*rows: Any) -> list[Any]:
    content = "\n".join(json.dumps(row) for row in rows).encode()
    return list(find_rows(io.BytesIO(content), "rows.jsonl"))


def example(row: Any) -> dict[str, Any]:
    [found] = found_in(row)
    assert isinstance(found, FoundRecord), found
    return example_json(found.record)


def test_a_bargain_is_written_as_a_row() -> None:
    assert msgspec.to_builtins(row_of(example_record(BARGAIN_EXAMPLE))) == ROW


def test_a_row_is_read_as_a_bargain() -> None:
    read = example(ROW)
    assert read["outcome"] == {"reward": 1, "offer": {"price": 30.0}}
    assert [(e["agent"], e["action"], e["data"]) for e in read["events"]] == [
        (0, "message", "Would you take $30?"),
        (1, "offer", {"price": 30.0}),
        (0, "accept", None),
    ]
    assert read["scenario"]["kbs"][0]["personal"] == {
        "Role": "buyer",
        "Target": 20,
        "Bottomline": None,
    }
    assert read["scenario"]["kbs"][1]["item"]["Description"] == ["Bright.,Blue."]


def test_a_list_of_objects_is_the_same() -> None:
    def objects(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
        return [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]

    nested = {
        key: objects(value) if isinstance(value, dict) else value for key, value in ROW.items()
    }
    assert example(nested) == example(ROW)


def test_moves_of_the_test_set_have_no_names() -> None:
    acts = {"intent": ["", "", ""], "price": [-1.0, -1.0, -1.0]}
    read = example({**ROW, "dialogue_acts": acts})
    assert [event["action"] for event in read["events"]] == ["message", "unknown", "unknown"]
    assert read["outcome"] is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (changed(ROW, "utterance", to=["hi"]), "'agent_turn' has 3 turns and 'utterance' has 1."),
        (changed(ROW, "agent_turn", 1, to=-1), "Event 2: There are agents 0 and 1; got agent -1."),
        (changed(ROW, "agent_info", "Role", to=["buyer"]), "one entry for each of the two agents"),
        (changed(ROW, "agent_info", "Role", 0, to="judge"), "'Role' takes 'buyer' or 'seller'"),
        (changed(ROW, "agent_info", "Bottomline", 0, to="low"), "'Bottomline' takes a number"),
        (changed(ROW, "items", "Price", 0, to="cheap"), "takes a number; got text"),
        ({}, "'agent_info' is missing."),
    ],
)
def test_a_wrong_row_is_named(row: Any, message: str) -> None:
    _, found = found_in(ROW, row)
    assert isinstance(found, Mistake)
    assert found.place == "rows.jsonl:2: row 2"
    assert message in found.message


def test_only_bargains_have_such_rows() -> None:
    with pytest.raises(InputError, match="'E_deal' is of the game 'deal_or_no_deal'"):
        row_of(example_record(DEAL_EXAMPLE))


@pytest.mark.skipif(not COCOA.exists(), reason="the shared data is not here")
def test_peoples_bargains_keep_words_moves_and_prices() -> None:
    with (COCOA / "bargain_dev.json").open("rb") as stream:
        examples = [example_json(record) for record in read_examples(stream)]
    rows = [row_of(example_record(raw)) for raw in examples]
    content = msgspec.json.Encoder().encode_lines(rows)
    found = list(find_rows(io.BytesIO(content), "rows.jsonl"))
    again = [example_json(each.record) for each in found if isinstance(each, FoundRecord)]
    assert len(again) == 597

    def told(raw: dict[str, Any]) -> list[tuple[Any, ...]]:
        return [
            (e["agent"], e["action"], e["data"] if isinstance(e["data"], str) else None)
            for e in raw["events"]
        ]

    assert [told(raw) for raw in again] == [told(raw) for raw in examples]
