"""What dialogues of self-play came to, in numbers that can be watched and figures with intervals.

Every figure is a ratio of sums over dialogues. Words of own turns in pairs, and how many of these pairs
are different ones, tell whether an agent still does what people do or has come down to one trick.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from palaver.models.acts.grammar import END_NUMBER, PAD_NUMBER
from palaver.models.acts.self_play import HeldActs
from palaver.models.measured import MeasuredFigure, Numbers, ratio_figure

AGREED = "agreed"
# Measures of a game that are of all dialogues; the others are of those that were agreed.
_OF_ALL = (AGREED, "events")
# Words that follow each other, and are counted together.
_PHRASE = 3


@dataclass(frozen=True, slots=True)
class HeldNumbers:
    """What is counted in each dialogue."""

    rewards: Numbers
    turns: Numbers
    # Phrases of the first side's words: different ones among all dialogues, each divided by how often
    # it came, and how many there are.
    distinct: Numbers
    phrases: Numbers
    outcomes: dict[str, Numbers]


def held_numbers(held: Sequence[HeldActs], reward: str) -> HeldNumbers:
    """What is counted in the dialogues of some batches."""
    phrases = [_phrases(row) for batch in held for row in _own_words(batch)]
    often = Counter(phrase for each in phrases for phrase in each)
    tables = [batch.table for batch in held]
    outcomes = [table.outcomes() for table in tables]
    return HeldNumbers(
        rewards=_all(table.rewards(reward) for table in tables),
        turns=_all(batch.turns() for batch in held),
        distinct=np.array([sum(1 / often[phrase] for phrase in each) for each in phrases]),
        phrases=np.array([float(len(each)) for each in phrases]),
        outcomes={name: _all(each[name] for each in outcomes) for name in outcomes[0]},
    )


def measured_play(held: Sequence[HeldActs], reward: str) -> dict[str, float]:
    """Every measure of all dialogues; those of agreed ones are 0 where nobody agreed."""
    numbers = held_numbers(held, reward)
    found = {
        "reward": float(numbers.rewards[:, 0].mean()),
        "partner_reward": float(numbers.rewards[:, 1].mean()),
    }
    for name, upper, lower in _ratios(numbers):
        found[name] = float(upper.sum() / lower.sum()) if lower.sum() else 0.0
    return found


def play_figures(held: Sequence[HeldActs], reward: str, *, seed: int) -> list[MeasuredFigure]:
    """Every measure that is defined, with its interval."""
    numbers = held_numbers(held, reward)
    ones = np.ones(len(numbers.turns))
    asked = [
        ("reward", numbers.rewards[:, 0], ones),
        ("partner_reward", numbers.rewards[:, 1], ones),
        *_ratios(numbers),
    ]
    return [
        ratio_figure(
            name,
            upper,
            lower,
            about=_about(name, reward),
            unit="dialogues",
            seed=seed,
            is_share=name == AGREED,
        )
        for name, upper, lower in asked
        if lower.sum() > 0
    ]


def _ratios(numbers: HeldNumbers) -> list[tuple[str, Numbers, Numbers]]:
    ones = np.ones(len(numbers.turns))
    agreed = numbers.outcomes[AGREED]
    return [
        *(
            (
                name,
                values if name in _OF_ALL else values * agreed,
                ones if name in _OF_ALL else agreed,
            )
            for name, values in numbers.outcomes.items()
        ),
        ("turns", numbers.turns, ones),
        ("distinct", numbers.distinct, numbers.phrases),
    ]


def _about(name: str, reward: str) -> str:
    told = {
        "reward": f"what the first side earns, reward '{reward}'",
        "partner_reward": f"what the second side earns, reward '{reward}'",
        AGREED: "dialogues with a deal",
        "events": "messages and moves in a dialogue",
        "turns": "turns in a dialogue",
        "distinct": f"different phrases of {_PHRASE} words of acts among all of the first side",
    }
    return told.get(name, f"{name.replace('_', ' ')}, of dialogues with a deal")


def _own_words(batch: HeldActs) -> list[list[int]]:
    own, _ = batch.view(0)
    return [
        [word for word in row if word not in (PAD_NUMBER, END_NUMBER)]
        for row in own.own.flatten(1).tolist()
    ]


def _phrases(words: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple(words[n : n + _PHRASE]) for n in range(len(words) - _PHRASE + 1)]


def _all(tensors: Iterable[Tensor]) -> Numbers:
    return np.concatenate([each.cpu().numpy() for each in tensors]).astype(np.float64)
