"""The results of a study, computed beside the server and kept while nothing changes.

Bootstraps and figures take seconds and a hundred megabytes. A process of its own computes them (the
same report that `palaver report` writes), so that conversations do not wait and the server stays
small. What it wrote is kept until an answer changes.
"""

import asyncio
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palaver.web.desk.results_task import FRAGMENT, HEAD, REPORT, Head, Task

# How long a page waits for its results before it says that they are being computed.
PATIENCE = 2.5
# Nobody waits longer than this for a report; it is then named as a failure.
LIMIT = 900.0


@dataclass(frozen=True, slots=True)
class Results:
    """What was computed: the head of the page, its parts as HTML, and the folder of the report."""

    head: Head
    parts: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there are no results."""

    reason: str


@dataclass(slots=True)
class _Job:
    mark: str
    folder: Path
    task: asyncio.Task[Results | Failure]


class ResultsShelf:
    """The latest results of each study and kind of rater; one is computed at a time."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="palaver-results-"))
        self._jobs: dict[tuple[str, str], _Job] = {}
        self._turn = asyncio.Lock()
        self._number = 0

    async def get(
        self, task: Task, *, mark: str, patience: float = PATIENCE
    ) -> Results | Failure | None:
        """The results of a study as it is judged now; None while they are being computed."""
        key = (task.study, task.raters)
        job = self._jobs.get(key)
        if job is None or (job.task.done() and job.mark != mark):
            if job is not None:
                shutil.rmtree(job.folder, ignore_errors=True)
            job = self._jobs[key] = self._start(task, mark)
        done, _ = await asyncio.wait({job.task}, timeout=patience)
        return job.task.result() if done else None

    def forget(self, study: str, raters: str) -> None:
        """Compute this study's results again when they are next asked for."""
        job = self._jobs.get((study, raters))
        if job is not None and job.task.done():
            del self._jobs[study, raters]
            shutil.rmtree(job.folder, ignore_errors=True)

    async def close(self) -> None:
        """Stop computing and remove what was computed."""
        for job in self._jobs.values():
            job.task.cancel()
        await asyncio.gather(*(job.task for job in self._jobs.values()), return_exceptions=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, task: Task, mark: str) -> _Job:
        self._number += 1
        folder = self._folder / str(self._number)
        folder.mkdir()
        return _Job(mark, folder, asyncio.create_task(self._compute(task, folder)))

    async def _compute(self, task: Task, folder: Path) -> Results | Failure:
        async with self._turn:
            # The rate of one computation is limited so that it leaves the processor to the chats.
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "palaver.web.desk.results_worker",
                str(folder),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
            try:
                async with asyncio.timeout(LIMIT):
                    _, said = await process.communicate(msgspec.json.encode(task))
            except TimeoutError:
                return Failure(f"Computing took longer than {LIMIT / 60:.0f} minutes.")
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        if process.returncode != 0:
            lines = said.decode("utf-8", "replace").strip().splitlines()
            return Failure(lines[-1] if lines else "The computation stopped without a word.")
        head = msgspec.json.decode((folder / HEAD).read_bytes(), type=Head)
        parts = (folder / FRAGMENT).read_text(encoding="utf-8")
        return Results(head, parts, folder / REPORT)
