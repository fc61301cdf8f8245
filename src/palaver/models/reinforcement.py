"""What every REINFORCE has in common: the network that it begins with, and rewards that are measured
against all rewards so far.

Dialogues are held and learnt from without dropout: what is made likelier must be what was said.
"""

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Generator, Tensor, nn

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.inheritance import REWARDS, as_started, inherited_section
from palaver.models.learner import Learner, LearnerMaterial, Words

# The standard deviation that rewards are divided by does not fall below this.
_FLOOR = 1e-4


class PlayOptions(Protocol):
    """What every recipe of self-play says."""

    @property
    def updates(self) -> int: ...
    @property
    def dialogues(self) -> int: ...
    @property
    def supervised_every(self) -> int: ...


class PlaySource(Protocol):
    """What dialogues can be about."""

    def draw(self, count: int, dice: Generator, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class PlayBatch:
    """What the dialogues of an update are about, and the seed of their dice."""

    about: Any
    seed: int


class SelfPlayLearner:
    """What all have in common who learn by playing, and from dialogues of people in between."""

    watched = "negative_reward"

    def __init__(
        self,
        people: Learner,
        source: PlaySource,
        *,
        options: PlayOptions,
        material: LearnerMaterial,
        start: Checkpoint,
    ) -> None:
        self.network = people.network
        keep_rewards(self.network, material.device)
        self._people, self._source, self._options = people, source, options
        self._material, self._start = material, start

    @property
    def steps(self) -> int:
        options = self._options
        own = options.updates // options.supervised_every if options.supervised_every else 0
        return options.updates + own

    def updates(self, epoch: int, dice: Generator) -> Iterator[Any]:
        """Self-play, and in between dialogues of people; they are begun anew when they come to an end.

        The dialogues are held in `loss`, with the weights that the network has by then.
        """
        options = self._options
        passes = (self._people.updates(epoch, dice) for _ in itertools.count())
        people = itertools.chain.from_iterable(passes)
        for number in range(1, options.updates + 1):
            about = self._source.draw(options.dialogues, dice)
            yield PlayBatch(about, int(torch.randint(2**62, (), generator=dice)))
            if options.supervised_every and number % options.supervised_every == 0:
                yield next(people)

    def words(self) -> Words:
        return self._people.words()

    def recipe_sections(self) -> dict[str, Any]:
        """What the checkpoint's recipe says beside its own sections: the network it came from."""
        return dict(inherited_section(self._start))

    def _dice(self, seed: int | None = None) -> Generator:
        return Generator().manual_seed(self._material.seed if seed is None else seed)


def beginning(material: LearnerMaterial, *, example: str) -> Checkpoint:
    """The checkpoint to go on from, as the kind of model that it was at first; InputError where the
    recipe names none or an ensemble. `example` is a recipe that makes such a checkpoint."""
    if material.start is None:
        raise InputError(
            "REINFORCE goes on from a network that can talk: name its checkpoint under 'start', "
            f"such as one that was trained with {example}."
        )
    if material.start.members:
        raise InputError(
            f"{material.start.folder} is an ensemble; REINFORCE goes on from a single network, such "
            f"as {material.start.members[0].folder}."
        )
    return as_started(material.start)


def keep_rewards(network: nn.Module, device: torch.device) -> None:
    """Have the network keep the statistics of its rewards, so that going on after a kill is exact."""
    network.register_buffer(REWARDS, torch.zeros(3, dtype=torch.float64, device=device))


def standardised(network: nn.Module, rewards: Tensor) -> Tensor:
    """Rewards less the mean of all so far, these included, in standard deviations."""
    kept = network.get_buffer(REWARDS)
    with torch.no_grad():
        kept.copy_(_pooled(kept, rewards))
    count, mean, squares = kept.unbind()
    return (rewards - mean) / (squares / count).sqrt().clamp(min=_FLOOR)


def departure(log_probs: Tensor, at_first: Tensor) -> Tensor:
    """How far distributions (…, words) are from what they were at first: the Kullback–Leibler
    divergence (…), in nats. What cannot be said counts for nothing."""
    apart = (log_probs - at_first).masked_fill(log_probs.isinf() | at_first.isinf(), 0)
    return (log_probs.exp() * apart).sum(-1)


@contextlib.contextmanager
def without_dropout(network: nn.Module) -> Iterator[None]:
    """The network in eval mode, and afterwards as it was."""
    was_training = network.training
    network.eval()
    try:
        yield
    finally:
        network.train(was_training)


def _pooled(kept: Tensor, rewards: Tensor) -> Tensor:
    """Number, mean and sum of squared deviations, with more rewards (Chan et al. 1979)."""
    count, mean, squares = kept.unbind()
    more = len(rewards)
    off = rewards.mean() - mean
    total = count + more
    added = ((rewards - rewards.mean()) ** 2).sum() + off**2 * count * more / total
    return torch.stack([total, mean + off * more / total, squares + added])
