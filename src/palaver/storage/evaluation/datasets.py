"""Data sets and their versions in the store."""

from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.dataset_names import known_name
from palaver.core.evaluation.datasets import Dataset, DatasetVersion
from palaver.core.registry import near
from palaver.storage.schema.evaluation import dataset_versions, datasets, tasks


def register_dataset(
    connection: Connection, *, task_id: int, name: str, now: float, **values: Any
) -> int:
    """Store a data set, or what changed about it (access, about, source, parent_id, kind, …)."""
    known = connection.execute(
        select(datasets.c.id).where(datasets.c.task_id == task_id, datasets.c.name == name)
    ).scalar()
    if known is not None:
        if values:
            connection.execute(update(datasets).where(datasets.c.id == known).values(**values))
        return int(known)
    made = insert(datasets).values(task_id=task_id, name=name, created=now, **values)
    return int(connection.execute(made.returning(datasets.c.id)).scalar_one())


def add_version(
    connection: Connection,
    *,
    dataset_id: int,
    digest: str,
    path: str,
    items: int,
    size: int,
    parent_version_id: int | None = None,
    now: float,
) -> tuple[DatasetVersion, bool]:
    """The version with this content, and whether it is new.

    An earlier content that comes back gets the next number: it keeps its runs and is the newest again.
    """
    mine = dataset_versions.c.dataset_id == dataset_id
    same = dataset_versions.c.digest == digest
    newest = connection.execute(select(func.max(dataset_versions.c.number)).where(mine)).scalar()
    row = connection.execute(select(dataset_versions).where(mine, same)).one_or_none()
    if row is not None and row.number == newest:
        return _version(row), False
    if row is not None:
        again = update(dataset_versions).where(mine, same).values(number=(newest or 0) + 1)
        row = connection.execute(again.returning(dataset_versions)).one()
        return _version(row), False
    row = connection.execute(
        insert(dataset_versions)
        .values(
            dataset_id=dataset_id,
            number=(newest or 0) + 1,
            digest=digest,
            path=path,
            items=items,
            size=size,
            parent_version_id=parent_version_id,
            created=now,
        )
        .returning(dataset_versions)
    ).one()
    return _version(row), True


def list_datasets(connection: Connection, task_id: int) -> list[Dataset]:
    """The data sets of a task with their newest versions, oldest first; perturbed ones too."""
    rows = connection.execute(
        _with_newest().where(datasets.c.task_id == task_id).order_by(datasets.c.id)
    )
    return [_dataset(row) for row in rows]


def find_dataset(connection: Connection, task_id: int, name: str) -> Dataset:
    """The data set called `name`, or by its normal form; UnknownNameError names what is near."""
    found = {dataset.name: dataset for dataset in list_datasets(connection, task_id)}
    known = known_name(name, found)
    if known is None:
        raise UnknownNameError(f"No data set '{name}' is stored here.{near(name, found)}")
    return found[known]


def find_version(connection: Connection, version_id: int) -> DatasetVersion:
    row = connection.execute(
        select(dataset_versions).where(dataset_versions.c.id == version_id)
    ).one()
    return _version(row)


def list_versions(connection: Connection, dataset_id: int) -> list[DatasetVersion]:
    """Every version of a data set, oldest first."""
    rows = connection.execute(
        select(dataset_versions)
        .where(dataset_versions.c.dataset_id == dataset_id)
        .order_by(dataset_versions.c.number)
    )
    return [_version(row) for row in rows]


def _with_newest() -> Select[Any]:
    newest = (
        select(func.max(dataset_versions.c.number))
        .where(dataset_versions.c.dataset_id == datasets.c.id)
        .correlate(datasets)
        .scalar_subquery()
    )
    version = dataset_versions.c
    parents = datasets.alias("parents")
    # Variants are of the round of the set that they were made from.
    own = [column for column in datasets.c if column.name != "round"]
    return (
        select(
            *own,
            func.coalesce(parents.c.round, datasets.c.round).label("round"),
            tasks.c.name.label("task"),
            parents.c.name.label("parent"),
            version.id.label("version_id"),
            version.dataset_id,
            version.number.label("version"),
            *(version[name] for name in ("digest", "path", "items", "size")),
            version.parent_version_id,
            version.created.label("version_created"),
        )
        .join(dataset_versions, (version.dataset_id == datasets.c.id) & (version.number == newest))
        .join(tasks, tasks.c.id == datasets.c.task_id)
        .outerjoin(parents, parents.c.id == datasets.c.parent_id)
    )


def _dataset(row: Row[Any]) -> Dataset:
    return Dataset(**row._mapping)


def _version(row: Row[Any]) -> DatasetVersion:
    known = dict(row._mapping)
    return DatasetVersion(version_id=known.pop("id"), version=known.pop("number"), **known)
