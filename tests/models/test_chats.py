"""Dialogues of CoCoA's games, read from every shape in which they come."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.models.chats import ChatEvent, held_out, read_chats
from palaver.models.json_files import json_records

ADA, BO = {"Name": "Adele", "Hobby": "Chess"}, {"Name": "Boris", "Hobby": "Yoga"}
ATTRIBUTES = [{"name": "Name", "value_type": "name"}, {"name": "Hobby", "value_type": "hobby"}]


def example(number: int = 1, **more: Any) -> dict[str, Any]:
    """An example as CoCoA writes it."""
    return {
        "uuid": f"C_{number}",
        "scenario": {"uuid": "S", "attributes": ATTRIBUTES, "kbs": [[ADA, BO], [BO]]},
        "outcome": {"reward": 1},
        "events": [
            {"agent": 0, "action": "message", "data": "hi", "time": 1.0},
            {"agent": 1, "action": "select", "data": BO, "time": 2.0},
        ],
        **more,
    }


def row(kbs: Any, selects: Any) -> dict[str, Any]:
    """A row of `mutual_friends` as Hugging Face has it."""
    return {
        "uuid": "C_row",
        "scenario_attributes": {
            "name": ["Name", "Hobby"],
            "unique": [False, False],
            "value_type": ["name", "hobby"],
        },
        "scenario_kbs": kbs,
        "agents": {"0": "human", "1": "human"},
        "outcome_reward": 1,
        "events": {
            "actions": ["message", "select"],
            "start_times": [-1.0, -1.0],
            "data_messages": ["hello", ""],
            "data_selects": selects,
            "agents": [1, 0],
            "times": [1.0, 2.0],
        },
    }


LISTS = [
    [[["Name", "Hobby"], ["Adele", "Chess"]], [["Name", "Hobby"], ["Boris", "Yoga"]]],
    [[["Name", "Hobby"], ["Boris", "Yoga"]]],
]
PAIRS = [
    [[["Name", "Adele"], ["Hobby", "Chess"]], [["Name", "Boris"], ["Hobby", "Yoga"]]],
    [[["Name", "Boris"], ["Hobby", "Yoga"]]],
]
SELECTS = {"attributes": [[], ["Name", "Hobby"]], "values": [[], ["Boris", "Yoga"]]}


def written(folder: Path, *records: Any, name: str = "chats.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(each) for each in records))
    return path


def test_an_example_of_cocoa_is_read_from_an_array_or_from_lines_packed_or_not(
    tmp_path: Path,
) -> None:
    array = tmp_path / "array.json"
    array.write_text(json.dumps([example(1), example(2)]))
    packed = tmp_path / "lines.jsonl.gz"
    packed.write_bytes(
        gzip.compress(f"{json.dumps(example(1))}\n{json.dumps(example(2))}".encode())
    )

    (first, second) = read_chats([array])

    assert [first, second] == read_chats([packed])
    assert first.kbs == ([ADA, BO], [BO])
    assert first.attributes == (("Name", "name"), ("Hobby", "hobby"))
    assert first.succeeded
    assert first.events == (
        ChatEvent(seat=0, action="message", text="hi"),
        ChatEvent(seat=1, action="select", selected=BO),
    )


def test_a_dialogue_of_ours_has_its_outcome_at_its_end(tmp_path: Path) -> None:
    ours = {
        "id": "d1",
        "scenario": {
            "id": "S",
            "game": "mutual_friends",
            "kbs": [[ADA, BO], [BO]],
            "extra": {"attributes": ATTRIBUTES},
        },
        "events": [
            {"seq": 1, "seat": 1, "action": "message", "data": {"text": "hi"}, "time": 0.0},
            {"seq": 2, "seat": None, "action": "notice", "data": {"text": "hurry"}, "time": 0.0},
            {"seq": 3, "seat": 0, "action": "message", "data": None, "time": 0.0},
            {"seq": 4, "seat": 0, "action": "select", "data": {"item": BO}, "time": 0.0},
            {"seq": 5, "action": "end", "data": {"outcome": {"success": True}}, "seat": None},
        ],
    }

    (chat,) = read_chats([written(tmp_path, ours)])

    assert chat.succeeded
    assert [each.action for each in chat.events] == ["message", "select"]
    assert chat.events[1].selected == BO
    assert chat.attributes[1] == ("Hobby", "hobby")
    ours["events"].pop()
    assert not read_chats([written(tmp_path, ours)])[0].succeeded


@pytest.mark.parametrize("kbs", [LISTS, PAIRS], ids=["lists", "pairs"])
@pytest.mark.parametrize(
    "selects",
    [
        SELECTS,
        [dict(zip(SELECTS, each, strict=True)) for each in zip(*SELECTS.values(), strict=True)],
    ],
    ids=["object of lists", "list of objects"],
)
def test_a_friend_of_two_attributes_is_told_from_two_pairs(
    tmp_path: Path, kbs: Any, selects: Any
) -> None:
    (chat,) = read_chats([written(tmp_path, row(kbs, selects))])

    assert chat.kbs == ([ADA, BO], [BO])
    assert chat.events == (
        ChatEvent(seat=1, action="message", text="hello"),
        ChatEvent(seat=0, action="select", selected=BO),
    )
    assert (chat.id, chat.succeeded) == ("C_row", True)
    assert chat.attributes == (("Name", "name"), ("Hobby", "hobby"))


def test_a_friend_of_one_attribute_or_of_three_is_read_as_well(tmp_path: Path) -> None:
    one = row([[[["Name"], ["Ida"]]], [[["Name"], ["Ida"]]]], SELECTS)
    three = row(
        [[[["Name", "Hobby", "Major"], ["Ida", "Chess", "Law"]]]] * 2,
        SELECTS,
    )
    three["scenario_attributes"] = [
        {"name": n, "value_type": n} for n in ("Name", "Hobby", "Major")
    ]

    assert read_chats([written(tmp_path, one)])[0].kbs == ([{"Name": "Ida"}],) * 2
    found = read_chats([written(tmp_path, three)])[0]
    assert found.kbs[0] == [{"Name": "Ida", "Hobby": "Chess", "Major": "Law"}]


@pytest.mark.parametrize(
    ("kbs", "selects", "told"),
    [
        (LISTS[:1], SELECTS, "two tables in 'scenario_kbs'; got 1"),
        ([[[["Town", "Hobby"], ["Ghent", "Chess"]]]] * 2, SELECTS, "by the names Name, Hobby"),
        (LISTS, {"attributes": [[], []], "names": [[], []]}, "lacks 'values'"),
        (LISTS, {"attributes": [[]], "values": [[]]}, "of another shape"),
    ],
)
def test_a_row_of_another_shape_is_refused_with_its_number(
    tmp_path: Path, kbs: Any, selects: Any, told: str
) -> None:
    with pytest.raises(InputError, match=rf"chats\.jsonl: dialogue 1 .*{told}"):
        read_chats([written(tmp_path, row(kbs, selects))])


def test_a_bargain_has_its_prices_and_acts(tmp_path: Path) -> None:
    bargain = {
        "agent_info": {
            "Bottomline": ["None", "None"],
            "Role": ["buyer", "seller"],
            "Target": [7.0, 10.0],
        },
        "agent_turn": [0, 1, 0],
        "dialogue_acts": {"intent": ["init-price", "offer", "accept"], "price": [7.0, 9.0, -1.0]},
        "utterance": ["would you take 7?", "", ""],
        "items": {
            "Category": ["bike", "bike"],
            "Images": ["", ""],
            "Price": [10.0, 10.0],
            "Description": ["a bell", "a bell"],
            "Title": ["Bike", "Bike"],
        },
    }

    (chat,) = read_chats([written(tmp_path, bargain)])

    assert chat.succeeded
    assert [each.action for each in chat.events] == ["message", "offer", "accept"]
    assert [each.price for each in chat.events] == [None, 9.0, None]
    assert (chat.events[0].act, chat.events[0].act_price) == ("init-price", 7.0)
    assert chat.kbs[0]["personal"] == {"Role": "buyer", "Target": 7.0, "Bottomline": None}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "There is no dialogue in"),
        ('{"uuid": "C", ', "expected a JSON array, or an object per line"),
        ("[1]", "dialogue 1 is no object"),
        ('{"uuid": "C", "scenario": {}}', "has no 'scenario' and 'events'"),
        ('{"scenario": {"kbs": [[]]}, "events": []}', "takes two knowledge bases"),
    ],
)
def test_what_is_no_file_of_chats_is_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "chats.json"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_chats([path])


def test_a_message_with_half_a_character_and_a_dialogue_twice_are_refused(tmp_path: Path) -> None:
    torn = example(events=[{"agent": 0, "action": "message", "data": "\ud800", "time": 1.0}])
    with pytest.raises(InputError, match="takes text as a message"):
        read_chats([written(tmp_path, torn)])
    with pytest.raises(InputError, match="'C_1' is there twice"):
        read_chats([written(tmp_path, example(1), example(1))])
    with pytest.raises(InputError, match="cannot be read"):
        json_records(tmp_path / "nothing.json")


def test_parts_are_cut_by_id_and_seed_and_none_may_be_empty(tmp_path: Path) -> None:
    chats = read_chats([written(tmp_path, *[example(n) for n in range(40)])])

    learnt, held = held_out(chats, fold=0, folds=4, seed=1)
    others = held_out(chats, fold=1, folds=4, seed=1)[1]

    assert {each.id for each in learnt} | {each.id for each in held} == {c.id for c in chats}
    assert not {each.id for each in held} & {each.id for each in others}
    assert held_out(chats[:30], fold=0, folds=4, seed=1)[1] == [c for c in held if c in chats[:30]]
    assert held_out(chats, fold=0, folds=4, seed=2)[1] != held
    with pytest.raises(InputError, match="leaves 1 dialogues to learn from and 0"):
        held_out(chats[:1], fold=0 if chats[0] not in held else 1, folds=4, seed=1)
