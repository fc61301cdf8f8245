"""Tasks in the store."""

from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.public_numbers import public_number
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.numbers import whole_number
from palaver.core.registry import near
from palaver.storage.schema.evaluation import tasks


def register_task(
    connection: Connection,
    *,
    name: str,
    title: str,
    definition: str,
    digest: str,
    folder: str = "",
    now: float,
) -> int:
    """Store a task, or its new definition; its id."""
    known = connection.execute(select(tasks.c.id).where(tasks.c.name == name)).scalar()
    values = {"title": title, "definition": definition, "digest": digest, "folder": folder}
    if known is not None:
        connection.execute(update(tasks).where(tasks.c.id == known).values(**values))
        return int(known)
    made = insert(tasks).values(name=name, created=now, **values).returning(tasks.c.id)
    return int(connection.execute(made).scalar_one())


def set_task_policy(connection: Connection, task_id: int, **values: Any) -> None:
    """Change what the owner decided: `public`, `terms`, `most_submissions`, `submission_hours`."""
    connection.execute(update(tasks).where(tasks.c.id == task_id).values(**values))


def find_task(connection: Connection, name: str) -> StoredTask:
    """The task called `name`, or with that number; UnknownNameError names what is near.

    Strangers know a task by another number than the store.
    """
    number = whole_number(name)
    wanted = tasks.c.name == name if number is None else tasks.c.id == number
    row = connection.execute(select(tasks).where(wanted)).one_or_none()
    if row is None:
        names = connection.execute(select(tasks.c.name).order_by(tasks.c.name)).scalars().all()
        for each in names:
            if str(public_number("task", each)) == name:
                return find_task(connection, each)
        raise UnknownNameError(f"No task '{name}' is stored here.{near(name, names)}")
    return _task(row)


def list_tasks(connection: Connection) -> list[StoredTask]:
    """Every task, by name."""
    return [_task(row) for row in connection.execute(select(tasks).order_by(tasks.c.name))]


def has_tasks(connection: Connection) -> bool:
    return connection.execute(select(tasks.c.id).limit(1)).scalar() is not None


def _task(row: Row[Any]) -> StoredTask:
    known = dict(row._mapping)
    return StoredTask(content=known.pop("definition"), **known)
