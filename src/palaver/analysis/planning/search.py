"""The smallest study whose power is high enough: bracket, then halve."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

from palaver.analysis.proportions import wilson_interval
from palaver.core.estimates import Interval
from palaver.core.serial import internal

# Sizes closer together than this share of themselves cannot be distinguished by simulation.
FINENESS = 0.03
MARGIN = 0.03
# Beside the answer, power is shown at these multiples of it.
AROUND = (0.5, 0.75, 1.5)
# The critical value of a test at .05; the search only needs it roughly.
Z = 1.96

_normal = NormalDist()


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """The power of a study of one size: the share of `simulations` that told the systems apart.

    The study has `blocks` of `block` dialogues each.
    """

    derived: ClassVar[tuple[str, ...]] = ("dialogues", "power", "power_interval")

    blocks: int = internal()
    successes: int = internal()
    simulations: int = internal()
    block: int = internal(1)

    @property
    def dialogues(self) -> int:
        return self.blocks * self.block

    @property
    def power(self) -> float:
        """The share of simulated studies that told the systems apart."""
        return self.successes / self.simulations

    @property
    def power_interval(self) -> Interval:
        """Wilson's interval of the power: how well the simulation knows it."""
        found = wilson_interval(self.successes, self.simulations)
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Search:
    """What was found: the smallest size that reaches the power (None if none does), and all tried."""

    found: PowerPoint | None
    tried: tuple[PowerPoint, ...]


def smallest_size(
    count: Callable[[int], int],
    *,
    power: float,
    simulations: int,
    start: int,
    least: int,
    most: int,
    block: int = 1,
) -> Search:
    """The smallest number of blocks, from `least` to `most`, whose power reaches `power`.

    A block is of `block` dialogues.

    `count` says how many of the simulated studies of a size tell the systems apart. The search goes
    from `start` to where a normal test would have the power, and narrows the bracket of sizes that
    do and do not reach it until it is within 3 % of itself. As all sizes use the same dice, power
    hardly ever falls as studies grow; the smallest size tried that reaches it is the answer. Around
    it some more sizes are tried, to show how power grows.

    >>> found = smallest_size(lambda n: min(n, 1000), power=0.8, simulations=1000, start=100,
    ...                       least=2, most=5000)
    >>> 800 <= found.found.blocks <= 824
    True
    """
    tried: dict[int, PowerPoint] = {}
    low, high = least - 1, most + 1

    def try_out(size: int) -> PowerPoint:
        tried[size] = PowerPoint(size, count(size), simulations, block)
        return tried[size]

    size = min(max(start, least), most)
    while high - low > max(1, int(high * FINENESS)) or (high > most and low < most):
        point = try_out(size)
        low, high = (low, size) if point.power >= power else (size, high)
        size = _next_size(point, power, low, high)
        if tried.keys() >= {low, high}:
            quarter = (high - low) // 4
            size = max(low + quarter, min(high - quarter, size))
    if high in tried:
        for share in AROUND:
            size = max(least, min(most, round(high * share)))
            if size not in tried:
                try_out(size)
    return Search(tried.get(high), tuple(tried[each] for each in sorted(tried)))


def _next_size(point: PowerPoint, power: float, low: int, high: int) -> int:
    """Between `low` and `high`, where power as Φ(c √n − z) with this point on it would be `power`."""
    reached = min(max(point.power, 0.02), 0.98)
    ratio = (Z + _normal.inv_cdf(power)) / max(Z + _normal.inv_cdf(reached), 0.2)
    # A little beyond, so that the bracket closes from both sides.
    beyond = 1 - MARGIN if point.power >= power else 1 + MARGIN
    aimed = round(point.blocks * min(max(ratio, 0.5), 2.0) ** 2 * beyond)
    return max(low + 1, min(high - 1, aimed))
