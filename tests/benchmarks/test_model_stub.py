"""The endpoint of the benchmark speaks what our predictors read, and keeps the time."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from benchmarks.model_questions import LABELS, PROMPT, filled, question
from benchmarks.model_stub import DELAY, listen

from palaver.systems.build import build_predictor

CHAT = {"prompt": PROMPT, "output": "label", "labels": list(LABELS)}


@pytest_asyncio.fixture
async def url() -> AsyncIterator[str]:
    """The address of a stub."""
    server = await listen(0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    await server.wait_closed()


async def span(url: str) -> dict[str, Any]:
    """What the stub counted since it was last asked."""
    async with aiohttp.ClientSession() as session, session.get(f"{url}/span") as response:
        told: dict[str, Any] = await response.json()
        return told


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["openai", "torchserve"])
async def test_a_predictor_reads_its_answer(kind: str, url: str, tmp_path: Path) -> None:
    own = {"base_url": url, **CHAT} if kind == "openai" else {"url": url}
    predictor = build_predictor(kind, {"model": "stub", **own}, folder=tmp_path)

    try:
        [reply] = await predictor.predict([question(7)])
    finally:
        await predictor.close()

    assert reply.record == {"id": "u7", "label": "neutral"}


@pytest.mark.asyncio
async def test_it_counts_questions_and_the_time_until_the_last_answer(url: str) -> None:
    async with aiohttp.ClientSession() as session:

        async def ask() -> None:
            async with session.post(f"{url}/v1/chat/completions", json={}) as response:
                await response.read()

        await ask()
        await asyncio.gather(ask(), ask())

    told = await span(url)

    assert told["asked"] == 3
    # Two answers one after the other: however busy the machine is, it is never less.
    assert told["seconds"] >= DELAY
    assert (await span(url))["asked"] == 0


def test_everybody_is_asked_the_same_prompt() -> None:
    asked = question(3)

    text = PROMPT
    for name in ("context", "hypothesis"):
        text = text.replace("{{" + name + "}}", asked[name])

    assert text == filled(3)
