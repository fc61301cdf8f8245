"""Systems of unknown latency are asked once, out of sight."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from palaver.collection.pace import Latencies, Pace, PaceKeeper
from palaver.collection.plan import ChatPlan, ConditionPlan
from palaver.collection.probe import probe_systems, unknown_systems
from palaver.core.clock import VirtualClock
from palaver.core.errors import SystemFailureError
from palaver.core.events import Event, Move, say
from palaver.core.protocols import Place
from palaver.core.scenario import Scenario, SeedUtterance

pytestmark = pytest.mark.asyncio

PACE = Pace(reading=0.1, characters_per_second=1000.0, at_most=8.0)
SEEDED = Scenario(seeds=(SeedUtterance(seat=1, text="Good day"),))


class Slow:
    """Takes so many seconds of the dialogue's clock, or fails."""

    def __init__(self, seconds: float, *, fails: bool = False) -> None:
        self.seconds, self.fails = seconds, fails
        self.asked: list[list[str]] = []
        self.closed = 0

    def new_session(self, place: Place) -> "Session":
        return Session(self, place)

    async def close(self) -> None: ...


class Session:
    def __init__(self, system: Slow, place: Place) -> None:
        self.system, self.place, self.heard = system, place, []  # type: ignore[var-annotated]

    def receive(self, event: Event) -> None:
        self.heard.append(event.text)

    async def send(self, draft: Any = None) -> Sequence[Move]:
        await self.place.clock.sleep(self.system.seconds)
        self.system.asked.append(self.heard)
        if self.system.fails:
            raise SystemFailureError("unreachable", "nobody there")
        return [say("Fine")]

    async def close(self) -> None:
        self.system.closed += 1


def plan(pace: Pace | None = PACE, *, people: bool = False, **systems: Slow) -> ChatPlan:
    rules: Any = None
    conditions = [ConditionPlan(name, (name,)) for name in systems]
    if people:
        conditions.append(ConditionPlan("people", people=True))
    return ChatPlan(
        study="s",
        study_id=1,
        stage=0,
        rules=rules,
        conditions=tuple(conditions),
        draw_scenario=lambda rng: SEEDED,
        systems=systems,
        keeper=PaceKeeper(pace, Latencies()),
    )


async def test_the_first_reply_of_a_fast_system_waits_for_the_slow_one() -> None:
    slow, fast = Slow(5.0), Slow(0.0)
    both = plan(slow=slow, fast=fast)
    assert both.keeper.release_after("Hi", random.Random(1)) < 1.0

    await probe_systems(both, VirtualClock())

    assert both.keeper.release_after("Hi", random.Random(1)) == 5.0
    assert slow.asked == [["Good day", "Hello! How are you today?"]]
    assert (slow.closed, fast.closed) == (1, 1)


async def test_a_known_system_is_not_asked() -> None:
    slow, fast = Slow(5.0), Slow(0.0)
    both = plan(slow=slow, fast=fast)
    both.keeper.latencies = Latencies.known({"slow": [5.0], "fast": [0.1]})
    await probe_systems(both, VirtualClock())
    assert slow.asked == fast.asked == []


async def test_a_system_that_fails_stays_unknown_and_stops_nobody() -> None:
    broken, fast = Slow(0.0, fails=True), Slow(0.0)
    both = plan(broken=broken, fast=fast)
    await probe_systems(both, VirtualClock())
    assert unknown_systems(both) == ["broken"]
    assert broken.closed == 1


async def test_where_nothing_can_be_told_apart_nobody_is_asked() -> None:
    assert unknown_systems(plan(only=Slow(0.0))) == []
    assert unknown_systems(plan(None, one=Slow(0.0), two=Slow(0.0))) == []
    assert unknown_systems(plan(people=True, only=Slow(0.0))) == ["only"]
