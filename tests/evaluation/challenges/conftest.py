"""A challenge on each database."""

from pathlib import Path

import pytest

from palaver.evaluation.home import EvaluationHome
from support.challenges import Cup


@pytest.fixture
def cup(home: EvaluationHome, tmp_path: Path) -> Cup:
    """A challenge on SQLite and on PostgreSQL."""
    return Cup(home, tmp_path)


@pytest.fixture
def local_cup(local_home: EvaluationHome, tmp_path: Path) -> Cup:
    """A challenge on SQLite."""
    return Cup(local_home, tmp_path)
