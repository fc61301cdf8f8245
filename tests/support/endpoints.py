"""A model behind HTTP that a test can look into: what it was asked, and what it is to answer."""

import asyncio
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

Question = dict[str, Any]
Answering = Callable[[Question], Any | Awaitable[Any]]

LABELS = ("entailed", "neutral", "contradictory")


def right_or_wrong(question: Question) -> dict[str, Any]:
    """A label that depends on the uid alone."""
    return {"id": question["uid"], "label": LABELS[sum(question["uid"].encode()) % 3]}


class Endpoint:
    """One address; `asked` counts the questions by uid, `answers` may be changed at any time.

    With a number in `left` it gives so many answers more, and holds further questions until the
    number is raised or taken away.
    """

    def __init__(self, answers: Answering, *, delay: float = 0.0) -> None:
        self.answers = answers
        self.delay = delay
        self.left: int | None = None
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.in_flight = 0
        self.most_in_flight = 0
        self.url = ""
        # How the server says it is, where it can be asked.
        self.ping: tuple[str, int] | None = None

    async def serve(self, request: web.Request) -> web.Response:
        question = await request.json()
        uid = question.get("uid", "")
        self.asked[uid] += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.delay:
                await asyncio.sleep(self.delay)
            await self._may_answer()
            found = self.answers(question)
            if asyncio.iscoroutine(found):
                found = await found
        finally:
            self.in_flight -= 1
        self.answered[uid] += 1
        if isinstance(found, web.Response):
            return found
        return web.json_response(found)

    async def pong(self, request: web.Request) -> web.Response:
        text, status = self.ping or ("", 405)
        return web.Response(text=text, status=status, content_type="application/json")

    async def _may_answer(self) -> None:
        while self.left is not None and self.left <= 0:
            await asyncio.sleep(0.01)
        if self.left is not None:
            self.left -= 1


@contextmanager
def serving(answers: Answering = right_or_wrong, *, delay: float = 0.0) -> Iterator[Endpoint]:
    """An endpoint on a thread of its own, until the block is left."""
    endpoint = Endpoint(answers, delay=delay)
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    stopping = asyncio.Event()

    async def serve() -> None:
        app = web.Application()
        app.router.add_get("/ping", endpoint.pong)
        app.router.add_post("/{path:.*}", endpoint.serve)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        endpoint.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        ready.set()
        await stopping.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(60)
    try:
        yield endpoint
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join(timeout=60)
        loop.close()


def speaking(reply: Callable[[list[dict[str, str]]], str]) -> Answering:
    """The answers of a language model: what `reply` makes of the messages it is sent."""

    def answer(question: Question) -> dict[str, Any]:
        return {"choices": [{"message": {"content": reply(question["messages"])}}]}

    return answer
