"""Programs that read and write JSON lines, and models that run as such; none outlives its owner."""

import asyncio
import os
import shutil
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self

import msgspec

from palaver.core.errors import InputError
from palaver.systems.attempt import AttemptError, shorten

_STDERR_KEPT = 2048
_LONGEST_LINE = 4 * 1024 * 1024
_GRACE = 1.0

_GIB = 1024**3
_PROCESSES = Path("/proc")


class Program:
    """A child process; `ask` is one exchange with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._last_words = b""
        self._listening = asyncio.create_task(self._keep_last_words())
        self.lock = asyncio.Lock()
        self.stopped = False

    @classmethod
    async def start(cls, arguments: list[str], *, folder: Path) -> Self:
        try:
            process = await asyncio.create_subprocess_exec(
                *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=folder,
                limit=_LONGEST_LINE,
                # A Python program would otherwise keep its answer in a buffer.
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                # Its own group, so that what it starts ends with it.
                start_new_session=True,
            )
        except OSError as error:
            raise AttemptError("unreachable", f"'{arguments[0]}' did not start: {error}") from error
        return cls(process)

    async def ask(self, messages: Iterable[Any], take: Callable[[Any], bool]) -> None:
        """Write `messages`, then hand lines to `take` until it says that was the answer.

        Whatever goes wrong ends the program: after half an exchange nobody knows what its next
        line would be an answer to.
        """
        try:
            await self._write(messages)
            while not take(await self._read()):
                pass
        except BaseException:
            await self.kill()
            raise

    async def stop(self) -> None:
        """Close its input, give it a moment to leave, and end it."""
        self.stopped = True
        if self._process.stdin is not None:
            self._process.stdin.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _GRACE)
        await self.kill()

    async def kill(self) -> None:
        """End it and all it started, now."""
        self.stopped = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        # What it wrote to stderr is in the pipe by now, unless a stray child holds it open.
        await asyncio.wait([self._listening], timeout=0.2)
        self._listening.cancel()

    async def _write(self, messages: Iterable[Any]) -> None:
        stdin = self._process.stdin
        assert stdin is not None  # started with a pipe
        for message in messages:
            stdin.write(msgspec.json.encode(message) + b"\n")
        try:
            await stdin.drain()
        except ConnectionError:
            raise await self._gone() from None

    async def _read(self) -> Any:
        stdout = self._process.stdout
        assert stdout is not None  # started with a pipe
        try:
            line = await stdout.readline()
        except ValueError:
            raise AttemptError("garbage", "The program wrote a line of more than 4 MB.") from None
        if not line.endswith(b"\n"):
            raise await self._gone()
        try:
            return msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            seen = shorten(line.decode("utf-8", "replace").strip())
            raise AttemptError(
                "garbage", f"The program wrote something other than JSON ({error}): {seen!r}"
            ) from None

    async def _gone(self) -> AttemptError:
        await self.kill()
        words = self._last_words.decode("utf-8", "replace").strip()
        code = self._process.returncode
        told = f" Its last output: {words[-400:]}" if words else ""
        return AttemptError("unreachable", f"The program ended (exit code {code}).{told}")

    async def _keep_last_words(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None  # started with a pipe
        while piece := await stderr.read(_STDERR_KEPT):
            self._last_words = (self._last_words + piece)[-_STDERR_KEPT:]


class Child(Program):
    """A program whose memory can be measured."""

    @property
    def alive(self) -> bool:
        return not self.stopped and self._process.returncode is None

    @property
    def pid(self) -> int:
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


class ProcessRespondent(ABC):
    """What every model in processes of its own has in common: one child for each call at a time."""

    def __init__(self, *, number: int) -> None:
        self._number = number
        self._all: set[Child] = set()
        self._idle: list[Child] = []
        self._starting = asyncio.Lock()

    @property
    def ready(self) -> bool:
        return sum(child.alive for child in self._all) == self._number

    async def start(self) -> None:
        async with self._starting:
            self._all = {child for child in self._all if child.alive}
            missing = self._number - len(self._all)
            ended = await asyncio.gather(
                *(self._add() for _ in range(missing)), return_exceptions=True
            )
        problem = next((each for each in ended if each is not None), None)
        if problem is not None:
            raise problem

    @asynccontextmanager
    async def _child(self) -> AsyncIterator[Child]:
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
        children, self._all, self._idle = self._all, set(), []
        await asyncio.gather(*(child.stop() for child in children))

    @abstractmethod
    async def _begin(self) -> Child:
        """A child that is ready to answer."""

    async def _add(self) -> None:
        child = await self._begin()
        self._all.add(child)
        self._idle.append(child)

    def _waiting(self) -> Child:
        while self._idle:
            child = self._idle.pop()
            if child.alive:
                return child
        raise AttemptError("error", "The process ended while it was idle.", may_pass=True)


def executable(name: str, folder: Path) -> str:
    """The program as the operating system finds it; `python` is ours where there is no other."""
    own = folder / name
    if "/" in name and own.is_file():
        return str(own)
    found = shutil.which(name) or (sys.executable if name in {"python", "python3"} else None)
    if found is None:
        raise InputError(
            f"Option 'run': no program '{name}' on the PATH, and no file {own}. "
            "Write './name' for a program in that folder."
        )
    return found


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
