"""Samples of a model's memory while it is being asked."""

import asyncio
from collections.abc import Sequence

from palaver.core.protocols import Predictor

SECONDS = 1.0
# From so many samples on every second one is dropped, and the next ones are taken half as often.
MOST = 1000


class MemorySamples:
    """GiB that a model took, sampled about once a second; nothing where it cannot be measured."""

    def __init__(self, predictor: Predictor, known: Sequence[float] = ()) -> None:
        self.samples = list(known)
        self._predictor = predictor
        self._every = SECONDS
        self._sampling: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to sample."""
        self._sampling = asyncio.create_task(self._sample())

    async def stop(self) -> None:
        """Take a last sample and end."""
        if self._sampling is not None:
            self._sampling.cancel()
            await asyncio.wait([self._sampling])
            self._note()

    async def _sample(self) -> None:
        while self._note():
            await asyncio.sleep(self._every)

    def _note(self) -> bool:
        """Take a sample; whether there was one."""
        found = self._predictor.memory()
        if found is None:
            return False
        self.samples.append(found)
        if len(self.samples) > MOST:
            self.samples = self.samples[::2]
            self._every *= 2
        return True
