"""What a bargain is worth to the two who held it, for many at once.

The rewards of He et al. (2018): one's own margin, how fair the price is to both, or how long they
talked. Their code means to give less to a dialogue that breaks the rules than to one without a deal,
and then overwrites it; here it stays.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Reward = Literal["margin", "fair", "length"]

NO_DEAL = -0.5
ILLEGAL = -1.0
# A dialogue of so many events earns 1 where its length is what counts.
LONG = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainEnds:
    """How bargains ended, a row each."""

    # (rows, 2): the targets of both sides, and which of them (rows,) the first is.
    targets: Tensor
    first_buys: Tensor
    # The price that was agreed on; of no meaning elsewhere.
    prices: Tensor
    is_agreed: Tensor
    # Messages and moves.
    events: Tensor
    is_illegal: Tensor | None = None


def margins(ends: BargainEnds) -> Tensor:
    """The margin of each side (rows, 2): 1 at its own target, −1 at the partner's, and 0 without a
    deal, or where both have one target, so that nothing can be gained."""
    middle = ends.targets.mean(1)
    half = (ends.targets[:, 0] - middle).abs()
    gain = (ends.prices - middle) / torch.where(half > 0, half, 1)
    gain = torch.where(ends.is_agreed & (half > 0), gain, 0)
    return torch.where(ends.first_buys[:, None], -1.0, 1.0) * torch.stack([gain, -gain], dim=1)


def rewards(kind: Reward, ends: BargainEnds) -> Tensor:
    """The reward of each side (rows, 2); −0.5 without a deal, −1 where the rules were broken."""
    own = margins(ends)
    if kind == "fair":
        own = 2 - own.abs()
    elif kind == "length":
        own = (ends.events / LONG)[:, None].expand(-1, 2)
    found = torch.where(ends.is_agreed[:, None], own, NO_DEAL)
    if ends.is_illegal is not None:
        found = torch.where(ends.is_illegal[:, None], ILLEGAL, found)
    return found
