"""What each page of the evaluation server is given: one frozen dataclass per template."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model, ModelSheet
from palaver.core.evaluation.submissions import ListedTeam
from palaver.core.evaluation.tasks import StoredTask, TaskOverview
from palaver.core.tasks import Task
from palaver.evaluation.tasks.stored import MOST_HOURS, MOST_SUBMISSIONS, MOST_TERMS
from palaver.web.desk.evaluation.matrix import Matrix
from palaver.web.desk.evaluation.run_tables import RunTable
from palaver.web.desk.pages import DeskShell, Fact, Secret
from palaver.web.pages import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """Every task here; `builtin` names those that need no file."""

    template: ClassVar[str] = "researcher/tasks.html"
    shell: DeskShell
    address: str
    tasks: tuple[TaskOverview, ...]
    builtin: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """A field of a task: what part it plays and what it holds."""

    name: str
    part: str
    kind: str
    holds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """A metric of a task."""

    title: str
    key: str
    over: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage:
    """One task: the matrix, its data sets and models, and what it is."""

    template: ClassVar[str] = "researcher/tasks/task.html"
    shell: DeskShell
    task: StoredTask
    definition: Task
    measure: str
    matrix: Matrix
    views: tuple[Choice, ...]
    live_url: str
    datasets: tuple[Dataset, ...]
    models: tuple[Model, ...]
    fields: tuple[FieldRow, ...]
    metrics: tuple[MetricRow, ...]
    facts: tuple[Fact, ...]
    sample_record: Mapping[str, Any]
    sample_answer: Mapping[str, Any]
    address: str
    list_url: str
    public_url: str
    settings_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPage:
    """One model; its forms post to `base` and a word."""

    template: ClassVar[str] = "researcher/tasks/model.html"
    shell: DeskShell
    task_title: str
    task_url: str
    model: ModelSheet
    # How often each version was run, by its id.
    used: Mapping[int, int]
    runs: RunTable
    base: str
    may_change: bool
    done: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings:
    """What the owner decides about a task; forms post to `base` and a word.

    `form` holds what the fields show: what is stored, or what was typed and refused.
    """

    template: ClassVar[str] = "researcher/tasks/settings.html"
    terms_limit: ClassVar[int] = MOST_TERMS
    submissions_limit: ClassVar[int] = MOST_SUBMISSIONS
    hours_limit: ClassVar[int] = MOST_HOURS
    shell: DeskShell
    task: StoredTask
    task_url: str
    base: str
    public_url: str
    form: Mapping[str, str]
    teams: tuple[ListedTeam, ...]
    secret: Secret | None = None
    done: str = ""
    # Which form was wrong (policy, team), and how.
    error_in: str = ""
    error: str = ""
