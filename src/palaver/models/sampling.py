"""The next word, by lot: how sharply, from how much of what is likely, and chance that is alike
everywhere."""

import math

import torch
from torch import Generator, Tensor


def sharpened(logits: Tensor, temperature: Tensor | float = 1.0) -> Tensor:
    """Log-probabilities (…, vocabulary) of logits that the temperature has divided.

    A temperature of 0 leaves the likeliest word alone; a tensor has one for each row. What may not be
    said has a logit of -inf.
    """
    scores = logits.float()
    if not isinstance(temperature, Tensor):
        temperature = scores.new_tensor(temperature)
    best = scores.max(-1, keepdim=True).values
    heat = temperature[..., None].expand_as(best)
    divided = (scores - best) / torch.where(heat > 0, heat, 1)
    greedy = torch.where(scores < best, -math.inf, divided)
    return torch.where(heat > 0, divided, greedy).log_softmax(-1)


def nucleus(log_probs: Tensor, share: float) -> Tensor:
    """Log-probabilities of the likeliest words alone that make up `share` together: the fewest that
    do, at least one (Holtzman et al. 2020)."""
    if share >= 1:
        return log_probs
    ranked, order = log_probs.sort(stable=True, dim=-1, descending=True)
    before = ranked.exp().cumsum(-1) - ranked.exp()
    is_left_out = torch.zeros_like(before, dtype=torch.bool)
    is_left_out[..., 1:] = before[..., 1:] >= share
    kept = log_probs.masked_fill(is_left_out.gather(-1, order.argsort(-1)), -math.inf)
    return kept.log_softmax(-1)


def drawn_words(log_probs: Tensor, chances: Tensor) -> Tensor:
    """A word for each row (rows, vocabulary), picked by a chance from 0 to 1 (rows,)."""
    reached = log_probs.exp().cumsum(1)
    wanted = chances[:, None] * reached[:, -1:]
    return (reached <= wanted).sum(1).clamp(max=log_probs.shape[1] - 1)


class ChanceStream:
    """Chances from 0 to 1, one a row and step, drawn on the CPU so that every device plays alike."""

    # Drawn together, because each copy to a device takes as long as a step.
    STEPS = 16

    def __init__(self, dice: Generator, rows: int, device: torch.device) -> None:
        self._dice, self._rows, self._device = dice, rows, device
        self._drawn: list[Tensor] = []

    def next(self) -> Tensor:
        """One chance for each row."""
        if not self._drawn:
            block = torch.rand(self.STEPS, self._rows, generator=self._dice)
            self._drawn = list(block.to(self._device, non_blocking=True).unbind(0))
        return self._drawn.pop(0)
