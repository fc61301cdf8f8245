"""New versions of studies while they are served: made here, or by others and followed.

A version is made in one order: its text is laid beside the file, its systems are built, the store
takes it (from here on it is what is served), the file is replaced, and the running study is swapped.
Whoever is killed in between is followed by a process that reads the store: the latest version there is
served, and written to disk. Other processes and commands on the same store are followed the same way.
See docs/design/study-versions.md.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from palaver.collection.pace import Latencies
from palaver.core.errors import ConflictError, PalaverError, StoreUnavailableError, StudyError
from palaver.core.logs import get_log
from palaver.core.protocols import System
from palaver.core.studies.versions import StudyVersionSheet
from palaver.storage.studies.versions import latest_numbers, latest_version, versions_of_file
from palaver.studies.file.definition import Study
from palaver.studies.file.disk import digest_on_disk, staged_file
from palaver.studies.file.reader import load_study_text
from palaver.studies.intake.materials import StudyMaterials
from palaver.studies.play.players import build_of_study
from palaver.studies.run.prepared import prepare_study
from palaver.studies.run.running_study import RunningStudy

if TYPE_CHECKING:
    from palaver.studies.run.deployment import Deployment

log = get_log(__name__)

# How often it is asked whether somebody else made a version.
FOLLOW_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class StagedStudy:
    """A study that is ready to take the place of the one that is served."""

    definition: Study
    materials: StudyMaterials
    systems: Mapping[str, System]
    # Those that were built for it.
    built: tuple[System, ...]
    latencies: Latencies

    async def discard(self) -> None:
        """Let go of what was built for nothing."""
        for system in self.built:
            await system.close()


class VersionKeeper:
    """Keeps the studies of a deployment at their latest version."""

    def __init__(self, deployment: "Deployment") -> None:
        self._deployment = deployment
        # One change at a time: a second one must see what the first has made.
        self.changing = asyncio.Lock()
        self._swapped = asyncio.Event()
        # Studies that were replaced and have systems that somebody may still talk with.
        self._replaced: list[RunningStudy] = []
        # Systems that rehearsals ask as well, once for each that does.
        self._borrowed: list[System] = []
        self._intakes: set[asyncio.Task[None]] = set()
        self._failed: dict[str, int] = {}

    async def changed(self) -> None:
        """Wait until a study has been replaced."""
        await self._swapped.wait()

    async def run(self) -> None:
        """Follow versions that others make, for as long as the deployment is up."""
        while True:
            await asyncio.sleep(FOLLOW_SECONDS)
            try:
                await self.follow()
                await self.let_go()
            except StoreUnavailableError as error:
                log.warning("versions_wait_for_store", error=str(error))
            except Exception as error:
                log.error("versions_not_followed", exc_info=error)

    async def follow(self) -> None:
        """Serve the latest version of every study."""
        deployment = self._deployment
        names = list(deployment.studies)
        latest = await deployment.store.read(partial(latest_numbers, names=names))
        for name, number in latest.items():
            if number > deployment.studies[name].version and self._failed.get(name) != number:
                async with self.changing:
                    await self._follow(name)

    async def _follow(self, name: str) -> None:
        deployment, running = self._deployment, self._deployment.studies[name]
        latest = await deployment.store.read(partial(latest_version, study_id=running.id))
        if latest is None or latest.number <= running.version:
            return
        try:
            definition = await asyncio.to_thread(
                load_study_text, latest.definition, running.definition.file
            )
            staged = await self.stage(running, definition)
            try:
                await self.swap(running, staged, latest.number)
            except BaseException:
                await staged.discard()
                raise
        except StoreUnavailableError:
            raise
        except PalaverError as error:
            # Told once: nothing changes until there is another version, or a new start.
            self._failed[name] = latest.number
            log.error("version_not_served", study=name, version=latest.number, error=str(error))
            return
        await asyncio.to_thread(self._write_down, running, latest)
        log.info("version_followed", study=name, version=latest.number)

    def _write_down(self, running: RunningStudy, latest: StudyVersionSheet) -> None:
        """Bring the file on disk to the latest version, unless somebody has edited it."""
        file = running.definition.file
        found = digest_on_disk(file)
        if found == latest.digest:
            return
        known = self._deployment.store.read_now(
            partial(versions_of_file, study_id=running.id, digest=found or "")
        )
        if found is not None and not known:
            log.warning("edited_study_file_kept", study=running.name, file=str(file))
            return
        try:
            with staged_file(file, latest.definition) as staged:
                staged.replace()
        except ConflictError as error:
            log.warning("study_file_not_written", study=running.name, error=str(error))

    async def stage(self, running: RunningStudy, definition: Study) -> StagedStudy:
        """Read the files of a new version and build its systems; those that stay are the same.

        StudyError with everything that stops it from being served.
        """
        deployment, name = self._deployment, running.name
        served = {**deployment.served, name: definition}
        found = await asyncio.to_thread(prepare_study, deployment.store, definition, served)
        if found.problems:
            raise StudyError(list(found.problems))
        before = running.definition
        same = {
            system
            for system, choice in definition.systems.items()
            if system in running.systems
            and system in before.systems
            and before.systems[system].options == choice.options
        }
        systems: dict[str, System] = {}
        built: list[System] = []
        try:
            for system in definition.systems:
                if system in same:
                    systems[system] = running.systems[system]
                else:
                    systems[system] = build_of_study(definition, system)
                    built.append(systems[system])
        except BaseException:
            for each in built:
                await each.close()
            raise
        latencies = running.latencies
        if same != set(before.systems) or built:
            known = {name: running.latencies.seconds.get(name, ()) for name in same}
            latencies = Latencies.known(known)
        return StagedStudy(definition, found.materials, systems, tuple(built), latencies)

    async def swap(self, running: RunningStudy, staged: StagedStudy, version: int) -> None:
        """Serve a staged study in place of the running one; who is inside goes on."""
        deployment = self._deployment
        study = RunningStudy(
            staged.definition, running.id, staged.systems, version, staged.latencies
        )
        await deployment.adopt(study, staged.materials)
        self._replaced.append(running)
        swapped, self._swapped = self._swapped, asyncio.Event()
        swapped.set()
        self.take_in(study)

    def take_in(self, study: RunningStudy) -> None:
        """Take in what is to be judged in a study while it is served already."""
        task = asyncio.create_task(self._deployment.intake.take_in(study))
        self._intakes.add(task)
        task.add_done_callback(self._intake_done)

    def _intake_done(self, task: "asyncio.Task[None]") -> None:
        self._intakes.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("intake_failed", exc_info=task.exception())

    async def let_go(self) -> None:
        """Close the systems of replaced studies that nobody talks with any more."""
        rooms = self._deployment.hub.rooms.values()
        talking = (room for room in rooms if not room.dialogue.is_over)
        in_use = {id(system) for room in talking for system in room.plan.systems.values()}
        for study in list(self._replaced):
            left = self._left_over(study)
            if not any(id(system) in in_use for system in left):
                self._replaced.remove(study)
                for system in left:
                    if not self._is_borrowed(system):
                        await system.close()

    def _left_over(self, study: RunningStudy) -> list[System]:
        """The systems of a replaced study that no other study has taken over."""
        others = [*self._deployment.studies.values(), *self._replaced]
        kept = {
            id(system) for each in others if each is not study for system in each.systems.values()
        }
        return [system for system in study.systems.values() if id(system) not in kept]

    def borrow(self, systems: Iterable[System]) -> None:
        """Keep systems of studies that are served open until they are given back."""
        self._borrowed += systems

    async def give_back(self, systems: Iterable[System]) -> None:
        """Close what was borrowed, where no study has it any more and nobody else borrowed it."""
        studies = [*self._deployment.studies.values(), *self._replaced]
        served = {id(system) for each in studies for system in each.systems.values()}
        for system in systems:
            self._borrowed.remove(system)
            if id(system) not in served and not self._is_borrowed(system):
                await system.close()

    def _is_borrowed(self, system: System) -> bool:
        return any(each is system for each in self._borrowed)

    async def close(self) -> None:
        """Let go of every system that was replaced."""
        for task in self._intakes:
            task.cancel()
        await asyncio.gather(*self._intakes, return_exceptions=True)
        while self._replaced:
            study = self._replaced.pop()
            for system in self._left_over(study):
                await system.close()
