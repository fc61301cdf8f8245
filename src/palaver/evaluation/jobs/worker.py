"""The worker: claims jobs, does several at a time, and outlives every one of them.

Any number of workers share a store. A job's lease keeps them apart; a worker that finds a lease lost
stops that job and nothing else. Whatever a job raises becomes the reason why its attempt failed.
"""

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import suppress

from sqlalchemy import Connection

from palaver.core.clock import Backoff
from palaver.core.errors import (
    InputError,
    LeaseLostError,
    PalaverError,
    StoreError,
    SystemFailureError,
)
from palaver.core.evaluation.runs import Job, JobKind
from palaver.core.logs import get_log
from palaver.core.protocols import Engine
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.answer_job import answer_run
from palaver.evaluation.runs.outcomes import (
    begin_answering,
    end_answering,
    end_scoring,
    fail_attempt,
    reclaim_jobs,
)
from palaver.evaluation.scoring import score_run
from palaver.evaluation.scoring.scores import Compute, computed_on, score_pieces
from palaver.storage.engine.holders import new_holder
from palaver.storage.evaluation.jobs import (
    LEASE_SECONDS,
    claim,
    has_due,
    held_by,
    open_runs,
    release,
    renew,
)

log = get_log(__name__)

AT_ONCE = 4
# Scoring takes a core and not a network: it waits for no model and no model waits for it.
SCORING_AT_ONCE = 2
LOOK_SECONDS = 0.5
RENEW_SECONDS = LEASE_SECONDS / 4
RECLAIM_SECONDS = 5.0

# Called with the id of a run of which something has changed.
Listener = Callable[[int], None]


class Worker:
    """Does the jobs of a home, or those of some runs."""

    def __init__(
        self,
        home: EvaluationHome,
        *,
        engine: Engine | None = None,
        at_once: int = AT_ONCE,
        listener: Listener | None = None,
        runs: Collection[int] | None = None,
        backoff: Backoff | None = None,
    ) -> None:
        self.holder = new_holder()
        self._home = home
        self._engine = engine
        self._most: dict[JobKind, int] = {"answer": at_once, "score": SCORING_AT_ONCE}
        self._listener = listener or (lambda run_id: None)
        self._runs = runs
        self._backoff = backoff or Backoff()
        self._working: dict[int, tuple[Job, asyncio.Task[None]]] = {}
        self._lost: set[int] = set()
        self._awake = asyncio.Event()
        self._renewed = 0.0
        self._reclaimed = 0.0

    def wake(self) -> None:
        """Look for work now: something was planned."""
        self._awake.set()

    async def run(self) -> None:
        """Work until cancelled; what is under way is given back then."""
        try:
            while True:
                await self._look()
                await self._pause()
        finally:
            await self._give_back()

    async def work_through(self) -> None:
        """Work until nothing waits or runs any more, here or elsewhere."""
        try:
            while await self._look() or await self._is_anything_open():
                await self._pause()
        finally:
            await self._give_back()

    async def _is_anything_open(self) -> bool:
        try:
            return bool(await self._home.store.read(lambda c: open_runs(c, self._runs)))
        except StoreError:
            return True

    async def _look(self) -> bool:
        """Take back, prolong, stop and start jobs as need be; whether any is under way."""
        try:
            await self._take_back()
            await self._hold_on()
            await self._start_some()
        except StoreError as error:
            # A full disk or a lost database passes; the jobs that are under way notice themselves.
            log.warning("worker_cannot_look", error=str(error))
        return bool(self._working)

    async def _pause(self) -> None:
        # Not `wait_for`: it would lose a cancellation that comes with the awakening.
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await self._awake.wait()
        self._awake.clear()

    async def _take_back(self) -> None:
        if time.monotonic() - self._reclaimed < RECLAIM_SECONDS and self._reclaimed:
            return
        self._reclaimed = time.monotonic()
        taken = await self._home.store.write(lambda c: reclaim_jobs(c, now=time.time()))
        for job in taken:
            log.warning("job_taken_back", job=job.key, state=job.state, reason=job.reason)
            self._listener(job.run_id)

    async def _hold_on(self) -> None:
        """Prolong the leases now and then, and stop what was cancelled or taken over."""
        if not self._working:
            return
        mine = list(self._working)
        if time.monotonic() - self._renewed > RENEW_SECONDS:
            self._renewed = time.monotonic()
            held = await self._home.store.write(lambda c: renew(c, self.holder, mine))
        else:
            held = await self._home.store.look_up(lambda c: held_by(c, self.holder))
        for job_id in mine:
            if job_id not in held and job_id in self._working:
                self._lost.add(job_id)
                self._working[job_id][1].cancel()

    async def _start_some(self) -> None:
        while kinds := self._free():
            runs = self._runs
            if not await self._home.store.look_up(lambda c: has_due(c, kinds=kinds, runs=runs)):  # noqa: B023
                return
            job = await self._home.store.write(
                lambda c: claim(c, self.holder, kinds=kinds, runs=runs, now=time.time())  # noqa: B023
            )
            if job is None:
                return
            log.info("job_started", job=job.key, attempt=job.attempts)
            self._working[job.id] = (job, asyncio.create_task(self._work(job)))

    def _free(self) -> list[JobKind]:
        """The kinds of jobs of which another one may be started."""
        kinds = [job.kind for job, _ in self._working.values()]
        return [kind for kind, most in self._most.items() if kinds.count(kind) < most]

    async def _work(self, job: Job) -> None:
        try:
            await self._do(job)
        except asyncio.CancelledError:
            if job.id not in self._lost:
                await self._note(lambda c: release(c, job))
        except LeaseLostError:
            log.info("job_lost", job=job.key)
        except Exception as error:  # noqa: BLE001  one bad model or data set stops nobody else
            await self._fail(job, error)
        finally:
            del self._working[job.id]
            self._lost.discard(job.id)
            self._listener(job.run_id)
            self._awake.set()

    async def _do(self, job: Job) -> None:
        store = self._home.store
        if job.kind == "score":
            await asyncio.to_thread(
                score_run, self._home, job.run_id, now=time.time(), compute=self._compute()
            )
            await store.write(lambda c: end_scoring(c, job, now=time.time()))
            return
        await store.write(lambda c: begin_answering(c, job, now=time.time()))
        self._listener(job.run_id)
        await answer_run(
            self._home, job, engine=self._engine, stored=lambda: self._listener(job.run_id)
        )
        await store.write(lambda c: end_answering(c, job, now=time.time()))

    def _compute(self) -> Compute:
        if self._engine is None:
            return score_pieces
        return computed_on(self._engine, asyncio.get_running_loop())

    async def _fail(self, job: Job, error: Exception) -> None:
        if isinstance(error, PalaverError):
            reason = str(error)
            log.info("job_failed", job=job.key, error=reason)
        else:
            reason = f"{type(error).__name__}: {error}"
            log.error("job_failed", job=job.key, error=reason, exc_info=error)
        # What somebody gave is wrong, or the model said so: asking again changes nothing.
        final = isinstance(error, InputError) or getattr(error, "is_final", False)
        raw = error.raw if isinstance(error, SystemFailureError) else None
        now, backoff = time.time(), self._backoff
        await self._note(
            lambda c: fail_attempt(c, job, reason, now=now, backoff=backoff, final=final, raw=raw)
        )

    async def _note(self, work: Callable[[Connection], object]) -> None:
        """Store what became of a job; where that fails, its lease runs out and it is taken back."""
        try:
            await self._home.store.write(work)
        except StoreError as error:
            log.warning("job_left_behind", error=str(error))

    async def _give_back(self) -> None:
        """Stop what is under way; the answers that came are kept."""
        tasks = [task for _, task in self._working.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
