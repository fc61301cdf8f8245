"""Rehearsals: a study gone through as participants will, on a store that is thrown away.

A rehearsal is a deployment of one study in this process, on a file of its own in a temporary folder,
with the real systems, training and files. Nothing of it reaches the home: its visits have keys that
only this process knows, and the pages of a visit find the rehearsal by them (`web/participant`). What
is in it ends with the rehearsal, with its time, or with the process.
"""

import asyncio
import secrets
import tempfile
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from palaver.core.clock import Clock
from palaver.core.errors import InputError, PalaverError
from palaver.core.logs import get_log
from palaver.core.protocols import System
from palaver.crowds.links import new_person
from palaver.storage import Store
from palaver.storage.people import participants
from palaver.storage.people.participants import Assignment, get_assignment
from palaver.storage.studies.studies import register_study
from palaver.studies.file.definition import Study
from palaver.studies.intake.judged_files import JudgedFile
from palaver.studies.intake.materials import load_material
from palaver.studies.play.players import build_of_study
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.flow import DONE, steps
from palaver.studies.run.participation import end
from palaver.studies.run.registered import ServedVersion
from palaver.studies.run.rehearsed_study import (
    SHEETS,
    RehearsedStep,
    as_rehearsed,
    rehearsed_steps,
)
from palaver.studies.run.running_study import RunningStudy

log = get_log(__name__)

# How many there are at once in one process, how long each may last, and after how long without a
# request it gives way to another one. Each has a store and the threads of it.
MOST = 5
LAST_SECONDS = 3600.0
IDLE_SECONDS = 600.0
# How many people one rehearsal can be at once.
MOST_SEATS = 6
# Keys of visits to rehearsals that are over, so that their pages say so.
MOST_OVER = 500


class RehearsalDeployment(Deployment):
    """A deployment of one study with systems that somebody else closes, and with little to judge."""

    def __init__(
        self,
        store: Store,
        definition: Study,
        *,
        clock: Clock,
        folder: Path,
        systems: Mapping[str, System],
        shown: Mapping[int, JudgedFile],
    ) -> None:
        super().__init__(store, [definition], clock=clock)
        self.folder = folder
        self._systems = dict(systems)
        self._shown = dict(shown)

    def prepare(self) -> None:
        """Read what is shown of the files that the study names; StudyError with everything wrong."""
        for study in self.definitions:
            found = load_material(study, most=SHEETS)
            self.intake.materials[study.name] = replace(found, data={**found.data, **self._shown})

    async def _serve(self, definition: Study, now: float) -> ServedVersion:
        """Register the study here alone: what lies on disk stays as it is."""
        study_id = await self.store.write(
            partial(
                register_study,
                name=definition.name,
                title=definition.title,
                digest=definition.digest,
                definition="",
                now=now,
            )
        )
        return ServedVersion(study_id, 1, "")

    def _build_systems(self, definition: Study) -> dict[str, System]:
        return dict(self._systems)

    async def _close_systems(self, study: RunningStudy) -> None:
        """Whoever lent them closes them."""


@dataclass(eq=False, slots=True)
class Rehearsal:
    """A study that is being rehearsed; `by` began it, of a text that is not saved if `is_draft`."""

    study: str
    definition: Study
    notes: tuple[str, ...]
    by: str
    is_draft: bool
    deployment: Deployment
    began: float
    until: float
    touched: float
    visits: list[str] = field(default_factory=list)
    # Systems that were built for it, and those of the study that is served.
    own_systems: tuple[System, ...] = ()
    lent_systems: tuple[System, ...] = ()
    folder: "tempfile.TemporaryDirectory[str] | None" = None
    ending: asyncio.Task[None] | None = None

    @property
    def steps(self) -> tuple[RehearsedStep, ...]:
        """The steps that it can begin at."""
        return rehearsed_steps(self.definition)

    @property
    def meets(self) -> bool:
        """Whether two people talk in it, so that somebody may want to be both."""
        return self.definition.meets

    @property
    def running(self) -> RunningStudy:
        return self.deployment.study(self.study)


@dataclass(frozen=True, slots=True)
class Over:
    """A rehearsal that has ended: of which study it was."""

    study: str


class Rehearsals:
    """The rehearsals of a process, and whose visit belongs to which."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._of_visit: dict[str, Rehearsal] = {}
        self._running: list[Rehearsal] = []
        self._over: OrderedDict[str, Over] = OrderedDict()
        self._beginning = asyncio.Lock()

    @classmethod
    def of(cls, deployment: Deployment) -> "Rehearsals":
        """The rehearsals of a deployment; made when first needed, ended with the server."""
        rehearsals = deployment.kept.setdefault(cls, cls(deployment))
        assert isinstance(rehearsals, cls)
        return rehearsals

    async def begin(
        self, definition: Study, *, by: str, is_draft: bool = False, step: str = ""
    ) -> Assignment:
        """Begin a rehearsal of a study; the first visit to it, at `step` or at the beginning.

        InputError where too many run, or something of it cannot be shown. One person has one: the
        one that they had before ends.
        """
        if self._deployment.store.read_only:
            raise InputError("This is a read-only copy. Nobody can rehearse in it.")
        # One after the other: nobody slips past the limit while another one is being made.
        async with self._beginning:
            for other in [each for each in self._running if each.by == by]:
                await self.end(other)
            await self._make_room()
            served = self._deployment.studies.get(definition.name)
            lent = {} if served is None else _lent(served, definition)
            borrowed = tuple(lent.values())
            self._deployment.versions.borrow(borrowed)
            try:
                rehearsal = await self._make(definition, by=by, is_draft=is_draft, lent=lent)
            except BaseException:
                await self._let_go((), borrowed)
                raise
            rehearsal.lent_systems = borrowed
            return await self._first(rehearsal, step)

    async def begin_again(self, rehearsal: Rehearsal, *, step: str = "") -> Assignment:
        """End a rehearsal and begin it anew at a step, with the same systems."""
        async with self._beginning:
            systems = dict(rehearsal.running.systems)
            own, rehearsal.own_systems = rehearsal.own_systems, ()
            lent, rehearsal.lent_systems = rehearsal.lent_systems, ()
            await self.end(rehearsal)
            try:
                fresh = await self._make(
                    rehearsal.definition,
                    by=rehearsal.by,
                    is_draft=rehearsal.is_draft,
                    lent=systems,
                )
            except BaseException:
                await self._let_go(own, lent)
                raise
            fresh.own_systems, fresh.lent_systems = own, lent
            fresh.notes = rehearsal.notes
            return await self._first(fresh, step)

    async def seat(self, rehearsal: Rehearsal, *, step: str = "") -> Assignment:
        """One more person in a rehearsal, at a step that it can begin at; else at the beginning."""
        if len(rehearsal.visits) >= MOST_SEATS:
            raise InputError(
                f"A rehearsal has at most {MOST_SEATS} people. Start it again to be somebody new."
            )
        known = {each.step for each in rehearsal.steps}
        chosen = step if step in known else ""
        store, now = rehearsal.deployment.store, rehearsal.deployment.clock.now()
        visit = await store.write(partial(_enter, study=rehearsal.running, step=chosen, now=now))
        rehearsal.visits.append(visit.key)
        self._of_visit[visit.key] = rehearsal
        return visit

    async def _first(self, rehearsal: Rehearsal, step: str) -> Assignment:
        """The first visit; without it there is no rehearsal."""
        try:
            return await self.seat(rehearsal, step=step)
        except PalaverError:
            await self.end(rehearsal)
            raise

    def find(self, visit: str) -> Rehearsal | None:
        """The rehearsal that a visit belongs to; None if it belongs to none that still runs."""
        rehearsal = self._of_visit.get(visit)
        if rehearsal is None:
            return None
        now = self._deployment.clock.now()
        if now >= rehearsal.until:
            self._forget(rehearsal)
            rehearsal.ending = asyncio.create_task(self._tear_down(rehearsal))
            return None
        rehearsal.touched = now
        return rehearsal

    def over(self, visit: str) -> Over | None:
        """The rehearsal that a visit belonged to, if it has ended here."""
        return self._over.get(visit)

    def running(self, study: str, by: str) -> Rehearsal | None:
        """The rehearsal of a study that somebody began, if it runs."""
        found = (each for each in self._running if each.study == study and each.by == by)
        return next(found, None)

    async def end(self, rehearsal: Rehearsal) -> None:
        """End a rehearsal, and everything that is in it; ending twice does no harm."""
        ending, rehearsal.ending = rehearsal.ending, None
        if ending is not None:
            ending.cancel()
        if rehearsal in self._running:
            self._forget(rehearsal)
            await self._tear_down(rehearsal)

    async def close(self) -> None:
        """End them all."""
        for rehearsal in list(self._running):
            await self.end(rehearsal)

    def _forget(self, rehearsal: Rehearsal) -> None:
        self._running.remove(rehearsal)
        for visit in rehearsal.visits:
            del self._of_visit[visit]
            self._over[visit] = Over(rehearsal.study)
        while len(self._over) > MOST_OVER:
            self._over.popitem(last=False)

    async def _make_room(self) -> None:
        if len(self._running) < MOST:
            return
        now = self._deployment.clock.now()
        longest = min(self._running, key=lambda each: each.touched)
        if now - longest.touched < IDLE_SECONDS:
            raise InputError(
                f"{MOST} rehearsals run at once here, and all are in use. End one of them, or try "
                "again in ten minutes."
            )
        await self.end(longest)

    async def _make(
        self,
        definition: Study,
        *,
        by: str,
        is_draft: bool,
        lent: Mapping[str, System],
    ) -> Rehearsal:
        clock = self._deployment.clock
        shown = await self._deployment.store.read(partial(as_rehearsed, study=definition))
        folder = tempfile.TemporaryDirectory(prefix="palaver-rehearsal-")
        own: dict[str, System] = {}
        store: Store | None = None
        try:
            for name in definition.systems:
                if name not in lent:
                    own[name] = build_of_study(definition, name)
            store = await asyncio.to_thread(Store, f"sqlite:///{folder.name}/palaver.db")
            deployment = RehearsalDeployment(
                store,
                shown.definition,
                clock=clock,
                folder=Path(folder.name),
                systems={**lent, **own},
                shown=shown.shown,
            )
            await asyncio.to_thread(deployment.prepare)
            await deployment.start()
        except BaseException:
            await _close(tuple(own.values()))
            if store is not None:
                store.close()
            folder.cleanup()
            raise
        now = clock.now()
        rehearsal = Rehearsal(
            study=definition.name,
            definition=shown.definition,
            notes=shown.notes,
            by=by,
            is_draft=is_draft,
            deployment=deployment,
            began=now,
            until=now + LAST_SECONDS,
            touched=now,
            own_systems=tuple(own.values()),
            folder=folder,
        )
        self._running.append(rehearsal)
        rehearsal.ending = asyncio.create_task(self._end_in_time(rehearsal))
        log.info("rehearsal_began", study=definition.name, by=by, draft=is_draft)
        return rehearsal

    async def _end_in_time(self, rehearsal: Rehearsal) -> None:
        while (left := rehearsal.until - self._deployment.clock.now()) > 0:
            await asyncio.sleep(left)
        if rehearsal in self._running:
            self._forget(rehearsal)
            await self._tear_down(rehearsal)

    async def _tear_down(self, rehearsal: Rehearsal) -> None:
        await rehearsal.deployment.stop()
        await self._let_go(rehearsal.own_systems, rehearsal.lent_systems)
        rehearsal.deployment.store.close()
        if rehearsal.folder is not None:
            await asyncio.to_thread(rehearsal.folder.cleanup)
        log.info("rehearsal_ended", study=rehearsal.study, by=rehearsal.by)

    async def _let_go(self, own: Sequence[System], lent: Sequence[System]) -> None:
        await _close(own)
        await self._deployment.versions.give_back(lent)


def _lent(served: RunningStudy, definition: Study) -> dict[str, System]:
    """The systems of a study that is served, where the rehearsed text says the same of them."""
    known = served.definition.systems
    return {
        name: served.systems[name]
        for name, choice in definition.systems.items()
        if name in served.systems and name in known and known[name].options == choice.options
    }


async def _close(systems: Sequence[System]) -> None:
    for system in systems:
        with suppress(PalaverError):
            await system.close()


def _enter(connection: Connection, *, study: RunningStudy, step: str, now: float) -> Assignment:
    """Somebody new in a study, brought to a step as if all before it had been done."""
    terms = study.definition
    visit = participants.enter(
        connection,
        study_id=study.id,
        crowd=terms.crowd.kind,
        person=f"rehearsal-{new_person()}",
        assignment=secrets.token_hex(8),
        first_step=steps(terms)[0],
        now=now,
    )
    if step in ("", visit.step):
        return visit
    if terms.consent is not None:
        participants.record_consent(connection, visit.id, version=terms.consent.version, now=now)
    if step == DONE:
        end(connection, terms, get_assignment(connection, visit.key), reason="complete", now=now)
    else:
        participants.move_on(connection, visit.id, step=step, from_step=visit.step)
    return get_assignment(connection, visit.key)
