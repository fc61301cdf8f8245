"""Vectors of words, where prices may have something in common with prices near them.

A price is a word of its own, of which there are hundreds, and most are rare. Beside its own vector it
can have the sum of a few that belong to places on the scale, each the more the nearer it lies.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

# Prices lie between − and + this on the scale of a side.
REACH = 4.0
# How far apart the places of each kind are, and how far each of them reaches.
_STEPS = (0.05, 0.25, 1.0)


class WordTable(nn.Module):
    """A vector for each word; in training some words are missing from a whole batch."""

    nearness: Tensor

    def __init__(self, words: int, size: int, *, prices: range, word_dropout: float = 0.0) -> None:
        super().__init__()
        self.own = nn.Parameter(torch.randn(words, size) / size**0.5)
        self.word_dropout = word_dropout
        self.prices = prices
        nearness = _nearness(len(prices)) if len(prices) else torch.zeros(0, 0)
        self.register_buffer("nearness", nearness, persistent=False)
        self.places = nn.Parameter(torch.zeros(nearness.shape[1], size)) if len(prices) else None

    def forward(self, words: Tensor) -> Tensor:
        """The vectors of words (…)."""
        vectors = functional.embedding(words, self.vectors())
        if not (self.training and self.word_dropout):
            return vectors
        kept = vectors.new_ones(len(self.own), 1)
        return vectors * functional.embedding(words, functional.dropout(kept, self.word_dropout))

    def vectors(self) -> Tensor:
        """The vectors of all words (words, size)."""
        if self.places is None:
            return self.own
        start, stop = self.prices.start, self.prices.stop
        near = self.own[start:stop] + self.nearness @ self.places
        return torch.cat([self.own[:start], near, self.own[stop:]])


def _nearness(prices: int) -> Tensor:
    """How near each price is to each place (prices, places), from 0 to 1."""
    values = torch.linspace(-REACH, REACH, prices)
    found = []
    for step in _STEPS:
        places = torch.arange(-REACH, REACH + step / 2, step)
        found.append((-(((values[:, None] - places) / step) ** 2)).exp())
    return torch.cat(found, dim=1)
