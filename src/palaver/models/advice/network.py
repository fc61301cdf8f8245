"""An encoder that reads a situation and a decoder that writes advice, after T5.

Layers are normed before they read, without means and biases; dense layers are gated by GELU; input and
output words are one table. Places are told by rotary angles instead of T5's buckets, which would need
a table of scores for every batch. N. Shazeer, 2020, GLU variants improve Transformer; J. Su et al.,
2021, RoFormer; C. Raffel et al., 2020, Exploring the limits of transfer learning with a unified
text-to-text Transformer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.core.errors import InputError
from palaver.models.advice.pieces import PAD_NUMBER
from palaver.models.decoder import rotary_angles
from palaver.models.settings import COUNT, LAYERS, SHARE, option


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderDecoderSettings:
    """How large the network is, and what of it is dropped in training."""

    layers: int = option(6, "layers of the encoder, and of the decoder", LAYERS)
    width: int = option(512, "size of a piece's vector, and of every layer", COUNT)
    heads: int = option(8, "attention heads", COUNT)
    dropout: float = option(0.1, "of vectors, and of what each layer adds", SHARE)

    @property
    def head_size(self) -> int:
        size, rest = divmod(self.width, self.heads)
        if rest or size % 2:
            raise InputError(
                "'network.width' is a multiple of twice 'network.heads'; got "
                f"{self.width} and {self.heads}."
            )
        return size


@dataclass(frozen=True, slots=True)
class WritingState:
    """What is known before the next piece: what was read, as keys and values of each layer, where it
    is padding, and keys and values of what was written. Everything is by row first."""

    read: tuple[Tensor, ...]
    mask: Tensor
    written: tuple[Tensor, ...] = ()

    @property
    def place(self) -> int:
        return self.written[0].shape[2] if self.written else 0

    @property
    def parts(self) -> tuple[Tensor, ...]:
        """All of it once something was written, as `of` takes it."""
        return (self.mask, *self.read, *self.written)

    @classmethod
    def of(cls, parts: Sequence[Tensor]) -> "WritingState":
        mask, *kept = parts
        half = len(kept) // 2
        return cls(tuple(kept[:half]), mask, tuple(kept[half:]))

    def pick(self, rows: Tensor) -> "WritingState":
        """The same of some rows, each as often as it is named."""
        return WritingState(
            tuple(each[rows] for each in self.read),
            self.mask[rows],
            tuple(each[rows] for each in self.written),
        )


class GuidedAttention(nn.Module):
    """Attention of several heads; who asks and what is looked at may be two texts."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.queries = nn.Linear(width, width, bias=False)
        self.memory = nn.Linear(width, 2 * width, bias=False)
        self.outputs = nn.Linear(width, width, bias=False)

    def forward(
        self, queries: Tensor, memory: Sequence[Tensor], mask: Tensor | None, *, causal: bool
    ) -> Tensor:
        """What is found (rows, pieces, width) by queries in keys and values (rows, heads, pieces,
        size)."""
        keys, values = memory
        seen = functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=mask, is_causal=causal
        )
        found: Tensor = self.outputs(seen.transpose(1, 2).flatten(2))
        return found

    def asked(self, vectors: Tensor, angles: Tensor | None) -> Tensor:
        """The queries of vectors (rows, heads, pieces, size)."""
        return turned(self._by_head(self.queries(vectors)), angles)

    def kept(self, vectors: Tensor, angles: Tensor | None) -> tuple[Tensor, Tensor]:
        """The keys and values of vectors."""
        keys, values = self.memory(vectors).chunk(2, dim=-1)
        return turned(self._by_head(keys), angles), self._by_head(values)

    def _by_head(self, vectors: Tensor) -> Tensor:
        rows, pieces, _ = vectors.shape
        return vectors.view(rows, pieces, self.heads, -1).transpose(1, 2)


class GatedDense(nn.Module):
    """Two dense layers, the first gated; as many weights as with four times the width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        inner = 8 * math.ceil(width / 3)
        self.inputs = nn.Linear(width, 2 * inner, bias=False)
        self.outputs = nn.Linear(inner, width, bias=False)

    def forward(self, vectors: Tensor) -> Tensor:
        gate, value = self.inputs(vectors).chunk(2, dim=-1)
        found: Tensor = self.outputs(functional.gelu(gate) * value)
        return found


class ReadingLayer(nn.Module):
    """A layer of the encoder: each piece looks at all."""

    def __init__(self, settings: EncoderDecoderSettings) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(settings.width, eps=1e-6)
        self.attention = GuidedAttention(settings.width, settings.heads)
        self.dense_norm = nn.RMSNorm(settings.width, eps=1e-6)
        self.dense = GatedDense(settings.width)
        self.drop = nn.Dropout(settings.dropout)

    def forward(self, vectors: Tensor, angles: Tensor, mask: Tensor) -> Tensor:
        normed = self.norm(vectors)
        queries, memory = self.attention.asked(normed, angles), self.attention.kept(normed, angles)
        vectors = vectors + self.drop(self.attention(queries, memory, mask, causal=False))
        added: Tensor = vectors + self.drop(self.dense(self.dense_norm(vectors)))
        return added


class WritingLayer(nn.Module):
    """A layer of the decoder: each piece looks at those before it, then at what was read."""

    def __init__(self, settings: EncoderDecoderSettings) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(settings.width, eps=1e-6)
        self.attention = GuidedAttention(settings.width, settings.heads)
        self.read_norm = nn.RMSNorm(settings.width, eps=1e-6)
        self.read = GuidedAttention(settings.width, settings.heads)
        self.dense_norm = nn.RMSNorm(settings.width, eps=1e-6)
        self.dense = GatedDense(settings.width)
        self.drop = nn.Dropout(settings.dropout)

    def forward(
        self,
        vectors: Tensor,
        angles: Tensor,
        read: Sequence[Tensor],
        mask: Tensor,
        past: Sequence[Tensor] = (),
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """New vectors, and the keys and values of all that was written. With a past there is one new
        piece a row, which may look at all of it."""
        normed = self.norm(vectors)
        queries, memory = self.attention.asked(normed, angles), self.attention.kept(normed, angles)
        if past:
            keys, values = (torch.cat(pair, dim=2) for pair in zip(past, memory, strict=True))
            memory = (keys, values)
        found = self.attention(queries, memory, None, causal=vectors.shape[1] > 1)
        vectors = vectors + self.drop(found)
        queries = self.read.asked(self.read_norm(vectors), None)
        vectors = vectors + self.drop(self.read(queries, read, mask, causal=False))
        return vectors + self.drop(self.dense(self.dense_norm(vectors))), memory


class EncoderDecoder(nn.Module):
    """Reads once, and writes a whole text at once in training, or piece by piece."""

    def __init__(self, vocabulary: int, settings: EncoderDecoderSettings) -> None:
        super().__init__()
        width = settings.width
        self.head_size = settings.head_size
        self.embedding = nn.Embedding(vocabulary, width)
        self.reading = nn.ModuleList(ReadingLayer(settings) for _ in range(settings.layers))
        self.reading_norm = nn.RMSNorm(width, eps=1e-6)
        self.writing = nn.ModuleList(WritingLayer(settings) for _ in range(settings.layers))
        self.writing_norm = nn.RMSNorm(width, eps=1e-6)
        self.drop = nn.Dropout(settings.dropout)
        self._start(settings)

    def forward(self, sources: Tensor, targets: Tensor) -> Tensor:
        """Logits (rows, pieces, vocabulary) of the piece after each of `targets`."""
        state = self.begin(sources)
        vectors, _ = self._written(targets, state)
        return self._logits(vectors)

    def begin(self, sources: Tensor) -> WritingState:
        """What is known before anything is written."""
        mask = (sources != PAD_NUMBER)[:, None, None]
        vectors, angles = self._embedded(sources), self._angles(0, sources)
        for layer in self.reading:
            vectors = layer(vectors, angles, mask)
        vectors = self.drop(self.reading_norm(vectors))
        read = [each for layer in self._writing for each in layer.read.kept(vectors, None)]
        return WritingState(tuple(read), mask)

    def step(self, pieces: Tensor, state: WritingState) -> tuple[Tensor, WritingState]:
        """Logits (rows, vocabulary) of the next piece after one more each, and the new state."""
        vectors, written = self._written(pieces[:, None], state)
        return self._logits(vectors[:, 0]), replace(state, written=written)

    def _written(self, pieces: Tensor, state: WritingState) -> tuple[Tensor, tuple[Tensor, ...]]:
        vectors, angles = self._embedded(pieces), self._angles(state.place, pieces)
        written: list[Tensor] = []
        for n, layer in enumerate(self._writing):
            both = slice(2 * n, 2 * n + 2)
            vectors, memory = layer(
                vectors, angles, state.read[both], state.mask, state.written[both]
            )
            written += memory
        return self.drop(self.writing_norm(vectors)), tuple(written)

    def _embedded(self, pieces: Tensor) -> Tensor:
        embedded: Tensor = self.drop(
            self.embedding(pieces) * math.sqrt(self.embedding.embedding_dim)
        )
        return embedded

    def _logits(self, vectors: Tensor) -> Tensor:
        return functional.linear(vectors, self.embedding.weight)

    def _angles(self, first: int, pieces: Tensor) -> Tensor:
        places = torch.arange(first, first + pieces.shape[1], device=pieces.device)
        return rotary_angles(places[None], self.head_size)

    @property
    def _writing(self) -> Sequence[WritingLayer]:
        return cast(Sequence[WritingLayer], self.writing)

    def _start(self, settings: EncoderDecoderSettings) -> None:
        """First weights by which vectors keep about their length; what layers add is small."""
        for name, each in self.named_parameters():
            if each.dim() < 2:
                continue
            added = name.endswith("outputs.weight")
            layers = 3 * settings.layers if added else 1
            nn.init.normal_(each, std=(each.shape[1] * layers) ** -0.5)


def turned(vectors: Tensor, angles: Tensor | None) -> Tensor:
    """Vectors (rows, heads, pieces, size) turned by the angles of their places."""
    if angles is None:
        return vectors
    first, second = vectors.chunk(2, dim=-1)
    cos, sin = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
