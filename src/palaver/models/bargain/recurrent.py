"""The word-level network of He et al. (2018): an LSTM hears the partner's turn, another one answers.

While it answers it looks at banks: the states of the turn that it heard, the words of turns before, the
title and the description. The published model saw one of the two turns before, and not the nearer one;
here all are seen. Tables of words are apart, or one for all but the listing.
"""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from palaver.models.bargain.attention import Bank, SummedAttention
from palaver.models.bargain.marks import PAD_NUMBER
from palaver.models.bargain.network import BargainSituation, State, TurnSpeaker
from palaver.models.bargain.smoothing import WordTable
from palaver.models.settings import COUNT, LAYERS, NATURAL, SHARE, Bounds, option


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentSpeakerSettings:
    """How large the network is, and what of it is dropped in training."""

    embedding: int = option(300, "size of a word's vector", COUNT)
    hidden: int = option(300, "units of the LSTM that hears and of the one that speaks", COUNT)
    layers: int = option(2, "layers of each", LAYERS)
    earlier: int = option(
        2, "turns before the one that it answers, which it looks at", Bounds(least=0, most=20)
    )
    tied: bool = option(False, "one table of words for hearing, speaking, earlier turns and output")
    smooth_prices: bool = option(
        False, "prices near each other have something of their vectors in common"
    )
    dropout_in: float = option(0.0, "of words before the LSTMs and in banks", SHARE)
    dropout: float = option(0.3, "between layers, and of what the next word is told by", SHARE)
    word_dropout: float = option(0.0, "of whole words that are heard or looked at", SHARE)
    init: float = option(0.1, "weights begin within ± this; 0: as PyTorch has them", NATURAL)


class RecurrentSpeaker(TurnSpeaker):
    """Hears a turn and says the next, word by word."""

    def __init__(
        self, *, vocabulary: int, prices: range, listing: int, settings: RecurrentSpeakerSettings
    ) -> None:
        """`prices` are the numbers of the price words, the lowest price first."""
        super().__init__()
        embedding, hidden = settings.embedding, settings.hidden
        between = settings.dropout if settings.layers > 1 else 0.0
        self.earlier = settings.earlier

        smooth = prices if settings.smooth_prices else range(0)
        # One table for all three, or one each.
        self.tables = nn.ModuleDict(
            {
                name: WordTable(
                    vocabulary, embedding, prices=smooth, word_dropout=settings.word_dropout
                )
                for name in (("said",) if settings.tied else ("said", "heard", "earlier"))
            }
        )
        self.listing_words = WordTable(
            listing, embedding, prices=range(0), word_dropout=settings.word_dropout
        )
        self.encoder = nn.LSTM(
            embedding, hidden, settings.layers, dropout=between, batch_first=True
        )
        self.decoder = nn.LSTM(
            embedding, hidden, settings.layers, dropout=between, batch_first=True
        )
        # Banks of words are as wide as those of states.
        self.widened = (
            nn.Identity() if embedding == hidden else nn.Linear(embedding, hidden, bias=False)
        )
        self.attention = SummedAttention(hidden)
        self.narrowed = nn.Linear(hidden, embedding) if settings.tied else nn.Identity()
        self.output_words = None if settings.tied else WordTable(vocabulary, hidden, prices=smooth)
        self.output_bias = nn.Parameter(torch.zeros(vocabulary))
        self.drop_in = nn.Dropout(settings.dropout_in)
        self.drop_out = nn.Dropout(settings.dropout)
        if settings.init:
            for weight in self.parameters():
                nn.init.uniform_(weight, -settings.init, settings.init)

    def states(self, situation: BargainSituation, words: Tensor) -> Tensor:
        banks, begun = self._heard(situation)
        found: Tensor = self.drop_out(self.attention(self._spoken(words, begun), banks))
        return found

    def predict(self, states: Tensor) -> Tensor:
        table = self._table("said") if self.output_words is None else self.output_words
        logits: Tensor = functional.linear(self.narrowed(states), table.vectors(), self.output_bias)
        return logits

    def weights(self, situation: BargainSituation, words: Tensor) -> list[Tensor]:
        banks, begun = self._heard(situation)
        return self.attention.weights(self._spoken(words, begun), banks)

    def begin(self, situation: BargainSituation) -> State:
        """States of both LSTMs (rows, layers, hidden), vectors of each bank, and where they are."""
        banks, begun = self._heard(situation)
        return (*begun, *(each.vectors for each in banks), *(each.is_there for each in banks))

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        hidden, cell, *rest = state
        half = len(rest) // 2
        banks = [Bank(*each) for each in zip(rest[:half], rest[half:], strict=True)]
        before = (hidden.transpose(0, 1).contiguous(), cell.transpose(0, 1).contiguous())
        spoken, after = self.decoder(self._table("said")(words[:, None]), before)
        logits = self.predict(self.attention(spoken, banks))[:, 0]
        return logits, (after[0].transpose(0, 1), after[1].transpose(0, 1), *rest)

    def _heard(self, situation: BargainSituation) -> tuple[list[Bank], tuple[Tensor, Tensor]]:
        """The banks, and the states (rows, layers, hidden) with which its own turn begins."""
        inputs = self.drop_in(self._table("heard")(situation.heard))
        packed = pack_padded_sequence(
            inputs.float(), situation.lengths, batch_first=True, enforce_sorted=False
        )
        # Under autocast recurrent layers of cuDNN take float16, in which small gradients vanish.
        with torch.autocast(inputs.device.type, enabled=False):
            outputs, (hidden, cell) = self.encoder(packed)
        heard, _ = pad_packed_sequence(
            outputs, batch_first=True, total_length=situation.heard.shape[1]
        )
        banks = [Bank(heard, situation.heard != PAD_NUMBER)]
        for turn in situation.earlier.unbind(1):
            banks.append(self._bank(self._table("earlier"), turn))
        for listed in (situation.title, situation.description):
            banks.append(self._bank(self.listing_words, listed))
        return banks, (hidden.transpose(0, 1), cell.transpose(0, 1))

    def _table(self, name: str) -> WordTable:
        return cast(WordTable, self.tables[name if name in self.tables else "said"])

    def _bank(self, table: WordTable, words: Tensor) -> Bank:
        return Bank(self.widened(self.drop_in(table(words))), words != PAD_NUMBER)

    def _spoken(self, words: Tensor, begun: tuple[Tensor, Tensor]) -> Tensor:
        inputs = self.drop_in(self._table("said")(words))
        hidden, cell = (each.transpose(0, 1).contiguous() for each in begun)
        with torch.autocast(inputs.device.type, enabled=False):
            found: Tensor = self.decoder(inputs.float(), (hidden.float(), cell.float()))[0]
        return found
