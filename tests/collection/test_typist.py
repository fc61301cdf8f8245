"""A system seems to type as a person's page tells it."""

import asyncio
import random
from itertools import pairwise

import pytest

from palaver.collection.typist import Typist
from palaver.core.clock import VirtualClock

pytestmark = pytest.mark.asyncio


class Signals:
    """What was signalled, and when."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.heard: list[tuple[float, bool]] = []
        self.changed = asyncio.Event()

    def __call__(self, on: bool) -> None:
        self.heard.append((self.clock.now(), on))
        self.changed.set()

    async def until(self, count: int) -> None:
        while len(self.heard) < count:
            self.changed.clear()
            await self.changed.wait()


async def test_first_it_reads_then_it_types_again_and_again_and_stops_in_time() -> None:
    clock = VirtualClock()
    signals = Signals(clock)
    with Typist(signals, clock, random.Random(1), reading=0.5):
        await signals.until(3)
    times, signs = zip(*signals.heard, strict=True)
    assert signs == (*[True] * (len(signs) - 1), False)
    assert times[0] == 0.5
    assert all(3.0 <= later - now <= 3.6 for now, later in pairwise(times[:-1]))


async def test_who_is_done_before_reading_is_over_never_typed() -> None:
    clock = VirtualClock()
    signals = Signals(clock)
    with Typist(signals, clock, random.Random(1), reading=0.5):
        pass
    assert signals.heard == []


async def test_without_a_pace_it_types_at_once() -> None:
    clock = VirtualClock()
    signals = Signals(clock)
    with Typist(signals, clock, random.Random(1), reading=0.0):
        assert signals.heard == [(0.0, True)]
    assert signals.heard == [(0.0, True), (0.0, False)]
