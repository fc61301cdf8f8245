"""Work for engines, importable where a cluster's workers run."""

import os
import time
from pathlib import Path


def square(number: int) -> int:
    """The square of a number."""
    return number * number


def slow_square(piece: tuple[int, str]) -> tuple[int, int]:
    """The square of a number after a while, and which process worked; each start is noted."""
    number, folder = piece
    with (Path(folder) / f"{number}.starts").open("a") as file:
        file.write("x")
    time.sleep(0.15)
    return number * number, os.getpid()


def refuse(number: int) -> int:
    """An error for one of the numbers."""
    if number == 3:
        raise ValueError("three is refused")
    return number


def drive(engine: str, folder: str) -> list[int]:
    """Map forty slow squares; prints how many are done as it goes."""
    import asyncio

    from palaver.engines.opening import open_engine

    async def run() -> list[int]:
        opened = open_engine(engine)
        found: dict[int, int] = {}
        pids = set()
        async for number, (value, pid) in opened.map(slow_square, [(n, folder) for n in range(40)]):
            found[number] = value
            pids.add(pid)
            print(f"done {len(found)} of {len(pids)} processes", flush=True)
        await opened.close()
        return [found[n] for n in range(40)]

    return asyncio.run(run())


if __name__ == "__main__":
    import sys

    print("result", drive(sys.argv[1], sys.argv[2]), flush=True)
