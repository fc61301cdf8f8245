"""Tasks between their files and the store: registered, found again, and changed with care.

The files that a home declares in its settings are registered when the server starts. What the owner of
a task decides (who sees it, what submitters accept, how much they submit) is changed here, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.tasks import AddedTask, StoredTask, TaskOverview
from palaver.core.registry import near
from palaver.core.serial import extended
from palaver.core.tasks import Task
from palaver.core.words import listed
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks.builtin import builtin_names, builtin_task
from palaver.evaluation.tasks.definition import (
    load_task,
    task_data,
    task_digest,
    task_json,
    trusted_task,
)
from palaver.storage.audit.entries import record
from palaver.storage.evaluation.datasets import list_datasets, list_versions
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.runs import count_states, newest_end, runs_of_versions
from palaver.storage.evaluation.tasks import find_task, list_tasks, register_task, set_task_policy

# What may change after models were evaluated: texts, weights, functions that score, probes, and who
# may hand in what.
TEXTS = ("title", "about", "instructions", "content_warning")
FREE = (*TEXTS, "aggregation", "function", "probes", "takes_predictions")
FIELD_LISTS = ("context", "input", "output")

MOST_TERMS = 100_000
MOST_SUBMISSIONS = 1_000_000
MOST_HOURS = 1_000_000


@dataclass(frozen=True, slots=True)
class TaskScan:
    """What became of the declared task files; `problems` holds a file and what is wrong with it."""

    added: tuple[AddedTask, ...]
    problems: tuple[tuple[Path, str], ...]


def stored_task(row: StoredTask) -> Task:
    return trusted_task(msgspec.json.decode(row.content), folder=row.folder)


def ensure_task(connection: Connection, name: str, *, now: float) -> StoredTask:
    """The stored task of that name (or number); a built-in one is stored at its first use."""
    try:
        return find_task(connection, name)
    except UnknownNameError:
        if name not in builtin_names():
            stored = [task.name for task in list_tasks(connection)]
            known = sorted({*stored, *builtin_names()})
            hint = near(name, known) or f" Known tasks: {', '.join(known)}."
            raise UnknownNameError(
                f"No task '{name}' is stored here or built in.{hint} To add your own: palaver task "
                "add FILE."
            ) from None
    add_task(connection, builtin_task(name), now=now)
    return find_task(connection, name)


def use_builtin_task(connection: Connection, name: str, *, now: float) -> AddedTask:
    """Store the built-in task of that name; a stored task of that name stays as it is."""
    task = builtin_task(name)
    known = next((each for each in list_tasks(connection) if each.name == name), None)
    return (
        extended(known, AddedTask, state="same") if known else add_task(connection, task, now=now)
    )


def add_task(connection: Connection, task: Task, *, now: float) -> AddedTask:
    """Store a task or its new wording; InputError where models were evaluated by the old one."""
    known = next((each for each in list_tasks(connection) if each.name == task.name), None)
    if known is None:
        return extended(_register(connection, task, now), AddedTask, state="new")
    if known.digest == task_digest(task) and known.folder == task.folder:
        return extended(known, AddedTask, state="same")
    old, new = msgspec.json.decode(known.content), task_data(task)
    changed = _changes(old, new)
    refused = [key for key in changed if key not in FREE and not _only_grew(old, new, key)]
    if refused and _has_runs(connection, known.id):
        raise InputError(
            f"Task '{task.name}' has been evaluated, so {listed(refused)} can no longer change: "
            "its scores would not mean the same. Texts, aggregation weights, the function and "
            "takes_predictions may change, and fields with a default be added. Give the new task "
            "another name."
        )
    stored = _register(connection, task, now)
    return extended(stored, AddedTask, state="changed", changed=tuple(changed) or ("folder",))


def task_overviews(connection: Connection) -> list[TaskOverview]:
    """Every task with how much it holds; models that are retired are not counted."""
    return [_overview(connection, task) for task in list_tasks(connection)]


def scan_tasks(home: EvaluationHome, *, now: float) -> TaskScan:
    """Register every task file of the settings; a bad one never stops the others."""
    added: list[AddedTask] = []
    problems: list[tuple[Path, str]] = []
    for file in _files(home):
        try:
            task = load_task(file)
            added.append(home.store.write_now(partial(add_task, task=task, now=now)))
        except InputError as error:
            problems.append((file, str(error)))
    return TaskScan(tuple(added), tuple(problems))


def find_public_task(connection: Connection, name: str) -> StoredTask:
    """The task called `name` if strangers may see it.

    UnknownNameError tells them the same of one that is not public and of one that does not exist.
    """
    try:
        found = find_task(connection, name)
    except UnknownNameError:
        found = None
    if found is None or not found.public:
        known = [task.name for task in list_tasks(connection) if task.public]
        raise UnknownNameError(
            f"No public task has this name.{near(name, known)} The people who run a task that is "
            "not public can sign in to see it, and can make it public."
        )
    return found


def set_policy(
    connection: Connection,
    task: StoredTask,
    *,
    actor: Actor,
    now: float,
    public: bool | None = None,
    terms: str | None = None,
    most_submissions: int | None = None,
    submission_hours: float | None = None,
) -> StoredTask:
    """Change what is given, leave the rest as it is; the task as it is then.

    InputError says which limit was not kept. Terms are stored without the line ends of Windows.
    """
    changed: dict[str, Any] = {}
    if public is not None:
        changed["public"] = public
    if terms is not None:
        changed["terms"] = _checked_terms(terms)
    if most_submissions is not None:
        changed["most_submissions"] = _checked_submissions(most_submissions)
    if submission_hours is not None:
        changed["submission_hours"] = _checked_hours(submission_hours)
    if changed:
        set_task_policy(connection, task.id, **changed)
        told = {name: value for name, value in changed.items() if name != "terms"}
        if "terms" in changed:
            told["terms"] = "changed"
        record(connection, "settings.change", by=actor, now=now, subject=task.name, detail=told)
    return find_task(connection, task.name)


def submissions_error(given: object) -> InputError:
    """What to say of a number of submissions that is none."""
    return InputError(
        f"Submissions are a whole number from 0 to {MOST_SUBMISSIONS:,}; got '{given!s:.40}'."
    )


def hours_error(given: object) -> InputError:
    """What to say of a number of hours that is none."""
    return InputError(f"Hours are a number above 0, at most {MOST_HOURS:,}; got '{given!s:.40}'.")


def _overview(connection: Connection, task: StoredTask) -> TaskOverview:
    models = [model for model in list_models(connection, task.id) if model.retired is None]
    datasets = list_datasets(connection, task.id)
    versions = [model.version_id for model in models], [each.version_id for each in datasets]
    return extended(
        task,
        TaskOverview,
        models=len(models),
        datasets=len(datasets),
        runs=count_states(connection, *versions),
        finished=newest_end(connection, *versions),
    )


def _register(connection: Connection, task: Task, now: float) -> StoredTask:
    register_task(
        connection,
        name=task.name,
        title=task.title,
        definition=task_json(task),
        digest=task_digest(task),
        folder=task.folder,
        now=now,
    )
    return find_task(connection, task.name)


def _has_runs(connection: Connection, task_id: int) -> bool:
    models = [model.version_id for model in list_models(connection, task_id)]
    datasets = [
        version.version_id
        for dataset in list_datasets(connection, task_id)
        for version in list_versions(connection, dataset.id)
    ]
    return bool(runs_of_versions(connection, models, datasets))


def _changes(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The keys that differ; a field's own texts are texts of the task."""
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    worded = [key for key in keys if key in FIELD_LISTS and _bare(old, key) == _bare(new, key)]
    return [key for key in keys if key not in worded] + (["about"] if worded else [])


def _only_grew(old: dict[str, Any], new: dict[str, Any], key: str) -> bool:
    """Whether a list of fields got only some that have a default: what is stored stays valid."""
    if key not in FIELD_LISTS:
        return False
    before, after = _bare(old, key), _bare(new, key)
    optional = [each for each in after if isinstance(each, dict) and "default" in each]
    return before == [each for each in after if each in before or each not in optional]


def _bare(data: dict[str, Any], key: str) -> list[Any]:
    """A list of fields without their texts."""
    return [
        {k: v for k, v in each.items() if k not in TEXTS} if isinstance(each, dict) else each
        for each in data.get(key, [])
    ]


def _files(home: EvaluationHome) -> Iterator[Path]:
    for declared in home.settings.tasks:
        path = home.folder / declared
        yield from sorted(path.glob("*.yaml")) if path.is_dir() else [path]


def _checked_terms(given: str) -> str:
    terms = given.replace("\r\n", "\n").strip()
    if len(terms) > MOST_TERMS:
        raise InputError(f"Terms have at most {MOST_TERMS:,} characters; got {len(terms):,}.")
    return terms


def _checked_submissions(given: int) -> int:
    if not 0 <= given <= MOST_SUBMISSIONS:
        raise submissions_error(given)
    return given


def _checked_hours(given: float) -> float:
    # Written so that a value that is not a number is refused, too.
    if not 0 < given <= MOST_HOURS:
        raise hours_error(given)
    return given
