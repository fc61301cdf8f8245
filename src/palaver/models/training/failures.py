"""What can go wrong in a step, in sentences that say what to do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from palaver.core.errors import InputError
from palaver.models.recipe import Training

_MEMORY = re.compile(r"not enough memory|out of memory|can't allocate memory", re.IGNORECASE)


class NotANumberError(InputError):
    """The loss or a gradient is no number any more."""


@contextmanager
def memory_watched(training: Training, kept: str) -> Iterator[None]:
    """Too little memory as an InputError that proposes a smaller batch."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not isinstance(error, MemoryError) and not _MEMORY.search(str(error)):
            raise
        raise InputError(
            f"A batch of {training.batch} does not fit into memory. {kept} Try half of it: "
            f"--set training.batch={max(1, training.batch // 2)}"
        ) from error


def check_finite(total: torch.Tensor, *, epoch: int, steps: tuple[int, int], kept: str) -> None:
    """NotANumberError if the sum of losses and norms of these steps is not a number."""
    if torch.isfinite(total).all():
        return
    raise NotANumberError(
        f"The loss is not a number any more, in epoch {epoch} between updates {steps[0]} and "
        f"{steps[1]}. {kept} Try a lower training.rate, or a training.clip of 1."
    )
