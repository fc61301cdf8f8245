"""The home that an earlier Palaver made, for tests that read it as others do."""

import shutil
from pathlib import Path

import pytest

from support.made_home import SETTINGS, rebuild_home


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
