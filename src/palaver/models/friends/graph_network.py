"""DynoNet and StanoNet of He et al. (2017): a recurrent network that talks about a graph.

An LSTM hears turns, another says them, and the state goes from one to the other through the whole
dialogue. Each node of the graph has its features, what its neighbours tell it, and the turns in which
it was mentioned; without these last (`network.update: false`) it is StanoNet. What is said next is
one choice among all words and all nodes.

The maximum over what neighbours tell is over real ones only; the original counted missing ones as 0.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from palaver.models.friends.graph_layers import (
    Edges,
    MessagePassing,
    NodeAttention,
    NodeFeatures,
    NodeProducts,
    UtteranceGate,
)
from palaver.models.friends.graphs import NOTHING, GraphTensors
from palaver.models.friends.network import (
    FriendsReader,
    State,
    known_nodes,
    mentioned_nodes,
    waiting,
    with_heard,
)
from palaver.models.friends.tensors import TurnTensors
from palaver.models.settings import COUNT, NATURAL, SHARE, Bounds, option

# Rounds in which nodes talk to each other.
_ROUNDS = Bounds(least=0, most=10)
# Tensors of a state that never change: kinds, features and edges.
_FIXED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphTalkSettings:
    """How large the network is, and what it keeps of the dialogue."""

    update: bool = option(True, "whether nodes keep the turns they are mentioned in (DynoNet)")
    embedding: int = option(100, "size of a word's vector", COUNT)
    hidden: int = option(100, "recurrent units", COUNT)
    node: int = option(50, "size of what a node is told in a round", COUNT)
    edge: int = option(10, "size of a label's vector", COUNT)
    attention: int = option(100, "size of the layer that compares nodes", COUNT)
    compare: Literal["linear", "product"] = option(
        "linear", "how nodes are compared: by a layer, as published, or faster by a product"
    )
    rounds: int = option(2, "how often nodes tell their neighbours what they are", _ROUNDS)
    feed: bool = option(
        False, "whether the next word is told what was attended to; a word at a time, as published"
    )
    dropout: float = option(0.0, "of words, and of states before the next word", SHARE)
    init: float = option(0.0, "weights begin within ± this; 0: as PyTorch has them", NATURAL)


class GraphTalk(FriendsReader):
    """A `FriendsNetwork` with a graph that changes with the dialogue."""

    def __init__(self, vocabulary: int, types: int, settings: GraphTalkSettings) -> None:
        super().__init__(vocabulary)
        hidden, embedding = settings.hidden, settings.embedding
        self.settings = settings
        self.words = nn.Embedding(vocabulary, embedding)
        self.features = NodeFeatures(types)
        self.messages = MessagePassing(
            inputs=2 * hidden + self.features.size,
            size=settings.node,
            edge=settings.edge,
            types=types,
            rounds=settings.rounds,
        )
        node = self.messages.size
        self.heard_gate = UtteranceGate(hidden) if settings.update else None
        self.said_gate = UtteranceGate(hidden) if settings.update else None
        self.encoder = nn.LSTM(embedding + node, hidden, batch_first=True)
        fed = node if settings.feed else 0
        self.decoder = nn.LSTM(embedding + node + fed, hidden, batch_first=True)
        comparing = NodeAttention if settings.compare == "linear" else NodeProducts
        self.attention = comparing(state=hidden, node=node, size=settings.attention)
        self.output = nn.Linear(hidden + node, hidden)
        self.predict = nn.Linear(hidden, vocabulary)
        self.drop = nn.Dropout(settings.dropout)
        if settings.init:
            for weight in self.parameters():
                nn.init.uniform_(weight, -settings.init, settings.init)

    def begin(self, graphs: GraphTensors) -> State:
        """Kinds, features, edges; then vectors of turns heard and said, which nodes can be copied,
        which were mentioned last, and the state of the recurrent layers."""
        features = self.features(graphs)
        turns = features.new_zeros(*features.shape[:2], self.settings.hidden)
        recent = torch.zeros_like(graphs.kinds, dtype=torch.bool)
        units = turns.new_zeros(len(graphs), self.settings.hidden)
        return (
            graphs.kinds,
            features,
            graphs.starts,
            graphs.ends,
            graphs.labels,
            turns,
            turns,
            known_nodes(graphs.kinds),
            recent,
            units,
            units,
        )

    def hear(self, turn: TurnTensors, state: State) -> State:
        kinds, *_ = fixed = state[:_FIXED]
        heard, said, known, recent, *units = state[_FIXED:]
        contexts = self._contexts(state)
        inputs = self._inputs(turn.words, turn.nodes, contexts)
        _, after = _over(self.encoder, inputs, turn.sizes, units)
        recent = _latest(turn, recent)
        if self.heard_gate is not None:
            heard = self.heard_gate(heard, after[0], recent)
        new = (heard, said, with_heard(known, turn, kinds), recent, *after)
        return (*fixed, *waiting(turn.lengths == 0, state[_FIXED:], new))

    def say(self, turn: TurnTensors, state: State) -> tuple[Tensor, State]:
        fixed = state[:_FIXED]
        heard, said, known, recent, *units = state[_FIXED:]
        if self.settings.feed:
            logits, after = self._said_word_by_word(turn, state)
        else:
            contexts = self._contexts(state)
            words, nodes = turn.words[:, :-1], turn.nodes[:, :-1]
            inputs = self._inputs(words, nodes, contexts)
            states, after = _over(self.decoder, inputs, turn.sizes - 1, units)
            scores, told = self._attended(
                self.drop(states),
                contexts,
                self.attention.of_node(contexts),
                _said_before(nodes, contexts.shape[1]),
                state[0],
            )
            logits = self._logits(states, scores, told, known)
        recent = _latest(turn, recent)
        if self.said_gate is not None:
            said = self.said_gate(said, after[0], recent)
        new = (heard, said, known, recent, *after)
        return logits, (*fixed, *waiting(turn.lengths == 0, state[_FIXED:], new))

    def draft(self, state: State) -> State:
        """Kinds, contexts and their keys, which nodes can be copied and were said in this turn, what
        was attended to, and the state of the recurrent layer."""
        kinds, known = state[0], state[_FIXED + 2]
        contexts = self._contexts(state)
        nobody = torch.zeros_like(known)
        attended = contexts.new_zeros(len(contexts), contexts.shape[2])
        keys = self.attention.of_node(contexts)
        return (kinds, contexts, keys, known, nobody, attended, *state[-2:])

    def step(self, words: Tensor, nodes: Tensor, draft: State) -> tuple[Tensor, State]:
        logits, _, new = self.attending_step(words, nodes, draft)
        return logits, new

    def attending_step(
        self, words: Tensor, nodes: Tensor, draft: State
    ) -> tuple[Tensor, Tensor, State]:
        """As `step`, with how much each node (rows, nodes) is attended to."""
        kinds, contexts, keys, known, was_said, attended, *units = draft
        inputs = self._inputs(words[:, None], nodes[:, None], contexts)
        if self.settings.feed:
            inputs = torch.cat([inputs, attended[:, None]], dim=2)
        states, after = _cell(self.decoder, inputs, units)
        was_said = was_said | mentioned_nodes(nodes[:, None], contexts.shape[1])
        scores, told = self._attended(
            self.drop(states), contexts, keys, was_said[:, None].to(contexts.dtype), kinds
        )
        logits = self._logits(states, scores, told, known)[:, 0]
        weights = scores[:, 0].softmax(1)
        return logits, weights, (kinds, contexts, keys, known, was_said, told[:, 0], *after)

    def _said_word_by_word(self, turn: TurnTensors, state: State) -> tuple[Tensor, list[Tensor]]:
        draft, found = self.draft(state), []
        for place in range(turn.words.shape[1] - 1):
            logits, new = self.step(turn.words[:, place], turn.nodes[:, place], draft)
            draft = waiting(turn.lengths - 1 <= place, draft, new)
            found.append(logits)
        return torch.stack(found, dim=1), list(draft[-2:])

    def _contexts(self, state: State) -> Tensor:
        """What is known of each node (rows, nodes, size) now."""
        _, features, starts, ends, labels, heard, said, *_ = state
        nodes = torch.cat([heard, said, features], dim=2)
        found: Tensor = self.messages(nodes, Edges(starts, ends, labels))
        return found

    def _inputs(self, words: Tensor, nodes: Tensor, contexts: Tensor) -> Tensor:
        """Words (rows, places), each with the context of its node, or with nothing."""
        at = nodes.clamp(min=0)[..., None].expand(-1, -1, contexts.shape[2])
        beside = contexts.gather(1, at) * (nodes >= 0)[..., None]
        return torch.cat([self.drop(self.words(words)), beside], dim=2)

    def _attended(
        self, states: Tensor, contexts: Tensor, keys: Tensor, was_said: Tensor, kinds: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Scores of nodes (rows, places, nodes), and what was attended to."""
        scores = self.attention(states, keys, was_said)
        scores = scores.masked_fill((kinds == NOTHING)[:, None], -math.inf)
        return scores, scores.softmax(2) @ contexts

    def _logits(self, states: Tensor, scores: Tensor, told: Tensor, known: Tensor) -> Tensor:
        """Logits (rows, places, vocabulary + nodes)."""
        mixed = torch.tanh(self.output(torch.cat([states, told], dim=2)))
        copied = scores.masked_fill(~known[:, None], -math.inf)
        return torch.cat([self.predict(self.drop(mixed)), copied], dim=2)


def _over(
    cell: nn.LSTM, inputs: Tensor, sizes: Tensor, units: list[Tensor]
) -> tuple[Tensor, list[Tensor]]:
    """States of a recurrent layer over inputs of some sizes (rows,), and its state at their ends.

    A row of nothing takes one step, which whoever calls passes over.
    """
    packed = pack_padded_sequence(
        inputs, sizes.clamp(min=1), batch_first=True, enforce_sorted=False
    )
    before = (units[0][None].contiguous(), units[1][None].contiguous())
    states, (hidden, inner) = cell(packed, before)
    padded, _ = pad_packed_sequence(states, batch_first=True, total_length=inputs.shape[1])
    return padded, [hidden[0], inner[0]]


def _cell(cell: nn.LSTM, inputs: Tensor, units: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """One step of a recurrent layer."""
    before = (units[0][None].contiguous(), units[1][None].contiguous())
    states, (hidden, inner) = cell(inputs, before)
    return states, [hidden[0], inner[0]]


def _latest(turn: TurnTensors, recent: Tensor) -> Tensor:
    """The nodes that a turn mentions; where it mentions none, those of the last that did."""
    mentioned = mentioned_nodes(turn.nodes, recent.shape[1])
    return torch.where(mentioned.any(1, keepdim=True), mentioned, recent)


def _said_before(nodes: Tensor, count: int) -> Tensor:
    """Which nodes (rows, places, count) were said at a place or before it, as 0 and 1."""
    rows, places = nodes.shape
    found = torch.zeros(rows, places, count + 1, device=nodes.device)
    found.scatter_(2, torch.where(nodes < 0, count, nodes)[..., None], 1.0)
    return found[..., :count].cumsum(1).clamp(max=1)
