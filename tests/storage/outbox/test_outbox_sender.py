"""The sender that all outboxes share: what it does after each answer, and when it is stopped."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import Connection

from palaver.core.clock import Backoff, VirtualClock
from palaver.core.errors import StoreUnavailableError
from palaver.core.letters import Letter
from palaver.core.outbox import HeldUp, SendingAnswer, Sendings
from palaver.storage import Store
from palaver.storage.outbox.letters import LETTERS, count_mails, enqueue_mail, find_mail
from palaver.storage.outbox.sender import OutboxSender

pytestmark = pytest.mark.asyncio
NOW = 1_700_000_000.0
TAKEN = SendingAnswer(True)
BUSY = SendingAnswer(False, "Busy.", may_pass=True)
NEVER = SendingAnswer(False, "Nobody of that name.")

Said = SendingAnswer | HeldUp


class Scripted(OutboxSender[Letter]):
    """Hands letters to nobody, and gets the answers that a test wrote."""

    look_seconds = 0.01
    pauses = Backoff(base=10.0, cap=1000.0)
    most_attempts = 3
    store_away = "scripted_waits_for_store"

    def __init__(self, store: Store, *answers: Said) -> None:
        self.clock = VirtualClock(NOW)
        super().__init__(store, LETTERS, clock=self.clock)
        self.answers = list(answers)
        self.before: Callable[[], Awaitable[object]] | None = None
        self.sent: list[str] = []
        self.given_up: list[tuple[str, str]] = []

    async def attempt(self, item: Letter) -> Said:
        if self.before is not None:
            await self.before()
        self.sent.append(item.key)
        return self.answers.pop(0) if self.answers else TAKEN

    def log_refusal(self, item: Letter, why: str) -> None:
        self.given_up.append((item.key, why))

    def worn_out(self, tried: int, why: str) -> str:
        return f"After {tried}: {why}"


class Patient(Scripted):
    """One that hardly ever looks by itself."""

    look_seconds = 3600.0


def put(store: Store, *keys: str) -> None:
    for key in keys:
        store.write_now(
            lambda c, key=key: enqueue_mail(
                c,
                recipient="ada@example.org",
                subject="Hello",
                text="A line.",
                about="",
                now=NOW,
                key=key,
            )
        )


def standing(store: Store, key: str = "a") -> tuple[str, int, float, str]:
    """State, attempts, how long it waits, and what was said last."""
    letter = store.read_now(lambda c: find_mail(c, key))
    return letter.state, letter.attempts, letter.due - NOW, letter.reason


async def test_everything_that_is_due_is_tried_once(store: Store) -> None:
    put(store, "a", "b", "c")
    sender = Scripted(store, TAKEN, BUSY, NEVER)
    assert await sender.send_due() == Sendings(sent=1, postponed=1, failed=1)
    assert await sender.send_due() == Sendings()
    assert sender.sent == ["a", "b", "c"]
    assert standing(store, "b") == ("waiting", 1, 10.0, "Busy.")
    assert standing(store, "c") == ("failed", 1, 0.0, "Nobody of that name.")
    assert sender.given_up == [("c", "Nobody of that name.")]


async def test_one_waits_longer_each_time_and_is_given_up_in_the_end(store: Store) -> None:
    put(store, "a")
    sender = Scripted(store, BUSY, BUSY, BUSY)
    await sender.send_due()
    await sender.clock.sleep(10.0)
    await sender.send_due()
    assert standing(store) == ("waiting", 2, 30.0, "Busy.")
    await sender.clock.sleep(20.0)
    assert await sender.send_due() == Sendings(failed=1)
    assert sender.given_up == [("a", "After 3: Busy.")]


async def test_what_is_held_up_was_not_tried_and_the_others_go_on(store: Store) -> None:
    put(store, "a", "b")
    sender = Scripted(store, HeldUp("No key.", pause=60.0))
    assert await sender.send_due() == Sendings(sent=1, postponed=1)
    assert standing(store) == ("waiting", 0, 60.0, "No key.")


async def test_trouble_that_concerns_all_stops_the_round(store: Store) -> None:
    put(store, "a", "b")
    sender = Scripted(store, TAKEN, HeldUp("No server."))
    assert await sender.send_due() == Sendings(sent=1, trouble="No server.")
    assert standing(store, "b") == ("waiting", 0, 0.0, "No server.")
    assert await sender.send_due() == Sendings(sent=1)


async def test_whoever_is_woken_looks_at_once(store: Store) -> None:
    sender = Patient(store)
    running = asyncio.create_task(sender.run())
    await asyncio.sleep(0.05)
    put(store, "a")
    sender.wake()
    await until(lambda: bool(sender.sent))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert sender.sent == ["a"]


async def test_what_is_under_way_is_noted_when_the_sender_is_stopped(store: Store) -> None:
    put(store, "a", "b")
    sender, begun, gate = Scripted(store), asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        begun.set()
        await gate.wait()

    sender.before = hold
    running = asyncio.create_task(sender.run())
    await begun.wait()
    running.cancel()
    gate.set()
    await asyncio.gather(running, return_exceptions=True)
    assert store.read_now(count_mails) == {"waiting": 1, "sent": 1, "failed": 0}


async def test_a_store_that_is_away_is_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "a")
    sender, tried, look_up = Scripted(store), [], store.look_up

    async def away_at_first(work: Callable[[Connection], bool]) -> bool:
        tried.append(work)
        if len(tried) == 1:
            raise StoreUnavailableError("The database is away.")
        return await look_up(work)

    monkeypatch.setattr(store, "look_up", away_at_first)
    running = asyncio.create_task(sender.run())
    await until(lambda: bool(sender.sent))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert len(tried) > 1
    assert sender.sent == ["a"]


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not done():
            await asyncio.sleep(0.01)
