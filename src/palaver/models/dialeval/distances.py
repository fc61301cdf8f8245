"""The distances that predictions are judged by, as functions that a network can learn from.

They are those of `palaver.metrics.distances` on tensors: the last axis is the categories in their order,
and both sides sum to 1. A root has no slope at 0, so there its gradient is 0 instead of infinite.
"""

import torch
from torch import Tensor


def cross_entropy(logs: Tensor, q: Tensor) -> Tensor:
    """How surprised a prediction, given as log-probabilities, is by the annotators: −Σᵢ qᵢ log pᵢ."""
    # 0 · −∞ where a label that is not of this turn was masked.
    return -torch.where(q > 0, q * logs, 0.0).sum(dim=-1)


def jsd(p: Tensor, q: Tensor) -> Tensor:
    """Jensen–Shannon divergence in bits."""
    both = p + q
    return (_surprise(p, both) + _surprise(q, both)).sum(dim=-1) / 2


def rnss(p: Tensor, q: Tensor) -> Tensor:
    """Root normalised sum of squares."""
    return _root(((p - q) ** 2).sum(dim=-1) / 2)


def nmd(p: Tensor, q: Tensor) -> Tensor:
    """Normalised match distance, for ordered categories."""
    return (p - q).cumsum(dim=-1).abs().sum(dim=-1) / (p.shape[-1] - 1)


def rsnod(p: Tensor, q: Tensor) -> Tensor:
    """Root symmetric normalised order-aware divergence, for ordered categories.

    Which probabilities are exactly 0 decides over what is averaged; no gradient flows through that.
    """
    places = torch.arange(p.shape[-1], device=p.device, dtype=p.dtype)
    apart = (places[:, None] - places[None, :]).abs()
    # A product and a sum, not a matrix product, which bfloat16 would compute coarsely.
    weighted = (((p - q) ** 2).unsqueeze(-2) * apart).sum(dim=-1)
    sod = (_over_support(weighted, p) + _over_support(weighted, q)) / 2
    return _root(sod / (p.shape[-1] - 1))


def _surprise(share: Tensor, both: Tensor) -> Tensor:
    """share · log₂(2 · share / both); 0 where the share is 0, or so small that its slope overflows."""
    there = share > torch.finfo(share.dtype).tiny
    ratio = torch.where(there, 2 * share / torch.where(there, both, 1.0), 1.0)
    return share * torch.log2(ratio)


def _over_support(weighted: Tensor, share: Tensor) -> Tensor:
    there = (share > 0).to(weighted.dtype)
    return (weighted * there).sum(dim=-1) / there.sum(dim=-1).clamp_min(1.0)


def _root(value: Tensor) -> Tensor:
    there = value > 0
    return torch.where(there, torch.sqrt(torch.where(there, value, 1.0)), 0.0)
