"""The next word, by lot: what may be said at all, how sharply, and chance that is alike everywhere.

Marks are nobody's words. A message begins with `<selection>` and is over, or has a word before its
`<eos>`, so that it is never empty.
"""

import math

import torch
from torch import Generator, Tensor

from palaver.models.deal.words import END_NUMBER, MARKS, SELECTION_NUMBER

# As in Lewis et al. (2017): after more than this a dialogue is over without a deal.
MOST_WORDS, MOST_MESSAGES = 100, 20
# Each side says something before it may mark a deal, as the rules of the game have it.
LEAST_MESSAGES = 2


def word_log_probs(
    logits: Tensor, is_first: Tensor, may_select: Tensor, temperature: Tensor | float = 1.0
) -> Tensor:
    """Log-probabilities (…, vocabulary) of what may be said next, sharpened by the temperature.

    `is_first` (…) says where a message begins, `may_select` where the deal may be marked instead. A
    temperature of 0 leaves the likeliest word alone; a tensor has one for each row.
    """
    scores = logits.float()
    banned = torch.ones_like(scores[..., : len(MARKS)], dtype=torch.bool)
    banned[..., END_NUMBER] = is_first
    banned[..., SELECTION_NUMBER] = ~(is_first & may_select)
    marks = scores[..., : len(MARKS)].masked_fill(banned, -math.inf)
    scores = torch.cat([marks, scores[..., len(MARKS) :]], dim=-1)
    if not isinstance(temperature, Tensor):
        temperature = scores.new_tensor(temperature)
    best = scores.max(-1, keepdim=True).values
    heat = temperature[..., None].expand_as(best)
    sharpened = (scores - best) / torch.where(heat > 0, heat, 1)
    greedy = torch.where(scores < best, -math.inf, sharpened)
    return torch.where(heat > 0, sharpened, greedy).log_softmax(-1)


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
