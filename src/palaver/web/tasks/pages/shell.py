"""What stands around every public page of a task, and the page for a refusal."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.pages import Choice, Direction


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskShell:
    """What stands around every page; `tabs` are the pages of the task, where there is one."""

    title: str
    lang: str = "en"
    dir: Direction = "ltr"
    csrf: str = ""
    preview: bool = False
    heading: str = ""
    is_public: bool = True
    tabs: tuple[Choice, ...] = ()
    tasks_url: str = "/tasks"
    person: str = ""
    # Where to sign in and come back; None for whoever is signed in.
    sign_in_url: str | None = None
    desk_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRefusal:
    """One message instead of a page."""

    template: ClassVar[str] = "tasks/refusal.html"
    shell: TaskShell
    heading: str
    detail: str
