"""A Transformer of our own for CraigslistBargain: a decoder over the listing, the bargain and a turn.

Title, description and the turns before come first, then the words of one's own turn. A word knows how
many turns ago it was said, its place within the turn and who said it; titles and descriptions are turns
of nobody. Padding is moved behind the words of each row, so that a reading looks back only, and talk
reuses what it has computed.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.models.bargain.marks import PAD_NUMBER
from palaver.models.bargain.network import BargainSituation, State, TurnSpeaker
from palaver.models.bargain.smoothing import WordTable
from palaver.models.decoder import Decoder, head_size, rotary_angles
from palaver.models.sequences import JoinedRows, RowPart, joined
from palaver.models.settings import COUNT, LAYERS, SHARE, Bounds, option

# Later words of a turn are alike.
_WORDS = 64
# Who says a word: oneself, the partner, the title, the description.
_OWN, _PARTNER, _TITLE, _DESCRIPTION = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerSpeakerSettings:
    """How large the network is, what it looks back at, and what of it is dropped in training."""

    layers: int = option(4, "layers", LAYERS)
    width: int = option(256, "size of a word's vector, and of every layer", COUNT)
    heads: int = option(8, "attention heads", COUNT)
    earlier: int = option(
        20, "turns before the one that it answers, which it looks at", Bounds(least=0, most=20)
    )
    positions: Literal["none", "rotary"] = option(
        "rotary", "how far apart words are, beside the turn and the place within it"
    )
    smooth_prices: bool = option(
        True, "prices near each other have something of their vectors in common"
    )
    dropout: float = option(0.3, "of vectors, and of what each layer adds", SHARE)
    attention_dropout: float = option(0.1, "of what is attended to", SHARE)
    word_dropout: float = option(0.1, "of whole words in a batch", SHARE)


class TransformerSpeaker(TurnSpeaker):
    """Reads what there is and what was said, and says the next turn, word by word."""

    def __init__(
        self, *, vocabulary: int, prices: range, listing: int, settings: TransformerSpeakerSettings
    ) -> None:
        """`prices` are the numbers of the price words, the lowest price first."""
        super().__init__()
        width = settings.width
        self.earlier = settings.earlier
        self.has_positions = settings.positions == "rotary"
        self.head_size = head_size(width, settings.heads, is_rotary=self.has_positions)
        self.said_words = WordTable(
            vocabulary,
            width,
            prices=prices if settings.smooth_prices else range(0),
            word_dropout=settings.word_dropout,
        )
        self.listing_words = WordTable(
            listing, width, prices=range(0), word_dropout=settings.word_dropout
        )
        # A turn of one's own, the one that is answered, those before.
        self.turns = nn.Embedding(settings.earlier + 2, width)
        self.within = nn.Embedding(_WORDS, width)
        self.speakers = nn.Embedding(4, width)
        for table in (self.turns, self.within, self.speakers):
            nn.init.normal_(table.weight, std=width**-0.5)
        self.output_bias = nn.Parameter(torch.zeros(vocabulary))
        self.decoder = Decoder(
            width,
            layers=settings.layers,
            heads=settings.heads,
            dropout=settings.dropout,
            attention_dropout=settings.attention_dropout,
        )
        self.drop = nn.Dropout(settings.dropout)

    def states(self, situation: BargainSituation, words: Tensor) -> Tensor:
        """What the next word is told by (rows, words, width), after each word of its own turn."""
        row = joined([*self._before(situation), self._turn(words, 0)])
        found, _ = self.decoder(*self._inputs(row))
        return row.back(found, slice(-words.shape[1], None))

    def predict(self, states: Tensor) -> Tensor:
        """Logits of the word after each state."""
        return functional.linear(states, self.said_words.vectors(), self.output_bias)

    def weights(self, situation: BargainSituation, words: Tensor) -> list[Tensor]:
        """How much each word (rows, words, places) of a turn has looked at each part: what was heard,
        each turn before, the title, the description. Words of the turn itself have the rest."""
        parts = [*self._before(situation), self._turn(words, 0)]
        row = joined(parts)
        looked = self.decoder.weights(*self._inputs(row))
        looked = looked.gather(2, row.gone[:, None].expand(-1, looked.shape[1], -1))
        own = row.back(looked, slice(-words.shape[1], None))
        each = own * torch.cat([part.is_there for part in parts], 1)[:, None]
        sizes = [part.vectors.shape[1] for part in parts]
        title, description, *turns = torch.split(each, sizes, dim=2)
        return [*reversed(turns[:-1]), title, description]

    def begin(self, situation: BargainSituation) -> State:
        """How long each row is (rows, 2) in all and in its own turn, what it may look back at
        (rows, words), and keys and values (rows, heads, words, size) of each layer."""
        row = joined(self._before(situation))
        _, kept = self.decoder(*self._inputs(row))
        lengths = row.is_there.sum(1)
        return (torch.stack([lengths, 0 * lengths], dim=1), row.is_there, *kept)

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """Logits (rows, vocabulary) after one more word each (rows,), and the new state; what comes
        after padding will not remember it."""
        lengths, seen, *kept = state
        whole, within = lengths.unbind(1)
        is_word = words != PAD_NUMBER
        vectors = self._placed(self.said_words(words[:, None]), within[:, None], 0, _OWN)
        # Padding looks at itself, because a row that looked at nothing would have no vector.
        now = torch.cat([seen, torch.ones_like(seen[:, :1])], dim=1)[:, None]
        states, new = self.decoder.step(vectors, self._angles(whole[:, None]), kept, now)
        seen = torch.cat([seen, is_word[:, None]], dim=1)
        return self.predict(states[:, 0]), (lengths + is_word[:, None], seen, *new)

    def _before(self, situation: BargainSituation) -> list[RowPart]:
        """The title, the description, and the turns from the first one on."""
        earlier = situation.earlier.unbind(1)
        turns = [self._turn(turn, n) for n, turn in enumerate((situation.heard, *earlier), start=1)]
        return [
            self._listed(situation.title, _TITLE),
            self._listed(situation.description, _DESCRIPTION),
            *reversed(turns),
        ]

    def _turn(self, words: Tensor, ago: int) -> RowPart:
        """A turn that was said so many turns ago; every second one is the partner's."""
        places = torch.arange(words.shape[1], device=words.device)[None]
        speaker = _PARTNER if ago % 2 else _OWN
        return RowPart(
            self._placed(self.said_words(words), places, ago, speaker), words != PAD_NUMBER
        )

    def _listed(self, words: Tensor, speaker: int) -> RowPart:
        places = torch.arange(words.shape[1], device=words.device)[None]
        vectors = self.listing_words(words) + self._whereabouts(places, speaker)
        return RowPart(vectors, words != PAD_NUMBER)

    def _placed(self, vectors: Tensor, places: Tensor, ago: int, speaker: int) -> Tensor:
        """Vectors of words where they stand."""
        turn = self.turns.weight[min(ago, len(self.turns.weight) - 1)]
        return vectors + turn + self._whereabouts(places, speaker)

    def _whereabouts(self, places: Tensor, speaker: int) -> Tensor:
        within: Tensor = self.within(places.clamp(max=_WORDS - 1))
        return within + self.speakers.weight[speaker]

    def _inputs(self, row: JoinedRows) -> tuple[Tensor, Tensor | None]:
        places = torch.arange(row.vectors.shape[1], device=row.vectors.device)[None]
        return self.drop(row.vectors), self._angles(places)

    def _angles(self, places: Tensor) -> Tensor | None:
        return rotary_angles(places, self.head_size) if self.has_positions else None
