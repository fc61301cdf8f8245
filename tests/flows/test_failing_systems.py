"""A system that hangs, talks garbage or answers 500: recorded, explained, survived."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from palaver.systems.attempt import PARTICIPANT_SENTENCES
from support.flow_studies import system
from support.houses import House

from .conftest import Ground

# One loop for all: the service that fails is there as long as the house that asks it.
pytestmark = pytest.mark.asyncio(loop_scope="module")


class Endpoint:
    """A chat-completions service that does what the last user message says."""

    def __init__(self) -> None:
        self.may_go_on = asyncio.Event()
        self.asked: list[str] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        # What a person said in a row, after a failure, comes as one message.
        wish = body["messages"][-1]["content"].splitlines()[-1]
        self.asked.append(wish)
        if wish == "hang":
            await asyncio.sleep(30)
        if wish == "500":
            return web.json_response({"error": "out of order"}, status=500)
        if wish == "html":
            return web.Response(text="<html>login</html>", content_type="text/html")
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        if wish == "garbage":
            await response.write(b"data: {{{{\n\n")
        elif wish == "cut":
            await response.write(_chunk("half an ans"))
        elif wish == "stream":
            for word in ("one ", "two ", "three"):
                await response.write(_chunk(word))
                if word == "two ":
                    await self.may_go_on.wait()
            await response.write(b"data: [DONE]\n\n")
        else:
            await response.write(_chunk(f"you said {wish}") + b"data: [DONE]\n\n")
        return response


def _chunk(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def endpoint() -> AsyncIterator[Endpoint]:
    service = Endpoint()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", service.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    service.port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
    yield service
    service.may_go_on.set()
    await runner.cleanup()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def failing_house(endpoint: Any, light_ground: Ground) -> AsyncIterator[House]:
    options = {
        "kind": "openai",
        "base_url": f"http://127.0.0.1:{endpoint.port}",
        "model": "m",
        "timeout": 2.0,
        "retries": 0,
    }
    slow = {**options, "timeout": 20.0}
    house = House.build(
        light_ground.folder,
        {
            "failing": system(turns={"exactly": 20}, systems={"tern": options}),
            "giving-up": system(turns={"exactly": 20}, systems={"tern": options}),
            "open": system(turns={"exactly": 4}, blind=False, systems={"tern": slow}),
            "blind": system(
                turns={"exactly": 4},
                systems={"tern": slow},
                pace={"reading": 0.1, "characters_per_second": 1000.0, "at_most": 1.0},
            ),
        },
        light_ground.database_url,
    )
    await asyncio.to_thread(house.serve)
    yield house
    await asyncio.to_thread(house.close)


async def test_each_failure_is_recorded_and_explained_and_the_person_can_go_on(
    failing_house: House,
) -> None:
    kinds = {
        "hang": "timeout",
        "500": "error",
        "garbage": "garbage",
        "cut": "garbage",
        "html": "garbage",
    }
    async with failing_house.visitor("failing") as ann:
        await ann.begin()
        room = await ann.room()
        for n, (wish, kind) in enumerate(kinds.items(), start=1):
            await room.say(wish)
            await room.until(
                lambda r, n=n: len([e for e in r.events if e["action"] == "notice"]) == n
            )
            notice = room.events[-1]
            assert notice["data"]["text"] == PARTICIPANT_SENTENCES[kind]
            assert 0 in notice["movers"]
            await room.say("hello")
            await room.hears(count=n)
        assert room.heard() == ["you said hello"] * 5
        assert all(event["action"] != "failure" for event in room.events)
        assert "out of order" not in "".join(ann.received)
    [record] = failing_house.dialogues("failing")
    failures = [event for event in record.events if event.action == "failure"]
    assert [event.data["kind"] for event in failures] == list(kinds.values())
    assert {event.audience for event in failures} == {()}
    assert "out of order" in failures[1].data["detail"]


async def test_after_three_failures_in_a_row_the_person_is_paid(
    failing_house: House, endpoint: Endpoint
) -> None:
    endpoint.asked.clear()
    async with failing_house.visitor("giving-up") as ann:
        await ann.begin()
        room = await ann.room()
        for n in range(3):
            await room.say("500")
            await room.until(
                lambda r, n=n: (
                    r.ending or len([e for e in r.events if e["action"] == "notice"]) == n + 1
                )
            )
        assert await room.ends() == "system_failed"
        await ann.reload()
        assert ann.heading == "Your partner could not go on"
        assert "2.5" in ann.page
        assert ann.code
    assert endpoint.asked == ["500"] * 3
    assert failing_house.places("giving-up").get("held") is None


async def test_drafts_reach_the_page_of_an_open_study_only(
    failing_house: House, endpoint: Endpoint
) -> None:
    endpoint.may_go_on.clear()
    async with (
        failing_house.visitor("open") as ann,
        failing_house.visitor("blind") as ben,
    ):
        await ann.begin()
        await ben.begin()
        hers, his = await ann.room(), await ben.room()
        await hers.say("stream")
        await his.say("stream")
        await hers.until(lambda r: any(f.get("text") == "one two " for f in r.frames))
        assert hers.heard() == []
        endpoint.may_go_on.set()
        await hers.hears("one two three")
        await his.hears("one two three")
        assert all(frame["type"] != "draft" for frame in his.frames)
        assert any(frame["type"] == "typing" and frame["on"] for frame in his.frames)
    [record] = failing_house.dialogues("open")
    assert [e.text for e in record.events if e.seat == 1] == ["one two three"]
