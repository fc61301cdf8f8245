"""What the networks that learn from dialogues of Deal or No Deal share: reading once, asking twice.

A `DealNetwork` answers one question at a time. In training both questions, the next word and who gets
what, are asked of the same reading.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.models.deal.network import State


class DealReading(NamedTuple):
    """Logits (rows, words, vocabulary) of the words after each, and log-probabilities (rows, 6,
    CLASSES) of who gets what."""

    logits: Tensor
    slots: Tensor


class LineReader(Protocol):
    """What can be asked of lines that were written: one network, or several that read as one."""

    def choose(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        """As `DealNetwork` says."""
        ...

    def read(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> DealReading:
        """The answers to both questions after one reading."""
        ...

    def attention(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        """How much each word (rows, words) counts in who gets what; a row adds up to 1."""
        ...


class DealReader(nn.Module, ABC):
    """A `DealNetwork` that can be trained on lines; output words are tied to input words.

    Dropout is at work in training mode, in which `step` is of no use.
    """

    def __init__(self, *, vocabulary: int, embedding: int, word_dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.word_dropout = word_dropout

    def forward(self, contexts: Tensor, words: Tensor) -> Tensor:
        return self.predict(self.states(contexts, words))

    def predict(self, states: Tensor) -> Tensor:
        """Logits of the word after each state."""
        return functional.linear(self.output(states), self.embedding.weight)

    def embedded(self, words: Tensor) -> Tensor:
        """Vectors of words; in training some words are missing from a whole batch."""
        vectors: Tensor = self.embedding(words)
        if not (self.training and self.word_dropout):
            return vectors
        kept = vectors.new_ones(len(self.embedding.weight), 1)
        return vectors * functional.embedding(words, functional.dropout(kept, self.word_dropout))

    def choose(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        return self.read(contexts, words, lengths).slots

    @abstractmethod
    def states(self, contexts: Tensor, words: Tensor) -> Tensor:
        """What the network knows (rows, words, size) after each word."""

    @abstractmethod
    def output(self, states: Tensor) -> Tensor:
        """States as vectors that are compared with those of words."""

    @abstractmethod
    def read(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> DealReading:
        """The answers to both questions after one reading."""

    @abstractmethod
    def attention(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        """How much each word (rows, words) counts in who gets what; a row adds up to 1."""

    @abstractmethod
    def begin(self, contexts: Tensor) -> State: ...

    @abstractmethod
    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]: ...


def waiting(words: Tensor, padding: int, old: Tensor, new: Tensor) -> Tensor:
    """The new state (rows, …), but the old one where the word is padding: such a row waits."""
    waits = (words == padding).view(-1, *[1] * (new.dim() - 1))
    return torch.where(waits, old, new)
