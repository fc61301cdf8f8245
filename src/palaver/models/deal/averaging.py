"""Several networks that talk as one: the mean of their probabilities."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from palaver.models.deal.network import DealNetwork, State
from palaver.models.deal.reading import DealReader, DealReading


class AveragedNetworks:
    """A `DealNetwork` made of others, of any kinds, that have one vocabulary."""

    def __init__(self, members: Sequence[DealNetwork]) -> None:
        self._members = tuple(members)
        # How many tensors each member carries from word to word.
        self._sizes: tuple[int, ...] = ()

    def __call__(self, contexts: Tensor, words: Tensor) -> Tensor:
        return _mean([member(contexts, words).log_softmax(-1) for member in self._members])

    def begin(self, contexts: Tensor) -> State:
        states = [member.begin(contexts) for member in self._members]
        self._sizes = tuple(map(len, states))
        return tuple(each for state in states for each in state)

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        logits: list[Tensor] = []
        new: list[Tensor] = []
        at = 0
        for member, size in zip(self._members, self._sizes, strict=True):
            own, after = member.step(words, state[at : at + size])
            logits.append(own.log_softmax(-1))
            new += after
            at += size
        return _mean(logits), tuple(new)

    def choose(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        return _mean([member.choose(contexts, words, lengths) for member in self._members])


class AveragedReaders(AveragedNetworks):
    """The same of networks that read lines: they can be measured, and looked into, as one."""

    def __init__(self, readers: Sequence[DealReader]) -> None:
        super().__init__(readers)
        self._readers = tuple(readers)

    def read(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> DealReading:
        readings = [reader.read(contexts, words, lengths) for reader in self._readers]
        return DealReading(
            _mean([each.logits.log_softmax(-1) for each in readings]),
            _mean([each.slots for each in readings]),
        )

    def attention(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        """The mean of what each attends to."""
        each = [reader.attention(contexts, words, lengths) for reader in self._readers]
        return torch.stack(each).mean(0)


def _mean(log_probs: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(log_probs)).logsumexp(0) - math.log(len(log_probs))
