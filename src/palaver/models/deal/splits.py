"""Every way in which a dialogue can end, as tensors: splits that add up, and no deal in three ways.

`games.deal_or_no_deal.splits` says the same of one dialogue in plain Python. Here a whole batch is
reckoned on the device. Outcomes are numbered alike for all contexts, and those that a context does not
allow have no probability: number `(a * 11 + b) * 11 + c` is the own side taking a, b and c of book, hat
and ball, the partner the rest; the failures follow.
"""

import math

import torch
from torch import Tensor

from palaver.models.deal.network import CLASSES, FAILURES, ITEMS, MOST_ITEMS, SLOTS

_CHOICES = MOST_ITEMS + 1
SPLITS = _CHOICES ** len(ITEMS)
OUTCOMES = SPLITS + len(FAILURES)


def legal_slots(contexts: Tensor) -> Tensor:
    """Which classes (rows, 6, CLASSES) a slot can be: no more of an item than there is, or a failure."""
    counts = contexts[:, ::2].repeat(1, 2)[:, :, None]
    classes = torch.arange(CLASSES, device=contexts.device)
    return (classes <= counts) | (classes > MOST_ITEMS)


def legal_log_probs(logits: Tensor, contexts: Tensor) -> Tensor:
    """Log-probabilities (rows, 6, CLASSES) among what is legal; of anything else, minus infinity."""
    masked = logits.float().masked_fill(~legal_slots(contexts), -math.inf)
    return masked.log_softmax(-1)


def split_scores(log_probs: Tensor, contexts: Tensor) -> Tensor:
    """The sum (rows, OUTCOMES) of the six log-probabilities of each outcome."""
    counts = contexts[:, ::2, None]
    taken = _amounts(contexts.device).expand(len(contexts), len(ITEMS), -1)
    left = (counts - taken).clamp(min=0)
    own, partner = log_probs[:, : len(ITEMS)], log_probs[:, len(ITEMS) :]
    each = own[:, :, :_CHOICES] + partner.gather(2, left)
    splits = _summed(each.masked_fill(taken > counts, -math.inf))
    return torch.cat([splits, log_probs[:, :, _CHOICES:].sum(1)], dim=1)


def split_probabilities(log_probs: Tensor, contexts: Tensor) -> Tensor:
    """The probability (rows, OUTCOMES) of each outcome among those that add up."""
    return split_scores(log_probs, contexts).softmax(1)


def best_split(log_probs: Tensor, contexts: Tensor, *, deals_only: bool = False) -> Tensor:
    """The six classes (rows, 6) of the likeliest outcome among those that add up."""
    scores = split_scores(log_probs, contexts)
    return outcome_slots(scores[:, :SPLITS].argmax(1) if deals_only else scores.argmax(1), contexts)


def outcome_slots(outcomes: Tensor, contexts: Tensor) -> Tensor:
    """The six classes (rows, 6) of an outcome's number."""
    own = _shares(contexts.device)[outcomes.clamp(max=SPLITS - 1)]
    taken = torch.cat([own, contexts[:, ::2] - own], dim=1)
    failure = (outcomes - SPLITS + _CHOICES)[:, None].expand(-1, SLOTS)
    return torch.where((outcomes >= SPLITS)[:, None], failure, taken)


def is_deal(slots: Tensor) -> Tensor:
    """Whether six classes (rows, 6) are a split."""
    return slots[:, 0] <= MOST_ITEMS


def points(shares: Tensor, contexts: Tensor) -> Tensor:
    """What shares (rows, 3), as slots have them, are worth to the side of the contexts; a failure, 0."""
    worth = shares * contexts[:, 1::2]
    return worth.masked_fill(shares > MOST_ITEMS, 0).sum(1)


def outcome_points(contexts: Tensor) -> Tensor:
    """What each outcome (rows, OUTCOMES) is worth to the side of the contexts; no deal, nothing."""
    worth = _summed(contexts[:, 1::2, None] * _amounts(contexts.device))
    return torch.cat([worth, worth.new_zeros(len(worth), len(FAILURES))], dim=1)


def is_pareto_optimal(own: Tensor, contexts: Tensor, partners: Tensor) -> Tensor:
    """Whether (rows,) no split is better for one side than the own shares (rows, 3), and no worse for
    the other; `partners` are the contexts as the other side sees them."""
    counts = contexts[:, ::2]
    is_possible = (_shares(contexts.device)[None] <= counts[:, None]).all(2)
    mine = outcome_points(contexts)[:, :SPLITS]
    theirs = points(counts, partners)[:, None] - outcome_points(partners)[:, :SPLITS]
    mine_now = points(own, contexts)[:, None]
    theirs_now = points(counts - own, partners)[:, None]
    is_no_worse = (mine >= mine_now) & (theirs >= theirs_now)
    is_better = (mine > mine_now) | (theirs > theirs_now)
    return ~(is_possible & is_no_worse & is_better).any(1)


def _summed(each: Tensor) -> Tensor:
    """The sum (rows, SPLITS) over items of what each amount of each (rows, 3, 11) stands for."""
    book, hat, ball = each.unbind(1)
    return (book[:, :, None, None] + hat[:, None, :, None] + ball[:, None, None, :]).flatten(1)


def _amounts(device: torch.device) -> Tensor:
    return torch.arange(_CHOICES, device=device)


def _shares(device: torch.device) -> Tensor:
    """What the own side takes (SPLITS, 3) in each split."""
    each = _amounts(device)
    return torch.cartesian_prod(each, each, each)
