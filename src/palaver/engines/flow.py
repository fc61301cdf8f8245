"""What every engine does: keep so many pieces under way, and hand on whichever is done."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
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
