"""What a batch of self-play came to: deals, margins, fairness and language, each with its interval.

Every figure is a ratio of sums over dialogues, which its interval draws anew. A margin beyond ±2 is a
slip of the finger, as the game's own metrics have it, and left out of the means of margins and
fairness.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from palaver.games.craigslist_bargain.margins import MOST as MOST_MARGIN
from palaver.models.bargain.language import TurnRatio, language_ratios, ratio_figures
from palaver.models.bargain.marks import PAD_NUMBER, BargainWords
from palaver.models.bargain.rewards import Reward, margins, rewards
from palaver.models.bargain.self_play import BargainsPlayed
from palaver.models.measured import MeasuredFigure, Numbers


def played_figures(
    played: Sequence[BargainsPlayed], words: BargainWords, *, reward: Reward, seed: int = 1
) -> list[MeasuredFigure]:
    """Deals, margins and language over all batches; the first side's language apart from all.

    What is measured on deals alone is left out where there is none.
    """
    return ratio_figures(played_ratios(played, words, reward=reward), seed=seed)


def played_means(
    played: Sequence[BargainsPlayed], words: BargainWords, *, reward: Reward
) -> dict[str, float]:
    """The same figures without intervals; 0 where there is nothing to divide by."""
    return {
        name: float(each.upper.sum() / each.lower.sum()) if each.lower.sum() > 0 else 0.0
        for name, each in played_ratios(played, words, reward=reward).items()
    }


def played_ratios(
    played: Sequence[BargainsPlayed], words: BargainWords, *, reward: Reward
) -> dict[str, TurnRatio]:
    """Every figure of self-play by name."""
    own = _all([margins(each.ends) for each in played])
    earned = _all([rewards(reward, each.ends) for each in played])
    agreed = _all([each.ends.is_agreed for each in played])
    buys = _all([each.ends.first_buys for each in played])
    events = _all([each.ends.events for each in played])
    ones = np.ones_like(agreed)
    counted = agreed * (np.abs(own[:, 0]) <= MOST_MARGIN)
    buyers = np.where(buys > 0, own[:, 0], own[:, 1])
    deals = "of deals whose margins are within ±2"
    found = {
        "reward_first": TurnRatio(earned[:, 0], ones, f"reward ({reward}) of the first side"),
        "reward_second": TurnRatio(earned[:, 1], ones, f"reward ({reward}) of the second side"),
        "agreed": TurnRatio(agreed, ones, "dialogues with a deal", True),
        "margin_first": TurnRatio(own[:, 0] * counted, counted, f"first side's margin {deals}"),
        "margin_buyer": TurnRatio(buyers * counted, counted, f"buyer's margin {deals}"),
        "fairness": TurnRatio((1 - np.abs(own[:, 0])) * counted, counted, f"1 − |margin| {deals}"),
        "dialogue_length": TurnRatio(events, ones, "messages and moves"),
    }
    said = [turns for each in played for turns in turns_of_side(each, 0)]
    return {**found, **language_ratios(said, words)}


def turns_of_side(played: BargainsPlayed, side: int) -> list[list[list[int]]]:
    """The turns that a side has said in each dialogue, as it sees them itself."""
    is_own = played.said(side).tolist()
    turns = played.turns[:, side].tolist()
    return [
        [_words(turn) for turn, is_said in zip(row, said, strict=True) if is_said]
        for row, said in zip(turns, is_own, strict=True)
    ]


def _words(turn: list[int]) -> list[int]:
    """A turn without its category, and without padding."""
    return [word for word in turn[1:] if word != PAD_NUMBER]


def _all(tensors: Sequence[Tensor]) -> Numbers:
    return torch.cat(list(tensors)).cpu().double().numpy()
