"""Boards of advice, computed beside the server when somebody looks at one that is old.

What was computed is kept in the store, for every process and over restarts; a store that is only read
takes nothing, so there it is kept in memory.
"""

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palaver.core.logs import get_log
from palaver.evaluation.boards import Raters
from palaver.studies.advice.board_records import AdviceBoard
from palaver.studies.advice.kept_board import KeptBoard, keep_board, read_board, read_kept_board
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.web.desk.beside import run_beside

log = get_log(__name__)

MODULE = "palaver.web.boards.advice_worker"
FOUND = "board.json"
# How long a page waits for its board before it says that it is being computed.
PATIENCE = 2.5


class BoardTask(msgspec.Struct, frozen=True, kw_only=True):
    """Whose judgements of which study make the board; `digest` is the version of its file."""

    database: str
    study: str
    file: str
    digest: str
    raters: Raters


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """The latest board, if there is one; why a newer one could not be computed."""

    board: AdviceBoard | None
    is_current: bool
    failure: str = ""


@dataclass(slots=True)
class _Renewal:
    task: asyncio.Task[None] | None = None
    mark: str = ""
    failure: str = ""
    unsaved: KeptBoard | None = None


class AdviceBoards:
    """The boards of the rounds of a deployment; one is computed at a time."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._renewals: dict[tuple[str, Raters], _Renewal] = {}
        self._turn = asyncio.Lock()

    async def get(
        self, study: RunningStudy, raters: Raters, *, patience: float = PATIENCE
    ) -> FoundBoard:
        """The latest board of a round; one that is old or missing is computed meanwhile."""
        renewal = self._renewals.setdefault((study.name, raters), _Renewal())
        kept = await self._read(study, raters, renewal)
        if not kept.is_current and not (renewal.failure and renewal.mark == kept.mark):
            if renewal.task is None or renewal.task.done():
                renewal.task = asyncio.create_task(self._renew(renewal, study, raters, kept.mark))
            if kept.board is None:
                await asyncio.wait({renewal.task}, timeout=patience)
                kept = await self._read(study, raters, renewal)
        return FoundBoard(kept.board, kept.is_current, renewal.failure)

    async def close(self) -> None:
        """Stop computing."""
        tasks = [each.task for each in self._renewals.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, study: RunningStudy, raters: Raters, renewal: _Renewal) -> KeptBoard:
        kept = await self._deployment.store.read(
            lambda c: read_kept_board(c, study.id, study.definition, raters)
        )
        held = renewal.unsaved
        if kept.board is None and held is not None:
            return KeptBoard(held.board, held.mark == kept.mark, kept.mark)
        return kept

    async def _renew(
        self, renewal: _Renewal, study: RunningStudy, raters: Raters, mark: str
    ) -> None:
        task = BoardTask(
            database=self._deployment.store.url,
            study=study.name,
            file=str(study.definition.file),
            digest=study.definition.digest,
            raters=raters,
        )
        folder = Path(tempfile.mkdtemp(prefix="palaver-board-"))
        try:
            async with self._turn:
                failed = await run_beside(MODULE, folder, task)
            if failed is None:
                await self._keep(renewal, study, mark, (folder / FOUND).read_bytes())
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        renewal.mark, renewal.failure = mark, failed or ""
        if failed is not None:
            log.warning(f"The board of '{study.name}' could not be computed: {failed}")

    async def _keep(
        self, renewal: _Renewal, study: RunningStudy, mark: str, content: bytes
    ) -> None:
        board = read_board(content)
        assert board is not None
        if self._deployment.store.read_only:
            renewal.unsaved = KeptBoard(board, True, mark)
        else:
            # The mark is of before: what was answered meanwhile may be counted, but is not said to be.
            await self._deployment.store.write(lambda c: keep_board(c, study.id, mark, board))


def advice_boards(deployment: Deployment) -> AdviceBoards:
    """The boards of a deployment; made when they are first needed, closed when the server stops."""
    if AdviceBoards not in deployment.kept:
        deployment.kept[AdviceBoards] = AdviceBoards(deployment)
    boards: AdviceBoards = deployment.kept[AdviceBoards]
    return boards
