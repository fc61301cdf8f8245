"""Verdicts on tracks, computed beside the server when somebody looks at a board that has none.

A verdict compares every run with every other, which takes seconds to minutes; a page says that it is
under way. It is kept with the files of the home, for every process and over restarts.
"""

import asyncio
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palaver.core.evaluation.challenge_standings import TrackStandings
from palaver.core.evaluation.challenges import Part
from palaver.core.logs import get_log
from palaver.web.challenges.access import ChallengeVisit
from palaver.web.desk.accounts import deployment_of
from palaver.web.desk.beside import run_beside

log = get_log(__name__)

MODULE = "palaver.web.challenges.verdict_worker"
# While runs keep coming, no more than this share of the time is spent on comparing them again.
BUSY_SHARE = 1 / 3


class TrackVerdictTask(msgspec.Struct, frozen=True, kw_only=True):
    """Which track of which challenge is to be compared, and the home that it lies in."""

    database: str
    home: str
    challenge: str
    track: str
    phase: str
    part: Part


@dataclass(slots=True)
class _Comparison:
    """The comparison of one track: under way, or not before some moment."""

    task: asyncio.Task[None] | None = None
    not_before: float = 0.0
    failure: str = ""


class VerdictShelf:
    """Computes verdicts, one after the other."""

    def __init__(self) -> None:
        self._comparisons: dict[TrackVerdictTask, _Comparison] = {}
        self._turn = asyncio.Lock()

    def want(self, task: TrackVerdictTask) -> str:
        """Compare a track, unless that is under way or was done just now; why it failed last."""
        comparison = self._comparisons.setdefault(task, _Comparison())
        is_busy = comparison.task is not None and not comparison.task.done()
        if not is_busy and time.monotonic() >= comparison.not_before:
            comparison.task = asyncio.create_task(self._compare(comparison, task))
        return comparison.failure

    async def close(self) -> None:
        """Stop comparing."""
        tasks = [each.task for each in self._comparisons.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _compare(self, comparison: _Comparison, task: TrackVerdictTask) -> None:
        async with self._turn:
            began = time.monotonic()
            folder = Path(tempfile.mkdtemp(prefix="palaver-verdict-"))
            try:
                failed = await run_beside(MODULE, folder, task)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            comparison.failure = failed or ""
            if failed is not None:
                log.warning(f"Track '{task.track}' of '{task.challenge}' has no verdict: {failed}")
            taken = time.monotonic() - began
            comparison.not_before = time.monotonic() + taken * (1 / BUSY_SHARE - 1)


@dataclass(frozen=True, slots=True)
class Awaited:
    """Whether a verdict is being computed, and why it could not be where it could not."""

    is_coming: bool
    failure: str = ""


def await_verdict(found: ChallengeVisit, board: TrackStandings) -> Awaited:
    """Have the verdict of a board computed where it is missing and there is something to compare."""
    is_comparable = sum(bool(each.scores) for each in board.rows) > 1
    if board.withheld or board.verdict is not None or not is_comparable:
        return Awaited(is_coming=False)
    deployment, state = deployment_of(found.request), found.request.app.state
    if deployment.store.read_only:
        return Awaited(is_coming=False, failure="this is a read-only copy.")
    if state.verdicts is None:
        state.verdicts = VerdictShelf()
    shelf: VerdictShelf = state.verdicts
    failure = shelf.want(
        TrackVerdictTask(
            database=deployment.store.url,
            home=str(found.home.folder),
            challenge=found.row.name,
            track=board.track,
            phase=board.phase,
            part=board.part,
        )
    )
    return Awaited(is_coming=not failure, failure=failure)
