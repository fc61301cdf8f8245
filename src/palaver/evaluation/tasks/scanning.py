"""The task files that a home declares in its settings, registered when the server starts."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.evaluation.tasks import AddedTask
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks.definition import load_task
from palaver.evaluation.tasks.stored import add_task


@dataclass(frozen=True, slots=True)
class TaskScan:
    """What became of the declared task files; `problems` holds a file and what is wrong with it."""

    added: tuple[AddedTask, ...]
    problems: tuple[tuple[Path, str], ...]


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


def _files(home: EvaluationHome) -> Iterator[Path]:
    for declared in home.settings.tasks:
        path = home.folder / declared
        yield from sorted(path.glob("*.yaml")) if path.is_dir() else [path]
