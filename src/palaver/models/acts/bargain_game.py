"""CraigslistBargain as act agents play it: prices are words of a scale that each side has for itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, get_args

import torch
from torch import Tensor

from palaver.games.craigslist_bargain.sides import CATEGORIES, BargainSide
from palaver.models.acts.bargain_table import BargainTable
from palaver.models.acts.bargain_words import KNOWS, PRICED, bargain_grammar, price_values
from palaver.models.acts.grammar import END_NUMBER, ActGrammar
from palaver.models.acts.views import ActView
from palaver.models.bargain.dialogues import (
    LEAST_MESSAGES,
    LEAST_WORDS,
    BargainDialogue,
    BargainEvent,
    BargainTurn,
    read_bargains,
)
from palaver.models.bargain.pricing import UNKNOWN_PRICE, PriceScale, price_word
from palaver.models.bargain.rewards import Reward

# Events of a turn that are read; the last ones, where there are more.
_MOST_EVENTS = 3
# Prices of all bargains: from as far below the worst price as the target is above it, in hundredths.
_ALWAYS_KNOWN = tuple(n / 100 for n in range(-100, 151))
# Where prices are told apart: centres and width of the bumps that they are seen through.
_CENTRES, _BUMP = torch.arange(-2.0, 2.5, 0.25), 0.25


@dataclass
class BargainActs:
    """The game with the prices of a vocabulary."""

    scaled: tuple[float, ...]
    name: ClassVar[str] = "craigslist_bargain"
    knows: ClassVar[tuple[str, ...]] = KNOWS
    number_name: ClassVar[str] = "price"
    reward_names: ClassVar[tuple[str, ...]] = get_args(Reward)
    grammar: ActGrammar = field(init=False)

    def __post_init__(self) -> None:
        self.scaled = tuple(sorted(self.scaled))
        self.grammar = bargain_grammar(self.scaled)

    @classmethod
    def of(cls, dialogues: Sequence[BargainDialogue]) -> "BargainActs":
        """The game with all prices that some dialogues name, on the scale of either side, beside those
        that are always known, so that a side can name what its partner named."""
        found = {
            scaled
            for dialogue in dialogues
            for scale in map(PriceScale.of, dialogue.sides)
            for event in dialogue.events
            if event.act in PRICED and event.price is not None
            if (scaled := scale.scaled(event.price)) is not None
        }
        return cls(tuple({*_ALWAYS_KNOWN, *found}))

    @property
    def values(self) -> Tensor:
        return price_values(self.grammar)

    @property
    def features(self) -> Tensor:
        """Bumps along the scale, and the scale itself: near prices look alike."""
        values = self.values[:, None]
        bumps = torch.exp(-(((values - _CENTRES) / _BUMP) ** 2))
        return torch.cat([bumps, values, values.isfinite().float()], dim=1).nan_to_num()

    def table(self, scenarios: Tensor, *, patience: int) -> "BargainTable":
        return BargainTable(self.grammar, self.scaled, scenarios, patience=patience)

    def readings(self, paths: Sequence[Path]) -> Mapping[str, str]:
        """As the files record them, where they do, and as the parser reads them."""
        has_recorded = any(each.has_recorded_acts for each in read_bargains(paths))
        return {**({"recorded": "recorded acts"} if has_recorded else {}), "parsed": "parsed acts"}

    def views(self, paths: Sequence[Path], *, reads: str) -> list[ActView]:
        """Of dialogues that are long enough; where recorded acts are asked for, that have them."""
        dialogues = read_bargains(paths, parses_all=reads == "parsed")
        return [
            view
            for each in dialogues
            if not each.is_short(least_words=LEAST_WORDS, least_messages=LEAST_MESSAGES)
            if reads == "parsed" or each.has_recorded_acts
            for view in self.views_of(each)
        ]

    def views_of(self, dialogue: BargainDialogue) -> list[ActView]:
        """Both sides' views of a dialogue."""
        found = (self.view_of(dialogue.view(seat), seat, dialogue) for seat in (0, 1))
        return [view for view in found if any(view.own)]

    def view_of(
        self, turns: Sequence[BargainTurn], seat: int, dialogue: BargainDialogue
    ) -> ActView:
        side = dialogue.sides[seat]
        words = [self.turn_words(turn.events, side) for turn in turns]
        # The last turn may be the partner's, which nobody answers.
        own = [(*turn, END_NUMBER) for turn in words[1::2]]
        return ActView(
            dialogue=dialogue.id,
            knowledge=tuple(self.knowledge_of(side)),
            heard=tuple(tuple(turn) for turn in words[0::2][: len(own)]),
            own=tuple(own),
        )

    def knowledge_of(self, side: BargainSide) -> list[int]:
        category = side.category if side.category in CATEGORIES else "other"
        return [KNOWS.index(side.role), KNOWS.index(category)]

    def turn_words(self, events: Sequence[BargainEvent], side: BargainSide) -> list[int]:
        """A turn in numbers of words, as a side sees it; `start` where there was nothing."""
        scale = PriceScale.of(side)
        words = [word for event in events[-_MOST_EVENTS:] for word in self._words(event, scale)]
        return self.grammar.numbers(words or ["start"])

    def nearest(self, scaled: float) -> float:
        """The price of the vocabulary that is nearest."""
        return min(self.scaled, key=lambda known: abs(known - scaled))

    def _words(self, event: BargainEvent, scale: PriceScale) -> list[str]:
        if event.act not in PRICED:
            return [event.act]
        scaled = None if event.price is None else scale.scaled(event.price)
        return [event.act, UNKNOWN_PRICE if scaled is None else price_word(self.nearest(scaled))]
