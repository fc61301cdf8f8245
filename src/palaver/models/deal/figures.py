"""What a batch of self-play came to: points, agreements and language, each with its interval.

Every figure is a ratio of sums over dialogues, which its interval draws anew.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from palaver.models.deal.self_play import SelfPlayed
from palaver.models.deal.words import END_NUMBER, THEM_NUMBER, YOU_NUMBER
from palaver.models.measured import MeasuredFigure, Numbers, ratio_figure

# Figures that are shares of dialogues.
_SHARES = ("agreed", "pareto")


@dataclass(frozen=True, slots=True)
class PerDialogue:
    """What is counted in each dialogue."""

    points: Numbers
    agreed: Numbers
    pareto: Numbers
    messages: Numbers
    words: Numbers
    # The messages, each divided by how often it was said in all dialogues.
    distinct: Numbers


def self_play_figures(played: Sequence[SelfPlayed], *, seed: int = 1) -> list[MeasuredFigure]:
    """Points of both sides, agreements, Pareto-optimal ones and language, over all batches.

    What is measured on agreed deals alone is left out where nobody agreed.
    """
    each = per_dialogue(played)
    ones = np.ones_like(each.agreed)
    asked: list[tuple[str, Numbers, Numbers, str]] = []
    for side, name in enumerate(("first", "second")):
        own = each.points[:, side]
        asked += [
            (f"score_all_{name}", own, ones, f"points of the {name} side; 0 without a deal"),
            (f"score_agreed_{name}", own, each.agreed, f"points of the {name} side, agreed deals"),
        ]
    asked += [
        ("agreed", each.agreed, ones, "dialogues in which both marked the same deal"),
        ("pareto", each.pareto, each.agreed, "agreed deals that nobody could improve for free"),
        ("dialogue_length", each.messages, ones, "messages, the mark of the deal apart"),
        ("words_per_message", each.words, each.messages, "words, the end of a message apart"),
        ("distinct", each.distinct, each.messages, "different messages among all messages"),
    ]
    return [
        ratio_figure(
            name,
            upper,
            lower,
            about=about,
            unit="dialogues",
            seed=seed,
            is_share=name in _SHARES,
        )
        for name, upper, lower, about in asked
        if lower.sum() > 0
    ]


def per_dialogue(played: Sequence[SelfPlayed]) -> PerDialogue:
    """The counts of all dialogues of some batches."""
    said = [_messages(row) for batch in played for row in batch.words.tolist()]
    often = Counter(message for messages in said for message in messages)
    return PerDialogue(
        points=_all([batch.points for batch in played]),
        agreed=_all([batch.is_agreed for batch in played]),
        pareto=_all([batch.is_pareto for batch in played]),
        messages=np.array([float(len(messages)) for messages in said]),
        words=np.array([float(sum(map(len, messages))) for messages in said]),
        distinct=np.array([sum(1 / often[message] for message in messages) for messages in said]),
    )


def _all(tensors: Sequence[Tensor]) -> Numbers:
    return np.concatenate([each.cpu().numpy() for each in tensors]).astype(np.float64)


def _messages(words: Sequence[int]) -> list[tuple[int, ...]]:
    """The messages of a dialogue that were brought to their end."""
    found: list[tuple[int, ...]] = []
    begun: list[int] = []
    for word in words:
        if word in (YOU_NUMBER, THEM_NUMBER):
            begun = []
        elif word == END_NUMBER:
            found.append(tuple(begun))
        else:
            begun.append(word)
    return found
