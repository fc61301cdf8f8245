"""Tasks, data sets and models in a store, written without the commands that add them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.storage.evaluation.datasets import add_version, find_dataset, register_dataset
from palaver.storage.evaluation.models import (
    add_model_version,
    find_model,
    register_model,
)
from palaver.storage.evaluation.runs import add_run
from palaver.storage.evaluation.tasks import find_task, register_task

NOW = 1_700_000_000.0


def put_task(connection: Connection, name: str = "nli") -> StoredTask:
    """A task that nothing but its row is needed of."""
    register_task(connection, name=name, title=name, definition="{}", digest=name, now=NOW)
    return find_task(connection, name)


def put_dataset(
    connection: Connection,
    task: StoredTask,
    name: str,
    *,
    content: str = "1",
    items: int = 3,
    parent: Dataset | None = None,
    **values: Any,
) -> Dataset:
    """A data set with one version of that content."""
    values.setdefault("access", "scoring")
    if parent is not None:
        values["parent_id"] = parent.id
    dataset_id = register_dataset(connection, task_id=task.id, name=name, now=NOW, **values)
    digest = hashlib.sha256(f"{name}:{content}".encode()).hexdigest()
    add_version(
        connection,
        dataset_id=dataset_id,
        digest=digest,
        path=f"datasets/{task.name}/{name}/{digest[:16]}.jsonl",
        items=items,
        size=items,
        parent_version_id=None if parent is None else parent.version_id,
        now=NOW,
    )
    return find_dataset(connection, task.id, name)


def put_model(
    connection: Connection,
    task: StoredTask,
    name: str,
    *,
    kind: str = "http",
    options: Mapping[str, Any] | None = None,
    content: str = "1",
) -> Model:
    """A model with one version of that content."""
    model_id = register_model(connection, task_id=task.id, name=name, now=NOW)
    add_model_version(
        connection,
        model_id=model_id,
        kind=kind,
        options=dict(options or {}),
        digest=f"{name}:{content}",
        now=NOW,
    )
    return find_model(connection, task.id, name)


def put_runs(connection: Connection, count: int) -> Sequence[Run]:
    """Runs of as many models on one data set."""
    task = put_task(connection)
    dataset = put_dataset(connection, task, "dev")
    made = []
    for number in range(count):
        model = put_model(connection, task, f"m{number}")
        run = add_run(
            connection,
            model_version_id=model.version_id,
            dataset_version_id=dataset.version_id,
            items=dataset.items,
            now=NOW,
        )
        assert run is not None
        made.append(run)
    return made


def made_run(**changes: Any) -> Run:
    """A run that is not stored anywhere."""
    known: dict[str, Any] = {
        "id": 1,
        "key": "r_1",
        "task": "nli",
        "model": "bert",
        "model_version": 1,
        "dataset": "dev",
        "dataset_version": 1,
        "state": "waiting",
        "reason": "",
        "items": 200,
        "answered": 0,
        "refused": 0,
        "start_seconds": 0.0,
        "busy_seconds": 0.0,
        "created": 0.0,
        "started": None,
        "finished": None,
    }
    return Run(**(known | changes))
