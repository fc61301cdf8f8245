"""What the server answers with, as typed objects; keys that are newer than this are passed over."""

from typing import Any, Literal

import msgspec

from palaver.core.evaluation.runs import OVER, RunState

Access = Literal["scoring", "standard", "hidden"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A part of an answer."""


class TaskHead(Result, frozen=True, kw_only=True):
    """A task in a list; `code` is its name in addresses."""

    id: int
    code: str = msgspec.field(name="task_code")
    title: str = msgspec.field(name="name")
    public: bool


class Task(TaskHead, frozen=True, kw_only=True):
    """A task: its file, what a model is sent, what it answers, who may submit what."""

    about: str
    definition: dict[str, Any]
    asked: list[str]
    targets: list[str]
    policy: dict[str, Any]
    example_question: dict[str, Any]
    example_answer: dict[str, Any]
    ordered_metrics: list[dict[str, Any]]
    ordered_scoring_datasets: list[dict[str, Any]]


class AddedTask(Result, frozen=True, kw_only=True):
    """What became of a task that was sent: new, same, or changed in these parts."""

    code: str = msgspec.field(name="task_code")
    state: str
    changed: list[str]


class Dataset(Result, frozen=True, kw_only=True):
    """A data set; a perturbed one has a parent and a kind."""

    name: str
    access: Access
    items: int
    version: int
    digest: str
    about: str
    parent: str | None
    kind: str | None


class AddedDataset(Result, frozen=True, kw_only=True):
    """What became of a data set; `runs` are the keys of those that are due because of it."""

    dataset: str
    version: int
    digest: str
    items: int
    is_new: bool = msgspec.field(name="new")
    runs: list[str]
    warnings: list[str]


class Model(Result, frozen=True, kw_only=True):
    """A model; `runs` counts those of its newest version by state."""

    key: str
    name: str
    kind: str
    version: int
    standing: str
    published: bool
    anonymous: bool
    about: str
    link: str
    tags: list[str]
    team: str | None
    runs: dict[str, int]


class AddedModel(Result, frozen=True, kw_only=True):
    """What became of a model; `runs` are the keys of those that are due because of it."""

    key: str
    name: str
    kind: str
    version: int
    is_new: bool
    published: bool
    runs: list[str]
    notes: list[str]


class Perturbed(Result, frozen=True, kw_only=True):
    """What was made of a data set: how many variants, and what was registered."""

    originals: int
    variants: int
    perturbations: dict[str, dict[str, int]]
    samples: list[dict[str, Any]]
    registered: AddedDataset | None


class Allowance(Result, frozen=True, kw_only=True):
    """How many submissions are used; `next_at` is when one is free again."""

    used: int
    most: int
    left: int
    hours: float
    next_at: float | None


class Team(Result, frozen=True, kw_only=True):
    """A team, the terms of its task, and what it may still submit."""

    team: str
    task: str
    terms: str
    terms_digest: str
    accepted: bool
    allowance: Allowance
    datasets: list[str]


class TeamToken(Result, frozen=True, kw_only=True):
    """A team that was just added, with the token that is shown only here."""

    id: int
    team: str
    token: str


class SubmittedRun(Result, frozen=True, kw_only=True):
    """How far a submission is on a data set; `reason` says why it failed."""

    key: str
    dataset: str
    state: RunState
    reason: str
    items: int
    answered: int
    metric: str
    value: float | None
    low: float | None
    high: float | None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it by itself."""
        return self.state in OVER


class Submission(Result, frozen=True, kw_only=True):
    """A team's model; `state` is running, done, failed, withdrawn or empty."""

    key: str
    name: str
    version: int
    kind: str
    published: bool
    anonymous: bool
    state: str
    runs: list[SubmittedRun]
