"""A Transformer of our own for MutualFriends: a decoder over the cells of a table and the dialogue.

A cell is a row and a value of it. Rows and values have vectors by what they are, how common they are,
a number that tells them apart in their table, and what they share a cell with. A word that stands for
a row or a value has that vector beside its own, and what is said next is compared with the vectors of
all words and all nodes. Everything looks back only, so that a reading of a whole dialogue costs one
pass, and talk reuses what it has computed.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.models.decoder import Decoder, head_size, rotary_angles
from palaver.models.friends.graphs import (
    HEARD,
    MOST_ROWS,
    ROW,
    SHARES,
    GraphTensors,
    type_count,
)
from palaver.models.friends.network import (
    FriendsReader,
    SaidTurn,
    State,
    known_nodes,
    with_heard,
)
from palaver.models.friends.tensors import TurnTensors, ViewBatch
from palaver.models.sequences import RowPart, joined
from palaver.models.settings import COUNT, LAYERS, SHARE, option

# Later turns, and later words of a turn, are alike.
_TURNS, _WORDS = 48, 64
# Nodes whose numbers are so far apart are told apart by what they are alone.
_NUMBERS = 256
# Who says a word; a cell is nobody's.
_HEARD, _SAID, _CELL = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTransformerSettings:
    """How large the network is, and what of it is dropped in training."""

    layers: int = option(4, "layers", LAYERS)
    width: int = option(128, "size of a word's vector, and of every layer", COUNT)
    heads: int = option(4, "attention heads", COUNT)
    positions: Literal["none", "rotary"] = option(
        "rotary", "how far apart words are, beside the turn and the place within it"
    )
    dropout: float = option(0.1, "of vectors, and of what each layer adds", SHARE)
    attention_dropout: float = option(0.0, "of what is attended to", SHARE)
    word_dropout: float = option(0.0, "of whole words in a batch", SHARE)


class _Graph(NamedTuple):
    """What nodes are, and their vectors and keys (rows, nodes, width)."""

    kinds: Tensor
    nodes: Tensor
    keys: Tensor


class TableTransformer(FriendsReader):
    """A `FriendsNetwork` that looks back at its table and at all that was said."""

    def __init__(self, vocabulary: int, types: int, settings: TableTransformerSettings) -> None:
        super().__init__(vocabulary)
        width = settings.width
        self.has_positions = settings.positions == "rotary"
        self.head_size = head_size(width, settings.heads, is_rotary=self.has_positions)
        self.word_dropout = settings.word_dropout
        self.words = nn.Embedding(vocabulary, width)
        self.kinds = nn.Embedding(HEARD + 1, width)
        self.types = nn.Embedding(type_count(types) + 1, width)
        self.degrees = nn.Embedding(MOST_ROWS + 2, width)
        self.shares = nn.Embedding(SHARES + 1, width)
        self.numbers = nn.Embedding(_NUMBERS, width)
        self.turns = nn.Embedding(_TURNS, width)
        self.within = nn.Embedding(_WORDS, width)
        self.speakers = nn.Embedding(3, width)
        for table in self.children():
            if isinstance(table, nn.Embedding):
                nn.init.normal_(table.weight, std=width**-0.5)
        self.of_values = nn.Linear(width, width, bias=False)
        self.of_rows = nn.Linear(width, width, bias=False)
        self.cells = nn.Linear(2 * width, width)
        self.copied = nn.Linear(width, width, bias=False)
        self.output_bias = nn.Parameter(torch.zeros(vocabulary))
        self.decoder = Decoder(
            width,
            layers=settings.layers,
            heads=settings.heads,
            dropout=settings.dropout,
            attention_dropout=settings.attention_dropout,
        )
        self.drop = nn.Dropout(settings.dropout)

    def read(self, batch: ViewBatch, reach: int = 0) -> Iterator[SaidTurn]:
        """As `FriendsReader` says, after one pass over whole views; gradients go back through all."""
        graph = self._graph(batch.graphs)
        parts = [self._table(batch.graphs, graph)]
        count = torch.zeros_like(batch.graphs.kinds[:, 0])
        for heard, said in batch.exchanges:
            for turn, speaker in ((heard, _HEARD), (said, _SAID)):
                parts.append(self._turn(turn, graph, count, speaker))
                count = count + (turn.lengths > 0)
        row = joined(parts)
        states, _ = self.decoder(*self._inputs(row.vectors, 0))
        known, at = known_nodes(graph.kinds), parts[0].is_there.shape[1]
        for heard, said in batch.exchanges:
            known = with_heard(known, heard, graph.kinds)
            at += heard.words.shape[1]
            end = at + said.words.shape[1]
            own = row.back(states, slice(at, end - 1))
            yield SaidTurn(self._logits(own, graph, known), said.targets(self.vocabulary))
            at = end

    def begin(self, graphs: GraphTensors) -> State:
        """Kinds, vectors and keys of nodes; which can be copied; turns and words so far (rows, 2),
        what may be looked back at (rows, words), and keys and values of each layer."""
        graph = self._graph(graphs)
        row = joined([self._table(graphs, graph)])
        _, kept = self.decoder(*self._inputs(row.vectors, 0))
        cells = row.is_there.sum(1)
        stands = torch.stack([torch.zeros_like(cells), cells], dim=1)
        return (*graph, known_nodes(graph.kinds), stands, row.is_there, *kept)

    def hear(self, turn: TurnTensors, state: State) -> State:
        _, (*graph, known, stands, seen), kept = self._went_on(turn, state, _HEARD)
        return (*graph, with_heard(known, turn, graph[0]), stands, seen, *kept)

    def say(self, turn: TurnTensors, state: State) -> tuple[Tensor, State]:
        states, told, kept = self._went_on(turn, state, _SAID)
        logits = self._logits(states[:, :-1], _Graph(*state[:3]), state[3])
        return logits, (*told, *kept)

    def draft(self, state: State) -> State:
        """The same with the words of the turn so far (rows, 1) before the rest."""
        return (torch.zeros_like(state[4][:, :1]), *state)

    def step(self, words: Tensor, nodes: Tensor, draft: State) -> tuple[Tensor, State]:
        within, *graph, known, stands, seen = draft[:7]
        vectors = self._placed(
            self._named(words[:, None], nodes[:, None], graph[1]),
            within,
            stands[:, 0],
            _SAID,
        )
        is_word = torch.ones_like(seen[:, :1])
        seen = torch.cat([seen, is_word], dim=1)
        inputs = self._inputs(vectors, stands[:, 1:] + within)
        states, kept = self.decoder.step(*inputs, draft[7:], seen[:, None])
        logits = self._logits(states, _Graph(*graph), known)[:, 0]
        return logits, (within + 1, *graph, known, stands, seen, *kept)

    def _went_on(
        self, turn: TurnTensors, state: State, speaker: int
    ) -> tuple[Tensor, State, list[Tensor]]:
        """What is known after each word of a turn, and the two halves of the new state."""
        *graph, known, stands, seen = state[:6]
        part = self._turn(turn, _Graph(*graph), stands[:, 0], speaker)
        places = part.is_there.shape[1]
        # Padding looks at itself, because a row that looked at nothing would have no vector.
        own = torch.ones(places, places, dtype=torch.bool, device=seen.device).tril()
        own = (own & part.is_there[:, None]) | torch.eye(
            places, dtype=torch.bool, device=seen.device
        )
        now = torch.cat([seen[:, None].expand(-1, places, -1), own], dim=2)
        inputs = self._inputs(part.vectors, stands[:, 1:])
        states, kept = self.decoder.step(*inputs, state[6:], now)
        moved = torch.stack([(turn.lengths > 0).to(stands.dtype), turn.lengths], dim=1)
        seen = torch.cat([seen, part.is_there], dim=1)
        return states, (*graph, known, stands + moved, seen), kept

    def _graph(self, graphs: GraphTensors) -> _Graph:
        numbers = torch.arange(graphs.kinds.shape[1], device=graphs.kinds.device) % _NUMBERS
        own = (
            self.kinds(graphs.kinds)
            + self._words(graphs.words)
            + self.types(graphs.types)
            + self.degrees(graphs.degrees)
            + self.shares(graphs.shares)
            + self.numbers(numbers)
        )
        is_cell = _is_cell(graphs)
        # A row is known by its values, and a value by its rows.
        values = _mean_over(graphs.starts, is_cell, _picked(own, graphs.ends), own)
        rows = _mean_over(graphs.ends, is_cell, _picked(own, graphs.starts), own)
        nodes = own + self.of_values(values) + self.of_rows(rows)
        return _Graph(graphs.kinds, nodes, self.copied(nodes))

    def _table(self, graphs: GraphTensors, graph: _Graph) -> RowPart:
        """A cell for each edge that leads from a row to a value."""
        ends = [_picked(graph.nodes, each) for each in (graphs.starts, graphs.ends)]
        cells = self.cells(torch.cat(ends, dim=2))
        return RowPart(cells + self.speakers.weight[_CELL], _is_cell(graphs))

    def _turn(self, turn: TurnTensors, graph: _Graph, count: Tensor, speaker: int) -> RowPart:
        """A turn after so many others (rows,)."""
        places = torch.arange(turn.words.shape[1], device=turn.words.device)[None]
        named = self._named(turn.words, turn.nodes, graph.nodes)
        return RowPart(self._placed(named, places, count, speaker), places < turn.lengths[:, None])

    def _named(self, words: Tensor, nodes: Tensor, vectors: Tensor) -> Tensor:
        """Words, each with the vector of what it stands for, where it stands for anything."""
        named = _picked(vectors, nodes.clamp(min=0)) * (nodes >= 0)[..., None]
        return self._words(words) + named

    def _words(self, words: Tensor) -> Tensor:
        """Vectors of words; in training some words are missing from a whole batch."""
        vectors: Tensor = self.words(words)
        if not (self.training and self.word_dropout):
            return vectors
        kept = vectors.new_ones(len(self.words.weight), 1)
        return vectors * functional.embedding(words, functional.dropout(kept, self.word_dropout))

    def _placed(self, vectors: Tensor, places: Tensor, count: Tensor, speaker: int) -> Tensor:
        within = self.within(places.clamp(max=_WORDS - 1))
        turn = self.turns(count.clamp(max=_TURNS - 1))[:, None]
        placed: Tensor = vectors + within + turn + self.speakers.weight[speaker]
        return placed

    def _inputs(self, vectors: Tensor, first: Tensor | int) -> tuple[Tensor, Tensor | None]:
        """Vectors, and the angles of their places from the first on."""
        if not self.has_positions:
            return self.drop(vectors), None
        places = first + torch.arange(vectors.shape[1], device=vectors.device)[None]
        return self.drop(vectors), rotary_angles(places, self.head_size)

    def _logits(self, states: Tensor, graph: _Graph, known: Tensor) -> Tensor:
        """Logits (rows, places, vocabulary + nodes)."""
        words = functional.linear(states, self.words.weight, self.output_bias)
        copied = states @ graph.keys.transpose(1, 2)
        return torch.cat([words, copied.masked_fill(~known[:, None], -math.inf)], dim=2)


def _is_cell(graphs: GraphTensors) -> Tensor:
    """Which edges lead from a row to a value."""
    return (graphs.labels > 0) & (graphs.kinds.gather(1, graphs.starts) == ROW)


def _picked(vectors: Tensor, numbers: Tensor) -> Tensor:
    """Vectors (rows, places, width) of nodes by their numbers."""
    return vectors.gather(1, numbers[..., None].expand(-1, -1, vectors.shape[2]))


def _mean_over(nodes: Tensor, is_cell: Tensor, told: Tensor, like: Tensor) -> Tensor:
    """The mean of what each node is told by its cells; nothing where it has none."""
    told = told * is_cell[..., None]
    total = torch.zeros_like(like).scatter_add(1, nodes[..., None].expand_as(told), told)
    count = torch.zeros_like(like[..., 0]).scatter_add(1, nodes, is_cell.to(like.dtype))
    return total / count.clamp(min=1)[..., None]
