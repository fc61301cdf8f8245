"""Working through what is due, from the command line."""

import asyncio
import sys
import time
from collections.abc import Callable, Collection
from typing import TextIO

from sqlalchemy import Connection

from palaver.core.protocols import Engine
from palaver.engines.opening import open_engine
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.progress import Echo, Progress
from palaver.evaluation.runs.worker import AT_ONCE, Worker
from palaver.storage.evaluation.jobs import open_runs
from palaver.storage.evaluation.runs import ListedRun, StoredRun, list_runs, variant_pairs

SHOW_SECONDS = 0.5
LOCAL = "local"


def work_through(
    home: EvaluationHome,
    *,
    runs: Collection[StoredRun] | None = None,
    engine: str | None = None,
    at_once: int = AT_ONCE,
    echo: Echo = lambda line: None,
    stream: TextIO | None = None,
) -> list[ListedRun]:
    """Work until nothing of `runs` (or of anything) is due any more; those runs as they are then.

    Runs of the same models on variants of the same data sets go along. Another process may work
    beside this one: what it does is waited for. Progress goes to `echo`, and as bars to `stream` if
    that is a terminal.
    """
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(_work(home, runs, engine, at_once, Progress(echo, stream=stream)))


async def _work(
    home: EvaluationHome,
    runs: Collection[StoredRun] | None,
    engine: str | None,
    at_once: int,
    progress: Progress,
) -> list[ListedRun]:
    wanted = await home.store.read(lambda c: _with_variants(c, runs)) if runs is not None else None
    seen = set(wanted or ()) | await home.store.read(lambda c: open_runs(c, wanted))
    opened = open_engine(engine) if engine and engine != LOCAL else None
    worker = Worker(home, engine=opened, at_once=at_once, runs=wanted)
    working = asyncio.create_task(worker.work_through())
    try:
        while not working.done():
            await asyncio.wait([working], timeout=SHOW_SECONDS)
            seen |= await home.store.read(lambda c: open_runs(c, wanted))
            progress.show(await _listed(home, seen), now=time.monotonic())
        await working
    finally:
        progress.close()
        await _end(working, opened)
    return await _listed(home, seen)


async def _listed(home: EvaluationHome, ids: Collection[int]) -> list[ListedRun]:
    return await home.store.read(lambda c: list_runs(c, ids=ids))


async def _end(working: "asyncio.Task[None]", engine: Engine | None) -> None:
    if not working.done():
        working.cancel()
        await asyncio.wait([working])
    if engine is not None:
        await engine.close()


def _with_variants(connection: Connection, runs: Collection[StoredRun]) -> set[int]:
    found = {run.id for run in runs}
    for run in runs:
        found |= {each.id for pair in variant_pairs(connection, run.id) for each in pair}
    return found


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed: it halves what a call costs."""
    if sys.platform == "win32":
        return None
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
