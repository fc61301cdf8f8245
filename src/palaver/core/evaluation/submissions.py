"""Teams that submit to a task from outside: what each may do, and what came of its models."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from palaver.core.evaluation.challenges import TeamState
from palaver.core.evaluation.models import ModelHead, RankingOutlook
from palaver.core.evaluation.runs import OVER, RunState
from palaver.core.serial import internal, key

SubmissionState = Literal["withdrawn", "failed", "running", "done", "empty"]
WordingAccepted = Literal["none", "open", "earlier", "current"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A team with a token for a task or a challenge; `revoked` is when it was refused."""

    id: int
    team: str
    affiliation: str
    link: str
    accepted_at: float | None = key("accepted")
    created: float
    revoked: float | None
    # One of the two: the task, or the challenge with all its tracks.
    task_id: int | None = internal(None)
    challenge_id: int | None = internal(None)
    state: TeamState = internal("approved")
    contact: str = internal("")
    members: tuple[str, ...] = internal(())
    is_baseline: bool = internal(False)
    accepted_digest: str | None = internal(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamToken(Team):
    """A team with its token, which is shown only here."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTeam(Team):
    """A team with what it has used of its submissions, and which `wording` of the terms it accepted.

    `none`: there are no terms; `open`: it has not accepted any yet.
    """

    used: int
    wording: WordingAccepted


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How many of its submissions a team has used; `next_at` is when the next one is possible."""

    derived: ClassVar[tuple[str, ...]] = ("left",)

    used: int
    most: int
    hours: float
    next_at: float | None

    @property
    def left(self) -> int:
        """How many more are allowed now."""
        return max(0, self.most - self.used)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamSheet(Team):
    """A team, the terms of its task, whether it accepted them as they stand, and what is left."""

    accepted_at: float | None
    task: str
    title: str
    terms: str
    terms_digest: str
    accepted: bool
    allowance: Allowance
    datasets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedRun:
    """A run of a team's model on a data set that the team may know of; `reason`: why it failed."""

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

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it by itself."""
        return self.state in OVER

    @property
    def asked(self) -> int:
        """How many items have an answer or a refusal."""
        return self.answered + self.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission(ModelHead):
    """A team's model with its runs; `created` is when its newest version was submitted.

    `outlook` says what of it will be ranked, and what will not and why.
    """

    derived: ClassVar[tuple[str, ...]] = (*ModelHead.derived, "state")

    runs: tuple[SubmittedRun, ...]
    outlook: RankingOutlook

    @property
    def state(self) -> SubmissionState:
        """What became of it: withdrawn, failed, running, done, or nothing to run yet."""
        states = {run.state for run in self.runs}
        if self.retired is not None:
            return "withdrawn"
        if states & {"failed", "cancelled"}:
            return "failed"
        if states - OVER:
            return "running"
        return "done" if states else "empty"
