"""One served house per kind of database, with a study for every story."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.databases import Postgres
from support.flow_studies import STUDIES
from support.houses import House


@dataclass(frozen=True)
class Ground:
    """Where a house may be built: a folder, and the address of a database in it or elsewhere."""

    folder: Path
    database_url: str


def _ground(request: pytest.FixtureRequest, factory: pytest.TempPathFactory) -> Ground:
    folder = factory.mktemp(f"house-{request.param}")
    if request.param == "sqlite":
        return Ground(folder, f"sqlite:///{folder / 'home' / 'palaver.db'}")
    server: Postgres = request.getfixturevalue("postgres")
    return Ground(folder, server.new_database())


DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
# For stories that the database has little part in: the other one is for the long tests.
MOSTLY_SQLITE = [
    "sqlite",
    pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.long]),
]
MOSTLY_POSTGRES = [
    pytest.param("sqlite", marks=pytest.mark.long),
    pytest.param("postgres", marks=pytest.mark.postgres),
]


@pytest.fixture(scope="session", params=DATABASES)
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """All studies of these stories, served by one process."""
    ground = _ground(request, tmp_path_factory)
    built = House.build(ground.folder, STUDIES, ground.database_url)
    built.serve()
    yield built
    built.close()


@pytest.fixture(scope="module", params=DATABASES)
def ground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """Where a module builds the house of its own stories, on each kind of database."""
    return _ground(request, tmp_path_factory)


@pytest.fixture(scope="module", params=MOSTLY_SQLITE)
def light_ground(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Ground:
    """For a story of one page or one answer at a time."""
    return _ground(request, tmp_path_factory)


@pytest.fixture(scope="module", params=MOSTLY_POSTGRES)
def busy_ground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """For a story in which many write at once, or more than one server."""
    return _ground(request, tmp_path_factory)
