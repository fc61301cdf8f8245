"""A deployment: a store, the studies served from it, and everything that runs while it is up."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from sqlalchemy import Connection

from palaver.collection.driver import Driver
from palaver.collection.hub import Hub
from palaver.collection.limits import HELD
from palaver.collection.pace import Latencies
from palaver.collection.plan import ChatPlan
from palaver.collection.room import Room
from palaver.core.clock import Clock, WallClock
from palaver.core.errors import (
    ConflictError,
    InputError,
    Problem,
    StudyError,
)
from palaver.core.logs import get_log
from palaver.core.protocols import System
from palaver.core.registry import near
from palaver.core.seals import Seals
from palaver.evaluation.home import EvaluationHome, evaluation_home
from palaver.storage import Store
from palaver.storage.dialogues.latencies import load_latencies
from palaver.storage.studies import quotas
from palaver.storage.studies.stops import is_stopped
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.definition import Study
from palaver.studies.intake.materials import StudyMaterials
from palaver.studies.play.players import build_of_study
from palaver.studies.run import upkeep
from palaver.studies.run.freeing import end_group
from palaver.studies.run.material_intake import MaterialIntake
from palaver.studies.run.plans import chat_plan, rate_plan, screen_plan, set_quotas
from palaver.studies.run.prepared import newest_file, prepare_study
from palaver.studies.run.registered import ServedVersion, bring_to_disk, serve_version
from palaver.studies.run.running_study import RunningStudy
from palaver.studies.run.version_keeper import VersionKeeper
from palaver.studies.stages import ChatStage, RateStage, ScreenStage, WriteStage
from palaver.systems.attempt import PARTICIPANT_SENTENCES

if TYPE_CHECKING:
    from palaver.studies.run.rounds import LoopKeeper

__all__ = ["Closed", "Companion", "Deployment", "RunningStudy"]

T = TypeVar("T")
log = get_log(__name__)


@runtime_checkable
class Closed(Protocol):
    """What pages keep between requests and must be closed when the deployment stops."""

    async def close(self) -> None: ...


# Something that runs while a deployment is up, such as a simulated crowd.
Companion = Callable[["Deployment"], Coroutine[None, None, None]]


class Deployment:
    """Everything that is up while Palaver serves."""

    # Whether people are let in here; a command that acts beside a server serves nobody.
    serves = True

    def __init__(
        self,
        store: Store,
        definitions: Sequence[Study],
        *,
        clock: Clock | None = None,
        folder: Path | None = None,
    ) -> None:
        self.store = store
        # The home's folder, where the evaluation server keeps its files.
        self.folder = folder or Path.cwd()
        self._is_home = folder is not None
        # Where new studies are made beside those that are served; None where one study is served.
        self.studies_folder: Path | None = None
        self.clock: Clock = clock or WallClock()
        self.definitions = tuple(definitions)
        self.studies: dict[str, RunningStudy] = {}
        self.plans: dict[tuple[str, int], ChatPlan] = {}
        self.secret = store.secret()
        self.seals = Seals(self.secret)
        # Also those that were replaced lately: what they signed is still read.
        self.readable_secrets = store.readable_secrets(now=self.clock.now())
        self.intake = MaterialIntake(store, self.clock, self.studies)
        self._tasks: list[asyncio.Task[None]] = []
        self._companions: list[Companion] = []
        self._evaluation: EvaluationHome | None = None
        # Of a home; what stands in no home is signed by nobody.
        self._signer: upkeep.ChainSigner | None = None
        # What pages and the API keep between requests, by its type.
        self.kept: dict[type, Any] = {}

    @property
    def evaluation(self) -> EvaluationHome:
        """The home of the evaluation server, opened at its first use."""
        if self._evaluation is None:
            self._evaluation = evaluation_home(self.folder, self.store)
        return self._evaluation

    @property
    def served(self) -> dict[str, Study]:
        """The files of the studies that are served, by name."""
        return {name: study.definition for name, study in self.studies.items()}

    def accompany(self, companion: Companion) -> None:
        """Run `companion` beside the deployment from its start to its stop."""
        self._companions.append(companion)

    def prepare(self) -> None:
        """Read and check the files that the studies name; StudyError with everything wrong."""
        if not self.store.read_only:
            self.definitions = tuple(newest_file(self.store, each) for each in self.definitions)
        problems: list[Problem] = []
        served = {study.name: study for study in self.definitions}
        for study in self.definitions:
            found = prepare_study(self.store, study, served)
            self.intake.materials[study.name] = found.materials
            problems += found.problems
        if problems:
            raise StudyError(problems)

    async def start(self) -> None:
        """Register the studies, build their systems, and begin to drive."""
        if not self.intake.materials and not self.store.read_only:
            self.prepare()
        if self._is_home and not self.store.read_only:
            self._signer = upkeep.ChainSigner.of_home(self.store, self.clock, self.folder)
        for definition in self.definitions:
            await self._add(definition)
        self.versions = VersionKeeper(self)
        self.driver = Driver(
            self.store,
            clock=self.clock,
            ended=self._dialogue_ended,
            apologies=dict(PARTICIPANT_SENTENCES),
        )
        self.hub = Hub(self.store, clock=self.clock, plans=self.plans, watcher=self.driver)
        self.driver.hub = self.hub
        if not self.store.read_only:
            self._tasks = [
                asyncio.create_task(self.driver.run()),
                asyncio.create_task(upkeep.sweep(self)),
                asyncio.create_task(self.intake.take_in_all()),
                asyncio.create_task(self.versions.run()),
                asyncio.create_task(upkeep.watch_rules(self)),
                asyncio.create_task(self._watch_rounds()),
                asyncio.create_task(upkeep.delete_what_is_due(self)),
                asyncio.create_task(upkeep.learn_latencies(self)),
                *([asyncio.create_task(self._signer.run())] if self._signer else []),
                *(asyncio.create_task(companion(self)) for companion in self._companions),
            ]
            for task in self._tasks:
                task.add_done_callback(_log_failure)

    async def stop(self) -> None:
        """Stop driving and let go of systems; the store stays open."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if not self.store.read_only:
            await self.driver.close()
            await upkeep.keep_latencies(self.store, self.studies.values(), now=self.clock.now())
            if self._signer is not None:
                await self._signer.sign(ending=True)
        self.hub.close()
        for kept in self.kept.values():
            if isinstance(kept, Closed):
                await kept.close()
        await self.versions.close()
        for study in self.studies.values():
            await self._close_systems(study)

    def definition(self, name: str) -> Study | None:
        """The file of a study as it is served; None where it is not."""
        study = self.studies.get(name)
        return None if study is None else study.definition

    def study(self, name: str) -> RunningStudy:
        """The study called `name`; InputError if it is not served here."""
        if name not in self.studies:
            raise InputError(f"No study '{name}' is served here.{near(name, self.studies)}")
        return self.studies[name]

    async def add(self, definition: Study, materials: StudyMaterials) -> None:
        """Serve one more study from now on; what it judges is taken in meanwhile."""
        self.intake.materials[definition.name] = materials
        await self._add(definition)
        watched = any(each.writes for each in self.definitions)
        self.definitions = (*self.definitions, definition)
        if definition.writes and not watched:
            self._tasks.append(asyncio.create_task(self._watch_rounds()))
            self._tasks[-1].add_done_callback(_log_failure)
        self.versions.take_in(self.studies[definition.name])

    async def _add(self, definition: Study) -> None:
        if self.store.read_only:
            await self._exhibit(definition)
            return
        now = self.clock.now()
        served = await self._serve(definition, now)
        study_id = served.id
        systems = self._build_systems(definition)
        kept = await self.store.read(lambda c: load_latencies(c, study_id))
        latencies = Latencies.known({name: kept[name] for name in systems if name in kept})
        study = RunningStudy(definition, study_id, systems, served.version, latencies)
        await self.adopt(study, self.intake.materials[definition.name])

    async def adopt(self, study: RunningStudy, materials: StudyMaterials) -> None:
        """Serve a study from now on, in place of what was served under its name."""
        definition = study.definition
        plans: dict[int, ChatPlan] = {}
        for index, stage in enumerate(definition.stages):
            if isinstance(stage, WriteStage):
                keeper = await self._loop_keeper()
                plans[index] = await keeper.add(study, index, stage)
            elif isinstance(stage, ChatStage):
                plans[index] = chat_plan(
                    definition, study.id, index, stage, study.systems, latencies=study.latencies
                )
        self._plan_judgement(study, materials)
        if await self.store.read(lambda c: is_stopped(c, study.id)):
            study.stopped.set()
        await self.intake.take_in_known(study, materials)
        for plan in plans.values():
            await self._write_twice(partial(set_quotas, plan=plan))
        # From here on nothing waits: whoever asks sees all of the new file or nothing of it.
        study.plans.update(plans)
        self.plans.update({(study.name, index): plan for index, plan in plans.items()})
        self.intake.materials[study.name] = materials
        for place in [place for place in self.plans if place[0] == study.name]:
            if place[1] not in plans:
                del self.plans[place]
        self.studies[study.name] = study
        self.definitions = tuple(
            definition if each.name == study.name else each for each in self.definitions
        )

    async def _serve(self, definition: Study, now: float) -> ServedVersion:
        """The version under which a study is served; the file on disk follows it."""
        served = await self._write_twice(partial(serve_version, study=definition, now=now))
        bring_to_disk(definition, served.text)
        return served

    def _build_systems(self, definition: Study) -> dict[str, System]:
        """The systems of a study, ready to talk."""
        return {name: build_of_study(definition, name) for name in definition.systems}

    async def _close_systems(self, study: RunningStudy) -> None:
        for system in study.systems.values():
            await system.close()

    async def follow_plan(self, study: RunningStudy, index: int, plan: ChatPlan) -> None:
        """Seat people in a chat stage by this plan from now on; who sits already stays as they are."""
        study.plans[index] = self.plans[study.name, index] = plan
        await self._write_twice(partial(set_quotas, plan=plan))

    async def _loop_keeper(self) -> "LoopKeeper":
        """What keeps write stages; it needs the evaluation server, which others do not load."""
        module = await asyncio.to_thread(import_module, "palaver.studies.run.rounds")
        keeper: LoopKeeper = self.kept.setdefault(module.LoopKeeper, module.LoopKeeper(self))
        return keeper

    def _plan_judgement(self, study: RunningStudy, material: StudyMaterials) -> None:
        for index, stage in enumerate(study.definition.stages):
            if isinstance(stage, RateStage) and stage.has_source:
                study.rates[index] = rate_plan(study.definition, study.id, index, stage)
            elif isinstance(stage, ScreenStage):
                training = study.trainings[index] = material.trainings[index]
                study.screens[index] = screen_plan(
                    study.definition, study.id, index, stage, training
                )

    async def _exhibit(self, definition: Study) -> None:
        """Show a study without registering it or building its systems.

        A bundle may come from a stranger; building its systems could run the stranger's code.
        """
        stored = await self.store.read(list_studies)
        study_id = next(study.id for study in stored if study.name == definition.name)
        study = RunningStudy(definition, study_id, {})
        for index, stage in enumerate(definition.stages):
            if isinstance(stage, ChatStage):
                plan = chat_plan(definition, study_id, index, stage, study.systems)
                study.plans[index] = self.plans[definition.name, index] = plan
        self.studies[definition.name] = study

    async def _write_twice(self, work: Callable[[Connection], T]) -> T:
        # Two processes may start at once and insert the same row: the second try finds it.
        try:
            return await self.store.write(work)
        except ConflictError:
            return await self.store.write(work)

    async def _dialogue_ended(self, room: Room) -> None:
        """Give back the place of a dialogue that was not held, and end what belongs to it."""
        if room.dialogue.reason in HELD:
            if room.plan.in_sessions:
                await self.store.write(lambda c: quotas.complete(c, room.stored.group))
            return
        await self.store.write(lambda c: quotas.release(c, room.stored.group))
        await end_group(self, room.stored.group)

    async def _watch_rounds(self) -> None:
        """Follow the rounds of write stages, once there are any."""
        while not any(isinstance(s, WriteStage) for each in self.definitions for s in each.stages):
            await self.versions.changed()
        await (await self._loop_keeper()).watch()


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.error("background_task_failed", exc_info=task.exception())
