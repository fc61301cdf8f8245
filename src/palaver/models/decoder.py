"""A stack of decoder layers that look back only: over a whole dialogue at once, or word by word."""

import math
from collections.abc import Sequence
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.core.errors import InputError

# What the standard deviation of weights at first is of 1 / √width. Narrow layers that begin smaller
# learn late.
_START = 0.6


class CausalAttention(nn.Module):
    """Attention of several heads to what came before."""

    def __init__(self, width: int, *, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.inputs = nn.Linear(width, 3 * width)
        self.outputs = nn.Linear(width, width)

    def forward(self, vectors: Tensor, angles: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """What is attended to (rows, words, width), and the keys and values to keep."""
        queries, keys, values = self._parts(vectors, angles)
        dropout = self.dropout if self.training else 0.0
        seen = functional.scaled_dot_product_attention(
            queries, keys, values, dropout_p=dropout, is_causal=True
        )
        return self._joined(seen), keys, values

    def step(
        self, vectors: Tensor, angles: Tensor | None, past: Sequence[Tensor], seen: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The same for more words per row, after the keys and values that were kept; `seen`
        (rows, new words, words) is what each of them may attend to."""
        queries, keys, values = self._parts(vectors, angles)
        keys, values = torch.cat([past[0], keys], dim=2), torch.cat([past[1], values], dim=2)
        attended = functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=seen[:, None]
        )
        return self._joined(attended), keys, values

    def weights(self, vectors: Tensor, angles: Tensor | None) -> Tensor:
        """How much each word attends to each (rows, words, words), on the average of the heads."""
        queries, keys, _ = self._parts(vectors, angles)
        scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[-1])
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        return scores.masked_fill(later, -math.inf).softmax(-1).mean(1)

    def _parts(self, vectors: Tensor, angles: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        rows, words, _ = vectors.shape
        parts = self.inputs(vectors).view(rows, words, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        queries, keys, values = parts.unbind(0)
        if angles is None:
            return queries, keys, values
        return _turned(queries, angles), _turned(keys, angles), values

    def _joined(self, seen: Tensor) -> Tensor:
        joined: Tensor = self.outputs(seen.transpose(1, 2).flatten(2))
        return joined


class DecoderLayer(nn.Module):
    """Attention, then two dense layers; each is added to what it reads, normed before."""

    def __init__(self, width: int, *, heads: int, dropout: float, attention_dropout: float) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = CausalAttention(width, heads=heads, dropout=attention_dropout)
        self.dense_norm = nn.LayerNorm(width)
        self.dense = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.drop = nn.Dropout(dropout)

    def forward(self, vectors: Tensor, angles: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        seen, keys, values = self.attention(self.attention_norm(vectors), angles)
        return self._added(vectors, seen), keys, values

    def step(
        self, vectors: Tensor, angles: Tensor | None, past: Sequence[Tensor], seen: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        normed = self.attention_norm(vectors)
        attended, keys, values = self.attention.step(normed, angles, past, seen)
        return self._added(vectors, attended), keys, values

    def weights(self, vectors: Tensor, angles: Tensor | None) -> Tensor:
        return self.attention.weights(self.attention_norm(vectors), angles)

    def _added(self, vectors: Tensor, seen: Tensor) -> Tensor:
        vectors = vectors + self.drop(seen)
        added: Tensor = vectors + self.drop(self.dense(self.dense_norm(vectors)))
        return added


class Decoder(nn.Module):
    """Layers above one another. `angles`, where there are any, turn vectors by their places.

    `start` is the standard deviation of the first weights, a matter of the width unless told.
    """

    def __init__(
        self,
        width: int,
        *,
        layers: int,
        heads: int,
        dropout: float,
        attention_dropout: float,
        start: float | None = None,
    ) -> None:
        super().__init__()
        start = start or _START * width**-0.5
        self.layers = nn.ModuleList(
            DecoderLayer(width, heads=heads, dropout=dropout, attention_dropout=attention_dropout)
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.apply(partial(start_with, start))
        # What is added layer by layer should not grow with their number.
        for layer in self._layers:
            for added in (layer.attention.outputs, cast(nn.Linear, layer.dense[-1])):
                nn.init.normal_(added.weight, std=start / math.sqrt(2 * layers))

    def forward(self, vectors: Tensor, angles: Tensor | None) -> tuple[Tensor, list[Tensor]]:
        """The outputs (rows, words, width), and keys and values of each layer in turn."""
        kept: list[Tensor] = []
        for layer in self._layers:
            vectors, keys, values = layer(vectors, angles)
            kept += [keys, values]
        return self._normed(vectors), kept

    def step(
        self, vectors: Tensor, angles: Tensor | None, kept: Sequence[Tensor], seen: Tensor
    ) -> tuple[Tensor, list[Tensor]]:
        """The same for more words per row, after what was kept."""
        new: list[Tensor] = []
        for n, layer in enumerate(self._layers):
            past = kept[2 * n : 2 * n + 2]
            vectors, keys, values = layer.step(vectors, angles, past, seen)
            new += [keys, values]
        return self._normed(vectors), new

    def weights(self, vectors: Tensor, angles: Tensor | None) -> Tensor:
        """How much each word attends to each (rows, words, words) in the uppermost layer."""
        *lower, top = self._layers
        for layer in lower:
            vectors, _, _ = layer(vectors, angles)
        return top.weights(vectors, angles)

    @property
    def _layers(self) -> Sequence[DecoderLayer]:
        return cast(Sequence[DecoderLayer], self.layers)

    def _normed(self, vectors: Tensor) -> Tensor:
        normed: Tensor = self.norm(vectors)
        return normed


def start_with(spread: float, part: nn.Module) -> None:
    """Give a layer or a table of vectors its first weights, of that standard deviation."""
    if isinstance(part, nn.Linear | nn.Embedding):
        nn.init.normal_(part.weight, std=spread)
    if isinstance(part, nn.Linear):
        nn.init.zeros_(part.bias)


def head_size(width: int, heads: int, *, is_rotary: bool) -> int:
    """The numbers of a vector that each head attends to; InputError where they do not come out even."""
    size, rest = divmod(width, heads)
    if rest or (is_rotary and size % 2):
        raise InputError(
            "'network.width' is a multiple of 'network.heads', of twice as many with rotary "
            f"positions; got {width} and {heads}."
        )
    return size


def rotary_angles(places: Tensor, size: int) -> Tensor:
    """By how much each pair of a head's numbers is turned (rows, 1, words, size / 2) at its place."""
    pairs = torch.arange(0, size, 2, device=places.device)
    return places[:, None, :, None] * 10_000.0 ** (-pairs / size)


def _turned(vectors: Tensor, angles: Tensor) -> Tensor:
    """Vectors (rows, heads, words, size) turned by their places (rotary embedding, Su et al. 2021)."""
    first, second = vectors.chunk(2, dim=-1)
    cos, sin = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
