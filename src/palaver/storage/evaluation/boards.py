"""Saved boards in the store, and what a board needs to know beside scores."""

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.boards import BoardWeights, FrozenBoard, SavedBoard, SavedKind
from palaver.core.registry import near
from palaver.core.serial import convert, encode
from palaver.storage.engine.keys import new_key
from palaver.storage.schema.evaluation import runs, saved_boards, scores

# Snapshots hold whole boards: what lists and forks need is read without them.
_HEAD = [each for each in saved_boards.c if each.name != "content"]


def save_board(
    connection: Connection,
    *,
    task_id: int,
    name: str,
    kind: SavedKind,
    weights: BoardWeights,
    content: FrozenBoard | None = None,
    about: str = "",
    created_by: str = "",
    now: float,
) -> SavedBoard:
    """Save a fork or a snapshot under a permanent key; InputError if the task has the name."""
    taken = connection.execute(
        select(saved_boards.c.kind).where(
            saved_boards.c.task_id == task_id, saved_boards.c.name == name
        )
    ).scalar()
    if taken is not None:
        raise InputError(f"The task already has a {taken} called '{name}'; choose another name.")
    row = connection.execute(
        insert(saved_boards)
        .values(
            key=new_key("b"),
            task_id=task_id,
            name=name,
            kind=kind,
            about=about,
            weights=encode(weights).decode(),
            content=None if content is None else encode(content).decode(),
            created_by=created_by,
            created=now,
        )
        .returning(*_HEAD)
    ).one()
    return _saved(row)


def find_saved(connection: Connection, task_id: int, name: str) -> SavedBoard:
    """The fork or snapshot with that name or key; UnknownNameError names what is near."""
    wanted = (saved_boards.c.name == name) | (saved_boards.c.key == name)
    row = connection.execute(
        select(*_HEAD).where(saved_boards.c.task_id == task_id, wanted)
    ).first()
    if row is None:
        names = [each.name for each in list_saved(connection, task_id)]
        raise UnknownNameError(f"No saved board '{name}' is stored here.{near(name, names)}")
    return _saved(row)


def find_saved_by_key(connection: Connection, key: str) -> SavedBoard:
    """The fork or snapshot behind a permanent link."""
    row = connection.execute(select(*_HEAD).where(saved_boards.c.key == key)).one_or_none()
    if row is None:
        raise UnknownNameError(f"No saved board has the key '{key}'.")
    return _saved(row)


def read_frozen(connection: Connection, saved: SavedBoard) -> FrozenBoard:
    """The board that a snapshot keeps."""
    content = connection.execute(
        select(saved_boards.c.content).where(saved_boards.c.id == saved.id)
    ).scalar_one()
    return convert(msgspec.json.decode(content), FrozenBoard)


def list_saved(
    connection: Connection, task_id: int, kind: SavedKind | None = None
) -> list[SavedBoard]:
    """The forks and snapshots of a task, oldest first."""
    query = select(*_HEAD).where(saved_boards.c.task_id == task_id)
    if kind is not None:
        query = query.where(saved_boards.c.kind == kind)
    return [_saved(row) for row in connection.execute(query.order_by(saved_boards.c.id))]


def content_mark(
    connection: Connection, model_versions: list[int], dataset_versions: list[int]
) -> tuple[Any, ...]:
    """Numbers that change when a run or a score of these versions does."""
    mine = runs.c.model_version_id.in_(model_versions) & runs.c.dataset_version_id.in_(
        dataset_versions
    )
    states = connection.execute(
        select(runs.c.state, func.count(), func.sum(runs.c.id))
        .where(mine)
        .group_by(runs.c.state)
        .order_by(runs.c.state)
    ).all()
    # All from the index: rows of scores are long, as they hold what each item adds.
    scored = connection.execute(
        select(func.count(), func.max(scores.c.id), func.sum(scores.c.id))
        .join(runs, runs.c.id == scores.c.run_id)
        .where(mine)
    ).one()
    # A score that is replaced gets a new id, unless it was the last one.
    last = select(scores.c.created).where(scores.c.id == scored[1])
    return (*(tuple(row) for row in states), tuple(scored), connection.execute(last).scalar())


def scored_metrics(
    connection: Connection, model_versions: list[int], dataset_versions: list[int]
) -> dict[str, dict[str, Any]]:
    """The metrics that these versions were scored by, with what a metric of one's own said of itself.

    Agreement with variants, and the performance on these, is not among them.
    """
    found = connection.execute(
        select(scores.c.metric, func.max(scores.c.id))
        .join(runs, runs.c.id == scores.c.run_id)
        .where(
            runs.c.model_version_id.in_(model_versions),
            runs.c.dataset_version_id.in_(dataset_versions),
            runs.c.state == "done",
            scores.c.variant_id == 0,
            scores.c.value.is_not(None),
        )
        .group_by(scores.c.metric)
    )
    newest = {row[0]: row[1] for row in found}
    own = [newest[metric] for metric in newest if ":" in metric]
    parts = select(scores.c.metric, scores.c.parts).where(scores.c.id.in_(own))
    told = {
        row.metric: msgspec.json.decode(row.parts).get("measure", {})
        for row in connection.execute(parts)
    }
    return {metric: told.get(metric, {}) for metric in newest}


def measured_on(
    connection: Connection, model_versions: list[int], dataset_versions: list[int]
) -> set[tuple[int, str]]:
    """Data sets with the metrics of which one of these models has a value there.

    Agreement with variants is among them.
    """
    found = connection.execute(
        select(runs.c.dataset_version_id, scores.c.metric)
        .distinct()
        .join(runs, runs.c.id == scores.c.run_id)
        .where(
            runs.c.model_version_id.in_(model_versions),
            runs.c.dataset_version_id.in_(dataset_versions),
            runs.c.state == "done",
            scores.c.value.is_not(None),
        )
    )
    return {(row[0], row[1]) for row in found}


def _saved(row: Row[Any]) -> SavedBoard:
    known = dict(row._mapping)
    weights = convert(msgspec.json.decode(known["weights"]), BoardWeights)
    return SavedBoard(**{**known, "weights": weights})
