"""Model runs: a data set put to an endpoint that takes 20 ms, with 200 calls in flight.

Ours is the whole path: every question of a stored data set asked, every answer checked and stored
durably (SQLite, synchronous = FULL), then scored. Beside it stand a bare asyncio loop over aiohttp,
which checks and stores nothing, and the client that most evaluation programs are built on, httpx.
Where `make bench-peers` has installed them, whole evaluation programs stand beside it as well. The
endpoint runs in a process of its own.
"""

import asyncio
import contextlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import uvloop

from benchmarks.model_peers import Peer, beside_peers
from benchmarks.model_questions import IN_FLIGHT, LABELS, PROMPT, question, write_dataset
from benchmarks.processes import BYTE_CODE, ROOT, _running, free_port
from benchmarks.statistics_measuring import extrapolated, memory, side
from benchmarks.table import Figure
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import open_evaluation
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.storage.evaluation.jobs import jobs_of_runs
from palaver.storage.evaluation.runs import list_runs

HERE = __name__
IMPORTED = "import palaver.cli.evaluation.evaluate_command"
EVALUATE = "from palaver.cli.evaluation.evaluate_command import command; command()"


def run(*, examples: int, with_httpx: int, with_inspect: int) -> tuple[list[Figure], Any]:
    """Examples per second, CPU per 1,000 of them, start-up and memory."""
    peers = [
        Peer("lm-eval", "benchmarks.peer_lm_eval", examples),
        Peer("inspect-ai", "benchmarks.peer_inspect", with_inspect),
    ]
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as name:
        folder = Path(name)
        with stub(folder) as url:
            ours = side(f"{HERE}:ours", folder=name, url=url, examples=examples)
            bare = side(f"{HERE}:bare_aiohttp", url=url, examples=examples)
            started = _started_in(folder / "small", url)
            httpx = _httpx(url, with_httpx, examples)
            beside, theirs = beside_peers(peers, folder=folder, url=url)
    per_thousand = 1000 / examples
    what = f"{examples:,} examples"
    figures = [
        Figure(
            f"{what}: asked, checked and stored (floor: aiohttp, stores nothing)",
            examples / ours["wall"],
            examples / bare["wall"],
            "/s",
            goal="≥ 2,000/s",
            met=lambda f: f.ours >= 2000,
        ),
        Figure(
            "CPU per 1,000 examples, with scoring (floor: aiohttp)",
            ours["cpu"] * per_thousand,
            bare["cpu"] * per_thousand,
            "s",
            goal="≤ 0.5 s",
            met=lambda f: f.ours <= 0.5,
        ),
        Figure(
            "from `palaver evaluate` to the first question",
            started,
            None,
            "s",
            goal="≤ 1.5 s",
            met=lambda f: f.ours <= 1.5,
        ),
        memory("peak memory, with scoring", ours, most=300),
    ]
    if httpx is not None:
        figures.insert(
            1,
            Figure(
                f"{what} (floor: httpx, {with_httpx:,} of them)",
                examples / ours["wall"],
                examples / httpx["wall"],
                "/s",
            ),
        )
    details = {"ours": ours, "aiohttp": bare, "httpx": httpx, "peers": theirs}
    return [*figures, *beside], details


def ours(*, folder: str, url: str, examples: int, kind: str = "torchserve") -> dict[str, Any]:
    """The whole path; `wall` ends when the last answer is stored, `cpu` when it is scored."""
    place = Path(folder) / "home"
    with open_evaluation(place, f"sqlite:///{place / 'palaver.db'}") as home:
        runs = _furnish(home, Path(folder), url, examples, kind)
        began = time.process_time()
        listed = work_through(home, runs=runs)
        cpu = time.process_time() - began
        run = listed[0]
        if run.state != "done" or run.answered != examples:
            raise RuntimeError(f"the run is {run.state}: {run.reason}")
        scoring = home.store.read_now(lambda c: jobs_of_runs(c, [run.id]))[-1]
        assert run.started is not None
        return {
            "wall": scoring.created - run.started,
            "cpu": cpu,
            "busy": run.busy_seconds,
        }


def bare_aiohttp(*, url: str, examples: int) -> dict[str, Any]:
    """A loop as one writes it in an afternoon: nothing is checked, nothing is kept."""

    async def loop() -> None:
        connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def ask(asked: dict[str, Any]) -> None:
                async with session.post(f"{url}/predictions/stub", json=asked) as response:
                    await response.json()

            await _in_flight(ask, examples)

    return _measured(loop)


def bare_httpx(*, url: str, examples: int) -> dict[str, Any]:
    """The same loop over httpx."""
    import httpx2

    async def loop() -> None:
        limits = httpx2.Limits(max_connections=IN_FLIGHT)
        async with httpx2.AsyncClient(limits=limits, timeout=60) as client:

            async def ask(asked: dict[str, Any]) -> None:
                (await client.post(f"{url}/predictions/stub", json=asked)).json()

            await _in_flight(ask, examples)

    return _measured(loop)


async def _in_flight(ask: Callable[[dict[str, Any]], Awaitable[None]], examples: int) -> None:
    numbers = iter(range(examples))

    async def keep_asking() -> None:
        for number in numbers:
            await ask(question(number))

    await asyncio.gather(*(keep_asking() for _ in range(IN_FLIGHT)))


def _measured(loop: Callable[[], Any]) -> dict[str, Any]:
    cpu, wall = time.process_time(), time.perf_counter()
    uvloop.run(loop())
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def _httpx(url: str, done: int, wanted: int) -> dict[str, Any] | None:
    if importlib.util.find_spec("httpx2") is None or not done:
        return None
    return extrapolated(
        {
            name: value
            for name, value in side(f"{HERE}:bare_httpx", url=url, examples=done).items()
            if name in ("wall", "cpu")
        },
        done=done,
        wanted=wanted,
    )


def _started_in(folder: Path, url: str) -> float:
    """Seconds from the start of the process to the first question, on a small data set."""
    folder.mkdir()
    place = folder / "home"
    address = f"sqlite:///{place / 'palaver.db'}"
    with open_evaluation(place, address) as home:
        _furnish(home, folder, url, 10)
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(BYTE_CODE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # Once before, so that a start is measured and not a compilation.
    subprocess.run([sys.executable, "-c", IMPORTED], check=True, cwd=ROOT, env=environment)
    began = time.time()
    subprocess.run(
        [sys.executable, "-c", EVALUATE, "nli", "--home", str(place)],
        check=True,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with open_evaluation(place, address) as home:
        run = home.store.read_now(list_runs)[0]
    assert run.started is not None
    return run.started + run.start_seconds - began


def _furnish(home: Any, folder: Path, url: str, examples: int, kind: str = "torchserve") -> Any:
    """The task nli with one data set and the stub as a model; the runs that are due."""
    file = folder / "dev.jsonl"
    write_dataset(file, examples)
    now = time.time()
    row = home.store.write_now(lambda c: ensure_task(c, "nli", now=now))
    task = stored_task(row)
    add_dataset(home, row, task, name="dev", source=str(file), now=now)
    options = {"model": "stub", "concurrency": IN_FLIGHT, **_reached(kind, url)}
    added = add_model(home, row, task, name="stub", kind=kind, options=options, now=now)
    return added.due


def _reached(kind: str, url: str) -> dict[str, Any]:
    """The options of a predictor of this kind that asks the stub."""
    if kind == "openai":
        answers = {"output": "label", "labels": list(LABELS), "max_tokens": 16}
        return {"base_url": url, "prompt": PROMPT, **answers}
    return {"url": url}


@contextlib.contextmanager
def stub(folder: Path) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.model_stub", "--port", str(port)]
    with _running(command, port, "/ping", folder / "stub.log"):
        yield f"http://127.0.0.1:{port}"
