"""What teams hand in to a challenge, and how their runs stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from palaver.core.evaluation.challenges import Audience, Part, Takes, TeamState
from palaver.core.evaluation.submissions import Allowance, Team
from palaver.core.serial import if_any, internal
from palaver.core.serial import key as told_as

EntryState = Literal["scored", "running", "scheduled", "failed", "withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeTeam(Team):
    """A team of a challenge as its members and the organisers see it."""

    challenge: str
    state: TeamState
    contact: str
    members: tuple[str, ...]
    is_baseline: bool = told_as("baseline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a team handed in for one run of one track; `created` is when it had arrived.

    That is a file, or an endpoint of some `kind`: it is `scheduled` until it is asked, from `asks` on
    where that is a time, and `asked` of `items` have an answer.

    `scores` are by measure, on the part of the data that whoever asks may see; empty where they may
    not see any. `replaced` says that the same run was handed in again later. `withheld` says why there
    are no scores.
    """

    key: str
    team: str
    track: str
    phase: str
    run: int
    state: EntryState
    created: float
    is_late: bool = told_as("late")
    is_final: bool = told_as("final")
    is_replaced: bool = told_as("replaced", False)
    withdrawn: float | None = None
    digest: str
    scores: Mapping[str, float | None] = if_any(factory=dict)
    part: Part = "all"
    withheld: str = if_any("")
    reason: str = if_any("")
    kind: str = if_any("")
    asks: float | None = if_any(None)
    asked: int | None = if_any(None)
    items: int | None = if_any(None)
    submitter_id: int = internal(0)
    model_version_id: int = internal(0)
    path: str = internal("")

    @property
    def is_endpoint(self) -> bool:
        """Whether it is asked from here."""
        return bool(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointCard:
    """What a team tells of the model behind an endpoint, for the board."""

    title: str = if_any("")
    parameters: float | None = if_any(None)
    link: str = if_any("")
    about: str = if_any("")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """What a file is worth before it is handed in: nothing is stored, nothing is counted.

    `items` is how many the data set has. Where this machine has the gold data, `scores` are what the
    server would say.
    """

    derived: ClassVar[tuple[str, ...]] = ("valid",)

    file: str
    track: str
    items: int
    problems: tuple[str, ...]
    notes: tuple[str, ...] = if_any(())
    scores: Mapping[str, float | None] = if_any(factory=dict)

    @property
    def valid(self) -> bool:
        """Whether it would be taken."""
        return not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackSheet:
    """A track as a team meets it: what the open phase wants, and what the team may still hand in."""

    track: str
    title: str
    task: str
    language: str = if_any("")
    phase: str | None
    dataset: str | None
    items: int | None
    allowance: Allowance | None
    takes: Takes = "files"
    asks: float | None = if_any(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeSheet:
    """A team, the terms it accepted or not, its tracks and what it handed in."""

    team: ChallengeTeam
    title: str
    terms: str
    terms_digest: str
    accepted: bool
    phase: str | None
    closes: float | None
    tracks: tuple[TrackSheet, ...]
    entries: tuple[Entry, ...]
    audience: Audience


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """Something that a challenge told its teams."""

    id: int = internal(0)
    subject: str
    text: str
    public: bool
    created: float
    created_by: str = if_any("")
