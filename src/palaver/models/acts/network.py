"""An encoder and a decoder that go through a dialogue of acts turn by turn (He et al. 2018, lf2lf).

The encoder reads what the partner did, the decoder answers, and its last state is where the encoder
goes on: the network remembers the whole dialogue. It attends to the partner's turn, to the two turns
before that, and to what its side knows. Numbers among the words can be seen as numbers too, so that a
price that is rare shares what is learnt of prices near it.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.models.acts.grammar import GO_NUMBER, PAD_NUMBER
from palaver.models.acts.views import ActViewTensors
from palaver.models.settings import COUNT, LAYERS, NATURAL, SHARE, option

_NOTHING = -1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class ActNetworkSettings:
    """How large the network is, and how it attends."""

    size: int = option(300, "units of each layer, and of a word's vector", COUNT)
    layers: int = option(1, "layers of the encoder and of the decoder", LAYERS)
    attention: Literal["summed", "concatenated"] = option(
        "summed", "what becomes of what is attended to: one attention for all, or one for each"
    )
    numbers: bool = option(True, "whether numbers share what is learnt of numbers near them")
    dropout: float = option(0.3, "of words and of states before the next word", SHARE)
    init: float = option(0.1, "weights begin within ± this; 0: as PyTorch has them", NATURAL)


@dataclass(frozen=True, slots=True)
class ActMemory:
    """What a network remembers of some dialogues, a row each."""

    # (rows, 2 × layers, size): states and cells.
    state: Tensor
    knowledge: Tensor
    # The partner's turn at hand, with the encoder's states (rows, words, size), and the two turns
    # before that.
    heard: Tensor
    encoded: Tensor
    heard_before: Tensor
    own_before: Tensor


class ActVectors(nn.Module):
    """Vectors of words; those that are numbers have a part in common with numbers near them."""

    def __init__(self, features: Tensor, size: int) -> None:
        super().__init__()
        self.words = nn.Embedding(len(features), size)
        self.numbers = nn.Linear(features.shape[1], size, bias=False) if features.shape[1] else None
        self.register_buffer("features", features, persistent=False)

    def forward(self, words: Tensor) -> Tensor:
        found: Tensor = self.words(words)
        if self.numbers is not None:
            found = found + self.numbers(self.get_buffer("features")[words])
        return found

    @property
    def all(self) -> Tensor:
        """The vectors (words, size) of all words."""
        if self.numbers is None:
            return self.words.weight
        found: Tensor = self.words.weight + self.numbers(self.get_buffer("features"))
        return found


class TurnLstm(nn.Module):
    """An LSTM that skips padding, so that a state is that of the last word."""

    def __init__(self, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.cells = nn.ModuleList([nn.LSTMCell(size, size) for _ in range(layers)])
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: Tensor, is_word: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """States (rows, words, size) after each word, and the last one of all layers."""
        found = []
        for vector, goes in zip(vectors.unbind(1), is_word.unbind(1), strict=True):
            state = self.step(vector, goes, state)
            found.append(state[:, -2])
        return torch.stack(found, dim=1), state

    def step(self, vector: Tensor, is_word: Tensor, state: Tensor) -> Tensor:
        """The state (rows, 2 × layers, size) after one more word, where there is one."""
        new = []
        for n, cell in enumerate(self.cells):
            pair = cell(
                self.dropout(vector) if n else vector, (state[:, 2 * n], state[:, 2 * n + 1])
            )
            new += pair
            vector = pair[0]
        return torch.where(is_word[:, None, None], torch.stack(new, dim=1), state)


class BankAttention(nn.Module):
    """Luong's general attention to one bank of vectors, without biases."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.match = nn.Linear(size, size, bias=False)
        self.output = nn.Linear(2 * size, size, bias=False)

    def forward(self, asked: Tensor, bank: Tensor, is_there: Tensor) -> Tensor:
        """What (rows, words, size) is made of a bank (rows, vectors, size); nothing of an empty one."""
        scores = self.match(asked) @ bank.transpose(1, 2)
        weights = scores.masked_fill(~is_there[:, None], _NOTHING).softmax(-1)
        found = weights * is_there[:, None] @ bank
        return torch.tanh(self.output(torch.cat([found, asked], dim=2)))


class ActNetwork(nn.Module):
    """The network; `features` (words, numbers) say what is known of words that are numbers."""

    BANKS = 4

    def __init__(self, features: Tensor, knowledge: int, settings: ActNetworkSettings) -> None:
        super().__init__()
        size, self.settings = settings.size, settings
        self.reading = ActVectors(features, size)
        self.speaking = ActVectors(features, size)
        self.context = ActVectors(features, size)
        self.expecting = ActVectors(features, size)
        self.bias = nn.Parameter(torch.zeros(len(features)))
        self.knowledge = nn.Embedding(knowledge, size)
        self.encoder = TurnLstm(size, settings.layers, settings.dropout)
        self.decoder = TurnLstm(size, settings.layers, settings.dropout)
        is_summed = settings.attention == "summed"
        self.attention = nn.ModuleList(
            [BankAttention(size) for _ in range(1 if is_summed else self.BANKS)]
        )
        self.joint = None if is_summed else nn.Linear(self.BANKS * size, size)
        self.dropout = nn.Dropout(settings.dropout)
        if settings.init:
            for weight in self.parameters():
                nn.init.uniform_(weight, -settings.init, settings.init)

    def forward(self, views: ActViewTensors) -> Tensor:
        """Logits (rows, pairs, words, vocabulary) of each word of the own turns, given those before."""
        rows, pairs, width = views.own.shape
        spoken = functional.pad(views.own[..., :-1], (1, 0), value=GO_NUMBER)
        # A turn that is not there has no beginning.
        is_spoken = views.own != PAD_NUMBER
        is_heard = views.heard != PAD_NUMBER
        read = self.dropout(self.reading(views.heard))
        said = self.dropout(self.speaking(spoken))
        state = self._fresh(rows)
        encoded, asked = [], []
        for n in range(pairs):
            states, state = self.encoder(read[:, n], is_heard[:, n], state)
            encoded.append(states)
            states, state = self.decoder(said[:, n], is_spoken[:, n], state)
            asked.append(states)
        before = [functional.pad(each[:, :-1], (0, 0, 1, 0)) for each in (views.heard, views.own)]
        heard, heard_before, own_before = (
            each.transpose(0, 1).flatten(0, 1) for each in (views.heard, *before)
        )
        found = self._attended(
            torch.cat(asked),
            torch.cat(encoded),
            heard,
            heard_before,
            own_before,
            views.knowledge.repeat(pairs, 1),
        )
        return found.view(pairs, rows, width, -1).transpose(0, 1)

    def begin(self, knowledge: Tensor) -> ActMemory:
        """The memory before the first turn."""
        nothing = knowledge.new_full((len(knowledge), 1), PAD_NUMBER)
        state = self._fresh(len(knowledge))
        encoded = state.new_zeros(len(knowledge), 1, self.settings.size)
        return ActMemory(state, knowledge, nothing, encoded, nothing, nothing)

    def hear(self, memory: ActMemory, own: Tensor, words: Tensor) -> ActMemory:
        """The memory after a turn of the partner (rows, words), which answers the own turn before it;
        the memory's state is that after the own turn."""
        states, state = self.encoder(self.reading(words), words != PAD_NUMBER, memory.state)
        return ActMemory(state, memory.knowledge, words, states, memory.heard, own)

    def expect(self, memory: ActMemory, words: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (rows, vocabulary) of the word after one more own word (rows,), the first of which is
        `GO`, and the new state; a row of padding waits."""
        state = self.decoder.step(self.speaking(words), words != PAD_NUMBER, memory.state)
        logits = self._attended(
            state[:, -2][:, None],
            memory.encoded,
            memory.heard,
            memory.heard_before,
            memory.own_before,
            memory.knowledge,
        )
        return logits.squeeze(1), state

    def _fresh(self, rows: int) -> Tensor:
        return self.bias.new_zeros(rows, 2 * self.settings.layers, self.settings.size)

    def _attended(
        self,
        asked: Tensor,
        encoded: Tensor,
        heard: Tensor,
        heard_before: Tensor,
        own_before: Tensor,
        knowledge: Tensor,
    ) -> Tensor:
        """Logits of the next words, by the decoder's states and all that is attended to."""
        banks = [
            (encoded, heard != PAD_NUMBER),
            (self.context(heard_before), heard_before != PAD_NUMBER),
            (self.context(own_before), own_before != PAD_NUMBER),
            (self.knowledge(knowledge), torch.ones_like(knowledge, dtype=torch.bool)),
        ]
        parts = [
            self.attention[n % len(self.attention)](asked, *bank) for n, bank in enumerate(banks)
        ]
        if self.joint is None:
            mixed = torch.stack(parts).sum(0)
        else:
            mixed = torch.tanh(self.joint(torch.cat(parts, dim=2)))
        return functional.linear(self.dropout(mixed), self.expecting.all, self.bias)
