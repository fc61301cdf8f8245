"""SIGTERM with everybody talking: a clean end within seconds, and nothing is lost."""

import asyncio
import random
import signal
from pathlib import Path

import pytest

from faults.seating import furnish, write_study
from faults.talkers import Talker, check, fall_silent, until
from palaver.storage import Store
from support.databases import Postgres
from support.participants import sqlite_url
from support.serving import Server, free_port, start_server

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def postgres_url(request: pytest.FixtureRequest) -> str | None:
    """None for SQLite, else the address of a new database."""
    if request.param == "sqlite":
        return None
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


def test_a_server_that_is_told_to_stop_ends_cleanly(
    tmp_path: Path, environment: dict[str, str], postgres_url: str | None
) -> None:
    study, home = write_study(tmp_path / "study"), tmp_path / "home"
    home.mkdir()
    url = postgres_url or sqlite_url(home)
    chairs = furnish(url, study, people=3, systems=2)
    port = free_port()
    tables = [
        [Talker(c, [f"http://127.0.0.1:{port}"], random.Random(c.path)) for c in table]
        for table in chairs
    ]

    def start() -> Server:
        return start_server(
            study, home=home, port=port, database_url=postgres_url, environment=environment
        )

    first = start()
    servers = [first]
    try:
        asyncio.run(_story(tables, first, start, servers))
    finally:
        for server in servers:
            server.kill()

    assert first.process.returncode == 0, first.output()
    assert "Traceback" not in first.output()
    store = Store(url)
    try:
        check(store, tables)
    finally:
        store.close()


async def _story(tables, first: Server, start, servers: list[Server]) -> None:
    everybody = [talker for table in tables for talker in table]
    for talker in everybody:
        await talker.__aenter__()
    try:
        await until(lambda: all(len(t.acknowledged) > 5 for t in everybody), "all have talked")
        first.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(first.process.wait, 60)
        servers.append(await asyncio.to_thread(start))
        await fall_silent(tables)
    finally:
        for talker in everybody:
            await talker.__aexit__()
