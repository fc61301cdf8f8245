"""Bargains as they are learnt from: turns, views, acts, and what is skipped."""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.models.bargain.dialogues import bargain_corpus, read_bargains
from support.shared import COCOA

LONG = "This is a long sentence about a bike that somebody would like to sell before long, " * 3


def kbs() -> list[Any]:
    item = {"Category": "bike", "Price": 200, "Title": "A bike", "Description": ["Blue."]}
    return [
        {"personal": {"Role": "seller", "Target": 200}, "item": item},
        {"personal": {"Role": "buyer", "Target": 140}, "item": item},
    ]


def example(name: str, *events: tuple[int, str, Any], acts: list[Any] | None = None) -> Any:
    made = [{"agent": seat, "action": action, "data": data} for seat, action, data in events]
    for event, act in zip(made, acts or [], strict=False):
        event["metadata"] = {"intent": act, "price": None}
    return {
        "uuid": name,
        "scenario": {"uuid": "S", "kbs": kbs()},
        "events": made,
        "outcome": {"reward": 1},
    }


TALK = (
    (1, "message", LONG),
    (1, "message", "Would you take $120 for it?"),
    (0, "message", "I could do $180."),
    (1, "message", "How about $150 then?"),
    (0, "message", "No, that is not enough."),
    (0, "offer", {"price": 170, "sides": ""}),
    (1, "accept", None),
)


def write(folder: Path, *examples: Any) -> Path:
    path = folder / "bargains.json"
    path.write_text(json.dumps(examples), encoding="utf-8")
    return path


def test_what_a_seat_does_in_a_row_is_one_turn(tmp_path: Path) -> None:
    (found,) = read_bargains([write(tmp_path, example("C", *TALK))])
    assert [(turn.seat, len(turn.events)) for turn in found.turns] == [
        (1, 2), (0, 1), (1, 1), (0, 2), (1, 1),
    ]  # fmt: skip
    assert [event.act for event in found.events] == [
        "intro", "init-price", "counter-price", "counter-price", "disagree", "offer", "accept",
    ]  # fmt: skip
    assert [event.price for event in found.events] == [None, 120, 180, 150, None, 170, None]
    assert found.deal == 170
    assert found.category == "bike"
    assert not found.has_recorded_acts


def test_a_view_begins_with_the_partner(tmp_path: Path) -> None:
    (found,) = read_bargains([write(tmp_path, example("C", *TALK))])
    own, other = found.view(1), found.view(0)
    assert [turn.seat for turn in own] == [0, 1, 0, 1, 0, 1]
    assert own[0].events == ()
    assert [turn.seat for turn in other] == [1, 0, 1, 0, 1]
    assert other[0].events == found.turns[0].events


def test_recorded_acts_come_before_parsed_ones(tmp_path: Path) -> None:
    path = write(tmp_path, example("C", *TALK, acts=["unknown", None, "insist"]))
    (found,) = read_bargains([path])
    assert [event.act for event in found.events][:3] == ["unknown", "init-price", "insist"]
    assert found.has_recorded_acts
    (parsed,) = read_bargains([path], parses_all=True)
    assert [event.act for event in parsed.events][:3] == ["intro", "init-price", "counter-price"]


def test_offers_without_a_price_are_left_out(tmp_path: Path) -> None:
    events = [*TALK[:5], (0, "offer", {"price": None}), (1, "quit", None)]
    (found,) = read_bargains([write(tmp_path, example("C", *events))])
    assert [event.act for event in found.events][-2:] == ["disagree", "quit"]
    assert found.dropped_offers == 1
    assert found.deal is None


def test_what_is_too_short_is_skipped_and_counted(tmp_path: Path) -> None:
    enough = [example(f"C{n}", *TALK) for n in range(12)]
    nobody_writes = example("few words", *TALK[1:4], (0, "message", "No."))
    one_writes = example("one message", *TALK[:3])
    path = write(tmp_path, *enough, nobody_writes, one_writes)
    corpus = bargain_corpus([path], fold=0, folds=3, cut=1)
    assert len(corpus.learnt) + len(corpus.held) == 12
    assert corpus.counts["dialogues that were too short"] == 2
    assert corpus.counts["dialogues with a deal"] == 12
    all_of_them = bargain_corpus([path], fold=0, folds=3, cut=1, least_words=0, least_messages=0)
    assert all_of_them.counts["dialogues"] == 14
    with pytest.raises(InputError, match="All 2 dialogues are too short"):
        bargain_corpus([write(tmp_path, nobody_writes, one_writes)], fold=0, folds=3, cut=1)


def test_other_games_are_refused_in_a_sentence(tmp_path: Path) -> None:
    other = {
        "uuid": "F",
        "scenario": {"kbs": [[{"Name": "Ann"}], [{"Name": "Bob"}]]},
        "events": [],
    }
    with pytest.raises(InputError, match="'F' is not a bargain: its knowledge is of another game"):
        read_bargains([write(tmp_path, other)])
    wrong = example("W", *TALK)
    wrong["scenario"]["kbs"][0]["personal"]["Target"] = None
    with pytest.raises(InputError, match="'W' is not a bargain: 'Target' of the seller"):
        read_bargains([write(tmp_path, wrong)])
    twice = example("T", *TALK)
    twice["scenario"]["kbs"][0]["personal"]["Role"] = "buyer"
    with pytest.raises(InputError, match="two of the role 'buyer'"):
        read_bargains([write(tmp_path, twice)])


def test_the_published_dev_file_has_acts_for_most(tmp_path: Path) -> None:
    path = COCOA / "bargain_dev.json"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    corpus = bargain_corpus([path], fold=0, folds=10, cut=1)
    assert corpus.counts["dialogues"] == 454
    assert corpus.counts["dialogues whose acts the file records"] == 451
