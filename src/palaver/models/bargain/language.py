"""The language of turns in figures: how long, how varied, and how often about money.

Every figure is a ratio of sums over dialogues, which its interval draws anew. Prices are one word here,
or whoever haggles would seem to have many.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from palaver.models.bargain.marks import (
    FIRST_PRICE,
    MARKS,
    OFFER_NUMBER,
    PAD_NUMBER,
    BargainWords,
)
from palaver.models.measured import MeasuredFigure, Numbers, ratio_figure

# How long the runs of words are of which different ones are counted.
NGRAMS = (1, 2, 3)

Turn = Sequence[int]


@dataclass(frozen=True, slots=True)
class TurnRatio:
    """A figure: what is divided by what, by dialogue, and what it tells."""

    upper: Numbers
    lower: Numbers
    about: str
    is_share: bool = False


def language_ratios(
    dialogues: Sequence[Sequence[Turn]], words: BargainWords
) -> dict[str, TurnRatio]:
    """How the turns of each dialogue are worded, moves apart; figures by name."""
    messages = [
        [message for turn in dialogue if (message := message_words(turn, words))]
        for dialogue in dialogues
    ]
    turns = np.array([float(len(each)) for each in messages])
    lengths = np.array([float(sum(map(len, each))) for each in messages])
    priced = np.array([float(sum(FIRST_PRICE in said for said in each)) for each in messages])
    found: dict[str, TurnRatio] = {
        "words_per_message": TurnRatio(lengths, turns, "words of a message, a price as one"),
        "messages_with_price": TurnRatio(priced, turns, "messages that name a price", True),
    }
    for n in NGRAMS:
        distinct, runs = _distinct(messages, n)
        about = f"different runs of {n} words among all such runs" if n > 1 else "different words"
        found[f"distinct_{n}"] = TurnRatio(distinct, runs, f"{about}, prices as one word", True)
    return found


def ratio_figures(ratios: dict[str, TurnRatio], *, seed: int) -> list[MeasuredFigure]:
    """Figures with intervals; one that has nothing to divide by is left out."""
    return [
        ratio_figure(
            name,
            ratio.upper,
            ratio.lower,
            about=ratio.about,
            unit="dialogues",
            seed=seed,
            is_share=ratio.is_share,
        )
        for name, ratio in ratios.items()
        if ratio.lower.sum() > 0
    ]


def message_words(turn: Turn, words: BargainWords) -> tuple[int, ...]:
    """The words of a turn that are a message, all prices alike; moves and their prices are left out."""
    found = []
    for before, word in zip((PAD_NUMBER, *turn), turn, strict=False):
        if word < len(MARKS) or before == OFFER_NUMBER:
            continue
        found.append(FIRST_PRICE if word in words.prices else word)
    return tuple(found)


def _distinct(messages: Sequence[Sequence[Turn]], n: int) -> tuple[Numbers, Numbers]:
    """The runs of n words of each dialogue, each divided by how often it is in all of them; and how
    many there are."""
    runs = [
        [tuple(said[at : at + n]) for said in each for at in range(len(said) - n + 1)]
        for each in messages
    ]
    often = Counter(run for each in runs for run in each)
    distinct = np.array([sum(1 / often[run] for run in each) for each in runs])
    return distinct, np.array([float(len(each)) for each in runs])
