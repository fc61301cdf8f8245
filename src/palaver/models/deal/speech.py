"""What may be said next in a dialogue about a deal.

Marks are nobody's words. A message begins with `<selection>` and is over, or has a word before its
`<eos>`, so that it is never empty.
"""

import math

import torch
from torch import Tensor

from palaver.models.deal.words import END_NUMBER, MARKS, SELECTION_NUMBER
from palaver.models.sampling import sharpened

# As in Lewis et al. (2017): after more than this a dialogue is over without a deal.
MOST_WORDS, MOST_MESSAGES = 100, 20
# Each side says something before it may mark a deal, as the rules of the game have it.
LEAST_MESSAGES = 2


def word_log_probs(
    logits: Tensor, is_first: Tensor, may_select: Tensor, temperature: Tensor | float = 1.0
) -> Tensor:
    """Log-probabilities (…, vocabulary) of what may be said next, sharpened by the temperature.

    `is_first` (…) says where a message begins, `may_select` where the deal may be marked instead.
    """
    scores = logits.float()
    banned = torch.ones_like(scores[..., : len(MARKS)], dtype=torch.bool)
    banned[..., END_NUMBER] = is_first
    banned[..., SELECTION_NUMBER] = ~(is_first & may_select)
    marks = scores[..., : len(MARKS)].masked_fill(banned, -math.inf)
    return sharpened(torch.cat([marks, scores[..., len(MARKS) :]], dim=-1), temperature)
