"""A Transformer of our own for Deal or No Deal: a decoder over context, dialogue and moves as tokens.

Six tokens for counts and values come first, then the words, then a token for each of the six slots,
whose outputs say who gets what. A recipe may ask the GRU of the published model instead, which tells far
more outcomes right where it has vectors of words of its own: those of the Transformer are small, and
change fast for its own sake. A word also knows its turn, its place within the turn and who speaks: on
so few dialogues that serves better than its place in the whole. Everything looks back only, so that a
reading costs one pass, and talk reuses what it has computed.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.models.deal.network import CLASSES, CONTEXT, MOST_ITEMS, SLOTS, State
from palaver.models.deal.reading import DealReader, DealReading, waiting
from palaver.models.deal.selection import Chooser, ContextEncoder, SelectionSettings
from palaver.models.deal.splits import legal_log_probs
from palaver.models.deal.words import PAD_NUMBER, THEM_NUMBER, YOU_NUMBER
from palaver.models.decoder import Decoder, head_size, rotary_angles, start_with
from palaver.models.settings import COUNT, LAYERS, POSITIVE, SHARE, option

# Later turns, and later words of a turn, are alike.
TURNS, WORDS = 32, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerSettings:
    """How large the network is, and what of it is dropped in training."""

    layers: int = option(6, "layers", LAYERS)
    width: int = option(256, "size of a word's vector, and of every layer", COUNT)
    heads: int = option(8, "attention heads", COUNT)
    positions: Literal["none", "rotary"] = option(
        "none", "place in the whole dialogue, beside the turn and the place within it"
    )
    dropout: float = option(0.3, "of vectors, and of what each layer adds", SHARE)
    attention_dropout: float = option(0.0, "of what is attended to", SHARE)
    word_dropout: float = option(0.0, "of whole words in a batch", SHARE)
    start: float = option(0.02, "standard deviation of weights at first, words apart", POSITIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovesSettings(SelectionSettings):
    """Which head says who gets what; of its options, 'tokens' takes only the weight."""

    head: Literal["tokens", "gru", "words"] = option(
        "tokens",
        "tokens: the Transformer itself; gru: the head of Lewis et al. on its outputs and words; words: "
        "the same on its outputs and on vectors of words of its own",
    )


class _Place(NamedTuple):
    """Where words stand: turn, place within it, who speaks (0: own side), place in the whole."""

    turn: Tensor
    within: Tensor
    speaker: Tensor
    whole: Tensor


class TransformerTalk(DealReader):
    """A decoder over six numbers, the words, and six questions."""

    def __init__(
        self, vocabulary: int, settings: TransformerSettings, moves: MovesSettings
    ) -> None:
        width = settings.width
        super().__init__(vocabulary=vocabulary, embedding=width, word_dropout=settings.word_dropout)
        self.has_positions = settings.positions == "rotary"
        self.head_size = head_size(width, settings.heads, is_rotary=self.has_positions)
        self.numbers = nn.Embedding(MOST_ITEMS + 1, width)
        self.kinds = nn.Embedding(CONTEXT, width)
        self.turns = nn.Embedding(TURNS, width)
        self.within = nn.Embedding(WORDS, width)
        self.speakers = nn.Embedding(2, width)
        if moves.head == "tokens":
            self.slots = nn.Embedding(SLOTS, width)
            self.choices = nn.Linear(width, SLOTS * CLASSES)
        self.apply(partial(start_with, settings.start))
        # Of about length 1, so that the first outputs tell words apart, but not by much.
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.decoder = Decoder(
            width,
            layers=settings.layers,
            heads=settings.heads,
            dropout=settings.dropout,
            attention_dropout=settings.attention_dropout,
            start=settings.start,
        )
        self.drop = nn.Dropout(settings.dropout)
        self.chooser: Chooser | None = None
        self.own_words = nn.Embedding(vocabulary, width) if moves.head == "words" else None
        if moves.head != "tokens":
            self.context = ContextEncoder(width)
            self.chooser = Chooser(moves, inputs=2 * width, context=width)

    def states(self, contexts: Tensor, words: Tensor) -> Tensor:
        return self._states(contexts, words, self.embedded(words))

    def output(self, states: Tensor) -> Tensor:
        return states

    def read(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> DealReading:
        if self.chooser is not None:
            embedded = self.embedded(words)
            states = self._states(contexts, words, embedded)
            read = self._read_again(states, words, embedded)
            slots = self.chooser(read, self.context(contexts), lengths, contexts)
            return DealReading(self.predict(states), slots)
        states, _ = self.decoder(*self._with_slots(contexts, words, lengths))
        asked = states.gather(1, _slot_places(lengths)[:, :, None].expand(-1, -1, states.shape[2]))
        logits = self.predict(states[:, CONTEXT:-SLOTS])
        return DealReading(logits, legal_log_probs(self._chosen(asked), contexts))

    def attention(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        if self.chooser is not None:
            embedded = self.embedded(words)
            read = self._read_again(self._states(contexts, words, embedded), words, embedded)
            return self.chooser.weights(read, lengths)
        weights = self.decoder.weights(*self._with_slots(contexts, words, lengths))
        places = _slot_places(lengths)[:, :, None].expand(-1, -1, weights.shape[2])
        on_words = weights.gather(1, places).mean(1)[:, CONTEXT:-SLOTS]
        numbers = torch.arange(words.shape[1], device=words.device)
        kept = on_words * (numbers < lengths[:, None])
        return kept / kept.sum(1, keepdim=True)

    def begin(self, contexts: Tensor) -> State:
        """Where the row stands (rows, 4), what it may look back at (rows, words), and keys and
        values (rows, heads, words, size) of each layer."""
        _, kept = self.decoder(*self._inputs(contexts, None))
        stands = contexts.new_tensor([0, -1, 1, CONTEXT - 1]).expand(len(contexts), -1)
        return (stands, torch.ones_like(contexts, dtype=torch.bool), *kept)

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """As `DealNetwork` says; a row whose word is padding waits, and will not remember it."""
        stood, seen, *kept = state
        stands = waiting(words, PAD_NUMBER, stood, _moved_on(words, stood))
        place = _Place(*stands[:, None].unbind(2))
        vectors = self._placed(self.embedding(words)[:, None], place)
        # Padding looks at itself, because a row that looked at nothing would have no vector.
        now = torch.cat([seen, torch.ones_like(seen[:, :1])], dim=1)[:, None]
        states, new = self.decoder.step(vectors, self._angles(place.whole), kept, now)
        seen = torch.cat([seen, (words != PAD_NUMBER)[:, None]], dim=1)
        return self.predict(states[:, 0]), (stands, seen, *new)

    def _states(self, contexts: Tensor, words: Tensor, embedded: Tensor) -> Tensor:
        placed = self._placed(embedded, _places(words))
        states: Tensor = self.decoder(*self._inputs(contexts, placed))[0]
        return states[:, CONTEXT:]

    def _read_again(self, states: Tensor, words: Tensor, embedded: Tensor) -> Tensor:
        """What the GRU reads of each word (rows, words, 2 × width)."""
        if self.own_words is None:
            return torch.cat([states, embedded], dim=2)
        # What the head learns does not change what the next word is told by.
        return torch.cat([states.detach(), self.own_words(words)], dim=2)

    def _placed(self, embedded: Tensor, place: _Place) -> Tensor:
        """Vectors of words where they stand."""
        turns = self.turns(place.turn.clamp(max=TURNS - 1))
        within = self.within(place.within.clamp(max=WORDS - 1))
        placed: Tensor = embedded + turns + within + self.speakers(place.speaker)
        return placed

    def _inputs(self, contexts: Tensor, placed: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """Vectors of the context and of what comes after it, and the angles of their places."""
        kinds = torch.arange(CONTEXT, device=contexts.device)
        vectors = self.numbers(contexts.clamp(0, MOST_ITEMS)) + self.kinds(kinds)
        if placed is not None:
            vectors = torch.cat([vectors, placed], dim=1)
        places = torch.arange(vectors.shape[1], device=contexts.device)[None]
        return self.drop(vectors), self._angles(places)

    def _with_slots(
        self, contexts: Tensor, words: Tensor, lengths: Tensor
    ) -> tuple[Tensor, Tensor | None]:
        """The same with six questions right after the words of each row, before its padding."""
        longer = functional.pad(words, (0, SLOTS), value=PAD_NUMBER)
        placed = self._placed(self.embedded(longer), _places(longer))
        number = torch.arange(longer.shape[1], device=words.device) - lengths[:, None]
        is_slot = (number >= 0) & (number < SLOTS)
        slot = number.clamp(0, SLOTS - 1)
        # A question names the slot, and how much of its item there is.
        counts = contexts[:, ::2].repeat(1, 2).gather(1, slot)
        asked = self.slots(slot) + self.numbers(counts.clamp(0, MOST_ITEMS))
        return self._inputs(contexts, torch.where(is_slot[:, :, None], asked, placed))

    def _chosen(self, asked: Tensor) -> Tensor:
        """Logits (rows, 6, CLASSES), each slot by weights of its own."""
        by_all: Tensor = self.choices(asked).unflatten(2, (SLOTS, CLASSES))
        return by_all.diagonal(dim1=1, dim2=2).transpose(1, 2)

    def _angles(self, places: Tensor) -> Tensor | None:
        return rotary_angles(places, self.head_size) if self.has_positions else None


def _slot_places(lengths: Tensor) -> Tensor:
    """Where the six questions (rows, 6) stand in the whole."""
    return lengths[:, None] + CONTEXT + torch.arange(SLOTS, device=lengths.device)


def _places(words: Tensor) -> _Place:
    """Where each word (rows, words) stands."""
    is_first = (words == YOU_NUMBER) | (words == THEM_NUMBER)
    numbers = torch.arange(words.shape[1], device=words.device).expand_as(words)
    began = torch.where(is_first, numbers, 0).cummax(1).values
    speaker = (words.gather(1, began) != YOU_NUMBER).long()
    return _Place(is_first.cumsum(1), numbers - began, speaker, numbers + CONTEXT)


def _moved_on(words: Tensor, stood: Tensor) -> Tensor:
    """Where rows stand (rows, 4) with one more word each."""
    turn, within, speaker, whole = stood.unbind(1)
    is_first = (words == YOU_NUMBER) | (words == THEM_NUMBER)
    now = _Place(
        turn + is_first,
        torch.where(is_first, 0, within + 1),
        torch.where(is_first, (words == THEM_NUMBER).long(), speaker),
        whole + 1,
    )
    return torch.stack(now, dim=1)
