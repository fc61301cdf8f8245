"""What the tests of runs share: a home on each database, a data set and models in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.storage import Store
from support.runs import Bench


@pytest.fixture
def home(tmp_path: Path, database_url: str) -> Iterator[EvaluationHome]:
    """An open home on SQLite and on PostgreSQL."""
    with open_evaluation(tmp_path / "home", database_url) as opened:
        yield opened


@pytest.fixture
def local_home(tmp_path: Path) -> Iterator[EvaluationHome]:
    """An open home on SQLite."""
    url = f"sqlite:///{tmp_path / 'home' / 'palaver.db'}"
    with open_evaluation(tmp_path / "home", url) as opened:
        yield opened


@pytest.fixture
def bench(home: EvaluationHome, tmp_path: Path) -> Bench:
    """The task nli in that home."""
    return Bench(home, tmp_path)


@pytest.fixture
def local_bench(local_home: EvaluationHome, tmp_path: Path) -> Bench:
    """The task nli in a home on SQLite."""
    return Bench(local_home, tmp_path)


@pytest.fixture
def local_store(local_home: EvaluationHome) -> Store:
    """The store of that home."""
    return local_home.store
