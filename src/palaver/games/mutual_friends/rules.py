"""The rules: talk as you like, select a friend of your own table; the same last choice wins.

A seat says `message`, `select` with one of its own rows, or `quit`. Both may move at any time unless
they take turns. The game is over when the last selections of both seats are the same friend. A
seat sees whom its partner selects, unless `show_selections` is off.
"""

import math
import random
from dataclasses import dataclass
from typing import Any

from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.protocols import MAX_CHARACTERS, Ending, Rules
from palaver.core.scenario import Scenario
from palaver.core.words import counted
from palaver.formats.cocoa.actions import QUIT, SELECT
from palaver.formats.cocoa.scenarios import item_problem
from palaver.games.mutual_friends.tables import Friend, called, friends
from palaver.games.turn_taking import Taking, check_turn, speakers

BOTH = frozenset({0, 1})
# Two systems that have not found each other after so many moves will not.
USUAL_MOVES = 40
ITEM = "item"


@dataclass(frozen=True, slots=True, kw_only=True)
class MutualFriends(Rules):
    """The rules of the game; `select_pause` are the seconds between two selections of a person."""

    scenarios: tuple[Scenario, ...]
    taking: Taking = "free"
    show_selections: bool = True
    select_pause: float = 0.0
    most_selects: int | None = None
    fewest_messages: int = 0
    max_characters: int = MAX_CHARACTERS

    @property
    def usual_turns(self) -> int:
        return USUAL_MOVES

    def new_scenario(self, rng: random.Random) -> Scenario:
        """One of the scenarios, by lot."""
        return rng.choice(self.scenarios)

    def movers(self, dialogue: Dialogue) -> frozenset[int]:
        """Both at any time, or in turn."""
        return speakers(dialogue, self.taking)

    def check(self, dialogue: Dialogue, seat: int, move: Move) -> None:
        """A message, or one's own friend who is not the one selected last."""
        if move.action == QUIT:
            return
        if move.action not in (MESSAGE, SELECT):
            raise MoveError("unknown_action", f"MutualFriends has no action '{move.action}'.")
        check_turn(seat, self.movers(dialogue))
        if move.action == SELECT:
            friend = _own_friend(dialogue.scenario, seat, move.data)
            if friend == selections(dialogue.events).get(seat):
                raise MoveError("selected_already", f"You have already selected {called(friend)}.")

    def audience(self, dialogue: Dialogue, seat: int, move: Move) -> tuple[int, ...] | None:
        """Everybody, unless selections are kept to oneself."""
        return (seat,) if move.action == SELECT and not self.show_selections else None

    def ending(self, dialogue: Dialogue, event: Event) -> Ending | None:
        """Over when both chose the same friend, or somebody quits; too early a selection is refused."""
        if event.action == QUIT:
            return Ending("quit", {"seat": event.seat})
        if event.action != SELECT or event.data is None or event.seat is None:
            return None
        self._check_pause(dialogue, event)
        partners = selections(dialogue.events).get(1 - event.seat)
        if partners is None or partners != event.data[ITEM]:
            return None
        return Ending("complete", {"success": True}, (1.0, 1.0))

    def shortcoming(self, dialogue: Dialogue, seat: int) -> str:
        """Why a seat guessed instead of talking."""
        selects = sum(e.action == SELECT and e.seat == seat for e in dialogue.events)
        if self.most_selects is not None and selects > self.most_selects:
            allowed = "once" if self.most_selects == 1 else f"{self.most_selects} times"
            return f"You selected a friend {selects} times; at most {allowed} was asked for."
        written = dialogue.message_counts.get(seat, 0)
        if written < self.fewest_messages:
            least = self.fewest_messages
            return f"You wrote {counted(written, 'message')}; at least {least} were asked for."
        return ""

    def _check_pause(self, dialogue: Dialogue, event: Event) -> None:
        """Keep people from clicking through their table; only here is the time of a move known.

        Systems choose as quickly as they think, on a clock that may stand still.
        """
        if not self.select_pause or not _is_person(dialogue, event.seat):
            return
        times = [e.time for e in dialogue.events if e.action == SELECT and e.seat == event.seat]
        left = times[-1] + self.select_pause - event.time if times else 0.0
        if left > 0:
            wait = counted(math.ceil(left), "second")
            raise MoveError("too_soon", f"You can select somebody else in {wait}.")


def selections(events: list[Event]) -> dict[int, Friend]:
    """Whom each seat selected last."""
    return {
        event.seat: event.data[ITEM]
        for event in events
        if event.action == SELECT and event.seat is not None and event.data
    }


def _own_friend(scenario: Scenario, seat: int, data: Any) -> Friend:
    """The row of one's own table that a move names."""
    if not isinstance(data, dict) or set(data) != {ITEM}:
        given = ", ".join(map(str, data)) if isinstance(data, dict) and data else "nothing"
        raise MoveError("bad_select", f"A selection has an 'item' and nothing else; got {given}.")
    item = data[ITEM]
    problem = item_problem(item, scenario)
    if problem:
        raise MoveError("bad_select", problem)
    for friend in friends(scenario, seat):
        if friend == item:
            return friend
    raise MoveError("not_yours", "Nobody in your table is this friend. Select one of your rows.")


def _is_person(dialogue: Dialogue, seat: int | None) -> bool:
    return seat is not None and dialogue.occupant(seat).kind == "person"
