"""CraigslistBargain as Hugging Face has it (`stanfordnlp/craigslist_bargains`), a row per dialogue.

`{"agent_info": {"Bottomline", "Role", "Target"}, "agent_turn", "dialogue_acts": {"intent", "price"},
"utterance", "items": {"Category", "Images", "Price", "Description", "Title"}}`, each a list; some
tools write a list of objects instead of an object of lists. A row has less than an example: no ids,
times, scenario or outcome; lists of lines are one text; a price that is not there is -1. What was done
is told by the intent, which the test set does not have: there a turn without words is a move `unknown`.
"""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, BinaryIO

import msgspec

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE
from palaver.core.records import DialogueRecord
from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT
from palaver.formats.cocoa.examples import example_json, example_record
from palaver.formats.cocoa.made_ids import made_id
from palaver.formats.cocoa.scenarios import BARGAIN
from palaver.formats.cocoa.shapes import checked, is_number
from palaver.formats.found_records import Found, read_documents

UNKNOWN = "unknown"

_MOVES = (OFFER, ACCEPT, REJECT, QUIT)
_NOTHING = -1.0
_JOINT = ","
_PERSONAL = ("Bottomline", "Role", "Target")
_ITEM = ("Category", "Images", "Price", "Description", "Title")
_TYPES = {"Role": "role", "Target": "price", "Bottomline": "price", "Price": "price"}


class _Acts(msgspec.Struct):
    intent: list[str | None]
    price: list[float | None]


class _People(msgspec.Struct):
    Bottomline: list[str | float | None]
    Role: list[str]
    Target: list[float]


class _Listings(msgspec.Struct):
    Category: list[str]
    Images: list[str]
    Price: list[float]
    Description: list[str]
    Title: list[str]


class HfRow(msgspec.Struct):
    """One dialogue."""

    agent_info: _People
    agent_turn: list[int]
    dialogue_acts: _Acts
    utterance: list[str]
    items: _Listings


def find_rows(stream: BinaryIO, name: str) -> Iterator[Found]:
    """The dialogues of JSON lines, or of an array, of rows."""
    source = PurePath(name).name

    def read(raw: dict[str, Any], number: int) -> DialogueRecord:
        return example_record(_example(_row(raw), number), source=source)

    return read_documents(stream, name, read, noun="row")


def row_of(record: DialogueRecord) -> HfRow:
    """A dialogue as a row; InputError where it is of another game."""
    if record.scenario.game != BARGAIN or not record.scenario.kbs:
        raise InputError(
            f"'{record.id}' is of the game '{record.scenario.game}'; expected a bargain."
        )
    example = example_json(record)
    personal = [kb["personal"] for kb in record.scenario.kbs]
    items = [kb["item"] for kb in record.scenario.kbs]
    acts = [_act(event) for event in example["events"]]
    return HfRow(
        agent_info=_People(
            Bottomline=[str(each.get("Bottomline")) for each in personal],
            Role=[each["Role"] for each in personal],
            Target=[_number(each.get("Target")) for each in personal],
        ),
        agent_turn=[event["agent"] for event in example["events"]],
        dialogue_acts=_Acts(
            intent=[intent for intent, _ in acts], price=[price for _, price in acts]
        ),
        utterance=[
            event["data"] if isinstance(event["data"], str) else "" for event in example["events"]
        ],
        items=_Listings(
            Category=[_joined(item.get("Category")) for item in items],
            Images=[_joined(item.get("Images")) for item in items],
            Price=[_number(item.get("Price")) for item in items],
            Description=[_joined(item.get("Description")) for item in items],
            Title=[_joined(item.get("Title")) for item in items],
        ),
    )


def _row(raw: dict[str, Any]) -> HfRow:
    """A row in the shape of lists, whichever way it came."""
    lists = {
        key: {name: [each.get(name) for each in raw[key]] for name in names}
        for key, names in (
            ("agent_info", _PERSONAL),
            ("dialogue_acts", ("intent", "price")),
            ("items", _ITEM),
        )
        if isinstance(raw.get(key), list) and all(isinstance(each, dict) for each in raw[key])
    }
    row = checked({**raw, **lists}, HfRow)
    turns = len(row.agent_turn)
    for name, column in (
        ("utterance", row.utterance),
        ("intent", row.dialogue_acts.intent),
        ("price", row.dialogue_acts.price),
    ):
        if len(column) != turns:
            raise InputError(f"'agent_turn' has {turns} turns and '{name}' has {len(column)}.")
    columns = [getattr(row.agent_info, name) for name in _PERSONAL]
    columns += [getattr(row.items, name) for name in _ITEM]
    if any(len(column) != 2 for column in columns):
        raise InputError("'agent_info' and 'items' take one entry for each of the two agents.")
    return row


def _example(row: HfRow, number: int) -> dict[str, Any]:
    """A row as an example, with new ids."""
    kbs = [_kb(row, seat) for seat in (0, 1)]
    scenario = {
        "uuid": made_id("S", number, kbs),
        "category": row.items.Category[0],
        "attributes": [
            {
                "name": name,
                "value_type": _TYPES.get(name, "text"),
                "unique": False,
                "multivalued": False,
                "entity": False,
            }
            for name in (*_PERSONAL, *_ITEM)
        ],
        "kbs": kbs,
    }
    events = [_event(row, n) for n in range(len(row.agent_turn))]
    return {
        "uuid": made_id("C", number, kbs, events),
        "scenario_uuid": scenario["uuid"],
        "scenario": scenario,
        "agents": {"0": "human", "1": "human"},
        "agents_info": None,
        "outcome": _outcome(events),
        "events": events,
    }


def _kb(row: HfRow, seat: int) -> dict[str, Any]:
    people, items = row.agent_info, row.items
    return {
        "personal": {
            "Role": people.Role[seat],
            "Target": _price(people.Target[seat]),
            "Bottomline": _bottom_line(people.Bottomline[seat]),
        },
        "item": {
            "Category": items.Category[seat],
            "Images": items.Images[seat].split(_JOINT) if items.Images[seat] else [],
            "Price": _price(items.Price[seat]),
            # The lines were joined with a comma, which stands inside of them, too.
            "Description": [items.Description[seat]] if items.Description[seat] else [],
            "Title": items.Title[seat],
        },
    }


def _event(row: HfRow, n: int) -> dict[str, Any]:
    intent, said = row.dialogue_acts.intent[n] or "", row.utterance[n]
    price = row.dialogue_acts.price[n]
    price = None if price is None or price == _NOTHING else price
    action = intent if intent in _MOVES and not said else MESSAGE if said or intent else UNKNOWN
    data: Any = {MESSAGE: said, OFFER: {"price": price}}.get(action)
    return {
        "agent": row.agent_turn[n],
        "action": action,
        "data": data,
        "time": None,
        "start_time": None,
        "metadata": {"intent": intent, "price": price} if intent else None,
    }


def _outcome(events: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What came of it, where the moves have names."""
    if any(event["action"] == UNKNOWN for event in events):
        return None
    offers = [event["data"] for event in events if event["action"] == OFFER]
    accepted = bool(events) and events[-1]["action"] == ACCEPT
    return {"reward": int(accepted), "offer": offers[-1] if offers else None}


def _act(event: dict[str, Any]) -> tuple[str, float]:
    """The intent and price of an event: as its metadata say, else as the move does."""
    metadata = event.get("metadata")
    said = metadata if isinstance(metadata, dict) else {}
    action, data = event["action"], event["data"]
    intent = said.get("intent") or (action if action in _MOVES else "")
    price = said.get("price") or (data.get("price") if isinstance(data, dict) else None)
    return str(intent), _number(price)


def _number(value: Any) -> float:
    return float(value) if value and is_number(value) else _NOTHING


def _price(value: float) -> int | float | None:
    """A price as scenarios have it: whole where it can be, None where the row has none."""
    if value == _NOTHING:
        return None
    return int(value) if value.is_integer() else value


def _bottom_line(written: str | float | None) -> Any:
    """The least or most that somebody takes; a text that is no number is left for the check."""
    if written in (None, "None", ""):
        return None
    try:
        return _price(float(str(written)))
    except (ValueError, OverflowError):
        return written


def _joined(value: Any) -> str:
    return _JOINT.join(map(str, value)) if isinstance(value, list) else str(value or "")
