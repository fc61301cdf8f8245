"""Randomised Tukey HSD against the obvious loop and against scipy's permutation test."""

import random
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.statistics_measuring import extrapolated, memory, seconds, side, speed, timed
from benchmarks.table import Figure
from palaver.analysis.tukey import randomised_tukey

HERE = __name__


def run(
    *, topics: int, systems: int, trials: int, plain: int, scipy_: int
) -> tuple[list[Figure], Any]:
    """Trials per second; the other two do fewer trials, and the rest is extrapolated."""
    size = {"topics": topics, "systems": systems, "trials": trials}
    ours = side(f"{HERE}:ours", **size)
    loop = side(f"{HERE}:plain_loop", **size, done=plain)
    package = side(f"{HERE}:scipy_test", **size, done=scipy_)
    what = f"{topics} × {systems}, B = {trials:,}"
    return [
        seconds(f"{what}", ours),
        speed(
            f"{what} (floor: plain Python, {plain:,} trials)", trials, "/s", ours, loop, least=20
        ),
        speed(f"{what} (floor: scipy, {scipy_:,} trials)", trials, "/s", ours, package),
        memory(f"{what}: peak memory", ours),
    ], {"ours": ours, "plain": loop, "scipy": package}


def ours(*, topics: int, systems: int, trials: int) -> dict[str, Any]:
    """The whole of it: every p-value and effect."""
    matrix, names = _scores(topics, systems)
    randomised_tukey(matrix, names, trials=10)
    return timed(lambda: randomised_tukey(matrix, names, trials=trials), rounds=3)


def plain_loop(*, topics: int, systems: int, trials: int, done: int) -> dict[str, Any]:
    """Shuffle each row, sum the columns, note the largest difference."""
    matrix, _ = _scores(topics, systems)
    rows = matrix.tolist()
    sums = [sum(column) for column in zip(*rows, strict=True)]
    pairs = [abs(one - other) for one, other in combinations(sums, 2)]

    def work() -> None:
        dice = random.Random(1)
        exceeded = [0] * len(pairs)
        for _ in range(done):
            for row in rows:
                dice.shuffle(row)
            found = [sum(column) for column in zip(*rows, strict=True)]
            widest = max(found) - min(found)
            for place, pair in enumerate(pairs):
                exceeded[place] += widest >= pair

    return extrapolated(timed(work), done=done, wanted=trials)


def scipy_test(*, topics: int, systems: int, trials: int, done: int) -> dict[str, Any]:
    """`scipy.stats.permutation_test` with rows shuffled: one p-value, that of the widest pair."""
    matrix, _ = _scores(topics, systems)

    def widest(*columns: Any, axis: int = -1) -> Any:
        means = np.stack([column.mean(axis=axis) for column in columns])
        return means.max(axis=0) - means.min(axis=0)

    def work() -> None:
        stats.permutation_test(
            tuple(matrix.T),
            widest,
            permutation_type="samples",
            n_resamples=done,
            batch=100,
            alternative="greater",
            rng=np.random.default_rng(1),
        )

    return extrapolated(timed(work), done=done, wanted=trials)


def _scores(topics: int, systems: int) -> tuple[Any, list[str]]:
    dice = np.random.default_rng(0)
    matrix = dice.normal(0, 1, (topics, 1)) + dice.normal(0, 1, (topics, systems))
    return matrix + np.linspace(0, 0.3, systems), [f"s{n}" for n in range(systems)]
