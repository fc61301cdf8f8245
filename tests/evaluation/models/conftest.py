"""A home with the task nli and two small data sets."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.tasks import builtin_task, ensure_task
from support.databases import new_sqlite

NOW = 1_700_000_000.0
ITEMS = [
    ("a1", "It is raining.", "The street is wet.", "entailed"),
    ("a2", "It is raining.", "The sun shines.", "contradictory"),
    ("a3", "It is raining.", "Ann is tall.", "neutral"),
]


@pytest.fixture
def nli() -> Task:
    """The built-in task."""
    return builtin_task("nli")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[EvaluationHome]:
    """An empty home."""
    with open_evaluation(tmp_path / "home", new_sqlite(tmp_path / "palaver.db")) as opened:
        yield opened


@pytest.fixture
def task_row(home: EvaluationHome) -> StoredTask:
    """The task nli in the store."""
    return home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))


@pytest.fixture
def two_sets(home: EvaluationHome, task_row: StoredTask, nli: Task, tmp_path: Path) -> list[str]:
    """Two scoring data sets, of three items each."""
    for name in ("first", "second"):
        file = tmp_path / f"{name}.jsonl"
        keys = ("uid", "context", "hypothesis", "label")
        records = [{**dict(zip(keys, item, strict=True)), "tags": []} for item in ITEMS]
        records = [{**record, "uid": f"{name}-{record['uid']}"} for record in records]
        file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        add_dataset(home, task_row, nli, name=name, source=str(file), now=NOW)
    return ["first", "second"]
