"""What the tests of the connectors share: places at a table, events, and a real web server."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from palaver.core.clock import VirtualClock
from palaver.core.events import MESSAGE, Event
from palaver.core.protocols import Place
from palaver.core.scenario import Scenario
from palaver.systems.build import build_system

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Table:
    """Builds systems that are closed after the test, seats them, and speaks to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.systems: list[Any] = []

    def build(self, name: str = "bot", **options: Any) -> Any:
        quick = {"backoff": 0.0, **options}
        system = build_system(name, quick, folder=self.folder)
        self.systems.append(system)
        return system

    def place(self, *, dialogue: str = "d1", seat: int = 1, persona: tuple[str, ...] = ()) -> Place:
        scenario = Scenario(personas=tuple(persona if i == seat else () for i in range(2)))
        return Place(
            dialogue=dialogue,
            seat=seat,
            scenario=scenario,
            clock=VirtualClock(),
            rng=random.Random(dialogue),
        )

    def event(self, seq: int, seat: int, text: str) -> Event:
        return Event(seq=seq, seat=seat, action=MESSAGE, data={"text": text}, time=float(seq))

    def session(self, system: Any, *heard: str, **place: Any) -> Any:
        """A session at seat 1 that has received `heard`, seat 0 and seat 1 speaking in turn."""
        session = system.new_session(self.place(**place))
        for number, text in enumerate(heard):
            session.receive(self.event(number + 1, number % 2, text))
        return session

    async def answer(self, system: Any, *heard: str, **place: Any) -> str | None:
        """What the system says after `heard`; None for silence."""
        moves = await self.session(system, *heard, **place).send()
        return moves[0].data["text"] if moves else None


@pytest_asyncio.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    table = Table(tmp_path)
    yield table
    for system in table.systems:
        await system.close()


@pytest_asyncio.fixture
async def serve() -> AsyncIterator[Callable[[Handler], Awaitable[str]]]:
    """Starts a web server on a free port that answers every request with `handler`."""
    runners: list[web.AppRunner] = []

    async def start(handler: Handler) -> str:
        app = web.Application()

        async def route(request: web.Request) -> web.StreamResponse:
            return await handler(request)

        app.router.add_route("*", "/{path:.*}", route)
        runner = web.AppRunner(app, shutdown_timeout=0.05)
        runners.append(runner)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    yield start
    for runner in runners:
        await runner.cleanup()


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a file into the study folder."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
