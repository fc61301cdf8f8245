"""Keeping answers: each is stored as soon as the commit before it is done.

What comes in while a commit runs goes into the next one, so that a slow disk makes larger commits
and not a longer queue. Whoever brings answers waits while too many of them are not stored yet.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from sqlalchemy import Connection

from palaver.core.errors import LeaseLostError
from palaver.core.evaluation.runs import Job, Prediction
from palaver.evaluation.home import EvaluationHome
from palaver.storage.evaluation.jobs import get_on
from palaver.storage.evaluation.predictions import append_predictions
from palaver.storage.evaluation.runs import count_answers

# How many answers may wait for the disk, and how many one commit takes.
MOST_WAITING = 4000
AT_ONCE = 1000


class Keeper:
    """Stores the answers of one run for as long as its job is held."""

    def __init__(
        self,
        home: EvaluationHome,
        job: Job,
        *,
        busy: Callable[[], float],
        stored: Callable[[], None] = lambda: None,
    ) -> None:
        self._home = home
        self._job = job
        self._busy = busy
        self._stored = stored
        self._waiting: list[Prediction] = []
        self._storing: asyncio.Task[None] | None = None
        self._failure: Exception | None = None

    async def take(self, answers: Sequence[Prediction]) -> None:
        """Let these be stored; waits while the disk is behind, raises what went wrong with it."""
        self._waiting += answers
        if self._storing is None and self._failure is None:
            self._storing = asyncio.create_task(self._store())
        while self._storing is not None and len(self._waiting) > MOST_WAITING:
            await asyncio.shield(self._storing)
        if self._failure is not None:
            raise self._failure

    async def flush(self) -> None:
        """Return once everything is stored; raises what went wrong."""
        while self._storing is not None:
            await asyncio.shield(self._storing)
        if self._failure is not None:
            raise self._failure

    async def close(self) -> None:
        """Store what has come in, unless the job was lost."""
        with suppress(LeaseLostError):
            await self.flush()

    async def _store(self) -> None:
        try:
            while self._waiting:
                some, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
                seconds = self._busy()
                await self._home.store.write(lambda c: self._append(c, some, seconds))  # noqa: B023
                self._stored()
        except Exception as error:  # noqa: BLE001  handed to whoever brings the next answers
            self._failure = error
        finally:
            self._storing = None

    def _append(self, connection: Connection, some: list[Prediction], seconds: float) -> None:
        # First of all: nothing is stored for a job that somebody else has by now.
        get_on(connection, self._job.id, self._job.holder or "")
        append_predictions(connection, self._job.run_id, some)
        refused = sum(each.answer is None for each in some)
        count_answers(
            connection,
            self._job.run_id,
            answered=len(some) - refused,
            refused=refused,
            busy_seconds=seconds,
        )
