"""A dialogue that this process drives: its room, its lease, and the sessions of its systems."""

import asyncio
import random
from dataclasses import dataclass, field

from palaver.collection.room import Room
from palaver.core.clock import Clock
from palaver.core.errors import InputError
from palaver.core.events import FAILURE, JOIN
from palaver.core.protocols import ClosingSession, Place, Session
from palaver.storage.engine.appends import Lease

# After this many failures in a row the system is given up and the person goes on.
MAX_FAILURES = 3
# How long a system that may begin waits for the person to do so.
OPENING_SECONDS = (20.0, 35.0)


@dataclass(slots=True)
class Driven:
    """One driven dialogue; `composing` holds the replies that are under way, by seat."""

    room: Room
    lease: Lease
    sessions: dict[int, Session] = field(default_factory=dict)
    composing: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    failures: int = 0
    # Systems that have come in, or are about to, where they pass for people.
    joining: set[int] = field(default_factory=set)
    # Up to here the sessions have been told.
    told: int = 0
    ending: bool = False

    def tell_systems(self, clock: Clock) -> None:
        """Tell the session of every system what has happened since it was last told."""
        dialogue = self.room.dialogue
        if not any(seat.kind == "system" for seat in dialogue.seats):
            return  # people among themselves: nobody here to be told
        for seat in {seat.index for seat in dialogue.seats}:
            if seat not in self.sessions and dialogue.occupant(seat).kind == "system":
                self.sessions[seat] = self._new_session(seat, clock)
        fresh = dialogue.after(self.told)
        self.told = dialogue.position
        for event in fresh:
            for seat, session in self.sessions.items():
                seen = event.seen_by(seat)
                if seen is not None:
                    session.receive(seen)
            if event.is_turn and event.seat in self.sessions:
                self.failures = 0

    def is_next(self, seat: int, now: float) -> bool:
        """Whether the system at this seat is to speak now; not again after a failure.

        Among people nobody may notice a failure: there a system is asked until it is given up.
        """
        room = self.room
        movers, last = room.conversation.movers(), room.dialogue.last_turn
        if room.plan.among_people and seat not in room.dialogue.present:
            return False
        if last is None:
            return self._begins(seat, movers, now) and self._may_be_asked(seat, 0)
        # Whoever alone may move goes on: in a game a word can come before the move.
        its_turn = last.seat != seat or movers == {seat}
        return seat in movers and its_turn and self._may_be_asked(seat, last.seq)

    def _begins(self, seat: int, movers: frozenset[int], now: float) -> bool:
        """Whether the first word is a system's: where it alone may say it, or the person does not."""
        room = self.room
        if seat not in movers or room.dialogue.present.isdisjoint(room.people):
            return False
        came = [e.time for e in room.dialogue.events if e.action == JOIN and e.seat in room.people]
        patience = random.Random(f"{room.key}:opening").uniform(*OPENING_SECONDS)
        return movers == {seat} or now - min(came, default=now) >= patience

    def _may_be_asked(self, seat: int, since: int) -> bool:
        if self.room.plan.among_people:
            return self.failures < MAX_FAILURES
        later = self.room.dialogue.events[since:]
        return since == 0 or not any(e.action == FAILURE and e.seat == seat for e in later)

    async def renew_session(self, seat: int, clock: Clock) -> None:
        """Let a seat's system begin anew from what was said, without what it said in vain."""
        older, self.sessions[seat] = self.sessions[seat], self._new_session(seat, clock)
        if isinstance(older, ClosingSession):
            await older.close()

    async def close_sessions(self) -> None:
        """Close the sessions that hold something open."""
        for session in self.sessions.values():
            if isinstance(session, ClosingSession):
                await session.close()

    def _new_session(self, seat: int, clock: Clock) -> Session:
        room = self.room
        name = room.dialogue.occupant(seat).occupant
        system = room.plan.systems.get(name)
        if system is None:
            raise InputError(f"The study '{room.plan.study}' no longer has a system '{name}'.")
        place = Place(
            dialogue=room.key,
            seat=seat,
            scenario=room.dialogue.scenario.seen_by(seat),
            clock=clock,
            rng=random.Random(f"{room.key}:{seat}"),
        )
        session = system.new_session(place)
        for event in room.dialogue.events[: self.told]:
            seen = event.seen_by(seat)
            if seen is not None:
                session.receive(seen)
        return session
