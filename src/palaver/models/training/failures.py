"""What can go wrong in a step, in sentences that say what to do."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from palaver.core.errors import InputError
from palaver.models.memory import is_out_of_memory
from palaver.models.recipe import TrainingSettings

_ADVICE = "Try a lower training.rate, or a training.clip of 1."


class NotANumberError(InputError):
    """The loss, a gradient or a measure is no number any more."""


@contextmanager
def memory_watched(told: str) -> Iterator[None]:
    """Too little memory as an InputError that says what to do."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise InputError(told) from error


def too_large_batch(training: TrainingSettings, kept: str) -> str:
    """What is said of a batch that does not fit into memory."""
    if training.batch == 1:
        return f"A batch of 1 does not fit into memory. {kept} Try a smaller network."
    return (
        f"A batch of {training.batch} does not fit into memory. {kept} Try half of it: "
        f"--set training.batch={training.batch // 2}"
    )


def check_finite(total: torch.Tensor, *, epoch: int, steps: tuple[int, int], kept: str) -> None:
    """NotANumberError if the sum of losses and norms of these steps is not a number."""
    if torch.isfinite(total).all():
        return
    raise NotANumberError(
        f"The loss is not a number any more, in epoch {epoch} between updates {steps[0]} and "
        f"{steps[1]}. {kept} {_ADVICE}"
    )


def check_measure(name: str, value: float, *, epoch: int, kept: str) -> None:
    """NotANumberError if the measure that says which epoch is best is not a number: none is better."""
    if math.isfinite(value):
        return
    raise NotANumberError(
        f"The {name.replace('_', ' ')} on what was held out is not a number any more, after epoch "
        f"{epoch}. {kept} {_ADVICE}"
    )
