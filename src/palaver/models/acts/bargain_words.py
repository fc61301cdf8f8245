"""The words of bargains in acts, and scenarios as numbers."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from palaver.games.craigslist_bargain.sides import CATEGORIES, BargainSide
from palaver.models.acts.grammar import ActGrammar, ActShape, ArgumentKind
from palaver.models.bargain.pricing import UNKNOWN_PRICE, PriceScale, price_word, scaled_of

PRICE = "price"
MESSAGES = (
    *("intro", "inquiry", "inform", "init-price", "counter-price", "vague-price", "insist"),
    *("agree", "disagree", "unknown"),
)
MOVES = ("offer", "accept", "reject", "quit")
INQUIRY = "inquiry"
PRICED = ("init-price", "counter-price", "offer")
KNOWS = ("buyer", "seller", *CATEGORIES, "other")
# Numbers of a side in a scenario.
BUYS, TARGET, LIST_PRICE, WORST_PRICE, WIDTH, STEP, CATEGORY = range(7)


def bargain_grammar(scaled: Sequence[float]) -> ActGrammar:
    """The words of bargains with these prices."""
    prices = tuple(price_word(each) for each in sorted(scaled))
    return ActGrammar(
        {
            act: ActShape(
                takes=(PRICE,) if act in PRICED else (),
                is_move=act in MOVES,
                is_joined=act in ("offer", "quit"),
            )
            for act in (*MESSAGES, *MOVES)
        },
        {PRICE: ArgumentKind(words=prices, read_only=(UNKNOWN_PRICE,))},
    )


def scenario_numbers(sides: Sequence[BargainSide]) -> list[list[float]]:
    """A scenario as numbers, a row for each side."""
    return [_side_numbers(side) for side in sides]


def _side_numbers(side: BargainSide) -> list[float]:
    scale = PriceScale.of(side)
    return [
        float(side.is_buyer),
        side.target,
        side.price,
        scale.worst,
        scale.width,
        scale.step,
        float(KNOWS.index(side.category if side.category in CATEGORIES else "other")),
    ]


def price_values(grammar: ActGrammar) -> Tensor:
    """The scaled price (words,) that each word stands for; NaN for others."""
    numbers = [scaled_of(word) for word in grammar.words]
    return torch.tensor([math.nan if n is None else n for n in numbers])
