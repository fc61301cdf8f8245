"""Sequences of a board: one vote after the other, a verdict, and all votes at once."""

from typing import Any

import numpy as np

from benchmarks.statistics_measuring import memory, seconds, side, timed
from benchmarks.table import Figure
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.sequential.live import live_verdict
from palaver.analysis.sequential.vote_sequences import VoteSequences

HERE = __name__
PER_RATER = 5


def run(*, held: int, more: int, whole: int, systems: int) -> tuple[list[Figure], Any]:
    """A vote on a board that holds `held`, its verdict, and a verdict on `whole` votes at once."""
    board = side(f"{HERE}:one_more", held=held, more=more, systems=systems)
    asked = side(f"{HERE}:asked", held=held, systems=systems)
    once = side(f"{HERE}:at_once", votes=whole, systems=systems)
    two = side(f"{HERE}:at_once", votes=whole, systems=2)
    figures = [
        Figure(
            f"a vote after {held:,}, {systems} systems",
            1000 * board["seconds"] / more,
            None,
            "ms",
            goal="≤ 1 ms",
            met=lambda figure: figure.ours <= 1,
        ),
        seconds(f"a verdict after {held:,} votes, {systems} systems", asked, most=0.05),
        seconds(f"{whole:,} votes at once, {systems} systems", once, most=2),
        seconds(f"{whole:,} votes at once, 2 systems", two, most=1),
        memory(f"{whole:,} votes at once: peak memory", once),
    ]
    return figures, {"one_more": board, "asked": asked, "at_once": once, "two": two}


def one_more(*, held: int, more: int, systems: int) -> dict[str, Any]:
    """So many further votes, each rater finishing after five."""
    votes = _votes(held + more, systems)
    board = _board(votes, held)
    return timed(lambda: _add(board, votes, held, held + more))


def asked(*, held: int, systems: int) -> dict[str, Any]:
    """The verdict on what the board holds."""
    board = _board(_votes(held, systems), held)
    return timed(board.verdict, rounds=5)


def at_once(*, votes: int, systems: int) -> dict[str, Any]:
    """A verdict from all votes, nothing known before."""
    cast = _votes(votes, systems)
    live_verdict(_votes(500, systems))
    return timed(lambda: live_verdict(cast), rounds=3)


def _board(votes: Votes, held: int) -> VoteSequences:
    board = VoteSequences(votes.systems)
    _add(board, votes, 0, held)
    board.verdict()
    return board


def _add(board: VoteSequences, votes: Votes, start: int, stop: int) -> None:
    names = votes.systems
    for place in range(start, stop):
        rater = f"r{place // PER_RATER}"
        one, other = names[votes.first[place]], names[votes.second[place]]
        board.add(one, other, int(votes.outcome[place]), rater)
        if place % PER_RATER == PER_RATER - 1:
            board.finish(rater)


def _votes(votes: int, systems: int) -> Votes:
    dice = np.random.default_rng(0)
    strengths = np.linspace(-1, 1, systems)
    first = dice.integers(systems, size=votes)
    second = (first + dice.integers(1, systems, size=votes)) % systems
    half = (strengths[first] - strengths[second]) / 2
    odds = np.column_stack([np.exp(half), np.exp(-half), np.full(votes, 0.5)])
    edges = np.cumsum(odds, axis=1) / odds.sum(axis=1, keepdims=True)
    return Votes(
        systems=tuple(f"system {n:02}" for n in range(systems)),
        first=first,
        second=second,
        outcome=(dice.random(votes)[:, None] > edges[:, :2]).sum(axis=1).astype(np.int8),
        both_bad=np.zeros(votes, dtype=bool),
        clusters={"rater": np.arange(votes) // PER_RATER},
    )
