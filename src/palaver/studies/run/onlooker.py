"""A deployment that serves nobody: what a command acts on beside a server, or without one.

Its studies are as they are in the store, with the places that they offer and without their systems.
Nothing is driven, taken in or let in. What it changes in a study's file is followed by a server that is
up, as from any other process.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from palaver.collection.pace import Latencies
from palaver.core.errors import StudyError
from palaver.storage import Store
from palaver.storage.studies.stops import is_stopped
from palaver.storage.studies.studies import list_studies
from palaver.storage.studies.versions import latest_version
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study_text
from palaver.studies.home import Home
from palaver.studies.run.deployment import Closed, Deployment
from palaver.studies.run.plans import chat_plan, rate_plan
from palaver.studies.run.prepared import prepare_study
from palaver.studies.run.running_study import RunningStudy
from palaver.studies.run.version_keeper import StagedStudy, VersionKeeper
from palaver.studies.stages import ChatStage, RateStage, WriteStage


class Onlooker(Deployment):
    """A deployment whose studies are known and not served."""

    serves = False

    async def start(self) -> None:
        """Know the studies as they are in the store; one that was never served is not known."""
        self.versions = OnlookingKeeper(self)
        for definition in self.definitions:
            await self._know(definition)

    async def stop(self) -> None:
        """Close what was opened on the way; the store stays open."""
        for kept in self.kept.values():
            if isinstance(kept, Closed):
                await kept.close()

    async def _know(self, definition: Study) -> None:
        stored = {each.name: each.id for each in await self.store.read(list_studies)}
        study_id = stored.get(definition.name)
        if study_id is None:
            return
        latest = await self.store.read(partial(latest_version, study_id=study_id))
        if latest is not None and latest.digest != definition.digest:
            definition = await asyncio.to_thread(
                load_study_text, latest.definition, definition.file
            )
        await self.note(definition, study_id, 0 if latest is None else latest.number)

    async def note(self, definition: Study, study_id: int, version: int) -> None:
        """Know a study from now on by this version of its file."""
        study = RunningStudy(definition, study_id, {}, version)
        for index, stage in enumerate(definition.stages):
            if isinstance(stage, ChatStage) and not isinstance(stage, WriteStage):
                study.plans[index] = chat_plan(definition, study_id, index, stage, {})
            elif isinstance(stage, RateStage) and stage.has_source:
                study.rates[index] = rate_plan(definition, study_id, index, stage)
        if await self.store.read(partial(is_stopped, study_id=study_id)):
            study.stopped.set()
        self.studies[definition.name] = study


class OnlookingKeeper(VersionKeeper):
    """Makes new versions of studies that others serve: checked as ever, and nothing is built."""

    def __init__(self, onlooker: Onlooker) -> None:
        super().__init__(onlooker)
        self._onlooker = onlooker

    async def stage(self, running: RunningStudy, definition: Study) -> StagedStudy:
        """Read the files of a new version; StudyError with everything that stops it."""
        served = {**self._onlooker.served, running.name: definition}
        found = await asyncio.to_thread(prepare_study, self._onlooker.store, definition, served)
        if found.problems:
            raise StudyError(list(found.problems))
        return StagedStudy(definition, found.materials, {}, (), Latencies())

    async def swap(self, running: RunningStudy, staged: StagedStudy, version: int) -> None:
        """Know the study by its new version; a server that is up follows by itself."""
        await self._onlooker.note(staged.definition, running.id, version)


@asynccontextmanager
async def looking_on(home: Home, studies: Sequence[Study]) -> AsyncIterator[Onlooker]:
    """An onlooker on a home, for as long as a command takes."""
    store = Store(home.database_url)
    try:
        onlooker = Onlooker(store, studies, folder=home.folder)
        await onlooker.start()
        try:
            yield onlooker
        finally:
            await onlooker.stop()
    finally:
        store.close()
