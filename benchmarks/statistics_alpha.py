"""Krippendorff's α with bootstraps against a loop over the `krippendorff` package and a plain one."""

from collections import Counter
from typing import Any

import numpy as np

from benchmarks.statistics_measuring import extrapolated, memory, seconds, side, speed, timed
from benchmarks.table import Figure
from palaver.analysis.agreement import alpha_from_matrix

HERE = __name__
RATERS = 5


def run(*, sizes: tuple[int, ...], resamples: int, done: int) -> tuple[list[Figure], Any]:
    """Bootstraps per second for each number of units; the loops do a few of them."""
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    for units in sizes:
        size = {"units": units, "resamples": resamples}
        ours = side(f"{HERE}:ours", **size)
        package = side(f"{HERE}:package_loop", **size, done=done)
        plain = side(f"{HERE}:plain_loop", **size, done=max(1, done // 5))
        details[str(units)] = {"ours": ours, "package": package, "plain": plain}
        what = f"{units:,} units × {RATERS}, {resamples:,} bootstraps"
        goal = 1000 if units >= 100_000 else None
        figures += [
            seconds(what, ours),
            speed(
                f"{what} (floor: krippendorff, {done} of them)",
                resamples,
                "/s",
                ours,
                package,
                least=goal,
            ),
            speed(f"{what} (floor: plain Python)", resamples, "/s", ours, plain),
            memory(f"{units:,} units: peak memory", ours),
        ]
    return figures, details


def ours(*, units: int, resamples: int) -> dict[str, Any]:
    """From the matrix to α and its interval."""
    matrix = _ratings(units)
    alpha_from_matrix(matrix[:50], level="nominal", resamples=10)
    return timed(lambda: alpha_from_matrix(matrix, level="nominal", resamples=resamples), rounds=5)


def package_loop(*, units: int, resamples: int, done: int) -> dict[str, Any]:
    """What one writes with the package: draw units, ask for α, again and again."""
    import krippendorff

    matrix = _ratings(units)
    dice = np.random.default_rng(1)

    def work() -> None:
        for _ in range(done):
            drawn = matrix[dice.integers(units, size=units)]
            krippendorff.alpha(reliability_data=drawn.T, level_of_measurement="nominal")

    return extrapolated(timed(work), done=done, wanted=resamples)


def plain_loop(*, units: int, resamples: int, done: int) -> dict[str, Any]:
    """The formula in plain Python, once per sample."""
    rows = _ratings(units).tolist()
    dice = np.random.default_rng(1)

    def work() -> None:
        for _ in range(done):
            totals: Counter[int] = Counter()
            observed = 0.0
            for place in dice.integers(units, size=units).tolist():
                counts = Counter(rows[place])
                totals.update(counts)
                alike = sum(count * (count - 1) for count in counts.values())
                observed += (RATERS * (RATERS - 1) - alike) / (RATERS - 1)
            n = sum(totals.values())
            expected = n * n - sum(count * count for count in totals.values())
            _ = 1 - (n - 1) * observed / expected

    return extrapolated(timed(work), done=done, wanted=resamples)


def _ratings(units: int) -> Any:
    dice = np.random.default_rng(0)
    truth = dice.integers(1, 6, size=(units, 1))
    guess = dice.integers(1, 6, size=(units, RATERS))
    return np.where(dice.random((units, RATERS)) < 0.6, truth, guess)
