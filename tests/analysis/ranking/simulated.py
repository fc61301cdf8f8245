"""Votes drawn from Davidson's model, for the tests of ranking."""

from collections.abc import Sequence

import numpy as np

from palaver.analysis.ranking.votes import Votes

WORDS = np.array(["model_a", "model_b", "tie"])


def draw_votes(
    strengths: Sequence[float],
    count: int,
    *,
    seed: int,
    nu: float = 0.5,
    raters: int = 0,
    dialogues: int = 0,
) -> Votes:
    """`count` votes on random pairs; systems are called s00, s01, …"""
    dice = np.random.default_rng(seed)
    theta = np.asarray(strengths, dtype=float)
    first = dice.integers(0, len(theta), count)
    second = (first + dice.integers(1, len(theta), count)) % len(theta)
    up = np.exp((theta[first] - theta[second]) / 2)
    total = up + 1 / up + nu
    point = dice.random(count) * total
    outcome = np.where(point < up, 0, np.where(point < up + 1 / up, 1, 2))
    names = np.array([f"s{place:02}" for place in range(len(theta))])
    clusters = {}
    if raters:
        clusters["rater"] = dice.integers(0, raters, count).tolist()
    if dialogues:
        clusters["dialogue"] = dice.integers(0, dialogues, count).tolist()
    return Votes.of(
        names[first].tolist(),
        names[second].tolist(),
        WORDS[outcome].tolist(),
        clusters=clusters,
    )
