"""Examples of CoCoA: read as dialogues of ours, written back as they were, every shape of them."""

import io
import json
from typing import Any

import msgspec
import pytest

from palaver.core.dialogue import Seat
from palaver.core.errors import InputError
from palaver.core.events import END, MESSAGE, NOTICE, Event
from palaver.core.records import DialogueRecord, decode_dialogue, encode_line
from palaver.formats.cocoa.examples import (
    example_json,
    example_record,
    find_examples,
    read_examples,
)
from palaver.formats.cocoa.scenarios import scenario_of
from palaver.formats.found_records import Mistake
from support.cocoa import (
    BARGAIN_EXAMPLE,
    DEAL_EXAMPLE,
    EXAMPLES,
    FRIENDS_EXAMPLE,
    FRIENDS_SCENARIO,
    changed,
)
from support.shared import COCOA


def there_and_back(raw: dict[str, Any]) -> Any:
    """The example after a line of `dialogues.jsonl` was made of it."""
    record = decode_dialogue(encode_line(example_record(raw)))
    return json.loads(msgspec.json.encode(example_json(record)))


def without(raw: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key not in keys}


@pytest.mark.parametrize(
    "raw",
    [
        *EXAMPLES,
        without(FRIENDS_EXAMPLE, "agents", "agents_info"),
        without(FRIENDS_EXAMPLE, "outcome"),
        without(FRIENDS_EXAMPLE, "scenario"),
        without(BARGAIN_EXAMPLE, "scenario"),
        changed(FRIENDS_EXAMPLE, "scenario", to=None),
        changed(FRIENDS_EXAMPLE, "outcome", to=None),
        changed(FRIENDS_EXAMPLE, "agents", to=None),
        changed(FRIENDS_EXAMPLE, "events", to=[]),
        changed(FRIENDS_EXAMPLE, "notes", to="a key that nobody knows"),
        changed(FRIENDS_EXAMPLE, "events", 2, "time", to="2016-11-05 12-30-00"),
        changed(FRIENDS_EXAMPLE, "events", 0, "action", to="end"),
        changed(DEAL_EXAMPLE, "outcome", to={"reward": 0}),
        changed(DEAL_EXAMPLE, "outcome", "item_split", to=[{"book": 2, "hat": 1, "ball": 3}, {}]),
        changed(DEAL_EXAMPLE, "events", 2, to={"agent": 1, "action": "quit", "data": None}),
        changed(BARGAIN_EXAMPLE, "events", 1, "data", to={"price": None}),
        changed(BARGAIN_EXAMPLE, "events", 2, "data", to="gladly"),
        changed(BARGAIN_EXAMPLE, "scenario", "intersection", to=0.2),
    ],
)
def test_an_example_is_written_back_as_it_was(raw: dict[str, Any]) -> None:
    assert there_and_back(raw) == raw


def test_moves_have_one_name_and_their_data() -> None:
    friends, bargain, deal = (example_record(raw) for raw in EXAMPLES)

    def moves(record: DialogueRecord) -> list[tuple[int | None, str, dict[str, Any]]]:
        return [
            (e.seat, e.action, without(e.data or {}, "cocoa")) for e in record.events if e.is_turn
        ]

    ada = {"item": {"Name": "Ada", "Hobby": "Chess"}}
    assert moves(friends) == [
        (0, "message", {"text": "Hi"}),
        (1, "select", ada),
        (0, "select", ada),
    ]
    assert moves(bargain) == [
        (0, "message", {"text": "Would you take $30?"}),
        (1, "offer", {"price": 30.0, "sides": ""}),
        (0, "accept", {}),
    ]
    assert moves(deal)[1:] == [
        (0, "select", {"take": {"book": 0, "hat": 0, "ball": 3}}),
        (1, "select", {"take": {"book": 2, "hat": 1, "ball": 0}}),
    ]


def test_a_dialogue_knows_its_seats_scenario_outcome_and_times() -> None:
    record = example_record(FRIENDS_EXAMPLE, source="friends.json")
    dialogue = record.dialogue()
    assert (record.id, record.source_id, record.source) == ("C_friends",) * 2 + ("friends.json",)
    assert [(seat.kind, seat.occupant) for seat in record.seats] == [
        ("person", "person"),
        ("system", "rulebased"),
    ]
    assert record.condition == "rulebased"
    assert record.scenario.kbs == tuple(FRIENDS_SCENARIO["kbs"])
    assert dialogue.outcome == {"reward": 1}
    assert record.created == 1500000001.5
    assert dialogue.tells_times


def test_typing_and_ratings_of_utterances_are_nobodys_turn() -> None:
    record = example_record(FRIENDS_EXAMPLE)
    notices = [event for event in record.events if event.action == NOTICE]
    assert [event.audience for event in notices] == [(), ()]


def test_counted_turns_are_not_taken_for_times() -> None:
    record = example_record(DEAL_EXAMPLE)
    assert record.created is None
    assert {event.time for event in record.events} == {0.0}
    assert not record.dialogue().tells_times


def test_a_quit_whose_time_is_in_its_metadata_has_that_time() -> None:
    quits = {"agent": 0, "time": None, "action": "quit", "data": None, "metadata": "1500000020.5"}
    raw = changed(BARGAIN_EXAMPLE, "events", 2, to=quits)
    record = example_record(raw)
    assert [event.time for event in record.events][2:] == [1500000020.5] * 2
    assert there_and_back(raw) == raw


def test_a_scenario_that_stands_elsewhere_is_looked_up() -> None:
    raw = without(FRIENDS_EXAMPLE, "scenario")
    alone = example_record(raw)
    assert (alone.scenario.id, alone.scenario.game) == ("S_friends", "mutual_friends")
    known = {"S_friends": scenario_of(FRIENDS_SCENARIO)}
    assert example_json(example_record(raw, scenarios=known)) == FRIENDS_EXAMPLE
    with pytest.raises(InputError, match="'S_friends' is not among those given"):
        example_record(raw, scenarios={})


def test_a_dialogue_held_here_is_written_as_cocoa_would() -> None:
    held = DialogueRecord(
        id="d1",
        study="s",
        scenario=scenario_of(DEAL_EXAMPLE["scenario"]),
        seats=[
            Seat(index=0, kind="person", occupant="p7"),
            Seat(index=1, kind="system", occupant="rules"),
            Seat(index=0, kind="system", occupant="late", from_seq=3),
        ],
        events=[
            Event(seq=1, seat=0, action="join", data={}, time=10.0),
            Event(seq=2, seat=0, action=MESSAGE, data={"text": "hi"}, time=11.5),
            Event(seq=3, seat=1, action=MESSAGE, data=None, time=12.0),
            Event(seq=4, seat=0, action="select", data={"take": {"book": 1}}, time=13.0),
            Event(seq=5, seat=0, action="quit", data={}, time=14.0),
            Event(seq=6, seat=None, action=END, data={"outcome": {"reward": 0}}, time=14.0),
        ],
    )
    written = example_json(held)
    assert written["agents"] == {"0": "human", "1": "rules"}
    assert written["outcome"] == {
        "reward": 0,
        "item_split": None,
        "valid_deal": False,
        "agreed": False,
    }
    assert [(e["agent"], e["action"], e["data"], e["time"]) for e in written["events"]] == [
        (0, "message", "hi", "11.5"),
        (0, "select", {"book": 1}, "13.0"),
        (0, "quit", None, "14.0"),
    ]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (changed(FRIENDS_EXAMPLE, "events", 2, "agent", to=2), "Event 3: There are agents 0 and 1"),
        (changed(FRIENDS_EXAMPLE, "events", 2, "agent", to=True), "Event 3: 'agent' takes a whole"),
        (changed(FRIENDS_EXAMPLE, "events", 2, "data", to=7), "Event 3: A message takes text"),
        (
            changed(FRIENDS_EXAMPLE, "events", 3, "data", to={"Nam": "Ada"}),
            "Event 4: Unknown attribute 'Nam'. Near: 'Name'.",
        ),
        (without(FRIENDS_EXAMPLE, "events"), "'events' is missing."),
        (
            without(FRIENDS_EXAMPLE, "scenario", "scenario_uuid"),
            "neither 'scenario' nor 'scenario_uuid'",
        ),
        (
            changed(BARGAIN_EXAMPLE, "events", 1, "data", "price", to="free"),
            "Event 2: The price of an offer is a number or null; got 'free'.",
        ),
        (
            changed(BARGAIN_EXAMPLE, "outcome", "offer", "price", to=float("inf")),
            "Outcome: The price of an offer is a number",
        ),
        (
            changed(BARGAIN_EXAMPLE, "outcome", "offer", "price", to=10**400),
            "Outcome: The price of an offer is a number",
        ),
        (changed(BARGAIN_EXAMPLE, "events", 1, "action", to="select"), "selected in a bargain"),
        (changed(BARGAIN_EXAMPLE, "events", 1, "data", to=30), "Event 2: An offer takes an object"),
        (
            changed(DEAL_EXAMPLE, "events", 1, "data", "ball", to=4),
            "Event 2: Of 'ball' 0 to 3 can be taken; got '4'.",
        ),
        (changed(DEAL_EXAMPLE, "events", 1, "data", to={"book": 1}), "how many of 'hat' are taken"),
        (
            changed(DEAL_EXAMPLE, "outcome", "item_split", "0", "ball", to=2),
            "Outcome: of 'ball' there are 3; the split says 2 + 0.",
        ),
        (changed(DEAL_EXAMPLE, "outcome", "item_split", to=None), "needs 'item_split'"),
        (
            changed(DEAL_EXAMPLE, "scenario", "kbs", to=[]),
            "Scenario: 'kbs' takes two knowledge bases; got 0.",
        ),
    ],
)
def test_what_is_wrong_is_named(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        example_record(raw)
    assert message in str(refused.value)


def test_a_wrong_example_does_not_stop_the_reading() -> None:
    wrong = changed(FRIENDS_EXAMPLE, "events", 2, "agent", to=2)
    content = json.dumps([DEAL_EXAMPLE, wrong, BARGAIN_EXAMPLE]).encode()
    found = list(find_examples(io.BytesIO(content), "x.json"))
    assert [isinstance(each, Mistake) for each in found] == [False, True, False]
    assert str(found[1]).startswith("x.json:1: example 2 (C_friends): Event 3: ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (json.dumps([DEAL_EXAMPLE, FRIENDS_EXAMPLE])[:-40], "not JSON.*ends inside.*1 whole"),
        (json.dumps([DEAL_EXAMPLE])[:-1], "the array that begins the file never ends"),
        (json.dumps(changed(BARGAIN_EXAMPLE, "outcome", to=float("nan"))), "NaN is not a number"),
        ('[{"uuid": ' + "[" * 9999 + "]" * 9999 + "}]", "nested too deeply"),
        ("[7]", "expected a JSON object; got '7"),
    ],
)
def test_a_file_that_is_not_json_is_named(content: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"x\.json:1: .*{message}"):
        list(find_examples(io.BytesIO(content.encode()), "x.json"))


@pytest.mark.skipif(not COCOA.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    ("name", "examples", "agreed"),
    [
        ("bargain_dev.json", 597, 451),
        ("bargain_train_part.json", 1018, 719),
        ("deal_val.json", 422, 422),
    ],
)
def test_the_dialogues_of_people_pass_through_unchanged(
    name: str, examples: int, agreed: int
) -> None:
    content = (COCOA / name).read_bytes()
    records = list(read_examples(io.BytesIO(content), name=name))
    written = [msgspec.json.encode(example_json(decode_dialogue(encode_line(r)))) for r in records]
    # As texts with sorted keys, so that 30 and 30.0 differ.
    assert [json.dumps(json.loads(text), sort_keys=True) for text in written] == [
        json.dumps(raw, sort_keys=True) for raw in json.loads(content)
    ]
    rewards = [record.dialogue().outcome["reward"] for record in records]
    assert (len(records), sum(bool(reward) for reward in rewards)) == (examples, agreed)
