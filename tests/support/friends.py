"""A small game of friends, and how to play it in a test."""

from typing import Any

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat, SeatKind
from palaver.core.events import Event, Move
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.scenarios import scenario_of
from palaver.games.mutual_friends.rules import MutualFriends

ADA = {"Name": "Adele", "Major": "Law", "Hobby": "Chess"}
BO = {"Name": "Boris", "Major": "Law", "Hobby": "Hiking"}
CY = {"Name": "Cyrus", "Major": "Physics", "Hobby": "Hiking"}
DI = {"Name": "Dinah", "Major": "Physics", "Hobby": "Yoga"}

SCENARIO: dict[str, Any] = {
    "uuid": "S_small",
    "attributes": [{"name": name, "value_type": name.lower()} for name in ADA],
    "alphas": [1.0, 1.0, 1.0],
    "kbs": [[ADA, BO], [CY, ADA, DI]],
}


def small_scenario() -> Scenario:
    """Two tables that share Adele."""
    return scenario_of(SCENARIO)


def conversation(kind: SeatKind = "person", **options: Any) -> Conversation:
    """A game that has not begun."""
    scenario = small_scenario()
    seats = [Seat(index=n, kind=kind, occupant=f"p{n}") for n in (0, 1)]
    dialogue = Dialogue(id="d", scenario=scenario, seats=seats)
    return Conversation(dialogue, MutualFriends(scenarios=(scenario,), **options))


def select(item: Any) -> Move:
    return Move(action="select", data={"item": item})


def make(game: Conversation, seat: int, move: Move, *, at: float = 1.0) -> list[Event]:
    """The events of a move, applied."""
    events = game.consider(seat, move, at)
    game.apply(events)
    return events
