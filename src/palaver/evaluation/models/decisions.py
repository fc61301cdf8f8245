"""What is decided about a model: whether the board shows it and whose it is, and what is told of it.

`publish` shows its name and its team, `anonymous` leaves out the team. A retired model is off the
board and is not asked anything new; it keeps the date of the first time until it is restored.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.models import Model
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.models.limits import check_told
from palaver.evaluation.models.views import find_task_model
from palaver.evaluation.runs.plans import plan_for_model
from palaver.storage.evaluation.models import find_model, set_model


def publish_model(
    connection: Connection, task: StoredTask, name: str, *, anonymous: bool = False
) -> Model:
    """Let the board show the model's name, and its team unless it is to stay `anonymous`."""
    return _set(connection, task, name, published=True, anonymous=anonymous)


def unpublish_model(connection: Connection, task: StoredTask, name: str) -> Model:
    """Let the board show the model without its name."""
    return _set(connection, task, name, published=False)


def retire_model(connection: Connection, task: StoredTask, name: str, *, now: float) -> Model:
    """Take the model off the board; its runs are kept. One that is retired stays as it is."""
    known = find_model(connection, task.id, name)
    return _set(connection, task, name, retired=now if known.retired is None else known.retired)


def restore_model(connection: Connection, task: StoredTask, name: str, *, now: float) -> Model:
    """Bring a retired model back, and plan the runs that it missed meanwhile."""
    model = _set(connection, task, name, retired=None)
    plan_for_model(connection, task, model, now=now)
    return find_task_model(connection, task, name)


def change_model(
    connection: Connection,
    task: StoredTask,
    name: str,
    *,
    about: str | None = None,
    link: str | None = None,
    tags: Sequence[str] | None = None,
    published: bool | None = None,
    anonymous: bool | None = None,
    retired: bool | None = None,
    now: float,
) -> Model:
    """Change whatever is given; None stays as it was. InputError says what cannot be told."""
    check_told(about=about, link=link, tags=tags)
    told = {"about": about, "link": link, "tags": tags}
    values = {key: value for key, value in told.items() if value is not None}
    model = _set(connection, task, name, **values, **publication(published, anonymous))
    if retired is None:
        return model
    change = retire_model if retired else restore_model
    return change(connection, task, name, now=now)


def publication(published: bool | None, anonymous: bool | None) -> dict[str, bool]:
    """What a model is stored with: who publishes it shows its team, unless that is said."""
    if published:
        return {"published": True, "anonymous": bool(anonymous)}
    given = {"published": published, "anonymous": anonymous}
    return {key: value for key, value in given.items() if value is not None}


def _set(connection: Connection, task: StoredTask, name: str, **values: Any) -> Model:
    set_model(connection, find_model(connection, task.id, name).id, **values)
    return find_task_model(connection, task, name)
