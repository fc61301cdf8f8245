"""How a connector is asked: so many calls at a time, at a pace, in time, and again where that may help.

What may pass (a lost connection, a time-out, 5xx, 429) is tried again after a pause that doubles, or
that the other side asked for; what may not is refused at once. Pauses are of real time even where a
dialogue runs on a virtual clock: the outside world that needs a pause does not live on ours.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import CoroutineType
from typing import TypeVar, cast

from palaver.systems.attempt import AttemptError
from palaver.systems.options import CallOptions
from palaver.systems.promptness import Prompt, begin

T = TypeVar("T")


def may_pass(error: AttemptError) -> bool:
    """Whether another attempt may go better."""
    return error.may_pass


class Turnstile:
    """Hands out turns to all calls; without a rate everybody goes at once, unless a pause was asked for.

    It holds one turn and gets another every 1/rate seconds, so no second ever sees more calls than it
    may, not even the first one.
    """

    def __init__(
        self,
        rate: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._gap = 0.0 if rate is None else 1.0 / rate
        self._clock = clock
        self._sleep = sleep
        self._next = 0.0

    async def turn(self) -> None:
        """Wait until it is this call's turn; turns are given in the order they are asked for."""
        now = self._clock()
        mine = max(now, self._next)
        if self._gap:
            self._next = mine + self._gap
        if mine > now:
            await self._sleep(mine - now)

    @property
    def is_open(self) -> bool:
        """Whether whoever comes now goes at once."""
        return not self._gap and (not self._next or self._clock() >= self._next)

    def pause(self, seconds: float) -> None:
        """Let nobody go for so long: the other side asked for it."""
        self._next = max(self._next, self._clock() + seconds)


class Patience:
    """The limits that all calls of one connector share.

    No pause is longer than `longest` seconds; a service that asks for more is not asked again.
    """

    def __init__(
        self, options: CallOptions, *, longest: float, pace: Turnstile | None = None
    ) -> None:
        self.options = options
        self.slots = asyncio.Semaphore(options.concurrency)
        self._longest = longest
        self._pace = pace or Turnstile(options.requests_per_second)
        self._left = options.most_calls

    async def persist(
        self,
        attempt: Callable[[], Awaitable[T]],
        *,
        again: Callable[[AttemptError], bool] = may_pass,
    ) -> T:
        """What an attempt comes to; the AttemptError of the last one says how many there were.

        `again` says after which failures there is another one.
        """
        number = 1
        while True:
            try:
                return await attempt()
            except AttemptError as error:
                error.attempts = number
                pause = self._pause(error, number) if again(error) else None
                if pause is None:
                    raise
            await asyncio.sleep(pause)
            number += 1

    async def ask(self, call: Callable[[], Awaitable[T]]) -> T:
        """What a call comes to, in one of the slots; one that answers at once needs no timer."""
        async with self.slots:
            if self._left is None and self._pace.is_open:
                asked = call()
                if isinstance(asked, CoroutineType):
                    try:
                        begun = begin(asked)
                    except TimeoutError as error:  # its own, as below
                        raise self._too_late() from error
                    if isinstance(begun, Prompt):
                        return cast("T", begun.value)
                    asked = begun.rest()
                async with self.call():
                    return await asked
            async with self.call():
                return await call()

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """One call: when it is its turn, within the time for one."""
        self._spend()
        await self._pace.turn()
        try:
            async with asyncio.timeout(self.options.timeout):
                yield
        except TimeoutError as error:
            raise self._too_late() from error

    def _too_late(self) -> AttemptError:
        told = f"No answer within {self.options.timeout:g} s (option 'timeout')."
        return AttemptError("timeout", told, is_final=self.options.late_is_final)

    def _spend(self) -> None:
        if self._left is None:
            return
        if not self._left:
            told = f"All {self.options.most_calls:,} calls are used up (option 'most_calls')."
            raise AttemptError("refused", told, may_pass=False)
        self._left -= 1

    def _pause(self, error: AttemptError, number: int) -> float | None:
        """The seconds before the next attempt; None if there is to be none."""
        if number > self.options.retries:
            return None
        if error.wait is not None:
            if error.wait > self._longest:
                return None
            self._pace.pause(error.wait)
            return error.wait
        # The spread keeps calls that failed together from coming back together.
        spread = 1 + random.random() / 2
        return min(self._longest, self.options.backoff * 2.0 ** (number - 1) * spread)
