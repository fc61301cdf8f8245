"""A checkpoint that was trained further, as the kind of model it came from.

What REINFORCE makes is the network that it began with, and the statistics of its rewards beside it. Its
recipe tells under `inherited` what kind of network that is.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from palaver.models.checkpoints.folder import Checkpoint

if TYPE_CHECKING:
    from torch import Tensor

INHERITED = "inherited"
# Number, mean and sum of squared deviations of all rewards so far: a buffer of the network.
REWARDS = "rewards"


class InheritedCheckpoint(Checkpoint):
    """A checkpoint without what training further has added to its weights."""

    __slots__ = ()

    def weights(self) -> "dict[str, Tensor]":
        own = Checkpoint.weights(self)
        return {name: tensor for name, tensor in own.items() if name != REWARDS}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        own = Checkpoint.shapes(self)
        return {name: sizes for name, sizes in own.items() if name != REWARDS}


def as_started(checkpoint: Checkpoint) -> Checkpoint:
    """The same weights as a checkpoint of the kind of model that training began with."""
    if INHERITED not in checkpoint.recipe:
        return checkpoint
    origin = checkpoint.recipe[INHERITED]
    return as_started(
        InheritedCheckpoint(
            folder=checkpoint.folder,
            model=origin["model"],
            recipe=origin["recipe"],
            words=checkpoint.words,
            measured=checkpoint.measured,
            members=tuple(as_started(member) for member in checkpoint.members),
        )
    )


def inherited_section(start: Checkpoint) -> Mapping[str, Any]:
    """What a recipe says of the checkpoint that training began with."""
    origin = as_started(start)
    return {INHERITED: {"model": origin.model, "recipe": dict(origin.recipe)}}
