"""Each seat knows its own number, guesses the other's once, in private, and may talk until then."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.protocols import Composer, Ending, Rules
from palaver.core.scenario import Scenario

POINTS = 10.0


class Guess(msgspec.Struct, forbid_unknown_fields=True):
    """What a guess says."""

    number: int


@dataclass(frozen=True, slots=True)
class NumberGuess(Rules):
    """The rules of the game."""

    digits: int = 3
    talk: bool = True
    pairs: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    least_messages: int = 0

    @property
    def scenarios(self) -> Sequence[Scenario]:
        """The numbers that the study lists."""
        return [
            Scenario(
                id=name,
                kbs=tuple({"number": number} for number in numbers),
                extra={"digits": self.digits},
            )
            for name, numbers in self.pairs.items()
        ]

    def shortcoming(self, dialogue: Dialogue, seat: int) -> str:
        """Too few messages."""
        sent = dialogue.message_counts.get(seat, 0)
        if sent >= self.least_messages:
            return ""
        return f"You wrote {sent} messages; at least {self.least_messages} were asked for."

    def new_scenario(self, rng: random.Random) -> Scenario:
        """Two numbers."""
        if self.pairs:
            return rng.choice(self.scenarios)
        low, high = 10 ** (self.digits - 1), 10**self.digits - 1
        kbs = tuple({"number": rng.randint(low, high)} for _ in range(2))
        return Scenario(id="numbers", kbs=kbs, extra={"digits": self.digits})

    def movers(self, dialogue: Dialogue) -> frozenset[int]:
        """Whoever has not guessed."""
        return frozenset({0, 1}).difference(guesses(dialogue.events))

    def check(self, dialogue: Dialogue, seat: int, move: Move) -> None:
        """A message or a guess of somebody who has not guessed."""
        if move.action == "quit":
            return
        if move.action not in (MESSAGE, "guess"):
            raise MoveError("unknown_action", f"This game has no action '{move.action}'.")
        if seat not in self.movers(dialogue):
            raise MoveError("guessed", "You have guessed already.")
        if move.action == "guess":
            try:
                msgspec.convert(move.data, Guess)
            except msgspec.ValidationError as error:
                raise MoveError("bad_guess", f"This is not a guess: {error}.") from error

    def audience(self, dialogue: Dialogue, seat: int, move: Move) -> tuple[int, ...] | None:
        """A guess is nobody else's business."""
        return (seat,) if move.action == "guess" else None

    def composer(self, dialogue: Dialogue, seat: int) -> Composer:
        """Words until one has guessed, if the game has words at all."""
        guessed = guesses(dialogue.events)
        if seat in guessed:
            return Composer(self.talk, "You have guessed. Your partner has not yet.")
        return Composer(self.talk)

    def ending(self, dialogue: Dialogue, event: Event) -> Ending | None:
        """Over when both have guessed; a right guess earns points."""
        if event.action == "quit":
            return Ending("quit", {"seat": event.seat})
        guessed = guesses([*dialogue.events, event])
        if len(guessed) < 2:
            return None
        right = [guessed[n] == dialogue.scenario.kb(1 - n)["number"] for n in (0, 1)]
        return Ending("complete", {"success": all(right)}, tuple(POINTS * each for each in right))


def guesses(events: list[Event]) -> dict[int, int]:
    """What each seat has guessed."""
    return {
        event.seat: event.data["number"]
        for event in events
        if event.action == "guess" and event.seat is not None and event.data
    }
