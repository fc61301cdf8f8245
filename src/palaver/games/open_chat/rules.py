"""Open chat: two seats talk about anything, for an exact or a minimum number of messages.

A turn here is one message. `exactly` and `at_least` count the messages of both seats together, seed
utterances included. With `taking: alternate` the seats take turns; with `free` anybody may speak at
any time. A seat whose partner's system failed may speak again.
"""

import random
from dataclasses import dataclass

from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.protocols import MAX_CHARACTERS, Ending, Length, Rules
from palaver.core.scenario import Scenario
from palaver.games.turn_taking import Taking, check_turn, speakers


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenChat(Rules):
    """The rules of open chat. `opens` is the seat that speaks first, None for either."""

    exactly: int | None = None
    at_least: int | None = None
    opens: int | None = 0
    taking: Taking = "alternate"
    max_characters: int = MAX_CHARACTERS

    @property
    def length(self) -> Length:
        """So many messages, or so many at least."""
        return Length(self.exactly, self.at_least)

    @property
    def usual_turns(self) -> int:
        """As many as it takes; systems never finish, so twice the minimum is enough."""
        return self.exactly or 2 * (self.at_least or 10)

    def new_scenario(self, rng: random.Random) -> Scenario:
        """Open chat needs no scenario: an empty one."""
        return Scenario()

    def movers(self, dialogue: Dialogue) -> frozenset[int]:
        """Both seats when taking is free; else whoever did not speak last."""
        return speakers(dialogue, self.taking, opens=self.opens)

    def check(self, dialogue: Dialogue, seat: int, move: Move) -> None:
        """Raise MoveError unless `seat` may make `move` now."""
        if move.action == "quit":
            return
        if move.action == "finish":
            self._check_finish(dialogue)
            return
        if move.action != MESSAGE:
            raise MoveError("unknown_action", f"Open chat has no action '{move.action}'.")
        check_turn(seat, self.movers(dialogue))

    def ending(self, dialogue: Dialogue, event: Event) -> Ending | None:
        """Complete when long enough or finished, quit when somebody left early."""
        if event.action == "quit":
            return Ending("quit", {"seat": event.seat})
        if event.action == "finish":
            return Ending("complete")
        if self.exactly is not None and dialogue.message_count + 1 >= self.exactly:
            return Ending("complete")
        return None

    def _check_finish(self, dialogue: Dialogue) -> None:
        if self.exactly is not None:
            raise MoveError("too_early", f"This conversation ends after {self.exactly} messages.")
        if dialogue.message_count < (self.at_least or 0):
            raise MoveError(
                "too_early",
                f"Please go on until there are {self.at_least} messages; "
                f"there are {dialogue.message_count} so far.",
            )
