"""The home that an earlier Palaver made, for tests that read it as others do."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.made_home import SETTINGS, rebuild_home
from support.served_home import Held, ServedHome
from support.serving import start_server


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every command runs in a folder of its own, with no home set."""
    monkeypatch.chdir(tmp_path)
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home as it was made; only to be read."""
    return rebuild_home(tmp_path_factory.mktemp("made") / "home")


@pytest.fixture
def home(made_home: Path, tmp_path: Path) -> Path:
    """A copy of the home, to be changed."""
    return Path(shutil.copytree(made_home, tmp_path / "home"))


@pytest.fixture(scope="session")
def served_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHome]:
    """The home, served by a process of its own; only to be read."""
    yield from _serve(rebuild_home(tmp_path_factory.mktemp("served") / "home"))


@pytest.fixture(scope="session")
def held(served_home: ServedHome) -> Held:
    """What the home holds."""
    return served_home.held()


@pytest.fixture(scope="module")
def changing_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHome]:
    """The home, served by a process of its own, for what the tests of a module change in order."""
    yield from _serve(rebuild_home(tmp_path_factory.mktemp("changing") / "home"))


def _serve(home: Path) -> Iterator[ServedHome]:
    server = start_server(home, home=home)
    yield ServedHome(server.base)
    assert server.stop() == 0, server.output()
