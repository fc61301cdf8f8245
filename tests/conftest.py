"""Fixtures that every kind of test may use."""

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from hypothesis import settings

from palaver.accounts import passwords
from palaver.storage import Store
from palaver.storage.engine import database
from support.databases import (
    CompiledStatements,
    Postgres,
    endings_that_differ,
    fast_folder,
    new_sqlite,
    start_postgres,
)

pytest_plugins = ["support.lengths", "support.no_quiet_skips"]

# Tests start many processes: let these keep their bytecode. It stays beside the sources, where that of
# the installed packages already is: with a folder of their own they would compile all of them anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Several tests run side by side, and threads of one that wait for each other wait for all the others:
# a small network trains ten times as slowly with two threads. Processes that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Secrets of whoever runs the tests are neither used nor changed by them.
for name in ("PALAVER_PROLIFIC_TOKEN", "PALAVER_PROLIFIC_HOOK_SECRET", "PALAVER_NOTICES_SECRET"):
    os.environ.pop(name, None)
os.environ["PALAVER_SECRETS"] = f"{tempfile.gettempdir()}/palaver-tests-{os.getpid()}/secrets"
# A token that a test stores is tried nowhere else: nobody listens there.
os.environ["PALAVER_PROLIFIC_URL"] = "http://127.0.0.1:9"

# What tests write goes into memory where there is room for it.
if folder := fast_folder():
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", folder)

# Hashing is slow on purpose; a test has no passwords to protect.
passwords._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

# Each test has stores of its own, and compiling their statements takes up to a quarter of its time.
database.create_engine = CompiledStatements().engine

# The same examples in every run: a test that fails here fails everywhere.
settings.register_profile("palaver", derandomize=True, deadline=None)
settings.load_profile("palaver")


# Collecting tests only makes what lives to the end: looking through it again and again finds nothing.
gc.disable()


def pytest_collection_finish() -> None:
    """Leave what lives to the end out of garbage collection: some libraries ask for it at every call."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A running PostgreSQL."""
    yield from start_postgres()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new database of each kind in turn."""
    if request.param == "sqlite":
        return new_sqlite(tmp_path / "palaver.db")
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """A store on each kind of database."""
    opened = Store(database_url)
    yield opened
    assert endings_that_differ(opened) == []
    opened.close()
