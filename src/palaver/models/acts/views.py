"""Dialogues of acts as one side sees them, and many of them as padded tensors.

A view is pairs of turns: what the partner did, and what the own side answered. What nobody said is
padding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from palaver.models.acts.grammar import PAD_NUMBER


@dataclass(frozen=True, slots=True, kw_only=True)
class ActView:
    """A dialogue as a side sees it, in numbers of words."""

    # The dialogue it is a view of, which is what intervals draw anew.
    dialogue: str
    # What the side knows, in words of their own.
    knowledge: tuple[int, ...]
    # Turns of the partner without their ends, and the answers with them.
    heard: tuple[tuple[int, ...], ...]
    own: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class ActViewTensors:
    """Views on a device."""

    # (rows, knowledge)
    knowledge: Tensor
    # (rows, pairs, words)
    heard: Tensor
    own: Tensor
    # Pairs of each view, on the CPU; empty where views were taken.
    sizes: Tensor

    @classmethod
    def of(cls, views: Sequence[ActView], device: torch.device) -> "ActViewTensors":
        return cls(
            torch.tensor([view.knowledge for view in views], device=device),
            _padded([view.heard for view in views]).to(device),
            _padded([view.own for view in views]).to(device),
            torch.tensor([len(view.own) for view in views]),
        )

    def __len__(self) -> int:
        return len(self.knowledge)

    def taken(self, rows: Tensor, pairs: int) -> "ActViewTensors":
        """Some views, of which none has more pairs than `pairs`."""
        return ActViewTensors(
            self.knowledge[rows], self.heard[rows, :pairs], self.own[rows, :pairs], self.sizes[:0]
        )

    def parts(self, rows: int) -> Iterator[tuple[Tensor, "ActViewTensors"]]:
        """All views, shorter ones first, so many at once; each part comes with its rows, on the CPU."""
        for part in torch.split(self.sizes.argsort(stable=True), rows):
            yield part, self.taken(part.to(self.own.device), int(self.sizes[part].max()))


def _padded(views: Sequence[Sequence[Sequence[int]]]) -> Tensor:
    width = max((len(turn) for view in views for turn in view), default=1)
    rows = [
        torch.tensor([[*turn, *[PAD_NUMBER] * (width - len(turn))] for turn in view])
        for view in views
    ]
    return pad_sequence(rows, batch_first=True, padding_value=PAD_NUMBER)
