"""Which word may follow in a turn: an act, exactly the arguments that it takes, then the end.

A turn is a walk through the states of a small automaton, whose tables are all that a network needs to
say nothing malformed. What people did is read more freely than an agent speaks: there a turn may hold
several messages, here a message and, where the game has it, a move that goes with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from palaver.core.errors import InputError

# Padding, the end of a turn, what the decoder begins with, and the turn before the first.
MARKS = ("<pad>", "<end>", "<go>", "start")
PAD_NUMBER, END_NUMBER, GO_NUMBER, START_NUMBER = range(4)
# The state before the first word of a turn, and after its end.
BEGIN, OVER = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ActShape:
    """What an act takes, and where it can stand."""

    # Kinds of arguments, in their order.
    takes: tuple[str, ...] = ()
    # A move of the game, after which a turn is over; one that is `joined` may follow a message.
    is_move: bool = False
    is_joined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentKind:
    """The words for one argument; those that are read alone stand for what cannot be told."""

    words: tuple[str, ...]
    read_only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GrammarTables:
    """The automaton on a device: (states, words) each."""

    goes: Tensor
    reads: Tensor
    speaks: Tensor


@dataclass(slots=True)
class ActGrammar:
    """The words of a game's acts, and the automaton of its turns."""

    acts: Mapping[str, ActShape]
    arguments: Mapping[str, ArgumentKind]
    words: tuple[str, ...] = field(init=False)
    number: dict[str, int] = field(init=False)
    _states: list[tuple[tuple[str, ...], bool]] = field(init=False)

    def __post_init__(self) -> None:
        kinds = self.arguments.values()
        given = [word for kind in kinds for word in (*kind.words, *kind.read_only)]
        self.words = (*MARKS, *self.acts, *given)
        self.number = {word: n for n, word in enumerate(self.words)}
        if len(self.number) != len(self.words):
            raise InputError("The vocabulary of acts lists a word twice.")
        # What is still to be said of an act, and whether it is a move.
        chains = {
            (shape.takes[n:], shape.is_move)
            for shape in self.acts.values()
            for n in range(len(shape.takes) + 1)
        }
        self._states = sorted(chains)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def longest_spoken(self) -> int:
        """Words of the longest turn that an agent can say, its end included."""
        shapes = self.acts.values()
        alone = max(1 + len(shape.takes) for shape in shapes)
        joined = max((1 + len(shape.takes) for shape in shapes if shape.is_joined), default=0)
        return alone + joined + 1

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The numbers of words, all of which are known."""
        return [self.number[word] for word in words]

    def tables(self, device: torch.device) -> GrammarTables:
        """The automaton as tensors; a word that may not follow leads nowhere, to `OVER`."""
        size = (len(self._states) + 2, len(self.words))
        goes = torch.full(size, OVER)
        reads, speaks = torch.zeros(size, dtype=torch.bool), torch.zeros(size, dtype=torch.bool)
        for act, shape in self.acts.items():
            to, word = self._state(shape.takes, shape.is_move), self.number[act]
            for state, (left, is_move) in self._numbered():
                if left:
                    continue
                goes[state, word], reads[state, word] = to, True
                speaks[state, word] = shape.is_joined and not is_move
            goes[BEGIN, word] = to
            reads[BEGIN, word] = speaks[BEGIN, word] = True
        for state, (left, is_move) in self._numbered():
            if not left:
                reads[state, END_NUMBER] = speaks[state, END_NUMBER] = True
                continue
            kind = self.arguments[left[0]]
            to = self._state(left[1:], is_move)
            for argument in (*kind.words, *kind.read_only):
                at = self.number[argument]
                goes[state, at], reads[state, at] = to, True
                speaks[state, at] = argument not in kind.read_only
        return GrammarTables(goes.to(device), reads.to(device), speaks.to(device))

    def _state(self, left: tuple[str, ...], is_move: bool) -> int:
        return 2 + self._states.index((left, is_move))

    def _numbered(self) -> Sequence[tuple[int, tuple[tuple[str, ...], bool]]]:
        return list(enumerate(self._states, start=2))


def states_before(words: Tensor, tables: GrammarTables) -> Tensor:
    """The state of the automaton (…, words) before each word of turns."""
    state = torch.full(words.shape[:-1], BEGIN, device=words.device)
    found = []
    for word in words.unbind(-1):
        found.append(state)
        state = tables.goes[state, word]
    return torch.stack(found, dim=-1)
