"""How a team submits to a task, and what it has submitted."""

from dataclasses import dataclass, field
from typing import ClassVar

from palaver.web.formatting import Moment
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
class Team:
    """The team whose token was given, and what it may still do."""

    name: str
    used: int
    most: int
    left: int
    hours: str
    next_at: Moment | None
    accepted: bool


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
    team: Team | None = None
    form: SubmitForm = field(default_factory=SubmitForm)
    error: str = ""
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedRun:
    """One run of a submission."""

    key: str
    dataset: str
    state: str
    words: str
    done: int
    items: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A submitted model and how far it is."""

    key: str
    name: str
    url: str
    version: int
    is_published: bool
    is_anonymous: bool
    is_withdrawn: bool
    runs: tuple[SubmittedRun, ...]
    publish_url: str
    hide_url: str
    withdraw_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionsPage:
    """What a team submitted, live."""

    template: ClassVar[str] = "tasks/submissions.html"
    shell: TaskShell
    team: Team
    submissions: tuple[Submission, ...]
    data_url: str
    submit_url: str
    leave_url: str
