"""Runs a design point many times, over several processes, and judges what came of it."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from coverage_study.design import Point
from palaver.analysis.proportions import wilson_interval
from palaver.core.estimates import Interval

LOWEST, HIGHEST = 0.93, 0.97
# A point whose procedure often gives no interval is not judged by those that remain.
MOST_WITHOUT = 0.05


@dataclass(frozen=True, slots=True)
class Counts:
    """What a number of simulations gave."""

    simulations: int
    covered: int
    without: int
    warned: int
    width: float
    seconds: float

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.simulations + other.simulations,
            self.covered + other.covered,
            self.without + other.without,
            self.warned + other.warned,
            self.width + other.width,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often the intervals of a design point held the truth."""

    point: Point
    counts: Counts

    @property
    def defined(self) -> int:
        """How many simulations gave an interval."""
        return self.counts.simulations - self.counts.without

    @property
    def share(self) -> float:
        """Of the intervals there were, the share that held the truth; NaN without any."""
        return self.counts.covered / self.defined if self.defined else float("nan")

    @property
    def monte_carlo(self) -> Interval | None:
        """How far the share may be off because simulations are finite: Wilson's 95 % interval."""
        return wilson_interval(self.counts.covered, self.defined)

    @property
    def width(self) -> float:
        """The mean width of the intervals."""
        return self.counts.width / self.defined if self.defined else float("nan")

    @property
    def warned(self) -> float:
        """The share of simulations in which a warning came with the interval."""
        return self.counts.warned / self.defined if self.defined else float("nan")

    @property
    def verdict(self) -> str:
        """holds, missed, or for a point that is known to fall short: short, or better than known."""
        return self.judged(LOWEST, HIGHEST)

    def judged(self, lowest: float, highest: float) -> str:
        """The verdict with these ends instead of 93 and 97 %."""
        enough = self.counts.without <= MOST_WITHOUT * self.counts.simulations
        within = enough and lowest <= self.share
        if self.point.promise != "conservative":
            within = within and self.share <= highest
        if self.point.promise == "short":
            if enough and self.share > highest:
                return "wider than it says"
            return "holds after all" if within else "falls short"
        return "holds" if within else "MISSED"

    def record(self) -> dict[str, Any]:
        """The result as JSON."""
        ends = self.monte_carlo
        return {
            "procedure": self.point.procedure,
            "setting": self.point.setting,
            "promise": self.point.promise,
            "simulations": self.counts.simulations,
            "coverage": self.share,
            "monte_carlo": ends.as_json() if ends else None,
            "without_interval": self.counts.without,
            "width": self.width,
            "warned": self.warned,
            "verdict": self.verdict,
            "cpu_seconds": self.counts.seconds,
        }


def simulate(point: Point, seeds: list[np.random.SeedSequence]) -> Counts:
    """Run a point once per seed."""
    began = process_time()
    covered = without = warned = 0
    width = 0.0
    for seed in seeds:
        found = point.simulate(np.random.default_rng(seed))
        if found is None:
            without += 1
            continue
        covered += found.covered
        warned += found.warned
        width += found.width
    return Counts(len(seeds), covered, without, warned, width, process_time() - began)


def measure(
    point: Point, *, simulations: int, seed: int = 1, pool: ProcessPoolExecutor | None = None
) -> Coverage:
    """The coverage of a point; the numbers do not depend on how many processes share the work."""
    seeds = np.random.SeedSequence(seed).spawn(simulations)
    if pool is None:
        return Coverage(point, simulate(point, seeds))
    # Small enough that all processes have some, however long a simulation takes.
    step = min(100, max(1, simulations // 64))
    parts = [seeds[start : start + step] for start in range(0, simulations, step)]
    done = list(pool.map(simulate, [point] * len(parts), parts))
    total = done[0]
    for part in done[1:]:
        total = total + part
    return Coverage(point, total)
