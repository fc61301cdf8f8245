"""Processes that answer questions: started when needed, kept, used by one call at a time, measured."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

from palaver.systems.attempt import AttemptError
from palaver.systems.processes.program import Program

_GIB = 1024**3
_PROCESSES = Path("/proc")


class Child(Program):
    """A program whose memory can be measured."""

    @classmethod
    async def begin(cls, arguments: list[str], *, folder: Path) -> "Child":
        """A child just started in `folder`."""
        return cast(Child, await cls.start(arguments, folder=folder))

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return not self.stopped and self._process.returncode is None

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    async def exchange(self, messages: Iterable[Any], take: Callable[[Any], bool]) -> None:
        """One `ask`; a child that ended over a question is no proof that the next one will."""
        try:
            await self.ask(messages, take)
        except AttemptError as error:
            if error.kind != "unreachable":
                raise
            out_of_memory = self._process.returncode == -9
            hint = " The system may have killed it because memory ran out." if out_of_memory else ""
            raise AttemptError("error", f"{error}{hint}", may_pass=True) from None


class Children:
    """As many children as there may be calls at a time."""

    def __init__(self, start: Callable[[], Awaitable[Child]], *, number: int) -> None:
        self._start = start
        self._number = number
        self._all: set[Child] = set()
        self._idle: list[Child] = []
        self._filling = asyncio.Lock()

    @property
    def complete(self) -> bool:
        """Whether all of them run."""
        return sum(child.alive for child in self._all) == self._number

    async def fill(self) -> None:
        """Start those that are missing."""
        async with self._filling:
            self._all = {child for child in self._all if child.alive}
            missing = self._number - len(self._all)
            ended = await asyncio.gather(
                *(self._add() for _ in range(missing)), return_exceptions=True
            )
        problem = next((each for each in ended if each is not None), None)
        if problem is not None:
            raise problem

    @asynccontextmanager
    async def one(self) -> AsyncIterator[Child]:
        """A child for one exchange."""
        child = self._waiting()
        try:
            yield child
        finally:
            if child.alive and child in self._all:
                self._idle.append(child)

    def memory(self) -> float | None:
        """GiB that all of them and what they started take now; None before the first one runs."""
        sizes = [resident(child.pid) for child in self._all if child.alive]
        known = [size for size in sizes if size is not None]
        return sum(known) / _GIB if known else None

    async def close(self) -> None:
        """End them all."""
        children, self._all, self._idle = self._all, set(), []
        await asyncio.gather(*(child.stop() for child in children))

    async def _add(self) -> None:
        child = await self._start()
        self._all.add(child)
        self._idle.append(child)

    def _waiting(self) -> Child:
        while self._idle:
            child = self._idle.pop()
            if child.alive:
                return child
        raise AttemptError("error", "The process ended while it was idle.", may_pass=True)


def resident(pid: int) -> int | None:
    """Bytes in memory of a process and its descendants; None where /proc does not tell."""
    try:
        pages = int((_PROCESSES / str(pid) / "statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    own = pages * os.sysconf("SC_PAGE_SIZE")
    return own + sum(resident(child) or 0 for child in _children_of(pid))


def _children_of(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in (_PROCESSES / str(pid) / "task").iterdir():
            with suppress(OSError):
                found += [int(each) for each in (task / "children").read_text().split()]
    return found
