"""A server that takes notices by hook: what came, and what it is to answer."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class HookReceiver:
    """What was sent, by arrival; `answer` says with which status, and may be changed at any time."""

    port: int = 0
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answer: Callable[[], int] = lambda: 204
    came: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/palaver?key=of-ours"

    @property
    def told(self) -> list[dict[str, Any]]:
        """What was told, as it reads."""
        return [json.loads(body) for body in self.bodies]

    def wait_for(self, number: int) -> list[dict[str, Any]]:
        """What was told, once so many notices came; within half a minute."""
        with self.came:
            assert self.came.wait_for(lambda: len(self.bodies) >= number, 30), self.bodies
            return self.told

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        with self.came:
            self.bodies.append(body)
            self.headers.append(dict(request.headers))
            self.came.notify_all()
        return web.Response(status=self.answer(), headers={"Location": "http://127.0.0.1:1/"})


@contextmanager
def hook_receiver() -> Iterator[HookReceiver]:
    """A receiver on a port of its own, in a thread."""
    receiver, loop, ready = HookReceiver(), asyncio.new_event_loop(), threading.Event()
    stop = asyncio.Event()

    async def run() -> None:
        app = web.Application()
        app.router.add_post("/palaver", receiver.take)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        receiver.port = runner.addresses[0][1]
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield receiver
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
