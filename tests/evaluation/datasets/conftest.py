"""A home of the evaluation server, and a way to add data sets to it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.evaluation.datasets import AddedDataset
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.tasks import ensure_task, stored_task
from support.databases import Postgres, new_sqlite

NOW = 1_700_000_000.0
Add = Callable[..., AddedDataset]
ON_BOTH = pytest.mark.parametrize(
    "database_url",
    ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)],
    indirect=True,
)


def pair(uid: Any, label: Any = "entailed", **more: Any) -> dict[str, Any]:
    """An item of the task `nli`."""
    return {"uid": uid, "context": "It rains.", "hypothesis": "Wet.", "label": label, **more}


def write(file: Path, *records: dict[str, Any]) -> Path:
    """A file of JSON lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(map(json.dumps, records)))
    return file


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A SQLite file; what `ON_BOTH` marks also runs on PostgreSQL."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return new_sqlite(tmp_path / "palaver.db")
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def home(tmp_path: Path, database_url: str) -> Iterator[EvaluationHome]:
    with open_evaluation(tmp_path / "home", database_url) as opened:
        yield opened


@pytest.fixture
def task_row(home: EvaluationHome) -> StoredTask:
    return home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))


@pytest.fixture
def task(task_row: StoredTask) -> Task:
    return stored_task(task_row)


@pytest.fixture
def add(home: EvaluationHome, task_row: StoredTask, task: Task) -> Add:
    """Adds a data set to the task `nli`."""

    def adding(name: str, source: Any, **options: Any) -> AddedDataset:
        given = [str(each) for each in source] if isinstance(source, list) else str(source)
        return add_dataset(home, task_row, task, name=name, source=given, now=NOW, **options)

    return adding
