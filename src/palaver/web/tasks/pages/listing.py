"""The list of tasks."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.tasks.pages.shell import TaskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTask:
    """A task in the list; `leader` is empty while nobody is ranked."""

    url: str
    name: str
    title: str
    about: str
    is_public: bool
    models: int
    datasets: int
    leader: str = ""
    leader_url: str = ""
    score: str = ""
    interval: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """The tasks that whoever asks may see; `hidden` counts those one must sign in for."""

    template: ClassVar[str] = "tasks/list.html"
    shell: TaskShell
    tasks: tuple[ListedTask, ...]
    hidden: int = 0
