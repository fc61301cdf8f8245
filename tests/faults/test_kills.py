"""kill -9 at random moments under load, again and again: nothing acknowledged is lost."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from faults.seating import furnish, write_study
from faults.talkers import Talker, check, fall_silent, until
from palaver.storage import Store
from support.chains import verified
from support.databases import Postgres
from support.lengths import short_and_long
from support.participants import sqlite_url
from support.serving import Server, free_port, start_server

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

PEOPLE, SYSTEMS = 3, 3


class Crowd:
    """Everybody who talks, and the servers they talk to."""

    def __init__(
        self, folder: Path, environment: dict[str, str], *, postgres: str | None = None, seed: int
    ) -> None:
        self.rng = random.Random(seed)
        self.environment = environment
        self.home = folder / "home"
        self.home.mkdir()
        self.url = postgres or sqlite_url(self.home)
        self.tables: list[list[Talker]] = []
        self._postgres = postgres
        self._study = write_study(folder / "study")
        self._chairs = furnish(self.url, self._study, people=PEOPLE, systems=SYSTEMS)
        self._servers: dict[int, Server] = {}
        self.links = 0

    async def start(self, port: int) -> None:
        """Serve on this port, for the first time or again."""
        self._servers[port] = await asyncio.to_thread(
            start_server,
            self._study,
            home=self.home,
            port=port,
            database_url=self._postgres,
            environment=self.environment,
            ready_within=60,
        )

    def kill(self, port: int) -> None:
        self._servers[port].kill()

    @contextlib.asynccontextmanager
    async def talking(self, ports: list[int]) -> AsyncIterator[None]:
        """Everybody talks until the block is left; the servers end with it."""
        bases = [f"http://127.0.0.1:{port}" for port in ports]
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self._end)
            for number, chairs in enumerate(self._chairs):
                # With two processes the two people of a dialogue start on different ones.
                table = [
                    Talker(
                        chair,
                        bases[(number + chair.seat) % len(bases) :] + bases,
                        random.Random(f"{number}:{chair.seat}"),
                    )
                    for chair in chairs
                ]
                self.tables.append(table)
                for talker in table:
                    await stack.enter_async_context(talker)
            yield

    def acknowledged(self) -> int:
        return sum(len(talker.acknowledged) for table in self.tables for talker in table)

    def resent(self) -> int:
        return sum(talker.resent for table in self.tables for talker in table)

    async def more(self, messages: int) -> None:
        """Wait until so many more messages are acknowledged."""
        goal = self.acknowledged() + messages
        await until(lambda: self.acknowledged() >= goal, f"{messages} more are acknowledged")

    def verify(self) -> None:
        """Every link that is stored holds, whatever moment the server was killed at."""
        self.links = verified(self.url).links

    def check(self, *, kills: int) -> None:
        """Nothing is lost; and it was put to the test: much was cut off and sent again."""
        store = Store(self.url)
        try:
            check(store, self.tables)
        finally:
            store.close()
        self.verify()
        assert self.links > self.acknowledged() > 10 * kills
        assert self.resent() > kills

    def _end(self) -> None:
        for server in self._servers.values():
            server.kill()


@short_and_long("kills", 2, 30)
def test_a_server_on_sqlite_that_is_killed_again_and_again_loses_nothing(
    tmp_path: Path, environment: dict[str, str], kills: int
) -> None:
    crowd = Crowd(tmp_path, environment, seed=20)
    port = free_port()

    async def story() -> None:
        async with crowd.talking([port]):
            for _ in range(kills):
                await crowd.start(port)
                await crowd.more(10)
                await asyncio.sleep(crowd.rng.uniform(0.0, 0.4))
                crowd.kill(port)
                crowd.verify()
            await crowd.start(port)
            await fall_silent(crowd.tables)

    asyncio.run(story())
    crowd.check(kills=kills)


@pytest.mark.postgres
@short_and_long("kills", 2, 30)
def test_two_servers_on_postgresql_that_are_killed_in_turn_lose_nothing(
    tmp_path: Path, environment: dict[str, str], postgres: Postgres, kills: int
) -> None:
    crowd = Crowd(tmp_path, environment, postgres=postgres.new_database(), seed=21)
    ports = [free_port(), free_port()]

    async def story() -> None:
        await crowd.start(ports[0])
        await crowd.start(ports[1])
        async with crowd.talking(ports):
            for number in range(kills):
                await crowd.more(10)
                await asyncio.sleep(crowd.rng.uniform(0.0, 0.3))
                crowd.kill(ports[number % 2])
                crowd.verify()
                await crowd.start(ports[number % 2])
            await fall_silent(crowd.tables)

    asyncio.run(story())
    crowd.check(kills=kills)
