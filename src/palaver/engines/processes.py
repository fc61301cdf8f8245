"""`processes://4`: work that keeps a processor busy, on processes of this machine.

A process that dies costs a repetition of the pieces that were under way; one that is left alone,
because this process was killed, ends by itself.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import TypeVar

from palaver.core.errors import EngineError
from palaver.engines.local import flow

T = TypeVar("T")
R = TypeVar("R")

# Pieces under way for each process: one to work on, one to follow.
AHEAD = 2
# How often a piece is tried again after a process died.
RETRIES = 3


class ProcessEngine:
    """Processes of this machine, one per core unless a number is given."""

    def __init__(self, address: str = "") -> None:
        given = int(address) if address.isdecimal() else 0
        self.processes = given or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None

    def map(
        self, work: Callable[[T], R], pieces: Iterable[T], *, in_flight: int | None = None
    ) -> AsyncIterator[tuple[int, R]]:
        async def start(piece: T) -> R:
            return await self._persist(work, piece)

        return flow(start, pieces, in_flight=in_flight or self.processes * AHEAD)

    async def close(self) -> None:
        """Give up what nobody has begun, wait for what runs, and end the processes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)

    async def _persist(self, work: Callable[[T], R], piece: T) -> R:
        loop = asyncio.get_running_loop()
        for _ in range(RETRIES + 1):
            pool = self._opened()
            try:
                return await loop.run_in_executor(pool, work, piece)
            except BrokenProcessPool:
                # All pieces of a broken pool come here; the first makes a new one.
                if self._pool is pool:
                    self._pool = None
        raise EngineError(
            f"A process that worked on a piece died {RETRIES + 1} times; its memory may be too small."
        )

    def _opened(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # A fork would copy locks that threads of this process hold.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self.processes, mp_context=context, initializer=_settle_in
            )
        return self._pool


def _settle_in() -> None:
    """Leave Ctrl-C to the process that handed out the work, and end when it has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def end_with_parent() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
