"""One run's answers: what has none yet is asked, checked and stored, item by item.

A run that was interrupted goes on with the items that have no answer. Start-up is measured apart from
the time in which the model is asked.

Each answer is stored as soon as the commit before it is done. What comes in while a commit runs goes
into the next one, so that a slow disk makes larger commits and not a longer queue. Whoever brings
answers waits while too many of them are not stored yet.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection

from palaver.core.errors import InputError, LeaseLostError
from palaver.core.evaluation.datasets import DatasetVersion
from palaver.core.evaluation.models import UPLOADED, ModelVersion
from palaver.core.evaluation.runs import Job, Prediction, Run
from palaver.core.protocols import Engine, Predictor
from palaver.core.tasks import Example, Task
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.calls import Item, ItemAsker, Manner
from palaver.evaluation.jobs.fan_out import SpreadModel, SpreadUsage, ask_through
from palaver.evaluation.jobs.probe import probe_service, start_model
from palaver.evaluation.models.predictors import build_model, model_folder
from palaver.evaluation.runs.predictions import check_upload, uploaded_path
from palaver.evaluation.submissions.endpoints import check_addresses, strangers_options
from palaver.evaluation.tasks.stored import stored_task
from palaver.storage.evaluation.datasets import find_version
from palaver.storage.evaluation.jobs import get_on
from palaver.storage.evaluation.models import find_model_version, submitter_of
from palaver.storage.evaluation.predictions import (
    answered_positions,
    append_predictions,
    drop_predictions,
)
from palaver.storage.evaluation.runs import count_answers, find_run_by_id, set_run
from palaver.storage.evaluation.tasks import find_task
from palaver.systems.web.destinations import Inside

SAMPLE_SECONDS = 1.0
# From so many samples on every second one is dropped, and the next ones are taken half as often.
MOST_SAMPLES = 1000

# How many answers may wait for the disk, and how many one commit takes.
MOST_WAITING = 4000
AT_ONCE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What it takes to answer a run."""

    run: Run
    task: Task
    model: ModelVersion
    dataset: DatasetVersion
    folder: Path
    answered: frozenset[int]
    # Whether a team submitted the model: then it is asked only where strangers' models may be.
    is_strangers: bool
    # Whether images of the data set may be fetched from inside this network, or from which hosts.
    inside: Inside = False

    @property
    def manner(self) -> Manner:
        """How its items are put to the model."""
        return Manner(
            task=self.task,
            folder=self.folder,
            secret=str(self.model.options.get("secret", "")),
            inside=self.inside,
        )


class MemorySamples:
    """GiB that a model took, sampled about once a second; nothing where it cannot be measured."""

    def __init__(self, predictor: Predictor, known: Sequence[float] = ()) -> None:
        self.samples = list(known)
        self._predictor = predictor
        self._every = SAMPLE_SECONDS
        self._sampling: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._sampling = asyncio.create_task(self._sample())

    async def stop(self) -> None:
        """Take a last sample and end."""
        if self._sampling is not None:
            self._sampling.cancel()
            await asyncio.wait([self._sampling])
            self._note()

    async def _sample(self) -> None:
        while self._note():
            await asyncio.sleep(self._every)

    def _note(self) -> bool:
        """Take a sample; whether there was one."""
        found = self._predictor.memory()
        if found is None:
            return False
        self.samples.append(found)
        if len(self.samples) > MOST_SAMPLES:
            self.samples = self.samples[::2]
            self._every *= 2
        return True


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


def read_order(connection: Connection, run_id: int) -> Order:
    """What is stored about a run that is to be answered."""
    run = find_run_by_id(connection, run_id)
    model = find_model_version(connection, run.model_version_id)
    return Order(
        run=run,
        task=stored_task(find_task(connection, run.task)),
        model=model,
        dataset=find_version(connection, run.dataset_version_id),
        folder=Path(run.dataset_folder),
        answered=frozenset(answered_positions(connection, run_id)),
        is_strangers=submitter_of(connection, model.model_id) is not None,
    )


async def answer_run(
    home: EvaluationHome,
    job: Job,
    *,
    engine: Engine | None = None,
    stored: Callable[[], None] = lambda: None,
) -> None:
    """Bring a run to where every item has an answer or a refusal, or no more sense is to be had.

    `stored` is called whenever some answers have been stored. LeaseLostError: somebody else has the
    job now. SystemFailureError: the model failed; what it answered until then is kept.
    """
    order = await home.store.read(lambda c: read_order(c, job.run_id))
    if order.model.kind == UPLOADED:
        await _take_upload(home, job, order)
        stored()
        return
    items = await asyncio.to_thread(_open_items, home, order)
    if not items:
        return
    private = home.settings.private_endpoints
    order = replace(order, inside=private)
    if order.is_strangers:
        options = order.model.options
        await asyncio.to_thread(check_addresses, options, private=private)
        asked_with = strangers_options(options, private=private)
        order = replace(order, model=replace(order.model, options=asked_with))
    if engine is None:
        await _answer_here(home, job, order, items, stored)
    else:
        await _answer_through(engine, home, job, order, items, stored)


async def _take_upload(home: EvaluationHome, job: Job, order: Order) -> None:
    """Check that the uploaded file has every answer: then it is the answers, and no row is written."""
    path = uploaded_path(order.model, order.dataset)
    await asyncio.to_thread(lambda: check_upload(home, path, _examples(home, order)))

    def note(connection: Connection) -> None:
        get_on(connection, job.id, job.holder or "")
        drop_predictions(connection, job.run_id)
        set_run(connection, job.run_id, answered=order.run.items, refused=0)

    await home.store.write(note)


def _open_items(home: EvaluationHome, order: Order) -> list[Item]:
    examples = _examples(home, order)
    return [(n, each) for n, each in enumerate(examples) if n not in order.answered]


def _examples(home: EvaluationHome, order: Order) -> list[Example]:
    examples = read_examples(home, order.task, order.dataset)
    if len(examples) != order.run.items:
        raise InputError(
            f"'{order.dataset.path}' in {home.objects.url} contains {len(examples)} items; "
            f"{order.run.items} were registered. Add the data set again."
        )
    return examples


async def _answer_here(
    home: EvaluationHome, job: Job, order: Order, items: list[Item], stored: Callable[[], None]
) -> None:
    predictor = await asyncio.to_thread(build_model, home, order.model)
    memory = MemorySamples(predictor, order.run.memory)
    asking = ItemAsker(order.manner, predictor, accepted=order.run.answered)
    keeper = Keeper(home, job, busy=asking.busy.take, stored=stored)
    began = time.perf_counter()
    try:
        await start_model(asking, predictor)
        started = time.perf_counter() - began
        await home.store.write(lambda c: set_run(c, job.run_id, start_seconds=started))
        memory.start()
        left = await probe_service(asking, predictor, items, keeper.take)
        await asking.ask(left, keeper.take)
        await keeper.flush()
    finally:
        await memory.stop()
        await keeper.close()
        await predictor.close()
        if len(memory.samples) > len(order.run.memory):
            await home.store.write(lambda c: set_run(c, job.run_id, memory=memory.samples))


async def _answer_through(
    engine: Engine,
    home: EvaluationHome,
    job: Job,
    order: Order,
    items: list[Item],
    stored: Callable[[], None],
) -> None:
    predictor = await asyncio.to_thread(build_model, home, order.model)
    model = SpreadModel(
        kind=order.model.kind,
        options=dict(order.model.options),
        folder=str(model_folder(home, order.model).resolve()),
        batch=predictor.batch,
        concurrency=predictor.concurrency,
        is_service=predictor.is_service,
    )
    await predictor.close()
    spread = SpreadUsage()
    keeper = Keeper(home, job, busy=spread.busy.take, stored=stored)
    accepted = order.run.answered
    try:
        await ask_through(
            engine, model, order.manner, items, keeper.take, accepted=accepted, spread=spread
        )
        await keeper.flush()
    finally:
        await keeper.close()
        measured = {
            "start_seconds": spread.start_seconds,
            "memory": [*order.run.memory, *spread.memory],
        }
        await home.store.write(lambda c: set_run(c, job.run_id, **measured))
