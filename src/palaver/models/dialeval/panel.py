"""Networks of different make that judge independently: what they say is averaged.

They err at different dialogues, so that the average is nearer to the annotators than any of them. Each
is taught by its own answers, as it would be alone; only what is said in the end is joint.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from palaver.models.dialeval.tensors import DialogueTensors, JudgedLogs


class JudgePanel(nn.Module):
    """Several networks for the same tasks."""

    def __init__(self, members: Sequence[nn.Module]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, batch: DialogueTensors) -> JudgedLogs:
        said: list[JudgedLogs] = [member(batch) for member in self.members]
        return JudgedLogs(
            nugget=_mean([each.nugget for each in said]),
            quality=_mean([each.quality for each in said]),
            members=tuple(said),
        )


def _mean(logs: Sequence[Tensor | None]) -> Tensor | None:
    """The logarithm of the mean probability."""
    known = [each for each in logs if each is not None]
    return torch.stack(known).exp().mean(dim=0).log() if known else None
