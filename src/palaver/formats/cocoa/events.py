"""Events of CoCoA as ours: a message has words, a selection an item or a split, an offer a price.

| action | data here | data in the file |
|---|---|---|
| `message` | `{"text": …}` | the words |
| `select` | `{"item": friend}`, of a deal `{"take": {item: count}}` | the friend, the counts |
| `offer` | `{"price": number or null, "sides": …}` | the same |
| `accept`, `reject`, `quit` | `{}` | null |

What an event of a file has beside these (`time` as it was written, `start_time`, `metadata`, keys that
nobody knows) stays in its data under `cocoa`, so that it can be written back unchanged. Typing and
evaluations of single utterances are nobody's turn: they become notices that only researchers see.
"""

from datetime import UTC, datetime
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.events import HOUSEKEEPING, JOIN, LEAVE, MESSAGE, NOBODY, NOTICE, Event
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT, SELECT
from palaver.formats.cocoa.scenarios import (
    BARGAIN,
    DEAL,
    MUTUAL_FRIENDS,
    counts_of,
    item_problem,
    split_problem,
)
from palaver.formats.cocoa.shapes import is_number

# Where an event keeps what a file said of it and we have no name for.
KEPT = "cocoa"

_BARE = frozenset({ACCEPT, REJECT, QUIT, JOIN, LEAVE})
_DECORATIVE = frozenset({"typing", "eval"})
_OLD_TIME = "%Y-%m-%d %H-%M-%S"
# Numbers below this are not seconds since 1970 but count turns.
_FIRST_SECOND = 1e8


class CocoaEvent(msgspec.Struct):
    """What every event of a file has; other keys are kept as they are."""

    agent: int
    action: str
    data: Any = None
    time: float | int | str | None = None


def event_of(seq: int, given: CocoaEvent, raw: dict[str, Any], scenario: Scenario) -> Event:
    """An event of a file; its time is 0 until `with_times` has seen all of them."""
    if given.agent not in (0, 1):
        raise InputError(f"There are agents 0 and 1; got agent {given.agent}.")
    data = _data(given.action, given.data, scenario)
    kept = {key: value for key, value in raw.items() if key not in ("agent", "action", "data")}
    action, audience = given.action, None
    if action in _DECORATIVE or (action in HOUSEKEEPING and action not in (JOIN, LEAVE)):
        kept["action"] = action
        action, audience = NOTICE, NOBODY
    event = Event(seq=seq, seat=given.agent, action=action, data=data, time=0.0, audience=audience)
    if _file_data(event, scenario) != given.data:
        kept["data"] = given.data
    return msgspec.structs.replace(event, data={**data, KEPT: kept})


def event_json(event: Event, scenario: Scenario) -> dict[str, Any] | None:
    """The event as a file has it; None for what the house noted, and after an erasure."""
    if event.seat is None or event.data is None:
        return None
    common = {
        "agent": event.seat,
        "action": event.action,
        "data": _file_data(event, scenario),
    }
    kept = kept_in(event.data)
    if kept is not None:
        return {**common, **kept}
    if not event.is_turn:
        return None
    return {**common, "time": str(event.time), "start_time": None, "metadata": None}


def kept_in(data: dict[str, Any] | None) -> dict[str, Any] | None:
    """What a file said beside what has a name here; None where no file said anything."""
    kept = (data or {}).get(KEPT)
    return kept if isinstance(kept, dict) else None


def with_times(events: list[Event]) -> list[Event]:
    """The events with the seconds that the file says; all at 0 where it does not say them.

    An event without a time happened when the one before it did. The site for bargains wrote the time
    of a quit into its metadata.
    """
    seconds: list[float | None] = []
    for event in events:
        kept = kept_in(event.data) or {}
        said = _seconds(kept.get("time"))
        if said is None and event.action == QUIT:
            said = _seconds(kept.get("metadata"))
        seconds.append(said)
    known = [each for each in seconds if each is not None]
    if not known or min(known) < _FIRST_SECOND:
        return events
    timed, last = [], known[0]
    for event, said in zip(events, seconds, strict=True):
        last = last if said is None else said
        timed.append(msgspec.structs.replace(event, time=last))
    return timed


def recognised_by_moves(events: list[CocoaEvent]) -> str:
    """The game that is played, where a file has events and no scenario; empty where none is known."""
    for event in events:
        if event.action in (OFFER, ACCEPT, REJECT):
            return BARGAIN
        if event.action == SELECT and isinstance(event.data, dict):
            counts = all(isinstance(value, int) for value in event.data.values())
            return DEAL if counts else MUTUAL_FRIENDS
    return ""


def price_problem(price: Any) -> str:
    """What is wrong with the price of an offer; empty if nothing is."""
    if price is None or is_number(price):
        return ""
    return f"The price of an offer is a number or null; got '{price}'."


def _data(action: str, data: Any, scenario: Scenario) -> dict[str, Any]:
    """What a file says of an event, under the names it has here."""
    if action == MESSAGE:
        if not isinstance(data, str):
            raise InputError(f"A message takes text; got {_kind(data)}.")
        return {"text": data}
    if action == SELECT:
        return _selection(data, scenario)
    if action == OFFER:
        if not isinstance(data, dict):
            raise InputError(f"An offer takes an object with 'price'; got {_kind(data)}.")
        problem = price_problem(data.get("price"))
        if problem:
            raise InputError(problem)
        return dict(data)
    return {}


def _selection(data: Any, scenario: Scenario) -> dict[str, Any]:
    is_deal = scenario.game == DEAL
    if scenario.game == BARGAIN:
        raise InputError("Nothing is selected in a bargain; expected an offer.")
    if not scenario.kbs:
        problem = "" if isinstance(data, dict) else f"A selection is an object; got {_kind(data)}."
    elif is_deal:
        problem = split_problem(data, counts_of(scenario))
    else:
        problem = item_problem(data, scenario)
    if problem:
        raise InputError(problem)
    return {"take" if is_deal else "item": data}


def _file_data(event: Event, scenario: Scenario) -> Any:
    """What a file would say of an event."""
    data = {key: value for key, value in (event.data or {}).items() if key != KEPT}
    if event.action == MESSAGE:
        return event.text
    if event.action == SELECT:
        return data.get("take" if scenario.game == DEAL else "item")
    if event.action == OFFER:
        return data
    return None if event.action in _BARE or not data else data


def _seconds(said: Any) -> float | None:
    """Seconds since 1970, from a number, from one in a text, or from a date of old files."""
    if is_number(said):
        return float(said)
    if not isinstance(said, str):
        return None
    try:
        seconds = float(said)
    except ValueError:
        try:
            return datetime.strptime(said, _OLD_TIME).replace(tzinfo=UTC).timestamp()
        except ValueError:
            return None
    return seconds if is_number(seconds) else None


def _kind(data: Any) -> str:
    return "nothing" if data is None else f"'{data}'"
