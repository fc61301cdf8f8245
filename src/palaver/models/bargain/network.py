"""What every network that bargains word by word can do, so that learning, self-play and agents need not
know which it is.

A network is given a situation: the turn that it answers, those before, the listing. It then says its own
turn, in training all words at once, in talk one after the other.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Protocol

from torch import Tensor, nn

# What is carried from word to word: tensors whose first dimension is the row, so that rows can be picked
# with `each[rows]`.
State = tuple[Tensor, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainSituation:
    """What a speaker has before it in each row; padding follows.

    `lengths` of what was heard lie on the CPU.
    """

    heard: Tensor
    lengths: Tensor
    # (rows, turns, words): the turns before, the nearest first; one that there was not is padding.
    earlier: Tensor
    title: Tensor
    description: Tensor

    def __len__(self) -> int:
        return len(self.lengths)

    def of(self, earlier: int) -> "BargainSituation":
        """The same with so many turns before, or fewer."""
        return replace(self, earlier=self.earlier[:, :earlier])


class WordByWord(Protocol):
    """What can say a turn: one network, or several as one."""

    # How many turns before the one that it answers it looks at.
    earlier: int

    def begin(self, situation: BargainSituation) -> State:
        """The state before its own turn."""
        ...

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """Logits (rows, vocabulary) after one more word each (rows,), and the new state."""
        ...

    def foreseen(self, situation: BargainSituation, words: Tensor, where: Tensor) -> Tensor:
        """Logits (places, vocabulary) of the word after some words of its own turn (rows, words): those
        at `where`, rows put end to end."""
        ...

    def weights(self, situation: BargainSituation, words: Tensor) -> list[Tensor]:
        """How much each word (rows, words, places) of a turn has looked at each part of its situation:
        what was heard, each turn before, the title, the description."""
        ...


class TurnSpeaker(nn.Module, ABC):
    """A network that says a turn, and can be trained on turns: `WordByWord`, and all words at once.

    Dropout is at work in training mode, in which `step` is of no use.
    """

    earlier: int

    def forward(self, situation: BargainSituation, words: Tensor) -> Tensor:
        """Logits (rows, words, vocabulary) of the word after each of its own turn."""
        return self.predict(self.states(situation, words))

    def foreseen(self, situation: BargainSituation, words: Tensor, where: Tensor) -> Tensor:
        return self.predict(self.states(situation, words).flatten(0, 1)[where])

    @abstractmethod
    def states(self, situation: BargainSituation, words: Tensor) -> Tensor:
        """What the next word is told by (rows, words, size), after each word of its own turn."""

    @abstractmethod
    def predict(self, states: Tensor) -> Tensor:
        """Logits (…, vocabulary) of the word after each state (…, size)."""

    @abstractmethod
    def weights(self, situation: BargainSituation, words: Tensor) -> list[Tensor]: ...

    @abstractmethod
    def begin(self, situation: BargainSituation) -> State: ...

    @abstractmethod
    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]: ...
