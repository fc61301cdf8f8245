"""Who gets what after a dialogue: a bidirectional GRU that attends to the words that settle it.

It reads the states of the language model beside the words (Lewis et al. 2017). What a context does not
allow has no probability; that both sides add up is the matter of `splits`.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from palaver.models.deal.network import CLASSES, CONTEXT, MOST_ITEMS, SLOTS
from palaver.models.deal.splits import legal_log_probs
from palaver.models.settings import COUNT, NATURAL, SHARE, option


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionSettings:
    """How the head that says who gets what is built and trained."""

    weight: float = option(0.5, "of its loss beside that of the words", NATURAL)
    hidden: int = option(256, "units of its GRU in each direction", COUNT)
    attention: int = option(256, "units of its attention", COUNT)
    layer: int = option(256, "units of the layer before the six choices", COUNT)
    dropout: float = option(0.0, "of what it reads, and before the six choices", SHARE)


class ContextEncoder(nn.Module):
    """Six numbers as one vector."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.numbers = nn.Embedding(MOST_ITEMS + 1, size)
        self.layer = nn.Linear(CONTEXT * size, size)

    def forward(self, contexts: Tensor) -> Tensor:
        """Vectors (rows, size); what is more than the network knows counts as the most it knows."""
        embedded: Tensor = self.numbers(contexts.clamp(0, MOST_ITEMS))
        return torch.tanh(self.layer(embedded.flatten(1)))


class Chooser(nn.Module):
    """The six choices after a whole dialogue."""

    def __init__(self, settings: SelectionSettings, *, inputs: int, context: int) -> None:
        super().__init__()
        hidden = settings.hidden
        self.onward = nn.GRU(inputs, hidden, batch_first=True)
        self.back = nn.GRU(inputs, hidden, batch_first=True)
        # A bias of the last layer would raise all words alike, which a softmax does not notice.
        self.attention = nn.Sequential(
            nn.Linear(2 * hidden, settings.attention),
            nn.Tanh(),
            nn.Linear(settings.attention, 1, bias=False),
        )
        self.layer = nn.Linear(2 * hidden + context, settings.layer)
        self.choices = nn.Linear(settings.layer, SLOTS * CLASSES)
        self.drop = nn.Dropout(settings.dropout)

    def forward(self, read: Tensor, context: Tensor, lengths: Tensor, contexts: Tensor) -> Tensor:
        """Log-probabilities (rows, 6, CLASSES); `read` is (rows, words, inputs), padded at the end."""
        states = self._both_ways(self.drop(read), lengths)
        seen = (self._weights(states, lengths)[:, :, None] * states).sum(1)
        layer = torch.tanh(self.layer(torch.cat([seen, context], dim=1)))
        logits: Tensor = self.choices(self.drop(layer))
        return legal_log_probs(logits.view(-1, SLOTS, CLASSES), contexts)

    def weights(self, read: Tensor, lengths: Tensor) -> Tensor:
        """How much each word (rows, words) counts; the words of a row add up to 1."""
        return self._weights(self._both_ways(read, lengths), lengths)

    def _both_ways(self, read: Tensor, lengths: Tensor) -> Tensor:
        """States of both directions. Each row is turned round within its length, because packing
        rows would have the GPU wait for their lengths."""
        places = torch.arange(read.shape[1], device=read.device)[None]
        turned = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
        # Under autocast recurrent layers of cuDNN take float16, in which small gradients vanish.
        with torch.autocast(read.device.type, enabled=False):
            read = read.float()
            onward, _ = self.onward(read)
            backward, _ = self.back(_picked(read, turned))
        return torch.cat([onward, _picked(backward, turned)], dim=2)

    def _weights(self, states: Tensor, lengths: Tensor) -> Tensor:
        scores: Tensor = self.attention(states).squeeze(2).float()
        places = torch.arange(states.shape[1], device=states.device)[None]
        is_padding = places >= lengths.clamp(min=1)[:, None]
        return scores.masked_fill(is_padding, -math.inf).softmax(1)


def _picked(states: Tensor, places: Tensor) -> Tensor:
    return states.gather(1, places[:, :, None].expand(-1, -1, states.shape[2]))
