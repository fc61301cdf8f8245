"""The controller: one dialogue, the rules of its game, and nothing that waits.

A conversation decides. It turns a move into the events that follow from it (the move itself and, if
the game is then over, the end, with whether people did enough for it to count), or refuses it. It
never stores and never sends: the live room and self-play do that around it. `seq` numbers are those
the store must find free.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from palaver.core.characters import REFUSAL, has_null
from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import (
    COMPLETE,
    END,
    HOUSEKEEPING,
    INSUFFICIENT,
    MESSAGE,
    SHORTCOMINGS,
    Event,
    Move,
)
from palaver.core.protocols import OPEN_COMPOSER, Composer, Ending, Rules

# After this many turns in a row were offered and not taken, a dialogue of systems is over.
SILENCES = 2


@dataclass(slots=True)
class Conversation:
    """A dialogue under the rules of a game."""

    dialogue: Dialogue
    rules: Rules
    silences: int = 0

    def movers(self) -> frozenset[int]:
        """The seats that may take a turn now."""
        return frozenset() if self.dialogue.is_over else self.rules.movers(self.dialogue)

    def composer(self, seat: int) -> Composer:
        """What `seat` can write with now."""
        if self.dialogue.is_over:
            return OPEN_COMPOSER
        return self.rules.composer(self.dialogue, seat)

    def consider(self, seat: int, move: Move, now: float) -> list[Event]:
        """The events that `move` would append; MoveError if the rules refuse it."""
        if self.dialogue.is_over:
            raise MoveError("over", "This conversation has ended. Nothing more can be sent to it.")
        if move.action in HOUSEKEEPING:
            raise MoveError("unknown_action", f"'{move.action}' is not something a seat can do.")
        if has_null((move.data, move.client_id)):
            raise MoveError("null", REFUSAL)
        if move.action == MESSAGE:
            _check_composer(self.rules.composer(self.dialogue, seat))
        self.rules.check(self.dialogue, seat, move)
        if move.action == MESSAGE:
            _check_text(move, self.rules.max_characters)
        audience = self.rules.audience(self.dialogue, seat, move)
        made = msgspec.structs.replace(move, audience=audience, data=move.data or {})
        event = self._event(seat, made, now)
        ending = self.rules.ending(self.dialogue, event)
        if ending is None:
            return [event]
        end = _end(ending, now, event.seq + 1)
        short = self._shortcomings(ending, [event, end])
        if short:
            data = {**(end.data or {}), "reason": INSUFFICIENT, SHORTCOMINGS: short}
            end = msgspec.structs.replace(end, data=data)
        return [event, end]

    def _shortcomings(self, ending: Ending, last: Iterable[Event]) -> dict[str, str]:
        """What people did too little of for a complete dialogue to count, by seat.

        Systems are what is measured: theirs counts whatever they did.
        """
        seats = sorted({seat.index for seat in self.dialogue.seats})
        people = [n for n in seats if self.dialogue.occupant(n).kind == "person"]
        if ending.reason != COMPLETE or not people:
            return {}
        whole = self.dialogue.followed_by(last)
        said = {str(seat): self.rules.shortcoming(whole, seat) for seat in people}
        return {seat: words for seat, words in said.items() if words}

    def note(self, seat: int | None, move: Move, now: float) -> list[Event]:
        """The event by which the house records `move`; none once the dialogue is over."""
        return [] if self.dialogue.is_over else [self._event(seat, move, now)]

    def finish(self, ending: Ending, now: float, *, seat: int | None = None) -> list[Event]:
        """The event that ends the dialogue now; none if it is over already."""
        if self.dialogue.is_over:
            return []
        return [_end(ending, now, self.dialogue.position + 1, seat=seat)]

    def stay_silent(self, now: float) -> list[Event]:
        """Note that a seat had the turn and did nothing; the end, once all have done so."""
        self.silences += 1
        return self.finish(Ending("stalled"), now) if self.silences >= SILENCES else []

    def apply(self, events: Iterable[Event]) -> None:
        """Fold stored events in."""
        for event in events:
            self.dialogue.apply(event)
            if event.is_turn:
                self.silences = 0

    def _event(self, seat: int | None, move: Move, now: float) -> Event:
        return Event(
            seq=self.dialogue.position + 1,
            seat=seat,
            action=move.action,
            data=move.data,
            time=now,
            audience=move.audience,
            client_id=move.client_id,
            reply_to=move.reply_to,
        )


def _check_composer(composer: Composer) -> None:
    if not composer.is_open:
        raise MoveError("closed", composer.closed or "No messages are written in this game.")


def _check_text(move: Move, most: int) -> None:
    text = (move.data or {}).get("text")
    if not isinstance(text, str) or not text.strip():
        raise MoveError("empty", "An empty message was not sent.")
    if len(text) > most:
        raise MoveError(
            "too_long",
            f"Your message has {len(text)} characters; at most {most} can be sent. "
            "Please shorten it.",
        )


def _end(ending: Ending, now: float, seq: int, *, seat: int | None = None) -> Event:
    data: dict[str, Any] = {"reason": ending.reason}
    rewards = {str(n): reward for n, reward in enumerate(ending.rewards or ())}
    if ending.outcome is not None or rewards:
        data["outcome"] = {**(ending.outcome or {}), **({"reward": rewards} if rewards else {})}
    return Event(seq=seq, seat=seat, action=END, data=data, time=now)
