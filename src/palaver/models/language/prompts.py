"""A seat's text in tokens: what is read before a reply, and the replies that are to be written.

What does not fit is cut: the oldest turns go first, what the game tells stays whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palaver.core.errors import InputError
from palaver.models.language.game_text import OWN, SeatText, TaggedTurn, spoken
from palaver.models.language.rows import IGNORED, TokenExample
from palaver.models.language.tokens import LanguageTokens

# So many tokens are left for what was said, whatever the game tells.
_LEAST_ROOM = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePrompts:
    """How texts of a game become tokens, at most `longest` of them, `reply` of these for a reply."""

    tokens: LanguageTokens
    longest: int
    reply: int
    is_seq2seq: bool

    def examples(self, text: SeatText, unit: int) -> list[TokenExample]:
        """What is learnt from one seat's view of a dialogue; nothing where it said nothing."""
        own = [n for n, turn in enumerate(text.turns) if turn.is_own]
        if not own:
            return []
        if self.is_seq2seq:
            return [self._answer(text, n, unit) for n in own]
        return [self._line(text, unit)]

    def is_cut(self, text: SeatText) -> bool:
        """Whether some turns of a whole dialogue do not fit."""
        turns = [self._turn(turn) for turn in text.turns]
        return len(self._fitting(turns, self._room(text))) < len(turns)

    def prompt(self, text: SeatText) -> list[int]:
        """What is read before the next reply."""
        turns = [self._turn(turn) for turn in text.turns]
        tail = self.tokens.numbers(OWN)
        used = len(tail) + (0 if self.is_seq2seq else self.reply)
        kept = self._fitting(turns, self._room(text) - used)
        found = [*self._opening(text), *(number for turn in kept for number in turn), *tail]
        return [*found, self.tokens.end] if self.is_seq2seq else found

    def written(self, reply: str) -> list[int]:
        """A reply as it is written, with its end."""
        numbers = self.tokens.numbers(reply if self.is_seq2seq else f" {reply}")
        return [*numbers[: self.reply - 1], self.tokens.end]

    def _line(self, text: SeatText, unit: int) -> TokenExample:
        """A whole dialogue in one row, of which the own replies are to be written."""
        turns = [self._turn(turn) for turn in text.turns]
        kept = len(self._fitting(turns, self._room(text)))
        inputs = self._opening(text)
        labels = [IGNORED] * len(inputs)
        begun = len(self.tokens.numbers(OWN))
        for turn, numbers in list(zip(text.turns, turns, strict=True))[len(turns) - kept :]:
            inputs += numbers
            end = begun + len(self.written(turn.text))
            own = [IGNORED] * begun + numbers[begun:end] + [IGNORED] * (len(numbers) - end)
            labels += own if turn.is_own else [IGNORED] * len(numbers)
        return TokenExample(inputs, labels, unit)

    def _answer(self, text: SeatText, n: int, unit: int) -> TokenExample:
        before = SeatText(text.opening, text.turns[:n])
        return TokenExample(self.prompt(before), self.written(text.turns[n].text), unit)

    def _turn(self, turn: TaggedTurn) -> list[int]:
        if turn.is_own and not self.is_seq2seq:
            numbers = self.tokens.numbers
            return [*numbers(OWN), *self.written(turn.text), *numbers("\n")]
        return self.tokens.numbers(f"{spoken(turn)}\n")

    def _opening(self, text: SeatText) -> list[int]:
        return self.tokens.begun(f"{text.opening}\n\n")

    def _room(self, text: SeatText) -> int:
        opening = len(self._opening(text))
        least = opening + self.reply + _LEAST_ROOM
        if least > self.longest:
            raise InputError(
                f"What the game tells a seat takes {opening:,} tokens of this model, which with a "
                f"reply of {self.reply} and what was said before does not fit into {self.longest:,}. "
                "Set data.longest higher, or choose a model that reads more."
            )
        return self.longest - opening

    @staticmethod
    def _fitting(turns: Sequence[list[int]], room: int) -> list[list[int]]:
        """The last turns for which there is room."""

        def kept() -> Iterator[list[int]]:
            left = room
            for turn in reversed(turns):
                left -= len(turn)
                if left < 0:
                    return
                yield turn

        return list(kept())[::-1]
