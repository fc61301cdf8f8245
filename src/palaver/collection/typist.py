"""The signs of typing that a person's page would send, sent for a system.

A page says that somebody types at the first letter, says it again every few seconds for as long as
they go on, and takes it back just before the message goes out.
"""

import asyncio
import random
from collections.abc import Callable

from palaver.core.clock import Clock

# A page repeats the signal at the first letter after three seconds (see chat-composer.js).
AGAIN_SECONDS = (3.0, 3.6)

Signal = Callable[[bool], None]


class Typist:
    """One reply that seems to be typed."""

    def __init__(self, signal: Signal, clock: Clock, rng: random.Random, *, reading: float) -> None:
        self._signal = signal
        self._clock = clock
        self._rng = rng
        self._reading = reading
        self._on = False
        self._task: asyncio.Task[None] | None = None

    def __enter__(self) -> "Typist":
        if self._reading <= 0:
            self._say(True)
        self._task = asyncio.get_running_loop().create_task(self._go_on())
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the signal back, if it was given."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._on:
            self._say(False)

    async def _go_on(self) -> None:
        if not self._on:
            await self._clock.sleep(self._reading)
            self._say(True)
        while True:
            await self._clock.sleep(self._rng.uniform(*AGAIN_SECONDS))
            self._say(True)

    def _say(self, on: bool) -> None:
        self._on = on
        self._signal(on)
