"""One running program that reads and writes JSON lines; it never outlives its owner."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.systems.attempt import AttemptError, shorten

_STDERR_KEPT = 2048
_LONGEST_LINE = 4 * 1024 * 1024
_GRACE = 1.0


class Program:
    """A child process; `ask` is one exchange with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._last_words = b""
        self._listening = asyncio.create_task(self._keep_last_words())
        self.lock = asyncio.Lock()
        self.stopped = False

    @classmethod
    async def start(cls, arguments: list[str], *, folder: Path) -> "Program":
        """A program just started in `folder`."""
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
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _GRACE)
        await self.kill()

    async def kill(self) -> None:
        """End it and all it started, now."""
        self.stopped = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
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
