"""The guard: retries, back-off, the limit on concurrency, and drafts that are taken back."""

import asyncio
import time
from typing import Any

import pytest

from palaver.core.clock import VirtualClock
from palaver.core.errors import SystemFailureError
from palaver.core.events import Move, say
from palaver.systems.attempt import AttemptError
from palaver.systems.guard import Guarded
from palaver.systems.options import CallOptions


class Moody:
    """A system whose sessions do what `mood(number of the attempt, draft)` says."""

    def __init__(self, mood: Any) -> None:
        self.mood = mood
        self.sessions: list[list[Any]] = []
        self.attempts = 0

    def new_session(self, place: Any) -> Any:
        self.sessions.append([])
        return _MoodySession(self, self.sessions[-1])

    async def close(self) -> None:
        pass


class _MoodySession:
    def __init__(self, system: Moody, heard: list[Any]) -> None:
        self.system, self.heard = system, heard

    def receive(self, event: Any) -> None:
        if event.text == "poison":
            raise KeyError("cannot hear this")
        self.heard.append(event.text)

    async def send(self, draft: Any = None) -> list[Move]:
        self.system.attempts += 1
        return await self.system.mood(self.system.attempts, draft)  # type: ignore[no-any-return]


def guarded(mood: Any, **options: Any) -> Guarded:
    return Guarded(Moody(mood), CallOptions(**{"backoff": 0.0, **options}))


@pytest.mark.asyncio
async def test_a_failure_that_may_pass_is_tried_again_with_the_events_replayed(table: Any) -> None:
    async def mood(number: int, draft: Any) -> list[Move]:
        if number < 3:
            raise AttemptError("unreachable", "not yet")
        return [say("here")]

    system = guarded(mood)
    assert await table.answer(system, "hi", "ho", "hey") == "here"
    assert system.system.sessions == [["hi", "ho", "hey"]] * 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("error", "kind", "attempts"),
    [
        (AttemptError("refused", "no"), "refused", 1),
        (AttemptError("garbage", "?"), "garbage", 3),
        (AttemptError("error", "later", may_pass=True), "error", 3),
        (AttemptError("refused", "wait an hour", may_pass=True, wait=3600), "refused", 1),
        (AttemptError("refused", "wait a moment", may_pass=True, wait=0.01), "refused", 3),
        (TimeoutError(), "timeout", 3),
        (ConnectionResetError("gone"), "unreachable", 3),
        (SystemFailureError("garbage", "a plug-in's own"), "garbage", 3),
        (SystemFailureError("moody", "a kind nobody knows"), "error", 1),
        (ZeroDivisionError("bug"), "error", 1),
        (FileNotFoundError("bug"), "error", 1),
    ],
)
@pytest.mark.asyncio
async def test_kinds_and_numbers_of_attempts(
    error: Exception, kind: str, attempts: int, table: Any
) -> None:
    async def mood(number: int, draft: Any) -> list[Move]:
        raise error

    with pytest.raises(SystemFailureError) as failure:
        await table.answer(guarded(mood), "hi")
    assert (failure.value.kind, failure.value.attempts) == (kind, attempts)


@pytest.mark.asyncio
async def test_the_cause_is_kept(table: Any) -> None:
    async def mood(number: int, draft: Any) -> list[Move]:
        raise ZeroDivisionError("bug")

    with pytest.raises(SystemFailureError, match="ZeroDivisionError: bug") as failure:
        await table.answer(guarded(mood), "hi")
    assert isinstance(failure.value.__cause__, ZeroDivisionError)


@pytest.mark.asyncio
async def test_an_event_that_breaks_a_session_is_reported_by_send(table: Any) -> None:
    async def mood(number: int, draft: Any) -> list[Move]:
        return [say("fine")]

    session = table.session(guarded(mood), "hi")
    await session.send()
    session.receive(table.event(2, 0, "poison"))
    with pytest.raises(SystemFailureError, match="cannot hear this"):
        await session.send()


@pytest.mark.asyncio
async def test_hanging_is_a_timeout(table: Any) -> None:
    async def mood(number: int, draft: Any) -> list[Move]:
        await asyncio.sleep(60)
        return []

    with pytest.raises(SystemFailureError, match=r"within 0\.05 s") as failure:
        await table.answer(guarded(mood, timeout=0.05, retries=1), "hi")
    assert failure.value.kind == "timeout"
    assert failure.value.attempts == 2


@pytest.mark.asyncio
async def test_something_else_than_moves_is_garbage(table: Any) -> None:
    async def mood(number: int, draft: Any) -> Any:
        return "just text"

    with pytest.raises(SystemFailureError) as failure:
        await table.answer(guarded(mood, retries=0), "hi")
    assert failure.value.kind == "garbage"


@pytest.mark.asyncio
async def test_drafts_of_a_failed_attempt_are_taken_back_and_stragglers_muted(table: Any) -> None:
    listeners = []

    async def mood(number: int, draft: Any) -> list[Move]:
        listeners.append(draft)
        draft(f"attempt {number}")
        if number == 1:
            raise AttemptError("garbage", "cut off")
        listeners[0]("a straggler")
        return [say("done")]

    drafts: list[str] = []
    await table.session(guarded(mood), "hi").send(drafts.append)
    assert drafts == ["attempt 1", "", "attempt 2"]


@pytest.mark.asyncio
async def test_no_more_than_the_limit_work_at_the_same_time(table: Any) -> None:
    working = most = 0

    async def mood(number: int, draft: Any) -> list[Move]:
        nonlocal working, most
        working += 1
        most = max(most, working)
        await asyncio.sleep(0.3)
        working -= 1
        return [say("ok")]

    # Waiting for a free place is not part of an attempt: nobody runs into the timeout.
    system = guarded(mood, concurrency=2, timeout=1.7, retries=0)
    sessions = [table.session(system, "hi", dialogue=f"d{i}") for i in range(12)]
    assert len(await asyncio.gather(*(session.send() for session in sessions))) == 12
    assert most == 2


@pytest.mark.asyncio
async def test_cancelling_is_no_failure_and_frees_the_place(table: Any) -> None:
    async def mood(number: int, draft: Any) -> list[Move]:
        if number == 1:
            await asyncio.sleep(60)
        return [say("ok")]

    system = guarded(mood, concurrency=1)
    task = asyncio.create_task(table.session(system, "hi").send())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await table.answer(system, "hi") == "ok"


@pytest.mark.asyncio
async def test_backing_off_doubles(table: Any) -> None:
    times: list[float] = []

    async def mood(number: int, draft: Any) -> list[Move]:
        times.append(time.monotonic())
        raise AttemptError("unreachable", "down")

    with pytest.raises(SystemFailureError):
        await table.answer(guarded(mood, backoff=0.04), "hi")
    first, second = times[1] - times[0], times[2] - times[1]
    assert first >= 0.04
    assert second >= 0.08


@pytest.mark.asyncio
async def test_a_script_takes_its_time_on_the_dialogues_clock(table: Any) -> None:
    system = table.build(kind="scripted", lines=["a", "b"], then="last", delay=20.0)
    place = table.place()
    session = system.new_session(place)
    assert (await session.send())[0].data == {"text": "a"}
    assert isinstance(place.clock, VirtualClock)
    assert place.clock.now() == 20.0
    assert await table.answer(system, "x", "a", "y", "b", "z") == "b"


@pytest.mark.asyncio
async def test_calls_are_counted_and_none_is_made_beyond_the_last(table: Any) -> None:
    async def mood(number: int, draft: Any) -> list[Move]:
        if number == 1:
            raise AttemptError("unreachable", "not yet")
        return [say("here")]

    system = guarded(mood, most_calls=3)
    assert await table.answer(system, "hi") == "here"
    assert await table.answer(system, "hi") == "here"

    with pytest.raises(SystemFailureError, match="All 3 calls are used up") as failure:
        await table.answer(system, "hi")
    assert (failure.value.kind, failure.value.attempts) == ("refused", 1)
    assert system.system.attempts == 3  # type: ignore[attr-defined]


@pytest.mark.asyncio
async def test_a_system_is_asked_at_its_pace(table: Any) -> None:
    async def mood(number: int, draft: Any) -> list[Move]:
        return [say("here")]

    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    system = guarded(mood, requests_per_second=2)
    pace = system.patience._pace
    pace._clock, pace._sleep = (lambda: 100.0), sleep
    for _ in range(3):
        await table.answer(system, "hi")

    assert waited == [0.5, 1.0]
