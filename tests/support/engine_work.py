"""Work for engines, importable where a cluster's workers run."""

import os
import signal
import time
from pathlib import Path

PIECES = 40
# The first piece that is held until a test says go.
HELD = 10


def square(number: int) -> int:
    """The square of a number."""
    return number * number


def held_square(piece: tuple[int, str]) -> int:
    """The square of a number; its start is noted, and from HELD on it waits for `go`."""
    number, folder = piece
    with (Path(folder) / f"{number}.starts").open("a") as file:
        file.write(f"{os.getpid()}\n")
    while number >= HELD and not (Path(folder) / "go").exists():
        time.sleep(0.02)
    return number * number


def die_once(piece: tuple[int, str]) -> int:
    """The square of a number; whoever is the first to work on 3 dies of it."""
    number, folder = piece
    mark = Path(folder) / "died"
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def refuse(number: int) -> int:
    """An error for one of the numbers."""
    if number == 3:
        raise ValueError("three is refused")
    return number


def drive(engine: str, folder: str) -> list[int]:
    """The squares of all pieces, in their order."""
    import asyncio

    from palaver.engines.registry import open_engine

    async def run() -> list[int]:
        opened = open_engine(engine)
        pieces = [(n, folder) for n in range(PIECES)]
        found = {n: value async for n, value in opened.map(held_square, pieces)}
        await opened.close()
        return [found[n] for n in range(PIECES)]

    return asyncio.run(run())


if __name__ == "__main__":
    import sys

    print(drive(sys.argv[1], sys.argv[2]), flush=True)
