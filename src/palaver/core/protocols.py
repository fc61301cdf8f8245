"""The seams: what rules, a system, a session, a predictor and an engine must be able to do.

The rules of a game know nothing of sockets or databases. A system makes one session per dialogue.
A session receives every event its seat may see (its own too) and, when asked, answers with moves. It
can be rebuilt at any time by replaying the dialogue's events, so another process can take over.
"""

import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from palaver.core.clock import Clock
from palaver.core.dialogue import Dialogue
from palaver.core.events import Event, Move
from palaver.core.scenario import Scenario

T = TypeVar("T")
R = TypeVar("R")

MAX_CHARACTERS = 2000
USUAL_TURNS = 100

# Called with the text of a reply so far, while it is still being written.
DraftListener = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a dialogue is over, and what came of it.

    `outcome` is for all to see. `rewards` are what each seat earned, in the order of the seats; a
    seat is told its own and no other.
    """

    reason: str
    outcome: dict[str, Any] | None = None
    rewards: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Composer:
    """What a seat can write with: `closed` says why it cannot write now; a game may show none."""

    shown: bool = True
    closed: str = ""

    @property
    def is_open(self) -> bool:
        return self.shown and not self.closed


OPEN_COMPOSER = Composer()


@dataclass(frozen=True, slots=True)
class Length:
    """How many messages a dialogue takes: exactly so many, or so many before a seat may finish."""

    exactly: int | None = None
    at_least: int | None = None


class Rules(Protocol):
    """The rules of a game: whose turn it is, which move is legal, when it is over.

    What is written out here holds for a game that says nothing else and inherits from this class.
    """

    @property
    def length(self) -> Length | None:
        """How many messages it takes; None where the moves alone decide when it is over."""
        return None

    @property
    def max_characters(self) -> int:
        return MAX_CHARACTERS

    @property
    def usual_turns(self) -> int:
        """After how many moves two systems that play it are stopped."""
        return USUAL_TURNS

    @property
    def scenarios(self) -> Sequence[Scenario]:
        """The scenarios that can be counted one by one; none where each is made anew."""
        return ()

    def new_scenario(self, rng: random.Random) -> Scenario:
        """A scenario to play; `kbs[i]` is what seat i alone knows."""
        ...

    def movers(self, dialogue: Dialogue) -> frozenset[int]:
        """The seats that may take a turn now."""
        ...

    def check(self, dialogue: Dialogue, seat: int, move: Move) -> None:
        """Raise MoveError unless `seat` may make `move` now.

        What a page sends arrives as it is: the data of a move are checked key by key. That a
        message has words, and not too many, is looked after elsewhere.
        """
        ...

    def audience(self, dialogue: Dialogue, seat: int, move: Move) -> tuple[int, ...] | None:
        """The seats that get to know of a legal move; None for all."""
        return move.audience

    def composer(self, dialogue: Dialogue, seat: int) -> Composer:
        """What `seat` can write with now; a message is refused while it is closed."""
        return OPEN_COMPOSER

    def ending(self, dialogue: Dialogue, event: Event) -> Ending | None:
        """Why the dialogue is over once `event` is added to it, or None."""
        ...

    def shortcoming(self, dialogue: Dialogue, seat: int) -> str:
        """Why what the person at `seat` did is too little for a finished dialogue to count.

        Empty where it counts. It reads like "You wrote 12 words; at least 30 were asked for."
        """
        return ""


@dataclass(frozen=True, slots=True)
class Place:
    """What a session is told about the seat it takes; the scenario is what this seat may know."""

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

    async def close(self) -> None: ...


async def close_session(session: Session | None) -> None:
    """Close a session that has something to close; asking for its methods costs less than its type."""
    close = getattr(session, "close", None)
    if close is not None:
        await close()


@runtime_checkable
class CorrectableSession(Protocol):
    """A session that wants to know which of its moves the rules refused, and why."""

    def refused(self, move: Move, reason: str) -> None: ...


@runtime_checkable
class System(Protocol):
    """A conversation partner that makes one session per dialogue."""

    def new_session(self, place: Place) -> Session:
        """A session that has seen nothing yet."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model sent back for one question: the record as it came, and how long it took."""

    record: Any
    seconds: float


class Predictor(Protocol):
    """The batch face of a model: asked many questions, answers each.

    A question is `Task.question(example)`: a uid and the fields of context and input. The record
    that comes back is checked by `Task.read_answer`, not here.
    """

    # How many questions one call takes, and how many calls may be in flight.
    batch: int
    concurrency: int

    async def start(self) -> None:
        """Connect or load; what it takes is start-up, not answering."""
        ...

    async def predict(self, questions: Sequence[Mapping[str, Any]]) -> Sequence[Reply]:
        """One reply per question, in their order; SystemFailureError once no retry helps."""
        ...

    def memory(self) -> float | None:
        """GiB that the model takes now, where that can be measured."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes; closing twice does no harm."""
        ...


class Engine(Protocol):
    """Where batch work runs: in this process, or on a cluster."""

    def map(
        self, work: Callable[[T], R], pieces: Iterable[T], *, in_flight: int | None = None
    ) -> AsyncIterator[tuple[int, R]]:
        """Yield (number of the piece, result) as pieces are done, in any order.

        `work` is a function at the top of a module, so that another machine finds it. A worker that
        dies costs a repetition of its pieces, never a result. An exception of `work` is raised here.
        """
        ...

    async def close(self) -> None:
        """Let go of the cluster."""
        ...
