"""Systems that know words alone, at a game: they read moves as tags and make theirs with tags.

The wrapper stands around the guard, so that each question to the system has its own patience. The
game is that of the scenario; where it has no tags, as open chat, the system sits there as it is.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from palaver.core.errors import MoveError, SystemFailureError
from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import ClosingSession, DraftListener, Place, Session, System
from palaver.games.game import Game, game_of
from palaver.games.tags import FORM, read_reply

# How often a system is asked for one turn whose replies cannot be understood.
ASKED = 3


@dataclass(frozen=True, slots=True)
class TaggedPlay:
    """A system of words that can sit at any game with tags."""

    system: System

    def new_session(self, place: Place) -> Session:
        game = game_of(place.scenario)
        if not game.has_tags:
            return self.system.new_session(place)
        return TaggedSession(self.system, game, place)

    async def close(self) -> None:
        """Let go of what the system holds."""
        await self.system.close()


@dataclass(slots=True)
class TaggedSession:
    """One dialogue of such a system: events as it reads them, its replies as moves."""

    system: System
    game: Game
    place: Place
    events: list[Event] = field(default_factory=list)
    # What was said and refused since it last answered; it is forgotten with the next answer.
    corrections: list[Event] = field(default_factory=list)
    _inner: Session | None = None
    _given: int = 0
    _corrected: bool = False

    def receive(self, event: Event) -> None:
        self.events.append(event)

    def refused(self, move: Move, reason: str) -> None:
        """The rules refused a move: the system is told before it is asked again."""
        event = Event(
            seq=len(self.events), seat=self.place.seat, action=move.action, data=move.data, time=0.0
        )
        self._correct(self._words(event), reason)

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """Its words and its move; drafts are not shown, because a tag is for nobody's eyes."""
        for _ in range(ASKED):
            inner = await self._ready()
            moves = await inner.send()
            try:
                read = [each for move in moves for each in self._read(move)]
            except MoveError as error:
                said = " ".join(str((move.data or {}).get("text", "")) for move in moves)
                self._correct(said, str(error))
                reason = f"{error} It wrote: {said!r:.300}"
            else:
                self.corrections.clear()
                return read
        raise SystemFailureError(
            "garbage",
            f"What the system wrote {ASKED} times is no move of '{self.game.name}': {reason}",
            attempts=ASKED,
        )

    async def close(self) -> None:
        """Let go of what the session inside holds."""
        inner, self._inner = self._inner, None
        if isinstance(inner, ClosingSession):
            await inner.close()

    def _read(self, move: Move) -> tuple[Move, ...]:
        if move.action != MESSAGE:
            return (move,)
        text = str((move.data or {}).get("text", ""))
        return read_reply(text, self.game, self.place.scenario, self.place.seat)

    def _correct(self, said: str, reason: str) -> None:
        seat = self.place.seat
        told = f"[This was not sent. {reason} Please write your reply again.]"
        for by, text in ((seat, said or "…"), (1 - seat, told)):
            self.corrections.append(_message(len(self.events), by, text))
        self._corrected = True

    async def _ready(self) -> Session:
        """A session that was told all of it, and of mistakes only those that still matter."""
        if self._corrected:
            await self.close()
            self._corrected = False
        if self._inner is None:
            self._inner, self._given = self.system.new_session(self._briefed()), 0
            for event in [*self._readable(), *self.corrections]:
                self._inner.receive(event)
            # The next answer is given without them.
            self._corrected = bool(self.corrections)
        else:
            for event in self._readable():
                self._inner.receive(event)
        return self._inner

    def _briefed(self) -> Place:
        """The place, with what the game says of itself among the lines of the persona."""
        scenario, seat = self.place.scenario, self.place.seat
        lines = (*scenario.persona(seat), *self.game.brief(scenario, seat), *FORM)
        personas = tuple(lines if n == seat else () for n in range(2))
        return replace(self.place, scenario=msgspec.structs.replace(scenario, personas=personas))

    def _readable(self) -> list[Event]:
        """The events not yet told, moves as tags."""
        found = as_messages(self.events[self._given :], self._words)
        self._given = len(self.events)
        return found

    def _words(self, event: Event) -> str:
        if event.action == MESSAGE:
            return event.text
        return self.game.write_tag(event) or self.game.words(event)


def as_messages(events: Iterable[Event], words: Callable[[Event], str]) -> list[Event]:
    """Events as those read them who know words alone: a seat's words and its move are one message.

    `words` says how a message or a move reads; what has none is left out.
    """
    found: list[Event] = []
    for event in events:
        if not event.is_turn or event.data is None:
            found.append(event)
            continue
        text = words(event)
        last = found[-1] if found else None
        if event.action != MESSAGE and last is not None and _may_join(last, event):
            found[-1] = _message(event.seq, event.seat, f"{last.text}\n{text}", event.time)
        elif text:
            found.append(_message(event.seq, event.seat, text, event.time))
    return found


def _may_join(last: Event, event: Event) -> bool:
    return last.action == MESSAGE and last.seat == event.seat and not (last.data or {}).get("seed")


def _message(seq: int, seat: int | None, text: str, time: float = 0.0) -> Event:
    return Event(seq=seq, seat=seat, action=MESSAGE, data=say(text).data, time=time)
