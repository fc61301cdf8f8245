"""What a batch of self-play came to: friends found, moves, selections and language, with intervals."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from palaver.models.friends.self_play import SoughtFriends
from palaver.models.friends.words import PAD_NUMBER, SELECT_NUMBER
from palaver.models.measured import MeasuredFigure, Numbers, ratio_figure

# A friend that was found within so many moves was found soon.
SOON = 20
_SHARES = ("found", "found_soon", "distinct", "distinct_pairs")


@dataclass(frozen=True, slots=True)
class PerSearch:
    """What is counted in each dialogue."""

    found: Numbers
    soon: Numbers
    moves: Numbers
    selections: Numbers
    messages: Numbers
    words: Numbers
    pairs: Numbers
    # Messages, and pairs of words, each divided by how often it was said in all dialogues.
    distinct: Numbers
    distinct_pairs: Numbers


def search_figures(played: Sequence[SoughtFriends], *, seed: int = 1) -> list[MeasuredFigure]:
    """Figures of all dialogues, which the intervals draw anew."""
    each = per_search(played)
    ones = np.ones_like(each.found)
    asked = [
        ("found", each.found, ones, "dialogues in which both selected the mutual friend"),
        ("found_soon", each.soon, ones, f"the same within {SOON} moves"),
        ("moves", each.moves, ones, "messages and selections of both sides"),
        ("selections", each.selections, ones, "selections of both sides"),
        ("words_per_message", each.words, each.messages, "words and marks; a value is one word"),
        ("distinct", each.distinct, each.messages, "different messages among all messages"),
        (
            "distinct_pairs",
            each.distinct_pairs,
            each.pairs,
            "different pairs of words in a row among all; values by their attribute",
        ),
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


def per_search(played: Sequence[SoughtFriends]) -> PerSearch:
    """The counts of all dialogues of some batches."""
    said = [messages for batch in played for messages in _messages(batch)]
    found = np.concatenate([batch.found.numpy() for batch in played]).astype(np.float64)
    moves = np.concatenate([batch.moves.numpy() for batch in played]).astype(np.float64)
    often = Counter(message for messages in said for message in messages)
    pairs = [[pair for m in messages for pair in pairwise(m)] for messages in said]
    pairs_often = Counter(pair for each in pairs for pair in each)
    return PerSearch(
        found=found,
        soon=found * (moves <= SOON),
        moves=moves,
        selections=np.concatenate([b.selections.numpy() for b in played]).astype(np.float64),
        messages=np.array([float(len(messages)) for messages in said]),
        words=np.array([float(sum(map(len, messages))) for messages in said]),
        pairs=np.array([float(len(each)) for each in pairs]),
        distinct=np.array([sum(1 / often[m] for m in messages) for messages in said]),
        distinct_pairs=np.array([sum(1 / pairs_often[p] for p in each) for each in pairs]),
    )


def _messages(batch: SoughtFriends) -> list[list[tuple[int, ...]]]:
    """The messages of each dialogue, the marks before and after them apart."""
    found: list[list[tuple[int, ...]]] = [[] for _ in range(len(batch))]
    for turn in batch.turns:
        for row, words in enumerate(turn.words.tolist()):
            said = tuple(word for word in words if word != PAD_NUMBER)[1:-1]
            if said and said[0] != SELECT_NUMBER:
                found[row].append(said)
    return found
