"""Several processes at one training, as `torchrun` starts them: each works on a part of the batches.

Gradients are averaged after each update, so that all processes hold the same weights. The first one
alone measures and writes; the others hear what came of it.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import torch
from torch import Tensor, distributed, nn

from palaver.core.errors import InputError

B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Processes:
    """Which of how many processes this one is."""

    rank: int = 0
    count: int = 1

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def own(self, batches: Iterable[B]) -> Iterator[B]:
        """Every n-th batch; what is left over at the end is nobody's, so that all take equal steps."""
        if self.count == 1:
            yield from batches
            return
        waiting = iter(batches)
        while len(group := list(islice(waiting, self.count))) == self.count:
            yield group[self.rank]

    def steps(self, batches: int) -> int:
        """How many updates so many batches are; InputError where there is not one."""
        if batches and batches < self.count:
            raise InputError(
                f"{self.count} processes share {batches} batches of an epoch, so some have nothing "
                "to do. Start fewer processes, or make 'training.batch' smaller."
            )
        return batches // self.count

    def join(self, network: nn.Module) -> None:
        """Give every process the first one's weights."""
        if self.count > 1:
            for each in network.state_dict().values():
                distributed.broadcast(each, src=0)

    def average_gradients(self, network: nn.Module) -> None:
        """Replace each gradient by the mean over processes, in one exchange."""
        if self.count == 1:
            return
        weights = [each for each in network.parameters() if each.requires_grad]
        gradients = [torch.zeros_like(w) if w.grad is None else w.grad for w in weights]
        flat = torch.cat([each.reshape(-1) for each in gradients])
        distributed.all_reduce(flat)
        flat /= self.count
        start = 0
        for weight in weights:
            size = weight.numel()
            weight.grad = flat[start : start + size].view_as(weight).clone()
            start += size

    def mean(self, value: Tensor) -> Tensor:
        """The mean over processes of a number."""
        if self.count > 1:
            distributed.all_reduce(value)
            value /= self.count
        return value

    def hear(self, value: object) -> object:
        """What the first process says."""
        if self.count == 1:
            return value
        told = [value]
        distributed.broadcast_object_list(told, src=0)
        return told[0]


def joined_processes(device: torch.device) -> Processes:
    """The processes that `torchrun` started, once they have met; else this one alone."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        return Processes()
    if not distributed.is_initialized():
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return Processes(distributed.get_rank(), distributed.get_world_size())


def is_first_process() -> bool:
    """Whether this process speaks for all that `torchrun` started."""
    return os.environ.get("RANK", "0") == "0"


def leave_processes() -> None:
    """Let go of the others, if there are any."""
    if distributed.is_available() and distributed.is_initialized():
        distributed.destroy_process_group()


def chosen_device(named: str) -> torch.device:
    """The device that "auto", "cpu" or "cuda" means here; with torchrun, this process's own."""
    has_gpu = torch.cuda.is_available()
    if named == "cpu" or (named == "auto" and not has_gpu):
        return torch.device("cpu")
    if named not in ("auto", "cuda"):
        raise InputError(f"A device is auto, cpu or cuda; got '{named}'.")
    if not has_gpu:
        raise InputError(
            "There is no GPU that this PyTorch can use. Leave --device out, or say cpu."
        )
    number = int(os.environ.get("LOCAL_RANK", "0"))
    torch.cuda.set_device(number)
    return torch.device("cuda", number)
