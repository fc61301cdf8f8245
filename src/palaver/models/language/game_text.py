"""A game as a seat reads it: what the game tells it, then what was said, moves as tags.

The same text is learnt from and played with. A reply is a line of words, with at most a tag behind
them, which `games.tags` reads back.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palaver.core.errors import InputError, MoveError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.scenario import Scenario
from palaver.games.game import Game
from palaver.games.tagged_play import as_messages
from palaver.games.tags import read_reply

OWN, PARTNER = "You:", "Partner:"

_TAG = re.compile(r"<([a-z][a-z_-]*)>")
_BRACKETED = re.compile(r"\[([a-z][a-z_-]*)\]")


@dataclass(frozen=True, slots=True)
class TaggedTurn:
    """What one side said and did before the other spoke, on one line."""

    is_own: bool
    text: str


@dataclass(frozen=True, slots=True)
class SeatText:
    """A dialogue as one seat reads it."""

    opening: str
    turns: tuple[TaggedTurn, ...]


@dataclass(frozen=True)
class GameText:
    """How a seat of a game reads and writes; `has_angles` where the language model can write them."""

    game: Game
    has_angles: bool = True

    def seat(self, scenario: Scenario, seat: int, events: Iterable[Event]) -> SeatText:
        """What a seat has read so far; InputError where its scenario is not one of the game."""
        turns: list[TaggedTurn] = []
        for event in as_messages(list(events), lambda e: self._words(e, scenario, seat)):
            if event.action != MESSAGE or event.seat is None or event.data is None:
                continue
            said = TaggedTurn(event.seat == seat, self._written(" ".join(event.text.split())))
            if not said.text:
                continue
            if turns and turns[-1].is_own == said.is_own and not self._moved(turns[-1].text):
                turns[-1] = TaggedTurn(said.is_own, f"{turns[-1].text} {said.text}")
            else:
                turns.append(said)
        return SeatText(self.opening(scenario, seat), tuple(turns))

    def opening(self, scenario: Scenario, seat: int) -> str:
        """What the game tells a language model before it plays."""
        try:
            lines = self.game.brief(scenario, seat)
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            raise InputError(
                f"The scenario '{scenario.id}' does not say what seat {seat} of "
                f"'{self.game.name}' knows."
            ) from error
        return self._written("\n".join((*scenario.persona(seat), *lines)))

    def read(self, text: str, scenario: Scenario, seat: int) -> tuple[Move, ...]:
        """The moves of a reply; MoveError where it cannot be understood."""
        return read_reply(self._angled(text), self.game, scenario, seat)

    def words_alone(self, text: str) -> str:
        """The words of a reply before its tag."""
        return self._angled(text).partition("<")[0].strip()

    def tag(self, event: Event, scenario: Scenario, seat: int) -> str:
        """The tag with which a seat makes this move itself; empty where it has none.

        To the partner it may read otherwise: a friend on one's own list has a number.
        """
        told = self.game.write_tag(event)
        rows = scenario.kb(seat)
        count = len(rows) if isinstance(rows, list | tuple) else 0
        numbered = (f"<{event.action}> {number}" for number in range(1, count + 1))
        return next((tag for tag in (told, *numbered) if self._is(tag, event, scenario, seat)), "")

    def written(self, tag: str) -> str:
        """A tag as the language model writes it."""
        return self._written(tag)

    def _words(self, event: Event, scenario: Scenario, seat: int) -> str:
        if event.action == MESSAGE:
            return event.text
        if event.seat == seat:
            return self.tag(event, scenario, seat)
        return self.game.write_tag(event) or self.game.words(event)

    def _is(self, tag: str, event: Event, scenario: Scenario, seat: int) -> bool:
        """Whether a tag is read as this move."""
        try:
            moves = read_reply(tag, self.game, scenario, seat) if tag else ()
        except (MoveError, InputError):
            return False
        known = event.data or {}
        return [move.action for move in moves] == [event.action] and all(
            known.get(name) == value for name, value in (moves[0].data or {}).items()
        )

    def _moved(self, text: str) -> bool:
        return bool((_TAG if self.has_angles else _BRACKETED).search(text))

    def _written(self, text: str) -> str:
        return text if self.has_angles else _TAG.sub(r"[\1]", text)

    def _angled(self, text: str) -> str:
        return text if self.has_angles else _BRACKETED.sub(r"<\1>", text)


def spoken(turn: TaggedTurn) -> str:
    """A turn as a line of the transcript."""
    return f"{OWN if turn.is_own else PARTNER} {turn.text}"


def transcript(turns: Sequence[TaggedTurn]) -> str:
    """Turns as lines, up to where the seat itself goes on."""
    return "\n".join((*map(spoken, turns), OWN))
