"""How fast calls may follow each other: one bucket for all calls of a predictor.

The bucket holds one token and gets another every 1/rate seconds, so no second ever sees more calls
than it may, not even the first one.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable


class Pace:
    """Hands out turns; without a rate everybody goes at once, unless a pause was asked for."""

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

    def pause(self, seconds: float) -> None:
        """Let nobody go for so long: the other side asked for it."""
        self._next = max(self._next, self._clock() + seconds)
