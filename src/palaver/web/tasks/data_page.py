"""The data sets of a task for readers: what is in them and which counts, without gold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from palaver.evaluation.datasets.contents import OpenDataset, count_tags
from palaver.web.tasks.access import Visit, task_shell
from palaver.web.tasks.pages.shell import TaskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage:
    """The data sets of a task; `tags` holds how many items have each, by data set."""

    template: ClassVar[str] = "tasks/data.html"
    most_tags: ClassVar[int] = 40
    shell: TaskShell
    sets: tuple[OpenDataset, ...]
    tags: Mapping[str, Mapping[str, int]]


def data_page(found: Visit, sets: tuple[OpenDataset, ...]) -> DataPage:
    """The page; counts of tags are read once per content."""
    return DataPage(
        shell=task_shell(found, f"Data sets · {found.row.title}", "Data"),
        sets=sets,
        tags={each.name: count_tags(found.home, found.task, each) for each in sets},
    )
