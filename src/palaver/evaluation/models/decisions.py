"""What is decided about a model: whether the board shows it and whose it is, and what is told of it.

`publish` shows its name and its team, `anonymous` leaves out the team. A retired model is off the
board and is not asked anything new; it keeps the date of the first time until it is restored.
"""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.models.views import find_task_model
from palaver.evaluation.runs.plans import plan_for_model
from palaver.storage.evaluation.models import find_model, set_model

LONGEST_NAME = 62
MOST_ABOUT = 2000
MOST_LINK = 500
MOST_TAGS = 30
MOST_TAG = 60
_NAME = re.compile(r"[a-z0-9-]+")


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


def check_name(name: str) -> str:
    """The name; InputError if it is not one."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise InputError(
            f"A model's name takes lower-case letters, digits and '-', at most {LONGEST_NAME} "
            f"characters; got '{name[:80]}'."
        )
    return name


def check_told(
    *, about: str | None = None, link: str | None = None, tags: Sequence[str] | None = None
) -> None:
    """Raise InputError unless this may be told about a model; None is not told."""
    if about is not None and len(about) > MOST_ABOUT:
        raise InputError(
            f"'about' has at most {MOST_ABOUT:,} characters; got {len(about):,}. Put the rest "
            "behind the link."
        )
    check_link(link or "")
    if tags is not None and len(tags) > MOST_TAGS:
        raise InputError(f"A model has at most {MOST_TAGS} tags; got {len(tags)}.")
    for tag in tags or ():
        if not tag.strip() or len(tag) > MOST_TAG:
            raise InputError(f"A tag has 1 to {MOST_TAG} characters; got '{tag[:80]}'.")


def check_link(link: str) -> None:
    """Raise InputError unless a link is empty or one that a browser may follow from here."""
    if link and not link.startswith(("http://", "https://")):
        raise InputError(f"A link begins with https:// or http://; got '{link[:60]}'.")
    if len(link) > MOST_LINK:
        raise InputError(f"A link has at most {MOST_LINK} characters; got {len(link):,}.")


def _set(connection: Connection, task: StoredTask, name: str, **values: Any) -> Model:
    set_model(connection, find_model(connection, task.id, name).id, **values)
    return find_task_model(connection, task, name)
