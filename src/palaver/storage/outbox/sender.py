"""The sender: takes what is due from an outbox, one after another, and notes what came of each.

Any number of senders share a store; leases keep them apart. What the other side took is noted before the
next is taken, so that a process that is killed loses none, and sends at most one twice.
"""

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import ClassVar, Generic, TypeVar

from palaver.core.clock import Backoff, Clock
from palaver.core.errors import StoreError
from palaver.core.logs import get_log
from palaver.core.outbox import HeldUp, Sendable, SendingAnswer, Sendings
from palaver.storage.engine.holders import new_holder
from palaver.storage.engine.store import Store
from palaver.storage.outbox.box import (
    Outbox,
    has_due,
    mark_sent,
    postpone,
    refuse,
    release,
    take,
)

T = TypeVar("T", bound=Sendable)
log = get_log(__name__)

# How long what is under way may take once the sender is told to stop.
STOP_SECONDS = 5.0


class OutboxSender(ABC, Generic[T]):
    """Sends what waits in an outbox; each kind says what an attempt is, and how patient it is."""

    # How long until it looks again by itself.
    look_seconds: ClassVar[float]
    # How long what was not taken waits after each attempt, and how many there are.
    pauses: ClassVar[Backoff]
    most_attempts: ClassVar[int]
    # What the log says while the store is away.
    store_away: ClassVar[str]

    def __init__(self, store: Store, box: Outbox[T], *, clock: Clock) -> None:
        self.holder = new_holder()
        self._store = store
        self._box = box
        self._clock = clock
        self._woken = asyncio.Event()

    @abstractmethod
    async def attempt(self, item: T) -> SendingAnswer | HeldUp:
        """Try to send one; what came of it."""

    @abstractmethod
    def log_refusal(self, item: T, why: str) -> None:
        """Say in the log that one is given up."""

    def worn_out(self, tried: int, why: str) -> str:
        """What is noted of one that was not taken so often that it is given up."""
        return why

    def rest(self, done: Sendings) -> float:
        """How many seconds to wait after a round."""
        return self.look_seconds

    def wake(self) -> None:
        """Look now: something was written."""
        self._woken.set()

    async def run(self) -> None:
        """Send whatever is due until cancelled."""
        while True:
            self._woken.clear()
            seconds = await self._look()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._woken.wait()

    async def _look(self) -> float:
        """Send what is due; how many seconds to wait before the next look."""
        try:
            return self.rest(await self.send_due())
        except StoreError as error:
            log.warning(self.store_away, error=str(error))
            return self.look_seconds

    async def send_due(self) -> Sendings:
        """Send everything that is due, once; stops where trouble concerns everything that waits."""
        done = Sendings()
        while not done.trouble and (item := await self._taken()) is not None:
            done += await self._unhurried(item)
        return done

    async def _taken(self) -> T | None:
        now = self._clock.now()
        if not await self._store.look_up(lambda c: has_due(c, self._box, now=now)):
            return None
        return await self._store.write(lambda c: take(c, self._box, self.holder, now=now))

    async def _unhurried(self, item: T) -> Sendings:
        """Send one; whoever stops the sender waits a moment for it, so that few go twice."""
        sending = asyncio.ensure_future(self._send(item))
        try:
            return await asyncio.shield(sending)
        except asyncio.CancelledError:
            await asyncio.wait([sending], timeout=STOP_SECONDS)
            raise

    async def _send(self, item: T) -> Sendings:
        answer = await self.attempt(item)
        if isinstance(answer, HeldUp):
            return await self._hold_back(item, answer)
        if not answer.taken:
            return await self._not_taken(item, answer)
        now, said = self._clock.now(), answer.reason
        await self._store.write(lambda c: mark_sent(c, self._box, item, now=now, reason=said))
        return Sendings(sent=1)

    async def _hold_back(self, item: T, held: HeldUp) -> Sendings:
        why, pause = held.reason, held.pause
        if pause is None:
            await self._store.write(lambda c: release(c, self._box, item, why))
            return Sendings(trouble=why)
        due = self._clock.now() + pause
        await self._store.write(lambda c: postpone(c, self._box, item, why, due=due, counts=False))
        return Sendings(postponed=1)

    async def _not_taken(self, item: T, answer: SendingAnswer) -> Sendings:
        tried, why = item.attempts + 1, answer.reason
        if answer.may_pass and tried < self.most_attempts:
            due = self._clock.now() + self.pauses.seconds(tried)
            await self._store.write(lambda c: postpone(c, self._box, item, why, due=due))
            return Sendings(postponed=1)
        if answer.may_pass:
            why = self.worn_out(tried, why)
        self.log_refusal(item, why)
        await self._store.write(lambda c: refuse(c, self._box, item, why))
        return Sendings(failed=1)
