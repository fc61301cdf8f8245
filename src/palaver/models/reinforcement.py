"""What every REINFORCE has in common: the network that it begins with, and rewards that are measured
against all rewards so far.

Dialogues are held and learnt from without dropout: what is made likelier must be what was said.
"""

import contextlib
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.inheritance import REWARDS, as_started
from palaver.models.learner import LearnerMaterial

# The standard deviation that rewards are divided by does not fall below this.
_FLOOR = 1e-4


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
