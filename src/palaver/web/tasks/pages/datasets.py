"""The data sets of a task."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.tasks.pages.parts import Version
from palaver.web.tasks.pages.shell import TaskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A data set that readers may know of; its gold stays here."""

    name: str
    access: str
    access_note: str
    about: str
    source: str
    source_url: str
    items: str
    tags: tuple[tuple[str, str], ...]
    more_tags: int
    versions: tuple[Version, ...]
    variants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage:
    """The data sets of a task."""

    template: ClassVar[str] = "tasks/data.html"
    shell: TaskShell
    sets: tuple[DataSet, ...]
