"""Our model of the DialEval tasks: attention over the words of a turn, then over the turns.

A turn is what its words say on average, what attention picks among them, the phrases in it, and what
can be counted on its surface. Transformer blocks then read the turns together with three marks, one per
quality scale, whose states say how annotators judge the whole dialogue.

Y. Kim (2014), Convolutional neural networks for sentence classification, EMNLP, 1746–1751.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.models.dialeval.dialogues import CUSTOMER, HELPDESK, NUGGETS, POINTS, SCALES
from palaver.models.dialeval.tensors import DialogueTensors, JudgedLogs, nugget_logs
from palaver.models.dialeval.words import SURFACE

# Turns from here on share a place, counted from the start and from the end.
MOST_PLACES = 16
# Words in a phrase.
PHRASE = 3


class TurnReader(nn.Module):
    """A vector per turn: its words on average, what attention and phrases find, and its surface."""

    def __init__(
        self,
        *,
        vocabulary: int,
        words: int,
        picks: int,
        phrases: int,
        width: int,
        word_dropout: float,
    ) -> None:
        super().__init__()
        self.vectors = nn.Embedding(vocabulary, words, padding_idx=0)
        nn.init.normal_(self.vectors.weight, std=0.1)
        with torch.no_grad():
            self.vectors.weight[0] = 0
        self.picker = nn.Sequential(nn.Linear(words, words), nn.Tanh(), nn.Linear(words, picks))
        self.phrases = (
            nn.Conv1d(words, phrases, PHRASE, padding="same", bias=False) if phrases else None
        )
        self.joint = nn.Linear(words * (1 + picks) + phrases + len(SURFACE), width)
        self.word_dropout = word_dropout

    def forward(self, batch: DialogueTensors) -> Tensor:
        """Vectors (dialogues, turns, width)."""
        there = self._there(batch)
        vectors = self.vectors(batch.words)
        mean = _weighed(vectors, there / there.sum(dim=-1, keepdim=True).clamp_min(1))
        picks = self._picked(vectors, there).to(vectors.dtype).unbind(dim=-1)
        seen = [mean, *(_weighed(vectors, weights) for weights in picks), batch.surface]
        if self.phrases is not None:
            seen.append(self._strongest(self.phrases, vectors * there.unsqueeze(-1)))
        return functional.gelu(self.joint(torch.cat(seen, dim=-1)))

    def attention(self, batch: DialogueTensors) -> Tensor:
        """How much each word (dialogues, turns, words) is picked; a turn's words add up to 1."""
        return self._picked(self.vectors(batch.words), self._there(batch)).mean(dim=-1)

    def _picked(self, vectors: Tensor, there: Tensor) -> Tensor:
        """How much (dialogues, turns, words, picks) each pick looks at each word of its turn."""
        scores: Tensor = self.picker(vectors).float()
        return torch.softmax(scores.masked_fill(~there.unsqueeze(-1), -1e4), dim=2)

    def _there(self, batch: DialogueTensors) -> Tensor:
        """Which words are read; in training some are left out."""
        there = (batch.words != 0) & batch.present.unsqueeze(-1)
        if not self.training or not self.word_dropout:
            return there
        # The first mark always stays, so that no turn is without words.
        kept = torch.full(there.shape, 1 - self.word_dropout, device=there.device)
        kept[..., 0] = 1.0
        return there & torch.bernoulli(kept).bool()

    @staticmethod
    def _strongest(phrases: nn.Conv1d, vectors: Tensor) -> Tensor:
        """How clearly each phrase is said where it is said most clearly (Kim 2014), at least 0.

        Without a bias nothing is found in the padding, whatever its length.
        """
        found: Tensor = phrases(vectors.flatten(0, 1).transpose(1, 2))
        return functional.relu(found).amax(dim=-1).view(*vectors.shape[:2], -1)


class TurnBlock(nn.Module):
    """A Transformer block over marks and turns, normalised before each part."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.rate = heads, dropout
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.sides = nn.Linear(width, 3 * width)
        self.joint = nn.Linear(width, width)
        self.inner = nn.Sequential(
            nn.Linear(width, 2 * width),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(2 * width, width),
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, seen: Tensor) -> Tensor:
        """`seen` is (dialogues, 1, 1, places): which of them may be looked at."""
        sides = self.sides(self.before(states)).unflatten(-1, (3, self.heads, -1))
        query, key, value = (side.transpose(1, 2) for side in sides.unbind(dim=2))
        found = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=seen, dropout_p=self.rate if self.training else 0.0
        )
        states = states + self.dropout(self.joint(found.transpose(1, 2).flatten(2)))
        further: Tensor = self.dropout(self.inner(self.between(states)))
        return states + further


class TurnAttention(nn.Module):
    """The whole network: a reader of turns, blocks over them, a head per sender and per scale."""

    def __init__(
        self,
        *,
        vocabulary: int,
        words: int,
        picks: int,
        phrases: int,
        width: int,
        layers: int,
        heads: int,
        dropout: float,
        word_dropout: float,
        tasks: Sequence[str],
    ) -> None:
        super().__init__()
        self.reader = TurnReader(
            vocabulary=vocabulary,
            words=words,
            picks=picks,
            phrases=phrases,
            width=width,
            word_dropout=word_dropout,
        )
        self.senders = nn.Embedding(2, width)
        self.places = nn.Embedding(2 * MOST_PLACES, width)
        self.marks = nn.Parameter(torch.empty(len(SCALES), width))
        for table in (self.senders.weight, self.places.weight, self.marks):
            nn.init.normal_(table, std=0.1)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(TurnBlock(width, heads, dropout) for _ in range(layers))
        self.last = nn.LayerNorm(width)
        nugget = {who: nn.Linear(width, len(NUGGETS[who])) for who in NUGGETS}
        quality = {scale: nn.Linear(width, len(POINTS)) for scale in SCALES}
        self.heads = nn.ModuleDict(
            {
                **(nugget if "nugget" in tasks else {}),
                **(quality if "quality" in tasks else {}),
            }
        )

    def forward(self, batch: DialogueTensors) -> JudgedLogs:
        states, seen = self._begun(batch)
        for block in self.blocks:
            states = block(states, seen)
        marks, turns = self.last(states).split((len(SCALES), batch.senders.shape[1]), dim=1)
        nugget = quality = None
        if CUSTOMER in self.heads:
            logits = self.heads[CUSTOMER](turns), self.heads[HELPDESK](turns)
            nugget = nugget_logs(*logits, batch.senders)
        if SCALES[0] in self.heads:
            points = [self.heads[scale](marks[:, n]) for n, scale in enumerate(SCALES)]
            quality = torch.log_softmax(torch.stack(points, dim=1).float(), dim=-1)
        return JudgedLogs(nugget, quality)

    def _begun(self, batch: DialogueTensors) -> tuple[Tensor, Tensor]:
        """The marks and the turns before the first block, and which of them are there."""
        places = torch.arange(batch.present.shape[1], device=batch.present.device)
        left = (batch.present.sum(dim=1, keepdim=True) - 1 - places).clamp(0, MOST_PLACES - 1)
        where = self.places(places.clamp(max=MOST_PLACES - 1)) + self.places(left + MOST_PLACES)
        turns = self.reader(batch) + self.senders(batch.senders) + where
        marks = self.marks.to(turns.dtype).expand(len(batch), -1, -1)
        there = torch.ones(len(batch), len(SCALES), dtype=torch.bool, device=places.device)
        seen = torch.cat([there, batch.present], dim=1)[:, None, None, :]
        return self.dropout(torch.cat([marks, turns], dim=1)), seen


def _weighed(vectors: Tensor, weights: Tensor) -> Tensor:
    """The sum of (…, words, width) by weights (…, words)."""
    return (weights.to(vectors.dtype).unsqueeze(-2) @ vectors).squeeze(-2)
