"""The engine that is always there: threads of this process."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from palaver.engines.flow import flow

T = TypeVar("T")
R = TypeVar("R")


class LocalEngine:
    """Work on threads, one per core; numpy and waiting for others let them run side by side."""

    def __init__(self, address: str = "") -> None:
        self.threads = int(address) if address.isdecimal() and int(address) else os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="palaver-engine")

    def map(
        self, work: Callable[[T], R], pieces: Iterable[T], *, in_flight: int | None = None
    ) -> AsyncIterator[tuple[int, R]]:
        """Yield (number of the piece, result) as pieces are done."""
        loop = asyncio.get_running_loop()
        return flow(
            lambda piece: loop.run_in_executor(self._pool, work, piece),
            pieces,
            in_flight=in_flight or self.threads,
        )

    async def close(self) -> None:
        """Wait for what runs and end the threads."""
        await asyncio.to_thread(self._pool.shutdown)
