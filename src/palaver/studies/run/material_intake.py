"""What is to be judged, taken into the store study by study while the studies are served already."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from palaver.core.clock import Clock
from palaver.storage import Store
from palaver.studies.intake.intake import follow_raters, take_in, take_in_finished
from palaver.studies.intake.materials import StudyMaterials
from palaver.studies.run.running_study import RunningStudy
from palaver.studies.stages import RateStage


class MaterialIntake:
    """Takes in what the files of the studies name, and what other studies have collected."""

    def __init__(self, store: Store, clock: Clock, studies: Mapping[str, RunningStudy]) -> None:
        # What was read of the files that each study names.
        self.materials: dict[str, StudyMaterials] = {}
        self._store = store
        self._clock = clock
        # Those that are served, whichever they are by now.
        self._studies = studies
        # One at a time: a new version of a file must not meet the one before.
        self._turn = asyncio.Lock()

    async def take_in_known(self, study: RunningStudy, materials: StudyMaterials) -> None:
        """Take in practice and hidden checks, which are small and must be there before any rater."""
        early = replace(materials, data={})
        await take_in(self._store, study.id, early, now=self._clock.now())

    async def take_in_all(self) -> None:
        """Take in everything of every study."""
        for study in list(self._studies.values()):
            await self.take_in(study)

    async def take_in(self, study: RunningStudy) -> None:
        """Take in what is to be judged in a study, if it is still the one that is served."""
        async with self._turn:
            if self._studies.get(study.name) is not study:
                return
            material = self.materials[study.name]
            await take_in(self._store, study.id, material, now=self._clock.now())
            await self._follow_raters(study)
            await self._take_in_finished(study)
            study.taken_in.set()

    async def take_in_from_others(self) -> None:
        """Take in what other studies have collected since."""
        for study in list(self._studies.values()):
            await self._take_in_finished(study)

    async def _follow_raters(self, study: RunningStudy) -> None:
        """Give sheets of other studies' conversations as many raters as the file says now."""
        for index, stage in _judging_others(study).items():
            await follow_raters(self._store, study.id, index, stage)

    async def _take_in_finished(self, study: RunningStudy) -> None:
        for index, stage in _judging_others(study).items():
            await take_in_finished(
                self._store,
                study.id,
                index,
                stage,
                study.definition.questions,
                now=self._clock.now(),
                folder=study.definition.folder,
            )


def _judging_others(study: RunningStudy) -> dict[int, RateStage]:
    """The stages that judge what other studies collect, by their place in the study."""
    stages = {index: study.definition.stages[index] for index in study.rates}
    return {
        index: stage
        for index, stage in stages.items()
        if isinstance(stage, RateStage) and stage.source is not None
    }
