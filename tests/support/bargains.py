"""Small bargains to play, and people's dialogues to measure by."""

from typing import Any

import pytest

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat, SeatKind
from palaver.core.events import Event, Move
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.examples import read_examples
from palaver.formats.cocoa.scenarios import scenario_of
from palaver.games.craigslist_bargain.rules import CraigslistBargain
from support.cocoa import BARGAIN_SCENARIO
from support.shared import COCOA

# A lamp for 40; the buyer at seat 0 would like to pay 20.
LAMP: Scenario = scenario_of(BARGAIN_SCENARIO)


def conversation(
    rules: CraigslistBargain | None = None,
    *,
    scenario: Scenario = LAMP,
    kinds: tuple[SeatKind, SeatKind] = ("person", "person"),
) -> Conversation:
    seats = [Seat(index=n, kind=kind, occupant=f"p{n}") for n, kind in enumerate(kinds)]
    dialogue = Dialogue(id="d", scenario=scenario, seats=seats)
    return Conversation(dialogue, rules or CraigslistBargain(scenarios=(scenario,)))


def make(talk: Conversation, seat: int, move: Move) -> list[Event]:
    """Make a move, and the events that follow from it."""
    events = talk.consider(seat, move, 1.0 + talk.dialogue.position)
    talk.apply(events)
    return events


def offer(price: Any, **more: Any) -> Move:
    return Move(action="offer", data={"price": price, **more})


def peoples_bargains(name: str) -> list[DialogueRecord]:
    """The dialogues of a shared file; skips where it is not there."""
    path = COCOA / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    with path.open("rb") as stream:
        return list(read_examples(stream, name=name))
