"""Tasks as they are stored: what their owner decided, and what became of one that was brought."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

from palaver.core.evaluation.public_numbers import public_number
from palaver.core.serial import internal, key


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTask:
    """A task that is stored: `task_code` is its name in addresses, `name` its title."""

    id: int
    name: str = key("task_code")
    title: str = key("name")
    public: bool
    created: float
    # The task file as JSON, and the folder that its own Python lies in.
    content: str = internal("")
    folder: str = internal("")
    digest: str = internal("")
    terms: str = internal("")
    most_submissions: int = internal(0)
    submission_hours: float = internal(0.0)

    def for_strangers(self) -> Self:
        """The task as everybody may see it: under a number that is not the store's."""
        return replace(self, id=public_number("task", self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedTask(StoredTask):
    """What became of a task that was sent: new, the same as before, or changed in these parts."""

    state: Literal["new", "same", "changed"]
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOverview(StoredTask):
    """A task with how many models, data sets and, by state, runs it has.

    `finished` is when the newest of these runs ended.
    """

    models: int
    datasets: int
    runs: Mapping[str, int]
    finished: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the owner decided: who sees the board, what submitters accept, how much they submit."""

    derived: ClassVar[tuple[str, ...]] = ("terms_digest",)

    public: bool
    terms: str
    most_submissions: int
    submission_hours: float

    @property
    def terms_digest(self) -> str:
        """Names the wording of the terms; empty where there are none."""
        return terms_digest(self.terms) if self.terms.strip() else ""


def terms_digest(terms: str) -> str:
    """Names a wording of the terms."""
    return hashlib.sha256(terms.strip().encode()).hexdigest()[:16]


def policy_of(task: StoredTask) -> Policy:
    """What the owner of a task decided."""
    return Policy(
        public=task.public,
        terms=task.terms,
        most_submissions=task.most_submissions,
        submission_hours=task.submission_hours,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedMetric:
    """A column of the board; weights of the dynaboard are given in this order."""

    name: str
    field_name: str
    default_weight: float
    unit: str
    pretty_name: str
    utility_direction: int
    offset: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedDataset:
    """A scoring data set; weights of the dynaboard are given in this order."""

    id: int
    name: str
    default_weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSheet(StoredTask):
    """A task. `definition` is its file; `example_…` are made-up records of its kind."""

    ordered_metrics: tuple[OrderedMetric, ...]
    ordered_scoring_datasets: tuple[OrderedDataset, ...]
    perf_metric_field_name: str
    round: Mapping[str, Any] | None = None
    about: str
    instructions: str
    content_warning: str
    policy: Policy
    definition: Mapping[str, Any]
    asked: tuple[str, ...]
    targets: tuple[str, ...]
    example_record: Mapping[str, Any]
    example_question: Mapping[str, Any]
    example_answer: Mapping[str, Any]
