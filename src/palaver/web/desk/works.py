"""Pieces of work that somebody starts at the desk and that take longer than a page waits.

Each is done in a process beside the server (`beside`); its page says how far it is and then what came of
it, until this server stops. What the work was for is in the store by then.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from palaver.core.logs import get_log
from palaver.studies.run.deployment import Deployment
from palaver.web.desk.beside import run_beside

log = get_log(__name__)

# In the folder of a piece of work: what came of it, and how far it is.
RESULT = "result.json"
PROGRESS = "progress.txt"


@dataclass(slots=True)
class BackgroundWork:
    """One piece of work: under way, failed, or done with a `result`; `began` is when it was started."""

    began: float
    folder: Path
    task: asyncio.Task[None] | None = None
    failure: str = ""
    result: bytes = field(default=b"", repr=False)

    @property
    def is_under_way(self) -> bool:
        return self.task is not None and not self.task.done()

    @property
    def progress(self) -> str:
        """How far it is, in words; empty where that is not known."""
        try:
            return (self.folder / PROGRESS).read_text(encoding="utf-8")
        except OSError:
            return ""


class Works:
    """What this process lets be done beside it; of one name there is one piece of work at a time."""

    def __init__(self) -> None:
        self._known: dict[Hashable, BackgroundWork] = {}

    def start(self, name: Hashable, module: str, task: msgspec.Struct, *, now: float) -> None:
        """Begin, unless the piece of work is under way."""
        known = self._known.get(name)
        if known is not None and known.is_under_way:
            return
        work = BackgroundWork(began=now, folder=Path(tempfile.mkdtemp(prefix="palaver-work-")))
        self._known[name] = work
        work.task = asyncio.create_task(self._do(name, work, module, task))

    def find(self, name: Hashable) -> BackgroundWork | None:
        """The piece of work, if it was started here."""
        return self._known.get(name)

    async def close(self) -> None:
        """Stop what is under way."""
        tasks = [each.task for each in self._known.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _do(
        self, name: Hashable, work: BackgroundWork, module: str, task: msgspec.Struct
    ) -> None:
        try:
            failed = await run_beside(module, work.folder, task)
            result = work.folder / RESULT
            if failed is None and result.exists():
                work.result = result.read_bytes()
        finally:
            shutil.rmtree(work.folder, ignore_errors=True)
        work.failure = failed or ""
        if failed is not None:
            log.warning("work_failed", work=repr(name), error=failed)


def works_of(deployment: Deployment) -> Works:
    """The works of a deployment; made when first needed, stopped with the server."""
    if Works not in deployment.kept:
        deployment.kept[Works] = Works()
    works: Works = deployment.kept[Works]
    return works
