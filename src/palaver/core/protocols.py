"""The seams: what a game, a system and a session must be able to do.

A game knows the rules and nothing of sockets or databases. A system makes one session per dialogue.
A session receives every event its seat may see (its own too) and, when asked, answers with moves. It
can be rebuilt at any time by replaying the dialogue's events, so another process can take over.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from palaver.core.clock import Clock
from palaver.core.dialogue import Dialogue
from palaver.core.events import Event, Move
from palaver.core.scenario import Scenario

# Called with the text of a reply so far, while it is still being written.
DraftListener = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a dialogue is over, and what came of it."""

    reason: str
    outcome: dict[str, Any] | None = None


class Game(Protocol):
    """Rules: whose turn it is, which move is legal, when it is over."""

    def new_scenario(self, rng: random.Random) -> Scenario:
        """A scenario to play."""
        ...

    def movers(self, dialogue: Dialogue) -> frozenset[int]:
        """The seats that may take a turn now."""
        ...

    def check(self, dialogue: Dialogue, seat: int, move: Move) -> None:
        """Raise MoveError unless `seat` may make `move` now."""
        ...

    def ending(self, dialogue: Dialogue, event: Event) -> Ending | None:
        """Why the dialogue is over once `event` is added to it, or None."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """What a session is told about the seat it takes."""

    dialogue: str
    seat: int
    scenario: Scenario
    clock: Clock
    rng: random.Random


class Session(Protocol):
    """One seat's mind in one dialogue."""

    def receive(self, event: Event) -> None:
        """Take note of an event, one's own included."""
        ...

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The moves to make now; an empty sequence is silence."""
        ...


@runtime_checkable
class ClosingSession(Protocol):
    """A session that holds something to let go of when its dialogue is over."""

    async def close(self) -> None:
        """Let go of it."""
        ...


@runtime_checkable
class System(Protocol):
    """A conversation partner that makes one session per dialogue."""

    def new_session(self, place: Place) -> Session:
        """A session that has seen nothing yet."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...
