"""What every network that looks for a friend can do, so that training, self-play and agents need not
know which it is.

It lives through a dialogue exchange by exchange: it hears the partner's turn, then says its own. What
it says at a place is one of its words, or the node of its graph that is copied: `vocabulary + node`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from palaver.models.friends.graphs import HEARD, ROW, VALUE, GraphTensors
from palaver.models.friends.tensors import TurnTensors, ViewBatch

# What is carried from turn to turn, or from word to word: tensors whose first dimension is the row,
# so that rows can be picked and repeated with `each[rows]`.
State = tuple[Tensor, ...]


class FriendsNetwork(Protocol):
    """A network at one side of many dialogues."""

    def begin(self, graphs: GraphTensors) -> State:
        """The state before anything was said."""
        ...

    def hear(self, turn: TurnTensors, state: State) -> State:
        """The state after a turn of the partner; rows without one keep theirs."""
        ...

    def say(self, turn: TurnTensors, state: State) -> tuple[Tensor, State]:
        """Logits (rows, places - 1, vocabulary + nodes) of what comes after each word of an own turn,
        and the state after it; rows without one keep theirs.

        What cannot be said, such as a value that nobody has named, has -inf.
        """
        ...

    def draft(self, state: State) -> State:
        """What is carried from word to word while an own turn is made up."""
        ...

    def step(self, words: Tensor, nodes: Tensor, draft: State) -> tuple[Tensor, State]:
        """Logits (rows, vocabulary + nodes) after one more word per row, `<go>` to begin with, and the
        new draft. Nodes are those that the words stand for, else -1."""
        ...


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """What a network would have said in own turns, and what was said (rows, places); padding
    stays padding."""

    logits: Tensor
    targets: Tensor


class FriendsReader(nn.Module, ABC):
    """A `FriendsNetwork` that can be trained on views."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.vocabulary = vocabulary

    def read(self, batch: ViewBatch, reach: int = 0) -> Iterator[SaidTurn]:
        """The own turns of some views, one after the other.

        Gradients go back through `reach` exchanges; 0: through all. A network that reads a whole view
        at once may do so here.
        """
        state = self.begin(batch.graphs)
        for number, (heard, said) in enumerate(batch.exchanges):
            if reach and number and number % reach == 0:
                state = tuple(each.detach() for each in state)
            state = self.hear(heard, state)
            logits, state = self.say(said, state)
            yield SaidTurn(logits, said.targets(self.vocabulary))

    @abstractmethod
    def begin(self, graphs: GraphTensors) -> State: ...

    @abstractmethod
    def hear(self, turn: TurnTensors, state: State) -> State: ...

    @abstractmethod
    def say(self, turn: TurnTensors, state: State) -> tuple[Tensor, State]: ...

    @abstractmethod
    def draft(self, state: State) -> State: ...

    @abstractmethod
    def step(self, words: Tensor, nodes: Tensor, draft: State) -> tuple[Tensor, State]: ...


def known_nodes(kinds: Tensor) -> Tensor:
    """Which nodes (rows, nodes) can be copied before anything was said: rows and values of the
    table."""
    return (kinds == ROW) | (kinds == VALUE)


def with_heard(known: Tensor, turn: TurnTensors, kinds: Tensor) -> Tensor:
    """The same after a turn in which others were named."""
    return known | (mentioned_nodes(turn.nodes, known.shape[1]) & (kinds == HEARD))


def mentioned_nodes(nodes: Tensor, count: int) -> Tensor:
    """Which of so many nodes (rows, count) are among those of some words (rows, places)."""
    found = torch.zeros(len(nodes), count + 1, dtype=torch.bool, device=nodes.device)
    # Plain words fall into the column after the last.
    return found.scatter(1, torch.where(nodes < 0, count, nodes), True)[:, :count]


def waiting(is_kept: Tensor, old: State, new: State) -> State:
    """The new state, but the old one in rows that are to be kept (rows,)."""
    return tuple(
        torch.where(is_kept.view(-1, *[1] * (was.dim() - 1)), was, now)
        for was, now in zip(old, new, strict=True)
    )
