"""Time is passed in: a wall clock for people, a virtual one for self-play and tests; and its pauses."""

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """What the time is, and how to let some pass."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds` of this clock's time."""
        ...


class WallClock:
    """The time everybody else has."""

    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


class VirtualClock:
    """Time that passes only when somebody sleeps, and then at once."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += max(0.0, seconds)
        await asyncio.sleep(0)


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait after the n-th failure: base × 2ⁿ⁻¹ seconds, at most `cap`."""

    base: float = 2.0
    cap: float = 300.0

    def seconds(self, failures: int) -> float:
        """The wait after so many failures."""
        return min(self.cap, self.base * 2.0 ** min(max(0, failures - 1), 60))
