"""The bucket that all calls of a predictor share, on a clock of our own."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.systems.patience import Turnstile


class FakeTime:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def went(pace: Turnstile, time: FakeTime, calls: int) -> list[float]:
    async def run() -> list[float]:
        times = []
        for _ in range(calls):
            await pace.turn()
            times.append(time.now - 100.0)
        return times

    return asyncio.run(run())


def test_calls_follow_each_other_at_the_rate() -> None:
    time = FakeTime()
    pace = Turnstile(4.0, clock=time.clock, sleep=time.sleep)

    assert went(pace, time, 5) == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_without_a_rate_nobody_waits() -> None:
    time = FakeTime()

    assert went(Turnstile(None, clock=time.clock, sleep=time.sleep), time, 100) == [0.0] * 100


def test_idle_time_is_not_saved_up() -> None:
    time = FakeTime()
    pace = Turnstile(10.0, clock=time.clock, sleep=time.sleep)
    went(pace, time, 1)
    time.now += 60

    assert went(pace, time, 3) == pytest.approx([60.0, 60.1, 60.2])


def test_a_pause_holds_for_everybody() -> None:
    time = FakeTime()
    pace = Turnstile(None, clock=time.clock, sleep=time.sleep)
    pace.pause(7.0)

    assert went(pace, time, 2) == [7.0, 7.0]


@settings(max_examples=50, deadline=None)
@given(rate=st.floats(0.5, 500.0), calls=st.integers(2, 200))
def test_no_second_sees_more_calls_than_the_rate(rate: float, calls: int) -> None:
    time = FakeTime()
    times = went(Turnstile(rate, clock=time.clock, sleep=time.sleep), time, calls)

    for began in times:
        within = sum(began <= each < began + 1.0 - 1e-6 for each in times)
        assert within <= rate + 1
