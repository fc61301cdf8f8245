"""Attention to several banks of vectors at once: what was said, and what is for sale.

One module of Luong et al. (2015, "general") looks into each bank apart, and what it brings back is added
up. Padding has no weight; the published model let it take part.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Bank:
    """Vectors (rows, places, size), and where (rows, places) there are any."""

    vectors: Tensor
    is_there: Tensor


class SummedAttention(nn.Module):
    """From states to what they find in all banks."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.general = nn.Linear(size, size, bias=False)
        self.joined = nn.Linear(2 * size, size, bias=False)

    def forward(self, states: Tensor, banks: Sequence[Bank]) -> Tensor:
        """The sum over banks of tanh(W [found; state]), for each state (rows, words, size)."""
        asked = self.general(states)
        # The half of the layer that reads the state is the same for every bank.
        of_found, of_state = self.joined.weight.chunk(2, dim=1)
        own = states @ of_state.T
        total = torch.zeros_like(states)
        for bank in banks:
            found = _shares(asked, bank) @ bank.vectors
            total = total + torch.tanh(found @ of_found.T + own)
        return total

    def weights(self, states: Tensor, banks: Sequence[Bank]) -> list[Tensor]:
        """How much each state looks at each place of each bank, (rows, words, places) a bank."""
        asked = self.general(states)
        return [_shares(asked, bank) for bank in banks]


def _shares(asked: Tensor, bank: Bank) -> Tensor:
    """Shares that add up to 1, or nothing where a bank is empty."""
    scores = (asked @ bank.vectors.transpose(1, 2)).float()
    scores = scores.masked_fill(~bank.is_there[:, None], -torch.inf)
    highest = scores.detach().amax(2, keepdim=True)
    weights = (scores - torch.where(highest.isneginf(), 0, highest)).exp()
    shares = weights / weights.sum(2, keepdim=True).clamp(min=1e-30)
    return shares.to(asked.dtype)
