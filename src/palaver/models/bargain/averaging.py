"""Several networks that bargain as one: the mean of their probabilities, word by word."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from palaver.models.bargain.network import BargainSituation, State, TurnSpeaker, WordByWord


class AveragedSpeakers:
    """What can speak, made of networks of any kinds that have one vocabulary."""

    def __init__(self, members: Sequence[TurnSpeaker]) -> None:
        self._members = tuple(members)
        self.earlier = max(each.earlier for each in members)
        # How many tensors each member carries from word to word.
        self._sizes: tuple[int, ...] = ()

    def begin(self, situation: BargainSituation) -> State:
        states = [member.begin(situation.of(member.earlier)) for member in self._members]
        self._sizes = tuple(map(len, states))
        return tuple(each for state in states for each in state)

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        log_probs: list[Tensor] = []
        new: list[Tensor] = []
        at = 0
        for member, size in zip(self._members, self._sizes, strict=True):
            own, after = member.step(words, state[at : at + size])
            log_probs.append(own.float().log_softmax(-1))
            new += after
            at += size
        return _mean(log_probs), tuple(new)

    def foreseen(self, situation: BargainSituation, words: Tensor, where: Tensor) -> Tensor:
        each = [m.foreseen(situation.of(m.earlier), words, where) for m in self._members]
        return _mean([logits.float().log_softmax(-1) for logits in each])

    def weights(self, situation: BargainSituation, words: Tensor) -> list[Tensor]:
        """The mean of what each looks at; the members look at as many turns before."""
        each = [m.weights(situation.of(m.earlier), words) for m in self._members]
        return [torch.stack(parts).mean(0) for parts in zip(*each, strict=False)]


def _mean(log_probs: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(log_probs)).logsumexp(0) - math.log(len(log_probs))


def speaking_as_one(members: Sequence[TurnSpeaker]) -> WordByWord:
    """The network, or the average of several."""
    return members[0] if len(members) == 1 else AveragedSpeakers(members)
