"""Runs in the store: one model version on one data set version, once."""

from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, Row, insert, select, update

from palaver.core.errors import UnknownNameError
from palaver.storage.evaluation.tables import runs
from palaver.storage.keys import new_key

RunState = Literal["waiting", "answering", "scoring", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run's row."""

    id: int
    key: str
    model_version_id: int
    dataset_version_id: int
    state: RunState
    reason: str
    items: int
    answered: int
    refused: int
    start_seconds: float
    busy_seconds: float
    memory: tuple[float, ...]
    created: float
    started: float | None
    finished: float | None


def ensure_run(
    connection: Connection,
    *,
    model_version_id: int,
    dataset_version_id: int,
    items: int,
    now: float,
) -> tuple[StoredRun, bool]:
    """The run of this pair, and whether it is new."""
    row = connection.execute(
        select(runs).where(
            runs.c.model_version_id == model_version_id,
            runs.c.dataset_version_id == dataset_version_id,
        )
    ).one_or_none()
    if row is not None:
        return _run(row), False
    row = connection.execute(
        insert(runs)
        .values(
            key=new_key("r"),
            model_version_id=model_version_id,
            dataset_version_id=dataset_version_id,
            state="waiting",
            items=items,
            created=now,
        )
        .returning(runs)
    ).one()
    return _run(row), True


def set_run(connection: Connection, run_id: int, **values: Any) -> None:
    """Change a run's state and what belongs to it."""
    if "memory" in values:
        values["memory"] = msgspec.json.encode(list(values["memory"])).decode()
    connection.execute(update(runs).where(runs.c.id == run_id).values(**values))


def find_run(connection: Connection, key: str) -> StoredRun:
    """The run with that key."""
    row = connection.execute(select(runs).where(runs.c.key == key)).one_or_none()
    if row is None:
        raise UnknownNameError(f"No run '{key}' is stored here. See: palaver runs.")
    return _run(row)


def find_run_by_id(connection: Connection, run_id: int) -> StoredRun:
    """A run by its id."""
    return _run(connection.execute(select(runs).where(runs.c.id == run_id)).one())


def runs_of_versions(
    connection: Connection, model_versions: list[int], dataset_versions: list[int]
) -> list[StoredRun]:
    """The runs of these model versions on these data set versions, oldest first."""
    rows = connection.execute(
        select(runs)
        .where(
            runs.c.model_version_id.in_(model_versions),
            runs.c.dataset_version_id.in_(dataset_versions),
        )
        .order_by(runs.c.id)
    )
    return [_run(row) for row in rows]


def _run(row: Row[Any]) -> StoredRun:
    known = dict(row._mapping)
    return StoredRun(**{**known, "memory": tuple(msgspec.json.decode(known["memory"]))})
