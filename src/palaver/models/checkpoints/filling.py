"""The weights of a checkpoint put into the network that its recipe describes."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import nn

from palaver.models.checkpoints.folder import SETTINGS, WEIGHTS, Checkpoint, CheckpointError

N = TypeVar("N", bound=nn.Module)


def filled(make: Callable[[], N], checkpoint: Checkpoint) -> N:
    """The network that `make` makes, with the weights; CheckpointError where they do not fit.

    Shapes are compared before anything takes memory, of which the recipe of somebody else may ask for
    more than there is.
    """
    try:
        with torch.device("meta"):
            wanted = {name: tuple(each.shape) for name, each in make().state_dict().items()}
    except (RuntimeError, OverflowError) as error:
        raise _misfit(checkpoint, error) from error
    found = checkpoint.shapes()
    for name in sorted({*wanted, *found}):
        if wanted.get(name) != found.get(name):
            told = f"'{name}' is {_told(found.get(name))} and should be {_told(wanted.get(name))}."
            raise _misfit(checkpoint, told)
    network = make()
    fill(network, checkpoint)
    return network


def fill(network: nn.Module, checkpoint: Checkpoint) -> None:
    """Put the weights of a checkpoint into a network; CheckpointError where they do not fit."""
    try:
        network.load_state_dict(checkpoint.weights())
    except RuntimeError as error:
        raise _misfit(checkpoint, error) from error


def _misfit(checkpoint: Checkpoint, told: object) -> CheckpointError:
    return CheckpointError(
        f"{checkpoint.folder / WEIGHTS} does not fit the recipe in {SETTINGS}: "
        f"{' '.join(str(told).split())[:300]}"
    )


def _told(sizes: tuple[int, ...] | None) -> str:
    return "missing" if sizes is None else " × ".join(map(str, sizes)) or "a single number"
