"""What the tests of advice share: an open home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.storage import Store
from support.databases import new_sqlite


@pytest.fixture
def home(tmp_path: Path) -> Iterator[EvaluationHome]:
    """An open home on SQLite."""
    folder = tmp_path / "home"
    with open_evaluation(folder, f"sqlite:///{folder / 'palaver.db'}") as opened:
        yield opened


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Store]:
    """A store on SQLite alone, for what is not about SQL."""
    opened = Store(new_sqlite(tmp_path / "palaver.db"))
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers look for work at once."""
    monkeypatch.setattr("palaver.evaluation.jobs.worker.LOOK_SECONDS", 0.02)
