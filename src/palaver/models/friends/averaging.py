"""Networks that look for a friend as one: the mean of their probabilities."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from palaver.models.friends.graphs import GraphTensors
from palaver.models.friends.network import FriendsNetwork, FriendsReader, State
from palaver.models.friends.tensors import TurnTensors


class AveragedSeekers(FriendsReader):
    """A `FriendsReader` made of others, of any kinds, that have one vocabulary."""

    def __init__(self, members: Sequence[FriendsReader]) -> None:
        super().__init__(members[0].vocabulary)
        self._members: tuple[FriendsNetwork, ...] = tuple(members)
        # How many tensors each member carries, from turn to turn and from word to word.
        self._states: tuple[int, ...] = ()
        self._drafts: tuple[int, ...] = ()

    def begin(self, graphs: GraphTensors) -> State:
        states = [member.begin(graphs) for member in self._members]
        self._states = tuple(map(len, states))
        return _joined(states)

    def hear(self, turn: TurnTensors, state: State) -> State:
        own = _apart(state, self._states)
        return _joined([m.hear(turn, each) for m, each in zip(self._members, own, strict=True)])

    def say(self, turn: TurnTensors, state: State) -> tuple[Tensor, State]:
        own = _apart(state, self._states)
        found = [m.say(turn, each) for m, each in zip(self._members, own, strict=True)]
        return _mean([logits for logits, _ in found]), _joined([after for _, after in found])

    def draft(self, state: State) -> State:
        own = _apart(state, self._states)
        drafts = [m.draft(each) for m, each in zip(self._members, own, strict=True)]
        self._drafts = tuple(map(len, drafts))
        return _joined(drafts)

    def step(self, words: Tensor, nodes: Tensor, draft: State) -> tuple[Tensor, State]:
        own = _apart(draft, self._drafts)
        found = [m.step(words, nodes, each) for m, each in zip(self._members, own, strict=True)]
        return _mean([logits for logits, _ in found]), _joined([after for _, after in found])


def _joined(states: Sequence[State]) -> State:
    return tuple(tensor for state in states for tensor in state)


def _apart(state: State, sizes: Sequence[int]) -> list[State]:
    found, at = [], 0
    for size in sizes:
        found.append(state[at : at + size])
        at += size
    return found


def _mean(logits: Sequence[Tensor]) -> Tensor:
    log_probs = torch.stack([each.log_softmax(-1) for each in logits])
    return log_probs.logsumexp(0) - math.log(len(logits))
