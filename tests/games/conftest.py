"""Studies of a game that a package of somebody else's offers through an entry point."""

from pathlib import Path

import pytest

from support.games import offer_games, write_guessing


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The game `number_guess`, found as an installed package's would be."""
    offer_games(monkeypatch)


@pytest.fixture
def guessing(offered: None, tmp_path: Path) -> Path:
    """A study in which two people or two bots guess numbers."""
    return write_guessing(tmp_path / "guessing")
