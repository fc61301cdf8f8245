"""The engine that is always there: threads of this process.

`flow` is what every engine does: keep so many pieces under way, and hand on whichever is done.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def flow(
    start: Callable[[T], Awaitable[R]], pieces: Iterable[T], *, in_flight: int
) -> AsyncIterator[tuple[int, R]]:
    """Yield (number of the piece, result) as pieces are done, with at most `in_flight` under way.

    Pieces are taken one by one, so that a long list need not be held. The first error is raised and
    the rest is given up.
    """
    waiting = enumerate(pieces)
    running: dict[asyncio.Future[R], int] = {}
    try:
        while True:
            while len(running) < in_flight:
                found = next(waiting, None)
                if found is None:
                    break
                number, piece = found
                running[asyncio.ensure_future(start(piece))] = number
            if not running:
                return
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()
    finally:
        for future in running:
            future.cancel()
        await asyncio.gather(*running, return_exceptions=True)


class LocalEngine:
    """Work on threads, one per core; numpy and waiting for others let them run side by side."""

    def __init__(self, address: str = "") -> None:
        self.threads = int(address) if address.isdecimal() and int(address) else os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="palaver-engine")

    def map(
        self, work: Callable[[T], R], pieces: Iterable[T], *, in_flight: int | None = None
    ) -> AsyncIterator[tuple[int, R]]:
        loop = asyncio.get_running_loop()
        return flow(
            lambda piece: loop.run_in_executor(self._pool, work, piece),
            pieces,
            in_flight=in_flight or self.threads,
        )

    async def close(self) -> None:
        """Wait for what runs and end the threads."""
        await asyncio.to_thread(self._pool.shutdown)
