"""Layers over graphs: what nodes are, what they tell each other, and how talk changes them."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.models.friends.graphs import (
    MOST_ROWS,
    SHARES,
    GraphTensors,
    label_count,
    type_count,
)


class Edges(NamedTuple):
    """Edges (rows, edges) from nodes to others, with labels; 0 for padding."""

    starts: Tensor
    ends: Tensor
    labels: Tensor


class NodeFeatures(nn.Module):
    """One-hot classes of nodes: type, number of edges to rows, share of the rows."""

    def __init__(self, types: int) -> None:
        super().__init__()
        self._classes = (type_count(types), MOST_ROWS + 1, SHARES)

    @property
    def size(self) -> int:
        return sum(self._classes)

    def forward(self, graphs: GraphTensors) -> Tensor:
        """Features (graphs, nodes, size)."""
        numbers = (graphs.types, graphs.degrees, graphs.shares)
        return torch.cat(
            [
                functional.one_hot(each, count + 1)[..., 1:].float()
                for each, count in zip(numbers, self._classes, strict=True)
            ],
            dim=2,
        )


class MessagePassing(nn.Module):
    """Nodes with what they were told along their edges, once or more often.

    A message is tanh of what the edge is and what the node at its end is; a node keeps the largest of
    what it is told in each place, and all rounds stand beside each other. Further rounds share the
    weights of the second.
    """

    def __init__(self, *, inputs: int, size: int, edge: int, types: int, rounds: int) -> None:
        super().__init__()
        self.rounds, self.inputs, self.node = rounds, inputs, size
        self.edges = nn.Embedding(label_count(types) + 1, edge)
        sizes = [inputs, size][:rounds]
        self.from_nodes = nn.ModuleList(nn.Linear(each, size, bias=False) for each in sizes)
        self.from_edges = nn.ModuleList(nn.Linear(edge, size) for _ in sizes)

    @property
    def size(self) -> int:
        return self.inputs + self.rounds * self.node

    def forward(self, nodes: Tensor, edges: Edges) -> Tensor:
        """Contexts (rows, nodes, size) of nodes (rows, nodes, inputs)."""
        found = [nodes]
        for number in range(self.rounds):
            layer = min(number, len(self.from_nodes) - 1)
            found.append(self._told(found[-1], edges, layer))
        return torch.cat(found, dim=2)

    def _told(self, nodes: Tensor, edges: Edges, layer: int) -> Tensor:
        rows, count, _ = nodes.shape
        offered = self.from_nodes[layer](nodes)
        along = self.from_edges[layer](self.edges.weight)[edges.labels]
        ends = edges.ends[..., None].expand(-1, -1, self.node)
        messages = torch.tanh(offered.gather(1, ends) + along)
        # Padding tells a node after the last, which nobody asks.
        starts = torch.where(edges.labels > 0, edges.starts, count)[..., None].expand_as(ends)
        nothing = messages.new_full((rows, count + 1, self.node), -math.inf)
        told = nothing.scatter_reduce(1, starts, messages, "amax")[:, :count]
        return torch.where(told > -math.inf, told, 0.0)


class UtteranceGate(nn.Module):
    """What nodes keep of the turns in which they were mentioned.

    New is the turn's vector for nodes that are mentioned and nothing for the others, so that what was
    said of these fades by a share that is learnt.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.gate = nn.Linear(2 * size, 1)

    def forward(self, old: Tensor, turn: Tensor, is_mentioned: Tensor) -> Tensor:
        """Vectors (rows, nodes, size) after a turn (rows, size)."""
        new = turn[:, None] * is_mentioned[..., None]
        share = torch.sigmoid(self.gate(torch.cat([old, new], dim=2)))
        return (1 - share) * old + share * new


class NodeAttention(nn.Module):
    """Scores of nodes, by what is about to be said, what a node is, and whether it was said in this
    turn already: v · tanh(W [state ; node ; bit]), without biases, as published."""

    def __init__(self, *, state: int, node: int, size: int) -> None:
        super().__init__()
        self.of_state = nn.Linear(state, size, bias=False)
        self.of_node = nn.Linear(node, size, bias=False)
        self.of_bit = nn.Parameter(torch.empty(size).uniform_(-0.1, 0.1))
        self.score = nn.Linear(size, 1, bias=False)

    def forward(self, states: Tensor, keys: Tensor, was_said: Tensor) -> Tensor:
        """Scores (rows, places, nodes); `keys` are nodes through `of_node`."""
        summed = self.of_state(states)[:, :, None] + keys[:, None]
        with_bits = torch.addcmul(summed, was_said[..., None], self.of_bit)
        found: Tensor = self.score(torch.tanh(with_bits)).squeeze(-1)
        return found


class NodeProducts(nn.Module):
    """The same as products of two vectors, which takes a fraction of the time and the memory:
    W state · (U node + bit)."""

    def __init__(self, *, state: int, node: int, size: int) -> None:
        super().__init__()
        self.of_state = nn.Linear(state, size, bias=False)
        self.of_node = nn.Linear(node, size, bias=False)
        self.of_bit = nn.Parameter(torch.empty(size).uniform_(-0.1, 0.1))

    def forward(self, states: Tensor, keys: Tensor, was_said: Tensor) -> Tensor:
        """Scores (rows, places, nodes); `keys` are nodes through `of_node`."""
        asked = self.of_state(states) / math.sqrt(keys.shape[2])
        bits: Tensor = was_said * (asked @ self.of_bit)[..., None]
        found: Tensor = asked @ keys.transpose(1, 2) + bits
        return found
