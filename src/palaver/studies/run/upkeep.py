"""What a deployment does beside serving: it keeps the promises that nobody asks for.

What people hold who are gone goes to others, chains are signed every minute, what studies promised to
delete is deleted every day, and how long systems take is learnt and kept. Each waits for a store that is
away, and goes on when it is back.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from palaver.collection.probe import probe_systems
from palaver.core.audit import ADDRESS_DAYS
from palaver.core.clock import Clock
from palaver.core.errors import ConflictError, StoreUnavailableError
from palaver.core.logs import get_log
from palaver.storage import Store
from palaver.storage.audit import checkpoints
from palaver.storage.audit.forgetting import forget_addresses
from palaver.storage.dialogues.latencies import save_latencies
from palaver.studies.run import retention
from palaver.studies.run.freeing import free_stale

if TYPE_CHECKING:
    from palaver.studies.run.deployment import Deployment, RunningStudy

log = get_log(__name__)

# How often it is looked who is gone.
SWEEP_SECONDS = 15.0
# How often the heads of chains are signed: what is younger can be cut off unnoticed.
SIGN_SECONDS = 60.0
DAY = 86400.0
# How long to wait for a store that is away.
RETRY_SECONDS = 30.0


class ChainSigner:
    """Signs the heads of the chains with the key of a home."""

    def __init__(self, store: Store, clock: Clock, key: bytes) -> None:
        self._store = store
        self._clock = clock
        self._key = key

    @classmethod
    def of_home(cls, store: Store, clock: Clock, folder: Path) -> "ChainSigner | None":
        """The signer of a home; None where it has no key and none can be written."""
        key = checkpoints.ensure_key(folder)
        return None if key is None else cls(store, clock, key)

    async def run(self) -> None:
        """Sign what processes before this one left behind, and then every minute."""
        await _until_done("chains_not_signed", self._sign_left_behind)
        while True:
            await asyncio.sleep(SIGN_SECONDS)
            await self.sign()

    async def sign(self, *, ending: bool = False) -> None:
        """Sign the heads as they are; `ending` closes the chains of this process."""
        now = self._clock.now()
        try:
            await self._store.write(
                lambda c: checkpoints.make_checkpoint(c, self._key, now=now, ending=ending)
            )
        except StoreUnavailableError as error:
            log.warning("chains_not_signed", error=str(error))

    async def _sign_left_behind(self) -> None:
        left = await self._store.write(checkpoints.chains_left_behind)
        heads = await self._store.read(lambda c: checkpoints.computed_heads(c, left))
        now = self._clock.now()
        await self._store.write(lambda c: checkpoints.sign_heads(c, self._key, heads, now=now))


async def sweep(deployment: "Deployment") -> None:
    """Free what people hold who are gone, take in what other studies collected, keep latencies."""
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        try:
            await free_stale(deployment)
            await deployment.intake.take_in_from_others()
            now = deployment.clock.now()
            await keep_latencies(deployment.store, deployment.studies.values(), now=now)
        except StoreUnavailableError as error:
            log.warning("sweep_waits_for_store", error=str(error))


async def delete_what_is_due(deployment: "Deployment") -> None:
    """Delete what studies promised to delete, and from where staff acted long ago, once a day."""
    while True:
        await _until_done("retention_waits_for_store", partial(_delete_once, deployment))
        await asyncio.sleep(DAY)


async def _delete_once(deployment: "Deployment") -> None:
    store = deployment.store
    before = deployment.clock.now() - ADDRESS_DAYS * DAY
    await store.write(partial(forget_addresses, before=before))
    for study in deployment.studies.values():
        terms, now = study.definition.retention, deployment.clock.now()
        done = await asyncio.to_thread(
            retention.apply, store, study.id, study.definition, terms, now=now
        )
        if not done.is_empty:
            log.info(
                "retention_applied",
                study=study.name,
                ids=done.ids,
                words=done.words,
                standing=done.standing,
            )


async def watch_rules(deployment: "Deployment") -> None:
    """Watch the votes of studies that stop by a rule; statistics are loaded only where there is one."""
    watch = None
    while True:
        if any(study.definition.board.stop for study in deployment.studies.values()):
            if watch is None:
                module = await asyncio.to_thread(import_module, "palaver.studies.run.stopping")
                watch = module.StopWatch(deployment)
            await watch.run()
        # A new version of a file may bring a rule.
        await deployment.versions.changed()


async def learn_latencies(deployment: "Deployment") -> None:
    """Learn how long systems take of which nothing is known, before anybody waits for them."""
    plans, clock = deployment.plans.values(), deployment.clock
    await asyncio.gather(*(probe_systems(plan, clock) for plan in plans))
    await keep_latencies(deployment.store, deployment.studies.values(), now=clock.now())


async def keep_latencies(store: Store, studies: Iterable["RunningStudy"], *, now: float) -> None:
    """Store how long systems took, where that is new."""
    for study in studies:
        fresh = study.latencies.take_fresh()
        if not fresh:
            continue

        def save(
            connection: Connection,
            study_id: int = study.id,
            fresh: dict[str, list[float]] = fresh,
        ) -> None:
            save_latencies(connection, study_id, fresh, now=now)

        try:
            await store.write(save)
        except (ConflictError, StoreUnavailableError) as error:
            log.warning("latencies_not_kept", study=study.name, error=str(error))


async def _until_done(event: str, work: Callable[[], Awaitable[None]]) -> None:
    """Do something, again while the store is away."""
    while True:
        try:
            return await work()
        except StoreUnavailableError as error:
            log.warning(event, error=str(error))
            await asyncio.sleep(RETRY_SECONDS)
