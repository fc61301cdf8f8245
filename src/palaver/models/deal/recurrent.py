"""The language model of Lewis et al. (2017): a GRU, or an LSTM, that has the context before its eyes.

Each word comes with the vector of the context. Output words are tied to input words through a linear
layer. Beyond the paper, weights between a state and the next can be dropped, one mask per batch
(Merity et al. 2018): without it a larger network learns the dialogues by heart.
"""

import warnings
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.models.deal.network import State
from palaver.models.deal.reading import DealReader, DealReading, waiting
from palaver.models.deal.selection import Chooser, ContextEncoder, SelectionSettings
from palaver.models.deal.words import PAD_NUMBER
from palaver.models.settings import COUNT, LAYERS, NATURAL, SHARE, option


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentSettings:
    """How large the network is, and what of it is dropped in training."""

    cell: Literal["gru", "lstm"] = option("gru", "kind of recurrent unit")
    embedding: int = option(256, "size of a word's vector", COUNT)
    hidden: int = option(128, "recurrent units", COUNT)
    context: int = option(64, "size of the context's vector", COUNT)
    layers: int = option(1, "recurrent layers", LAYERS)
    dropout_in: float = option(0.0, "of words and contexts before the recurrent layers", SHARE)
    dropout_out: float = option(0.0, "of states before the next word, and between layers", SHARE)
    weight_dropout: float = option(0.0, "of the weights from a state to the next", SHARE)
    word_dropout: float = option(0.0, "of whole words in a batch", SHARE)
    init: float = option(0.0, "weights begin within ± this; 0: as PyTorch has them", NATURAL)


class RecurrentTalk(DealReader):
    """A GRU or LSTM over words and context."""

    def __init__(
        self, vocabulary: int, settings: RecurrentSettings, selection: SelectionSettings
    ) -> None:
        embedding, hidden = settings.embedding, settings.hidden
        super().__init__(
            vocabulary=vocabulary, embedding=embedding, word_dropout=settings.word_dropout
        )
        self.weight_dropout = settings.weight_dropout
        self.context = ContextEncoder(settings.context)
        kind = nn.GRU if settings.cell == "gru" else nn.LSTM
        between = settings.dropout_out if settings.layers > 1 else 0.0
        self.cell = kind(
            embedding + settings.context,
            hidden,
            settings.layers,
            dropout=between,
            batch_first=True,
        )
        self.projection = nn.Linear(hidden, embedding)
        self.chooser = Chooser(selection, inputs=hidden + embedding, context=settings.context)
        self.drop_in = nn.Dropout(settings.dropout_in)
        self.drop_out = nn.Dropout(settings.dropout_out)
        if settings.init:
            for weight in self.parameters():
                nn.init.uniform_(weight, -settings.init, settings.init)

    def states(self, contexts: Tensor, words: Tensor) -> Tensor:
        return self._states(self.context(contexts), self.embedded(words))

    def output(self, states: Tensor) -> Tensor:
        projected: Tensor = self.projection(self.drop_out(states))
        return projected

    def read(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> DealReading:
        context, embedded = self.context(contexts), self.embedded(words)
        states = self._states(context, embedded)
        slots = self.chooser(torch.cat([states, embedded], dim=2), context, lengths, contexts)
        return DealReading(self.predict(states), slots)

    def attention(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        embedded = self.embedded(words)
        states = self._states(self.context(contexts), embedded)
        return self.chooser.weights(torch.cat([states, embedded], dim=2), lengths)

    def begin(self, contexts: Tensor) -> State:
        """The context's vector, and zeros (rows, layers, hidden), which an LSTM has twice."""
        context = self.context(contexts)
        zeros = context.new_zeros(len(contexts), self.cell.num_layers, self.cell.hidden_size)
        return (context, zeros) if isinstance(self.cell, nn.GRU) else (context, zeros, zeros)

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """As `DealNetwork` says; a row whose word is padding waits, and its state stays."""
        context, *old = state
        inputs = torch.cat([self.embedding(words), context], dim=1)[:, None]
        # A cell has its layers first, and wants them in one piece.
        before = tuple(each.transpose(0, 1).contiguous() for each in old)
        _, after = self.cell(inputs, before if len(before) > 1 else before[0])
        if isinstance(after, Tensor):
            after = (after,)
        new = [
            waiting(words, PAD_NUMBER, was, each.transpose(0, 1))
            for was, each in zip(old, after, strict=True)
        ]
        logits = functional.linear(self.projection(new[0][:, -1]), self.embedding.weight)
        return logits, (context, *new)

    def _states(self, context: Tensor, embedded: Tensor) -> Tensor:
        beside = context[:, None].expand(-1, embedded.shape[1], -1)
        inputs = self.drop_in(torch.cat([embedded, beside], dim=2))
        # Under autocast recurrent layers of cuDNN take float16, in which small gradients vanish.
        with torch.autocast(inputs.device.type, enabled=False):
            if self.training and self.weight_dropout:
                return self._with_dropped_weights(inputs.float())
            found: Tensor = self.cell(inputs.float())[0]
            return found

    def _with_dropped_weights(self, inputs: Tensor) -> Tensor:
        cell = self.cell
        weights = [
            functional.dropout(weight, self.weight_dropout) if "weight_hh" in name else weight
            for name, weight in cell.named_parameters()
        ]
        zeros = inputs.new_zeros(cell.num_layers, len(inputs), cell.hidden_size)
        rest = (True, cell.num_layers, cell.dropout, True, False, True)
        with warnings.catch_warnings():
            # cuDNN copies weights into one piece, as it must where they are new with each batch.
            warnings.filterwarnings("ignore", message="RNN module weights are not part")
            if isinstance(cell, nn.GRU):
                return torch.gru(inputs, zeros, weights, *rest)[0]
            return torch.lstm(inputs, (zeros, zeros), weights, *rest)[0]
