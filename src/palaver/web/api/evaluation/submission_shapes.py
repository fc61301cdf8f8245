"""What teams send and are answered with."""

from typing import Annotated

from pydantic import Field

from palaver.core.evaluation.runs import RunState
from palaver.web.api.evaluation.models import About, Link, Name, Options, Tags
from palaver.web.api.models import Given, Model


class AllowanceState(Model):
    """How many submissions are used of those there are; `next_at` is when one is free again."""

    used: int
    most: int
    left: int
    hours: float
    next_at: float | None


class TeamSheet(Model):
    """Whom the token speaks for, the terms of the task, and what is left to submit."""

    team: str
    affiliation: str
    link: str
    task: str
    title: str
    terms: str
    terms_digest: str
    accepted: bool
    accepted_at: float | None
    allowance: AllowanceState
    datasets: list[str]


class AcceptedTerms(Given):
    """Which wording of the terms is accepted."""

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class NewEndpoint(Given):
    """An endpoint to submit: a kind and its options, of which `url` is the first."""

    name: Name
    kind: Annotated[str, Field(min_length=1, max_length=40)]
    options: Options
    about: About = ""
    link: Link = ""
    tags: Tags = Field(default_factory=list)


class SubmittedRunState(Model):
    """How far a model is on a data set; `reason` says why it failed."""

    key: str
    dataset: str
    state: RunState
    reason: str
    items: int
    answered: int
    refused: int
    metric: str
    value: float | None
    low: float | None
    high: float | None


class SubmissionState(Model):
    """A team's model in its newest version; `state` is running, done, failed, withdrawn or empty."""

    key: str
    name: str
    version: int
    kind: str
    about: str
    link: str
    tags: list[str]
    published: bool
    anonymous: bool
    created: float
    state: str
    runs: list[SubmittedRunState]


class SubmissionList(Model):
    """The models of a team, newest first."""

    submissions: list[SubmissionState]


class Publication(Given):
    """Whether the board shows the model's name, and whether it shows the team's."""

    published: bool
    anonymous: bool | None = None
