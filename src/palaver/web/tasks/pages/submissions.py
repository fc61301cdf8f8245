"""How a team submits to a task, and what it has submitted."""

from dataclasses import dataclass, field
from typing import ClassVar

from palaver.core.evaluation.submissions import Submission, TeamSheet
from palaver.web.tasks.pages.shell import TaskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldNote:
    """A field of the task in words."""

    name: str
    title: str
    kind: str
    about: str
    needed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitForm:
    """What was typed, so that nothing is lost when something is wrong."""

    name: str = ""
    about: str = ""
    link: str = ""
    tags: str = ""
    kind: str = ""
    url: str = ""
    options: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitPage:
    """How to submit; a team gives its token, then accepts the terms, then has the form."""

    template: ClassVar[str] = "tasks/submit.html"
    shell: TaskShell
    url: str
    team_url: str
    leave_url: str
    submissions_url: str
    terms_url: str
    questions_url: str
    asked: tuple[FieldNote, ...]
    answered: tuple[FieldNote, ...]
    question: str
    answer: str
    checks: tuple[str, ...]
    sets: tuple[str, ...]
    variants: tuple[str, ...]
    kinds: tuple[str, ...]
    terms: str
    terms_digest: str
    limit: str
    commands: tuple[tuple[str, str], ...] = ()
    team: TeamSheet | None = None
    form: SubmitForm = field(default_factory=SubmitForm)
    error: str = ""
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionsPage:
    """What a team submitted, live; `scale` is what the board multiplies the metric with."""

    template: ClassVar[str] = "tasks/submissions.html"
    shell: TaskShell
    team: TeamSheet
    submissions: tuple[Submission, ...]
    scale: float
    url: str
    data_url: str
    submit_url: str
    leave_url: str
