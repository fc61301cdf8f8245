"""A design point: one procedure, one setting, and how to make one data set and its interval."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from palaver.core.estimates import Interval

CONFIDENCE = 0.95
# How many draws a bootstrap makes, as the commands do; rankings, which take longest, make half.
RESAMPLES = 1000
# Of what is looked at many times in each study, so many as of the others.
DEAR = 0.2

# exact: theory promises the stated confidence, within Monte-Carlo and small-sample error.
# conservative: theory promises at least that.
# short: known to hold less, which is why the command warns or asks for clusters.
Promise = Literal["exact", "conservative", "short"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether one simulated interval held the truth, its width, and whether a warning came along."""

    covered: bool
    width: float
    warned: bool = False


# One data set, analysed; None where the procedure gives no interval for it.
Simulation = Callable[[np.random.Generator], Outcome | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """`simulate` must be importable by name, so that other processes can run it.

    A point that costs next to nothing is simulated `times` as often as the others, a dear one less.
    """

    procedure: str
    setting: str
    promise: Promise
    simulate: Simulation
    times: float = 1

    @property
    def name(self) -> str:
        """Procedure and setting."""
        return f"{self.procedure}: {self.setting}"


def outcome(interval: Interval | None, truth: float, *, warned: bool = False) -> Outcome | None:
    """Whether an interval holds the truth; None without an interval."""
    if interval is None:
        return None
    return Outcome(truth in interval, interval.high - interval.low, warned)


def seed_of(dice: np.random.Generator) -> int:
    """A seed for a procedure that draws its own samples."""
    return int(dice.integers(2**31))
