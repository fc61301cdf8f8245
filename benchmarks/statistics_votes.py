"""Bradley–Terry with bootstraps against a loop over `evalica` and a plain one."""

from collections import Counter
from typing import Any

import numpy as np

from benchmarks.statistics_measuring import extrapolated, memory, seconds, side, speed, timed
from benchmarks.table import Figure
from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.votes import Votes

HERE = __name__
# How many votes a rater gives where raters are clusters.
VOTES_EACH = 200
WORDS = np.array(["model_a", "model_b", "tie"])


def run(
    *, sizes: tuple[int, ...], systems: int, resamples: int, done: int
) -> tuple[list[Figure], Any]:
    """Bootstraps per second for each number of votes; the loops do a few of them."""
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    for votes in sizes:
        size = {"votes": votes, "systems": systems}
        ours = side(f"{HERE}:ours", **size, resamples=resamples, interval="bootstrap")
        sandwich = side(f"{HERE}:ours", **size, resamples=resamples, interval="sandwich")
        raters = max(10, votes // VOTES_EACH)
        by_rater = side(
            f"{HERE}:ours", **size, resamples=resamples, interval="bootstrap", raters=raters
        )
        reading = side(f"{HERE}:reading", **size)
        package = side(f"{HERE}:package_loop", **size, resamples=resamples, done=done)
        plain = side(f"{HERE}:plain_loop", **size, resamples=resamples)
        details[str(votes)] = {
            "ours": ours,
            "sandwich": sandwich,
            "by rater": by_rater,
            "reading": reading,
            "evalica": package,
            "plain": plain,
        }
        what = f"{votes:,} votes, {systems} systems"
        figures += [
            seconds(f"{what}: {resamples:,} bootstraps", ours, most=1.5),
            seconds(f"{what}: sandwich", sandwich, most=0.2),
            seconds(f"{what}: {resamples:,} bootstraps of {raters:,} raters", by_rater, most=3.0),
            seconds(f"{what}: reading lists of words", reading),
            speed(f"{what} (floor: evalica, {done} of them)", resamples, "/s", ours, package),
            speed(f"{what} (floor: plain Python, 1 of them)", resamples, "/s", ours, plain),
            memory(f"{what}: peak memory", ours),
        ]
    return figures, details


def ours(
    *, votes: int, systems: int, resamples: int, interval: Any, raters: int = 0
) -> dict[str, Any]:
    """From coded votes to strengths, intervals, ranks and tied sets."""
    cast = _votes(votes, systems, raters)
    clusters = ("rater",) if raters else ()
    bradley_terry(_votes(2000, 5), interval=interval, resamples=10)
    return timed(
        lambda: bradley_terry(cast, interval=interval, resamples=resamples, clusters=clusters),
        rounds=3,
    )


def reading(*, votes: int, systems: int) -> dict[str, Any]:
    """From three lists of words to coded votes."""
    first, second, outcome = _drawn(votes, systems)
    columns = [
        [f"system {n}" for n in first],
        [f"system {n}" for n in second],
        WORDS[outcome].tolist(),
    ]
    return timed(lambda: Votes.of(*columns), rounds=3)


def package_loop(*, votes: int, systems: int, resamples: int, done: int) -> dict[str, Any]:
    """What one writes with evalica: draw votes, fit, again and again; votes are coded beforehand."""
    import evalica

    first, second, outcome = _drawn(votes, systems)
    meaning = np.array([evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw], dtype=object)
    winners = meaning[outcome]
    dice = np.random.default_rng(1)

    def work() -> None:
        for _ in range(done):
            drawn = dice.integers(votes, size=votes)
            evalica.bradley_terry(
                first[drawn].tolist(), second[drawn].tolist(), winners[drawn].tolist()
            )

    return extrapolated(timed(work), done=done, wanted=resamples)


def plain_loop(*, votes: int, systems: int, resamples: int, rounds: int = 50) -> dict[str, Any]:
    """One sample in plain Python: count pairs, then so many rounds of minorise and maximise.

    Ties count as half a win for both, as this well-known recipe has it.
    """
    first, second, outcome = (each.tolist() for each in _drawn(votes, systems))
    dice = np.random.default_rng(1)

    def work() -> None:
        wins: Counter[int] = Counter()
        compared: Counter[tuple[int, int]] = Counter()
        for place in dice.integers(votes, size=votes).tolist():
            one, other, said = first[place], second[place], outcome[place]
            compared[one, other] += 1
            wins[one] += 1.0 if said == 0 else 0.5 if said == 2 else 0.0
            wins[other] += 1.0 if said == 1 else 0.5 if said == 2 else 0.0
        strength = [1.0] * systems
        for _ in range(rounds):
            below = [0.0] * systems
            for (one, other), count in compared.items():
                share = count / (strength[one] + strength[other])
                below[one] += share
                below[other] += share
            strength = [wins[n] / below[n] for n in range(systems)]

    return extrapolated(timed(work), done=1, wanted=resamples)


def _votes(votes: int, systems: int, raters: int = 0) -> Votes:
    first, second, outcome = _drawn(votes, systems)
    width = len(str(systems - 1))
    return Votes(
        systems=tuple(f"system {n:0{width}}" for n in range(systems)),
        first=first,
        second=second,
        outcome=outcome.astype(np.int8),
        both_bad=np.zeros(votes, dtype=bool),
        clusters={"rater": np.arange(votes) % raters} if raters else {},
    )


def _drawn(votes: int, systems: int) -> tuple[Any, Any, Any]:
    dice = np.random.default_rng(0)
    strengths = np.linspace(-1, 1, systems)
    first = dice.integers(systems, size=votes)
    second = (first + dice.integers(1, systems, size=votes)) % systems
    half = (strengths[first] - strengths[second]) / 2
    odds = np.column_stack([np.exp(half), np.exp(-half), np.full(votes, 0.5)])
    edges = np.cumsum(odds, axis=1) / odds.sum(axis=1, keepdims=True)
    outcome = (dice.random(votes)[:, None] > edges[:, :2]).sum(axis=1)
    return first, second, outcome
