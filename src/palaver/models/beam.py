"""Beam search: the most likely of several continuations that are kept side by side.

What is searched is a function that says, for words and states, how likely each next word is. It is the
same for any network, and for whatever may not be said, which has a log-probability of -inf.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from palaver.models.answering import check_wanted

# What is carried from word to word: tensors whose first dimension is the row.
SearchState = tuple[Tensor, ...]
NextWords = Callable[[Tensor, SearchState], tuple[Tensor, SearchState]]

# As in Wu et al. (2016): the length is counted from here, so that short ones are not all that differ.
_OFFSET = 5


def best_words(
    first: Tensor,
    state: SearchState,
    step: NextWords,
    *,
    beams: int,
    most: int,
    end: int,
    padding: int,
    alpha: float = 0.5,
) -> Tensor:
    """The likeliest words (rows, words) of each row, `end` included and then padding.

    `first` (rows, vocabulary) are log-probabilities of the first word; `step` gives those of the next,
    and the state after it. Of `beams` continuations the one is taken whose log-probability divided by
    ((5 + length) / 6) ^ `alpha` is highest. What has not come to its end after `most` words is as good
    as one that has.
    """
    rows, vocabulary = first.shape
    kept = min(beams, vocabulary)
    scores, chosen = first.topk(kept, dim=1)
    words = chosen[:, :, None]
    flat = torch.arange(rows, device=first.device).repeat_interleave(kept)
    state = tuple(each[flat] for each in state)
    lengths = torch.ones_like(scores)
    for _ in range(most - 1):
        check_wanted()
        is_done = words[:, :, -1].eq(end) | words[:, :, -1].eq(padding) | scores.isneginf()
        if bool(is_done.all()):
            break
        log_probs, state = step(words[:, :, -1].flatten(), state)
        log_probs = log_probs.view(rows, kept, vocabulary)
        # What is over stays as it is: padding for nothing, and no other word.
        log_probs = log_probs.masked_fill(is_done[:, :, None], -torch.inf)
        log_probs[:, :, padding] = torch.where(is_done, 0.0, log_probs[:, :, padding])
        totals = scores[:, :, None] + log_probs
        lengthened = lengths + ~is_done
        ranked = (totals / penalty(lengthened, alpha)[:, :, None]).flatten(1)
        best = ranked.topk(kept, dim=1).indices
        origin, chosen = best // vocabulary, best % vocabulary
        scores = totals.flatten(1).gather(1, best)
        lengths = lengthened.gather(1, origin)
        words = torch.cat([_of(words, origin), chosen[:, :, None]], dim=2)
        flat = (origin + kept * torch.arange(rows, device=first.device)[:, None]).flatten()
        state = tuple(each[flat] for each in state)
    winner = (scores / penalty(lengths, alpha)).argmax(1)
    return words[torch.arange(rows, device=first.device), winner]


def penalty(lengths: Tensor, alpha: float) -> Tensor:
    """What a log-probability is divided by, so that long ones are not at a disadvantage."""
    return ((_OFFSET + lengths) / (_OFFSET + 1)) ** alpha


def _of(words: Tensor, origin: Tensor) -> Tensor:
    return words.gather(1, origin[:, :, None].expand(-1, -1, words.shape[2]))
