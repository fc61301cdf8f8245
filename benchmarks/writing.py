"""Writing against a model that takes 20 ms: what a try costs a writer beside the model's own time.

A hundred writers sit at open pages. In the first figure each sends a try every two seconds, as quick
people do; in the second all send at the same instant. The floor is a bare client that asks the model
in the same rhythm and stores nothing. A try is stored durably before the model is asked, and its answer
before it is shown.
"""

import asyncio
import json
import random
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import uvloop
from itsdangerous import URLSafeTimedSerializer

from benchmarks.model_runs import stub
from benchmarks.model_stub import DELAY
from benchmarks.processes import Serving, cpu_seconds, palaver
from benchmarks.table import Figure
from palaver.evaluation.home import open_evaluation
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.storage import Store
from palaver.storage.people.participants import enter
from palaver.storage.studies.studies import register_study
from palaver.studies.file.reader import load_study
from palaver.web.participant.visit import COOKIE, SALT

STUDY = """\
title: Outwit it
name: bench
stages:
  - write:
      task: nli
      contexts: contexts.jsonl
      models: [stub]
      goals: [neutral]
      tries: 1000
"""
EVERY = 2.0
# Milliseconds that a try may cost beside the model's time.
MOST = 30.0
# The model's time in milliseconds.
MODEL = 1000 * DELAY

Ask = Callable[[int, int], Awaitable[None]]


def run(*, writers: int, seconds: float, bursts: int) -> tuple[list[Figure], Any]:
    """What tries cost `writers` who write at once."""
    with TemporaryDirectory(prefix="palaver-bench-") as name, stub(Path(name)) as url:
        folder = Path(name)
        cookies = _furnish(folder, url, writers)
        with palaver(folder / "study", folder / "home") as serving:
            ours = uvloop.run(_ours(serving, cookies, seconds, bursts))
        floor = uvloop.run(_floor(url, writers, seconds, bursts))
    figures = [
        _figure(f"{writers} writers, a try each {EVERY:g} s: median", ours, floor, "steady", 50),
        _figure(f"{writers} writers, a try each {EVERY:g} s: p99", ours, floor, "steady", 99),
        _figure(f"{writers} tries at the same instant: median", ours, floor, "burst", 50),
        _figure(f"{writers} tries at the same instant: p99", ours, floor, "burst", 99),
        Figure("server CPU per try", 1000 * ours["cpu"] / ours["tries"], None, "ms"),
    ]
    return figures, {"ours": ours, "floor": floor}


def _figure(name: str, ours: Any, floor: Any, phase: str, percentile: int) -> Figure:
    def beside(times: list[float]) -> float:
        return 1000 * quantiles(times, n=100)[percentile - 1] - MODEL

    return Figure(
        f"{name}, beside the model's {MODEL:.0f} ms",
        beside(ours[phase]),
        beside(floor[phase]),
        "ms",
        goal=f"≤ {MOST:.0f} ms",
        met=lambda figure: figure.ours <= MOST,
    )


def _furnish(folder: Path, url: str, writers: int) -> list[tuple[str, str]]:
    """A home with the model and a study; the visit and the cookie of each writer."""
    study = folder / "study"
    study.mkdir()
    (study / "study.yaml").write_text(STUDY, encoding="utf-8")
    lines = [{"context": {"context": f"Text {n} is about a boat."}} for n in range(writers)]
    (study / "contexts.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    place, now = folder / "home", time.time()
    with open_evaluation(place, f"sqlite:///{place / 'palaver.db'}") as home:
        row = home.store.write_now(lambda c: ensure_task(c, "nli", now=now))
        add_model(
            home,
            row,
            stored_task(row),
            name="stub",
            kind="torchserve",
            options={"url": url, "model": "stub", "concurrency": 200},
            now=now,
        )
        return _enter(home.store, study, writers)


def _enter(store: Store, study: Path, writers: int) -> list[tuple[str, str]]:
    loaded, now = load_study(study / "study.yaml"), time.time()
    signer = URLSafeTimedSerializer(store.secret(), salt=SALT)
    study_id = store.write_now(
        lambda c: register_study(
            c,
            name=loaded.name,
            title=loaded.title,
            digest=loaded.digest,
            definition=STUDY,
            now=now,
        )
    )
    visits = store.write_now(
        lambda c: [
            enter(
                c,
                study_id=study_id,
                crowd="link",
                person=f"writer-{n}",
                assignment="1",
                first_step="stage:0",
                now=now,
            )
            for n in range(writers)
        ]
    )
    return [(visit.key, f"{COOKIE}={signer.dumps(visit.key)}") for visit in visits]


async def _ours(
    serving: Serving, cookies: list[tuple[str, str]], seconds: float, bursts: int
) -> dict[str, Any]:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        pages = [await _open(session, serving.port, *each) for each in cookies]
        before = cpu_seconds(serving.pid)
        found = await _measure(_writing(pages), len(pages), seconds, bursts)
        tries = len(found["steady"]) + len(found["burst"]) + len(pages)
        cpu = cpu_seconds(serving.pid) - before
        for page in pages:
            await page.close()
    return {**found, "cpu": cpu, "tries": tries}


async def _open(
    session: aiohttp.ClientSession, port: int, visit: str, cookie: str
) -> aiohttp.ClientWebSocketResponse:
    """The socket of a writer's page."""
    base, headers = f"http://127.0.0.1:{port}", {"cookie": cookie}
    async with session.get(f"{base}/take/{visit}", headers=headers) as response:
        page = await response.text()
    found = re.search(r'data-socket="([^"]*)"', page)
    if found is None:
        raise RuntimeError(f"a writer's page has no conversation:\n{page[-2000:]}")
    socket = await session.ws_connect(base + found[1], headers=headers, max_msg_size=0)
    await socket.send_json({"type": "hello", "after": 0})
    while (await socket.receive_json())["type"] != "ready":
        pass
    return socket


def _writing(pages: list[aiohttp.ClientWebSocketResponse]) -> Ask:
    async def ask(writer: int, number: int) -> None:
        values = {"hypothesis": f"Sentence {number} of {writer}.", "label": "neutral"}
        page = pages[writer]
        move = {"type": "move", "id": f"{number}", "action": "try", "data": {"values": values}}
        await page.send_json(move)
        while True:
            frame = await page.receive_json()
            if frame["type"] == "error" or frame.get("action") == "unanswered":
                raise RuntimeError(f"a try failed: {frame}")
            if frame.get("action") == "answer":
                return

    return ask


async def _floor(url: str, writers: int, seconds: float, bursts: int) -> dict[str, Any]:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(writer: int, number: int) -> None:
            question = {"uid": f"{writer}-{number}", "context": "", "hypothesis": ""}
            async with session.post(f"{url}/predictions/stub", json=question) as response:
                await response.read()

        return await _measure(ask, writers, seconds, bursts)


async def _measure(ask: Ask, writers: int, seconds: float, bursts: int) -> dict[str, Any]:
    """How long tries take, at a steady rate and all at once; a first round warms up."""
    steady: list[float] = []
    burst: list[float] = []
    numbers = [0] * writers

    async def one(writer: int, times: list[float]) -> None:
        began = time.perf_counter()
        numbers[writer] += 1
        await ask(writer, numbers[writer])
        times.append(time.perf_counter() - began)

    async def keep_on(writer: int, until: float) -> None:
        rng = random.Random(writer)
        await asyncio.sleep(rng.uniform(0, EVERY))
        while time.perf_counter() < until:
            began = time.perf_counter()
            await one(writer, steady)
            await asyncio.sleep(max(0.0, EVERY - (time.perf_counter() - began)))

    await asyncio.gather(*(one(writer, []) for writer in range(writers)))
    until = time.perf_counter() + seconds
    await asyncio.gather(*(keep_on(writer, until) for writer in range(writers)))
    for _ in range(bursts):
        await asyncio.gather(*(one(writer, burst) for writer in range(writers)))
        await asyncio.sleep(0.3)
    return {"steady": steady, "burst": burst}
