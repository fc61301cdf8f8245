"""A person and a system at one game, line by line: what a terminal shows, and what a line does."""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from palaver.core.clock import Clock, WallClock
from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat, seed_events
from palaver.core.errors import MoveError, SystemFailureError
from palaver.core.events import (
    COMPLETE,
    END,
    FAILURE,
    INSUFFICIENT,
    MESSAGE,
    NOBODY,
    Event,
    Move,
    say,
)
from palaver.core.protocols import (
    ClosingSession,
    CorrectableSession,
    Ending,
    Place,
    Session,
    System,
)
from palaver.core.scenario import Scenario
from palaver.games.tags import read_reply
from palaver.studies.play.match import Ground

# A system that fails this often without a move in between ends the dialogue.
FAILURES = 3
YOU = "you"


@dataclass(slots=True)
class TerminalTable:
    """A dialogue of a person, at `own`, and a system; every method returns lines to be shown."""

    ground: Ground
    conversation: Conversation
    own: int
    partner: str
    seed: int
    clock: Clock = field(default_factory=WallClock)
    session: Session | None = None
    failures: int = 0
    # Whether the last line was refused, so that it is still the person's turn.
    was_refused: bool = False
    # Why nothing can be written, as the person was told last.
    closed: str = ""

    @classmethod
    def seat(
        cls, ground: Ground, scenario: Scenario, *, seat: int, partner: str, seed: int
    ) -> Self:
        """A table at which nobody has said anything."""
        seats = [
            Seat(index=0, kind="person", occupant=YOU),
            Seat(index=1, kind="system", occupant=partner),
        ]
        if seat == 1:
            seats = [
                Seat(index=0, kind="system", occupant=partner),
                Seat(index=1, kind="person", occupant=YOU),
            ]
        dialogue = Dialogue(id=f"chat-{seed}", scenario=scenario, seats=seats)
        return cls(ground, Conversation(dialogue, ground.rules), seat, partner, seed)

    @property
    def is_over(self) -> bool:
        return self.conversation.dialogue.is_over

    @property
    def may_speak(self) -> bool:
        """Whether it is the person's turn, or at least may be."""
        return self.own in self.conversation.movers()

    def briefing(self) -> list[str]:
        """What the person knows, and which tags there are."""
        scenario = self.conversation.dialogue.scenario.seen_by(self.own)
        told = [*self.ground.game.brief(scenario, self.own), *scenario.persona(self.own)]
        return told or ["Write, and your partner answers. Ctrl-D ends the conversation."]

    def admit(self, system: System) -> list[str]:
        """Let the system sit down, and both hear what stands there already."""
        dialogue, other = self.conversation.dialogue, 1 - self.own
        place = Place(
            dialogue=dialogue.id,
            seat=other,
            scenario=dialogue.scenario.seen_by(other),
            clock=self.clock,
            rng=random.Random(f"{self.seed}:{dialogue.id}:{other}"),
        )
        self.session = system.new_session(place)
        self._record(seed_events(dialogue.scenario, self.clock.now()))
        return self._shown_since(0)

    def say(self, line: str) -> list[str]:
        """Make of a line what it stands for; why not, where the rules refuse it."""
        self.was_refused = False
        if not line:
            return []
        before = self.conversation.dialogue.position
        try:
            for move in self._read(line):
                if not self.is_over:
                    self._make(self.own, move)
        except MoveError as error:
            self.was_refused = True
            return [*self._shown_since(before, own_words=False), f"(not sent) {error}"]
        return self._shown_since(before, own_words=False)

    async def let_partner_go(self) -> list[str]:
        """Ask the system for its moves, where it may make some."""
        other, before = 1 - self.own, self.conversation.dialogue.position
        if other not in self.conversation.movers():
            return [] if self.may_speak else self._finish("stalled")
        assert self.session is not None  # admitted before
        try:
            moves = await self.session.send()
        except SystemFailureError as error:
            return self._failed(error.kind, str(error))
        for move in moves if not self.is_over else ():
            try:
                self._make(other, move)
            except MoveError as error:
                if isinstance(self.session, CorrectableSession):
                    self.session.refused(move, str(error))
                return [*self._shown_since(before), *self._failed("illegal", str(error))]
            if self.is_over:
                break
        if not moves and not self.may_speak:
            self._record(self.conversation.stay_silent(self.clock.now()))
        self.failures = 0
        return [*self._shown_since(before), *self._why_closed()]

    def leave(self) -> list[str]:
        """End the dialogue as somebody who goes."""
        before = self.conversation.dialogue.position
        try:
            self._make(self.own, Move(action="quit"))
        except MoveError:
            return self._finish("quit")
        return self._shown_since(before)

    async def close(self) -> None:
        """Let go of what the session holds."""
        if isinstance(self.session, ClosingSession):
            await self.session.close()

    def _make(self, seat: int, move: Move) -> None:
        self._record(self.conversation.consider(seat, move, self.clock.now()))

    def _record(self, events: Iterable[Event]) -> None:
        for event in events:
            self.conversation.apply([event])
            seen = event.seen_by(1 - self.own)
            if seen is not None and self.session is not None:
                self.session.receive(seen)

    def _failed(self, kind: str, detail: str) -> list[str]:
        failure = Move(action=FAILURE, data={"kind": kind, "detail": detail}, audience=NOBODY)
        self._record(self.conversation.note(1 - self.own, failure, self.clock.now()))
        self.failures += 1
        told = [f"({self.partner} gave no usable answer: {detail})"]
        if self.failures >= FAILURES:
            told += self._finish("system_failed")
        return told

    def _finish(self, reason: str) -> list[str]:
        before = self.conversation.dialogue.position
        self._record(self.conversation.finish(Ending(reason), self.clock.now()))
        return self._shown_since(before)

    def _read(self, line: str) -> tuple[Move, ...]:
        game, scenario = self.ground.game, self.conversation.dialogue.scenario
        bare = re.fullmatch(r"<([a-z_]+)>", line)
        if bare is not None and (bare[1] == "quit" or not game.has_tags):
            return (Move(action=bare[1]),)
        if not game.has_tags:
            return (say(line),)
        return read_reply(line, game, scenario.seen_by(self.own), self.own)

    def _why_closed(self) -> list[str]:
        """Why nothing can be written any more, once for each reason."""
        closed = self.conversation.composer(self.own).closed
        is_new, self.closed = closed != self.closed, closed
        return [f"({closed})"] if closed and is_new else []

    def _shown_since(self, seq: int, *, own_words: bool = True) -> list[str]:
        """What happened behind a position in words, as the person may see it."""
        lines: list[str] = []
        for event in self.conversation.dialogue.after(seq, seat=self.own):
            own = event.seat == self.own
            words = self.ground.game.words(event, self.own)
            if event.action == END:
                reason = (event.data or {}).get("reason", "")
                # What a study would ask of a person at least is not asked at a terminal.
                why = "" if reason in (COMPLETE, INSUFFICIENT) else f" ({reason})"
                lines.append(f"The end{why}.{f' {words}' if words else ''}")
            elif event.action == MESSAGE and (own_words or not own):
                lines.append(f"{YOU if own else self.partner}: {event.text}")
            elif words:
                lines.append(words)
            elif told := self.ground.game.words(event):
                lines.append(f"{YOU if own else self.partner}: {told}")
        return lines
