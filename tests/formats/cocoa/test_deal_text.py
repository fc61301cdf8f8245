"""Facebook's lines of Deal or No Deal become the examples that CoCoA made of them, and back."""

import io
import json
from typing import Any

import msgspec
import pytest

from palaver.core.errors import InputError
from palaver.core.events import Event
from palaver.core.records import DialogueRecord
from palaver.formats.cocoa.deal_text import context_lines, deal_lines, find_contexts, find_deals
from palaver.formats.cocoa.examples import example_json, example_record
from palaver.formats.cocoa.scenarios import scenario_json
from palaver.formats.found_records import Found, FoundRecord, Mistake, Unconverted
from support.cocoa import BARGAIN_EXAMPLE, DEAL_LINE, OTHER_DEAL_LINE
from support.shared import COCOA

FAILED = DEAL_LINE.replace(
    "item0=0 item1=0 item2=3 item0=2 item1=1 item2=0", " ".join(["<disagree>"] * 6)
)


def deals(*lines: str) -> list[Found]:
    return list(find_deals([f"{line}\n".encode() for line in lines], "d.txt"))


def records(found: list[Found]) -> list[DialogueRecord]:
    return [each.record for each in found if isinstance(each, FoundRecord)]


def test_two_views_are_one_dialogue() -> None:
    found = deals(DEAL_LINE, OTHER_DEAL_LINE, FAILED)
    assert [each.why for each in found if isinstance(each, Unconverted)] == [
        "the other side's view of a dialogue",
        "without a deal (disagree)",
    ]
    [record] = records(found)
    example = example_json(record)
    assert [(e["agent"], e["action"], e["data"], e["time"]) for e in example["events"]] == [
        (0, "message", "i want the balls", 0),
        (1, "message", "ok", 1),
        (0, "select", {"book": 0, "hat": 0, "ball": 3}, 2),
        (1, "select", {"book": 2, "hat": 1, "ball": 0}, 3),
    ]
    assert example["outcome"]["reward"] == {"0": 6, "1": 10}


def test_a_dialogue_becomes_both_lines_again() -> None:
    [record] = records(deals(DEAL_LINE))
    assert [line.decode().rstrip("\n") for line in deal_lines(record)] == [
        DEAL_LINE,
        OTHER_DEAL_LINE,
    ]


def test_ids_are_new_and_stay_the_same() -> None:
    [first], [again] = records(deals(DEAL_LINE)), records(deals(DEAL_LINE))
    assert first.id == again.id
    assert first.id.startswith("E_")
    assert len(first.id) == 18
    _, other = records(deals(DEAL_LINE, DEAL_LINE.replace("ok", "no"), DEAL_LINE))[:2]
    assert other.id != first.id


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (DEAL_LINE[:90], "The line may be cut off"),
        (DEAL_LINE.replace("item2=3", "item2=2"), "Of 'ball' there are 3; the split says 2 + 0."),
        (DEAL_LINE.replace("item2=3", "item3=3"), "<output> takes item0= item1= item2= twice"),
        (DEAL_LINE.replace("<input> 2", "<input> two"), "A context has six whole numbers"),
        (DEAL_LINE.replace("THEM: ok", "US: ok"), "A turn begins with YOU: or THEM:"),
        (DEAL_LINE.replace("<selection>", "bye"), "does not end with <selection>"),
        (DEAL_LINE.replace("put> 2 3", "put> 1 3"), "do not have the same items"),
    ],
)
def test_a_wrong_line_is_named(line: str, message: str) -> None:
    *_, found = deals(DEAL_LINE.replace("i want", "give me"), "", line)
    assert isinstance(found, Mistake)
    assert str(found).startswith("d.txt:3: ")
    assert message in found.message


def test_a_deal_that_failed_says_why() -> None:
    [record] = records(deals(DEAL_LINE))

    def output(*events: Event) -> str:
        numbered = [msgspec.structs.replace(e, seq=n) for n, e in enumerate(events, start=1)]
        first, _ = deal_lines(msgspec.structs.replace(record, events=numbered))
        return first.decode().split("<output> ")[1].split()[0]

    def move(action: str, data: dict[str, Any], seat: int | None = 0) -> Event:
        return Event(seq=1, seat=seat, action=action, data=data, time=0)

    end = move("end", {}, None)
    assert output(move("select", {"take": {"book": 9}}), move("select", {}, 1)) == "<disagree>"
    assert output(move("message", {"text": "hi"}), move("quit", {}), end) == "<no_agreement>"
    assert output(move("message", {"text": "hi"})) == "<disconnect>"


def test_only_deals_have_such_lines() -> None:
    with pytest.raises(InputError, match="game 'craigslist_bargain'; expected 'deal_or_no_deal'"):
        deal_lines(example_record(BARGAIN_EXAMPLE))


def test_contexts_are_scenarios() -> None:
    lines = [b"2 1 1 2 3 2\n", b"2 3 1 4 3 0\n"]
    [found] = find_contexts(lines, "c.txt")
    assert isinstance(found, FoundRecord)
    raw = scenario_json(found.record)
    assert [each["name"] for each in raw["attributes"]] == ["Name", "Count", "Value"]
    assert raw["kbs"][1][1] == {"Name": "hat", "Count": 1, "Value": 4}
    assert list(context_lines(found.record)) == lines


def test_contexts_that_do_not_belong_together_are_named() -> None:
    lines = [b"2 1 1 2 3 2\n", b"1 3 1 4 3 0\n", b"2 1 1 2 3\n", b"2 1 1 2 3 2\n"]
    assert [str(each).split(": ")[0] for each in find_contexts(lines, "c.txt")] == [
        "c.txt:2",
        "c.txt:3",
        "c.txt:4",
    ]


def _comparable(example: dict[str, Any]) -> dict[str, Any]:
    """An example without the ids that are new and the moment when it was converted."""
    scenario = {key: value for key, value in example["scenario"].items() if key != "uuid"}
    events = [{k: v for k, v in each.items() if k != "start_time"} for each in example["events"]]
    kept = {k: v for k, v in example.items() if k not in ("uuid", "scenario_uuid")}
    return {**kept, "scenario": scenario, "events": events}


@pytest.mark.skipif(not COCOA.exists(), reason="the shared data is not here")
def test_the_validation_text_gives_the_examples_that_were_published() -> None:
    with (COCOA / "deal_val.txt").open("rb") as stream:
        found = records(list(find_deals(stream, "deal_val.txt")))
    published = json.loads((COCOA / "deal_val.json").read_text())
    assert len(found) == len(published) == 422
    assert [_comparable(example_json(record)) for record in found] == [
        _comparable(example) for example in published
    ]
    assert len({record.id for record in found}) == 422


@pytest.mark.skipif(not COCOA.exists(), reason="the shared data is not here")
def test_the_training_text_gives_every_deal_once_and_back() -> None:
    content = (COCOA / "deal_train.txt").read_bytes()
    found = list(find_deals(io.BytesIO(content), "deal_train.txt"))
    assert not [each for each in found if isinstance(each, Mistake)]
    dialogues = records(found)
    assert len(dialogues) == 3942
    lines = set(content.decode().splitlines())
    first = [deal_lines(record)[0].decode().rstrip("\n") for record in dialogues]
    assert set(first) <= lines


@pytest.mark.skipif(not COCOA.exists(), reason="the shared data is not here")
def test_the_contexts_for_self_play_are_scenarios() -> None:
    content = (COCOA / "deal_selfplay.txt").read_bytes()
    found = list(find_contexts(io.BytesIO(content), "deal_selfplay.txt"))
    scenarios = [each.record for each in found if isinstance(each, FoundRecord)]
    assert len(scenarios) == len(found) == 4086
    assert b"".join(line for each in scenarios for line in context_lines(each)) == content
