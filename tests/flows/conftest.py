"""One served house per kind of database, with a study for every story."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.databases import Postgres
from support.flow_studies import STUDIES
from support.houses import House


@pytest.fixture(
    scope="session", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """All studies of these stories, served by one process."""
    folder: Path = tmp_path_factory.mktemp(f"house-{request.param}")
    if request.param == "sqlite":
        url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    built = House.build(folder, STUDIES, url)
    built.serve()
    yield built
    built.close()
