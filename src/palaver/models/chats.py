"""Dialogues of CoCoA's games as networks learn from them, read without the packages that Palaver needs.

A file is a JSON array or has an object per line, plain or packed with gzip. Its objects are examples of
CoCoA, lines of our own `dialogues.jsonl`, or rows as Hugging Face has them. `formats.cocoa` reads the
same files as dialogues, and says more of what is wrong with them; training must do without it.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT, SELECT
from palaver.models.json_files import json_records

MESSAGE = "message"
_MOVES = frozenset({SELECT, OFFER, ACCEPT, REJECT, QUIT})
# JSON can escape half a character, which can be written to no file.
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatEvent:
    """A message or a move of one seat. `act` and `act_price` are what a file says that it does."""

    seat: int
    action: str
    text: str = ""
    # The price of an offer; the friend, or the counts by item, that were selected.
    price: float | None = None
    selected: Mapping[str, Any] = field(default_factory=dict)
    act: str = ""
    act_price: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A dialogue of two seats, and whether they came to what the game is about."""

    id: str
    kbs: tuple[Any, Any]
    events: tuple[ChatEvent, ...]
    succeeded: bool
    # The attributes of a scenario, in their order: name and type of its values.
    attributes: tuple[tuple[str, str], ...] = ()

    def part(self, parts: int, seed: int) -> int:
        """Which of equal parts the dialogue falls into, by the seed and its id alone."""
        digest = hashlib.sha256(f"{seed}:{self.id}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % parts


def read_chats(paths: Iterable[Path]) -> list[Chat]:
    """The dialogues of some files, each once; InputError says which one is wrong, and how.

    Notices and other entries that are nobody's turn are left out.
    """
    found: dict[str, Chat] = {}
    named = []
    for path in paths:
        named.append(str(path))
        for number, raw in enumerate(json_records(path), start=1):
            try:
                chat = _chat(raw, number)
            except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
                raise InputError(f"{path}: dialogue {number} {_told(error)}") from error
            if chat.id in found:
                raise InputError(
                    f"{path}: dialogue '{chat.id}' is there twice. Give each dialogue once."
                )
            found[chat.id] = chat
    if not found:
        raise InputError(
            f"There is no dialogue in {', '.join(named) or 'no file'}. Give chats of CoCoA, or what "
            "palaver export or palaver selfplay wrote."
        )
    return list(found.values())


def held_out(
    chats: Sequence[Chat], *, fold: int, folds: int, seed: int
) -> tuple[list[Chat], list[Chat]]:
    """The chats to learn from, and those of the part that is held out; InputError where one has
    none."""
    learnt: list[Chat] = []
    held: list[Chat] = []
    for chat in chats:
        (held if chat.part(folds, seed) == fold % folds else learnt).append(chat)
    if not learnt or not held:
        raise InputError(
            f"One dialogue in {folds} is held out, which leaves {len(learnt):,} dialogues to learn "
            f"from and {len(held):,} to measure on. Give more dialogues, or another number of "
            "'data.folds'."
        )
    return learnt, held


def _chat(raw: Any, number: int) -> Chat:
    if not isinstance(raw, Mapping):
        raise ValueError(f"is no object; got {raw!r:.60}.")
    if "agent_turn" in raw and "items" in raw:
        return _bargain_row(raw, number)
    if "scenario_kbs" in raw:
        return _friends_row(raw)
    scenario = raw.get("scenario")
    if not isinstance(scenario, Mapping) or not isinstance(raw.get("events"), list):
        raise ValueError("has no 'scenario' and 'events'; expected a chat with both.")
    kbs = scenario.get("kbs")
    if not isinstance(kbs, list) or len(kbs) != 2:
        raise ValueError(f"takes two knowledge bases in its scenario; got {kbs!r:.60}.")
    attributes = scenario.get("attributes") or (scenario.get("extra") or {}).get("attributes") or ()
    read = [_event(each) for each in raw["events"]]
    return Chat(
        id=_text(raw.get("uuid") or raw.get("id") or "", "its id") or f"chat-{number}",
        kbs=(kbs[0], kbs[1]),
        events=tuple(event for event in read if event is not None),
        succeeded=_success(raw),
        attributes=tuple((str(a["name"]), str(a.get("value_type", ""))) for a in attributes),
    )


def _event(raw: Any) -> ChatEvent | None:
    """A turn of a chat; None for what is nobody's turn, and for what was erased."""
    seat = raw["agent"] if "agent" in raw else raw["seat"]
    action, data = raw["action"], raw.get("data")
    if seat not in (0, 1) or (action != MESSAGE and action not in _MOVES):
        return None
    metadata = raw.get("metadata")
    said = metadata if isinstance(metadata, Mapping) else {}
    act, act_price = str(said.get("intent") or ""), _price(said.get("price"))
    if action == MESSAGE:
        text = data.get("text") if isinstance(data, Mapping) else data
        if text is None:
            return None
        return ChatEvent(
            seat=seat,
            action=action,
            text=_text(text, "a message"),
            act=act,
            act_price=act_price,
        )
    fields = data if isinstance(data, Mapping) else {}
    selected = fields.get("item") or fields.get("take") or fields if action == SELECT else {}
    return ChatEvent(
        seat=seat,
        action=action,
        price=_price(fields.get("price")) if action == OFFER else None,
        selected={k: v for k, v in selected.items() if k != "cocoa"},
        act=act,
        act_price=act_price,
    )


def _success(raw: Mapping[str, Any]) -> bool:
    """Whether the outcome of an example, or the end of a dialogue of ours, tells of success."""
    outcome = raw.get("outcome")
    for event in raw["events"]:
        if event.get("action") == "end":
            outcome = (event.get("data") or {}).get("outcome")
    if not isinstance(outcome, Mapping):
        return False
    if "success" in outcome:
        return bool(outcome["success"])
    return outcome.get("reward") == 1 or bool(outcome.get("valid_deal"))


def _bargain_row(raw: Mapping[str, Any], number: int) -> Chat:
    """A row of `craigslist_bargains`: lists by name, or a list of objects."""
    people, acts, items = (_columns(raw[key]) for key in ("agent_info", "dialogue_acts", "items"))
    kbs = [
        {
            "personal": {
                "Role": people["Role"][seat],
                "Target": _price(people["Target"][seat]),
                "Bottomline": _price(people["Bottomline"][seat]),
            },
            "item": {
                "Category": items["Category"][seat],
                "Price": _price(items["Price"][seat]),
                "Description": [str(items["Description"][seat])],
                "Title": str(items["Title"][seat]),
            },
        }
        for seat in (0, 1)
    ]
    events = []
    columns = (raw["agent_turn"], raw["utterance"], acts["intent"], acts["price"])
    for seat, said, intent, price in zip(*columns, strict=True):
        act, text = str(intent or ""), _text(said or "", "an utterance")
        action = act if act in _MOVES and not text else MESSAGE
        if action == MESSAGE and not text:
            continue
        amount = _price(price)
        events.append(
            ChatEvent(
                seat=int(seat),
                action=action,
                text=text,
                price=amount if action == OFFER else None,
                act=act,
                act_price=amount,
            )
        )
    last = events[-1].action if events else ""
    return Chat(
        id=f"row-{number}",
        kbs=(kbs[0], kbs[1]),
        events=tuple(events),
        succeeded=last == ACCEPT,
    )


def _friends_row(raw: Mapping[str, Any]) -> Chat:
    """A row of `mutual_friends`: a friend is a list of names beside one of values."""
    events, attributes = raw["events"], _columns(raw["scenario_attributes"])
    names = list(map(str, attributes["name"]))
    kbs = raw["scenario_kbs"]
    if len(kbs) != 2:
        raise ValueError(f"takes two tables in 'scenario_kbs'; got {len(kbs)}.")
    tables = [[_friend(row, names) for row in kb] for kb in kbs]
    selects = _columns(events["data_selects"])
    chosen = zip(selects["attributes"], selects["values"], strict=True)
    columns = (events["agents"], events["actions"], events["data_messages"], chosen)
    return Chat(
        id=_text(raw["uuid"], "its id"),
        kbs=(tables[0], tables[1]),
        events=tuple(_friends_events(zip(*columns, strict=True))),
        succeeded=raw.get("outcome_reward") == 1,
        attributes=tuple(zip(names, map(str, attributes["value_type"]), strict=True)),
    )


def _friends_events(rows: Iterable[tuple[Any, Any, Any, Any]]) -> Iterator[ChatEvent]:
    """Messages and selections; of a message the selection is empty, and the other way round."""
    for seat, action, said, selected in rows:
        if action == MESSAGE:
            yield ChatEvent(seat=_seat(seat), action=action, text=_text(said or "", "a message"))
        elif action == SELECT:
            friend = dict(zip(*selected, strict=True))
            yield ChatEvent(seat=_seat(seat), action=action, selected=friend)


def _friend(given: Sequence[Sequence[Any]], names: Sequence[str]) -> dict[str, Any]:
    """A friend, written as a list of names beside one of values, or as pairs of name and value.

    Two pairs and two lists of two look alike: those whose first entries are all names are pairs, unless
    the whole first list is.
    """
    if len(given) == 2 and all(each in names for each in given[0]):
        return dict(zip(given[0], given[1], strict=True))
    if not all(len(pair) == 2 and pair[0] in names for pair in given):
        raise ValueError(f"takes friends by the names {', '.join(names)}; got {given!r:.60}.")
    return {str(name): value for name, value in given}


def _seat(given: Any) -> int:
    if given not in (0, 1):
        raise ValueError(f"takes 0 or 1 as who speaks; got {given!r:.60}.")
    return int(given)


def _columns(given: Any) -> dict[str, list[Any]]:
    """Lists by name, whichever way they came."""
    if isinstance(given, Mapping):
        return {str(name): list(values) for name, values in given.items()}
    return {str(name): [each.get(name) for each in given] for name in given[0]} if given else {}


def _price(value: Any) -> float | None:
    """A price as it was given; None where there is none, which rows write as -1 or None in words."""
    if value is None or isinstance(value, bool) or value in ("", "None"):
        return None
    number = float(value)
    return number if 0 <= number < 1e12 else None


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or _HALVES.search(value):
        raise ValueError(f"takes text as {what}; got {value!r:.60}.")
    return value


def _told(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"lacks {error}."
    if type(error) is ValueError and str(error).endswith("."):
        return str(error)
    return f"is of another shape than chats have ({error})."
