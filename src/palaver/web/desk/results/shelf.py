"""The results of a study, computed beside the server and kept while nothing changes.

Bootstraps and figures take seconds and a hundred megabytes. A process of its own computes them (the
same report that `palaver report` writes), so that conversations do not wait and the server stays
small. What it wrote is kept until an answer changes.
"""

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec
from markupsafe import Markup

from palaver.core.studies.headline import Headline
from palaver.web.desk.beside import run_beside

REPORT = "report"
HEAD = "head.json"
FRAGMENT = "parts.html"
PROGRESS = "progress.json"
# How long a page waits for its results before it says that they are being computed.
PATIENCE = 2.5
MODULE = "palaver.web.desk.results.worker"


class ResultsTask(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be computed; `address` is the study's page on the desk."""

    database: str
    study: str
    raters: str
    file: str
    root: str
    address: str


class StepProgress(msgspec.Struct, frozen=True, kw_only=True):
    """Which step of how many is being taken, in words."""

    number: int
    of: int
    step: str


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What a report says first, and when it was made."""

    headline: Headline
    state: str
    facts: str
    methods: list[str]
    contents: list[tuple[str, str]]
    seed: int
    made: float
    empty: bool


@dataclass(frozen=True, slots=True)
class Results:
    """What was computed: the head of the page, its parts as HTML, and the folder of the report."""

    head: Head
    parts: Markup
    folder: Path


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there are no results."""

    reason: str


@dataclass(slots=True)
class _Place:
    """What is known of one study and kind of rater: the latest outcome, and what is under way."""

    outcome: Results | Failure | None = None
    mark: str = ""
    folder: Path | None = None
    under_way: Path | None = None
    task: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        return self.task is not None and not self.task.done()


class ResultsShelf:
    """The latest results of each study and kind of rater; one is computed at a time."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="palaver-results-"))
        self._places: dict[tuple[str, str], _Place] = {}
        self._turn = asyncio.Lock()
        self._number = 0

    async def get(
        self, task: ResultsTask, *, mark: str, patience: float = PATIENCE
    ) -> tuple[Results | Failure | None, bool]:
        """The latest results of a study, and whether they are of the answers as they stand now.

        Nothing while the first are being computed. Results of earlier answers are given at once,
        and new ones computed meanwhile.
        """
        place = self._places.setdefault((task.study, task.raters), _Place())
        if place.outcome is None or place.mark != mark:
            if not place.is_busy:
                place.task = asyncio.create_task(self._renew(place, task, mark))
            if place.outcome is None and place.task is not None:
                await asyncio.wait({place.task}, timeout=patience)
        return place.outcome, place.mark == mark

    def known(self, study: str, raters: str, mark: str) -> Results | None:
        """The results of the answers that have this mark, if they are here; nothing is begun."""
        place = self._places.get((study, raters))
        if place is None or place.mark != mark or not isinstance(place.outcome, Results):
            return None
        return place.outcome

    def progress(self, study: str, raters: str) -> StepProgress | None:
        """What is being computed now; None while others are served first."""
        place = self._places.get((study, raters))
        if place is None or not place.is_busy or place.under_way is None:
            return None
        try:
            return msgspec.json.decode((place.under_way / PROGRESS).read_bytes(), type=StepProgress)
        except (OSError, msgspec.DecodeError):
            return None  # not begun, or being written this moment

    def forget(self, study: str, raters: str) -> None:
        """Compute this study's results again when they are next asked for."""
        place = self._places.get((study, raters))
        if place is not None and not place.is_busy:
            place.outcome, place.mark = None, ""

    async def close(self) -> None:
        """Stop computing and remove what was computed."""
        tasks = [place.task for place in self._places.values() if place.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _renew(self, place: _Place, task: ResultsTask, mark: str) -> None:
        self._number += 1
        folder = self._folder / str(self._number)
        folder.mkdir()
        place.under_way = folder
        outcome, earlier = await self._compute(task, folder), place.folder
        place.outcome, place.mark, place.folder = outcome, mark, folder
        if earlier is not None:
            shutil.rmtree(earlier, ignore_errors=True)

    async def _compute(self, task: ResultsTask, folder: Path) -> Results | Failure:
        async with self._turn:
            failed = await run_beside(MODULE, folder, task)
        if failed is not None:
            return Failure(failed)
        head = msgspec.json.decode((folder / HEAD).read_bytes(), type=Head)
        parts = Markup((folder / FRAGMENT).read_text(encoding="utf-8"))
        return Results(head, parts, folder / REPORT)
