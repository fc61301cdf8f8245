"""What the server answers with, as typed objects; keys that are newer than this are passed over."""

import msgspec

from palaver.core.evaluation.runs import OVER, RunState


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A part of an answer."""


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
