"""Measures of large studies, renewed beside the server when somebody looks at old ones.

What was measured is kept in the store, for every process and over restarts. A store that is only read
takes nothing; there it is kept in memory.
"""

import asyncio
import shutil
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from palaver.core.logs import get_log
from palaver.storage import Store
from palaver.storage.judging.summaries import KeptSummary
from palaver.studies.review.measures import StudyMeasures, keep_measures
from palaver.studies.review.question_overview import RaterFilter
from palaver.web.desk.beside import run_beside

log = get_log(__name__)

MODULE = "palaver.web.desk.measures.worker"
FOUND = "measures.json"
# While labels keep coming, no more than this share of the time is spent on measuring them again.
BUSY_SHARE = 1 / 3


class MeasureTask(msgspec.Struct, frozen=True, kw_only=True):
    """Whose answers of which study are to be measured.

    `file` is the study's, where it is served, and `digest` the version of it.
    """

    database: str
    study: str
    digest: str
    raters: RaterFilter
    file: str


class MeasuresFound(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured, by name, and the mark of the answers it was measured of."""

    mark: str
    time: float
    summaries: dict[str, str]


@dataclass(slots=True)
class _Renewal:
    """The renewing of one study's measures: under way, or not before some moment."""

    task: asyncio.Task[None] | None = None
    not_before: float = 0.0
    failure: str = ""
    unsaved: dict[str, KeptSummary] = field(default_factory=dict)


class MeasuresShelf:
    """Renews the measures of studies, one after the other."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._renewals: dict[tuple[int, str], _Renewal] = {}
        self._turn = asyncio.Lock()

    def with_unsaved(self, measures: StudyMeasures) -> StudyMeasures:
        """The measures with what is kept of them in memory."""
        renewal = self._renewals.get((measures.study_id, measures.raters))
        return measures if renewal is None else replace(measures, unsaved=renewal.unsaved)

    def renew(self, measures: StudyMeasures, *, file: str) -> str:
        """Measure a study again, unless that is under way or was done just now; why it failed last."""
        key = (measures.study_id, measures.raters)
        renewal = self._renewals.setdefault(key, _Renewal())
        is_busy = renewal.task is not None and not renewal.task.done()
        if not is_busy and time.monotonic() >= renewal.not_before:
            renewal.task = asyncio.create_task(self._renew(renewal, measures, file))
        return renewal.failure

    async def close(self) -> None:
        """Stop measuring."""
        tasks = [each.task for each in self._renewals.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _renew(self, renewal: _Renewal, measures: StudyMeasures, file: str) -> None:
        async with self._turn:
            if await self._store.read(measures.is_measured):
                return  # by the one before, which had nobody else's answers
            began = time.monotonic()
            task = MeasureTask(
                database=self._store.url,
                study=measures.study,
                digest=measures.digest,
                raters=measures.raters,
                file=file,
            )
            folder = Path(tempfile.mkdtemp(prefix="palaver-measures-"))
            try:
                failed = await run_beside(MODULE, folder, task)
                if failed is None:
                    found = msgspec.json.decode((folder / FOUND).read_bytes(), type=MeasuresFound)
                    await self._keep(renewal, measures.study_id, found)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            renewal.failure = failed or ""
            if failed is not None:
                log.warning(f"Study '{measures.study}' could not be measured: {failed}")
            taken = time.monotonic() - began
            renewal.not_before = time.monotonic() + taken * (1 / BUSY_SHARE - 1)

    async def _keep(self, renewal: _Renewal, study_id: int, found: MeasuresFound) -> None:
        kept = {
            name: KeptSummary(found.mark, content, found.time)
            for name, content in found.summaries.items()
        }
        if self._store.read_only:
            renewal.unsaved = kept
            return
        await self._store.write(lambda c: keep_measures(c, study_id, kept))
