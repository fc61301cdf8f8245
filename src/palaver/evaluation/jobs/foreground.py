"""Working through what is due, from the command line."""

import asyncio
import sys
import time
from collections.abc import Callable, Collection, Sequence
from typing import TextIO

from palaver.core.clock import Backoff
from palaver.core.evaluation.runs import Run
from palaver.core.protocols import Engine
from palaver.engines.registry import open_engine
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.worker import AT_ONCE, Worker
from palaver.evaluation.runs.progress import Echo, Progress
from palaver.storage.evaluation.jobs import open_runs
from palaver.storage.evaluation.runs import kin_of_runs, list_runs

SHOW_SECONDS = 0.5
LOCAL = "local"


def work_through(
    home: EvaluationHome,
    *,
    runs: Collection[Run] | None = None,
    engine: str | None = None,
    at_once: int = AT_ONCE,
    echo: Echo = lambda line: None,
    stream: TextIO | None = None,
    backoff: Backoff | None = None,
) -> list[Run]:
    """Work until nothing of `runs` (or of anything) is due any more; those runs as they are then.

    Runs of the same models on variants of the same data sets go along. Another process may work
    beside this one: what it does is waited for. Progress goes to `echo`, and as bars to `stream` if
    that is a terminal.
    """
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        progress = Progress(echo, stream=stream)
        return runner.run(_work(home, runs, engine, at_once, progress, backoff))


async def _work(
    home: EvaluationHome,
    runs: Collection[Run] | None,
    engine: str | None,
    at_once: int,
    progress: Progress,
    backoff: Backoff | None,
) -> list[Run]:
    wanted = None
    if runs is not None:
        ids = {run.id for run in runs}
        wanted = ids | await home.store.read(lambda c: kin_of_runs(c, ids))
    seen = set(wanted or ()) | await home.store.read(lambda c: open_runs(c, wanted))
    opened = open_engine(engine) if engine and engine != LOCAL else None
    progress.show(await _listed(home, seen), now=time.monotonic())
    worker = Worker(home, engine=opened, at_once=at_once, runs=wanted, backoff=backoff)
    working = asyncio.create_task(worker.work_through())
    showing = asyncio.create_task(_show(home, wanted, seen, progress))
    try:
        await asyncio.wait([working, showing], return_when=asyncio.FIRST_COMPLETED)
        await working
    finally:
        await _end([working, showing], opened)
        listed = await _listed(home, seen)
        progress.show(listed, now=time.monotonic())
        progress.close()
    return listed


async def _show(
    home: EvaluationHome, wanted: Collection[int] | None, seen: set[int], progress: Progress
) -> None:
    """Tell again and again how far the runs are that are not over; `seen` takes their ids."""
    shown = set(seen)
    pause = SHOW_SECONDS
    while True:
        await asyncio.sleep(pause)
        began = time.monotonic()
        now_open = await home.store.read(lambda c: open_runs(c, wanted))
        # Those that were open a moment ago, too: their end is news.
        listed = await _listed(home, shown | now_open)
        progress.show(listed, now=time.monotonic())
        seen |= now_open
        shown = now_open
        # With thousands of runs a look takes a while; it must not be what the time goes into.
        pause = max(SHOW_SECONDS, 20 * (time.monotonic() - began))


async def _listed(home: EvaluationHome, ids: Collection[int]) -> list[Run]:
    return await home.store.read(lambda c: list_runs(c, ids=ids))


async def _end(tasks: "Sequence[asyncio.Task[None]]", engine: Engine | None) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if engine is not None:
        await engine.close()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed: it halves what a call costs."""
    if sys.platform == "win32":
        return None
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
