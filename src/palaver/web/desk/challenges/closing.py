"""Closing a challenge from the desk: computed beside the server, while its page says so."""

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec
from starlette.requests import Request

from palaver.core.audit import Via
from palaver.core.logs import get_log
from palaver.web.desk.beside import run_beside

log = get_log(__name__)

MODULE = "palaver.web.desk.challenges.close_worker"


class CloseTask(msgspec.Struct, frozen=True, kw_only=True):
    """Which challenge is to be closed, in which home, by whom and when."""

    database: str
    home: str
    challenge: str
    publish: bool
    actor: str
    via: Via
    address: str | None
    now: float


@dataclass(slots=True)
class _Closing:
    task: asyncio.Task[None] | None = None
    failure: str = ""


class Closings:
    """The challenges that are being closed by this process."""

    def __init__(self) -> None:
        self._known: dict[str, _Closing] = {}

    def start(self, task: CloseTask) -> None:
        """Close a challenge, unless that is under way."""
        closing = self._known.setdefault(task.challenge, _Closing())
        if not self.is_under_way(task.challenge):
            closing.failure = ""
            closing.task = asyncio.create_task(self._close(closing, task))

    def is_under_way(self, challenge: str) -> bool:
        """Whether a challenge is being closed."""
        known = self._known.get(challenge)
        return known is not None and known.task is not None and not known.task.done()

    def failure(self, challenge: str) -> str:
        """Why the last attempt failed; empty if it did not."""
        known = self._known.get(challenge)
        return "" if known is None else known.failure

    async def close(self) -> None:
        """Stop; what is not closed yet stays open."""
        tasks = [each.task for each in self._known.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _close(self, closing: _Closing, task: CloseTask) -> None:
        folder = Path(tempfile.mkdtemp(prefix="palaver-closing-"))
        try:
            failed = await run_beside(MODULE, folder, task)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        closing.failure = failed or ""
        if failed is not None:
            log.warning(f"The challenge '{task.challenge}' was not closed: {failed}")


def closings_of(request: Request) -> Closings:
    """What this process closes; made when it is first asked for."""
    state = request.app.state
    if state.closings is None:
        state.closings = Closings()
    found: Closings = state.closings
    return found
