"""The list of tasks."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.evaluation.dynaboards.board_reader import LedTask
from palaver.web.tasks.pages.shell import TaskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskListPage:
    """The tasks that whoever asks may see; `hidden` counts those one must sign in for."""

    template: ClassVar[str] = "tasks/list.html"
    shell: TaskShell
    tasks: tuple[LedTask, ...]
    hidden: int = 0
