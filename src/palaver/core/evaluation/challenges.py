"""Challenges: tracks, phases and teams under one roof, and who may see which scores when.

A track is a task on data in one language; a phase is a time in which teams submit to the tracks.
What is decided by date (which phase is open, who sees its scores, on which part of the data) is
decided here, by functions of the time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Any, Literal

import msgspec

from palaver.core.serial import if_any, internal, key

# Who may see the scores of a phase: whoever runs the challenge, each team its own, everybody.
Audience = Literal["organisers", "own", "everybody"]
# The pages that a challenge may have, in the order of its tabs.
PAGES = ("about", "data", "rules", "schedule", "organisers", "citation")
TeamState = Literal["waiting", "approved", "refused", "left"]
PhaseState = Literal["before", "open", "late", "over"]
# What teams hand in on a track: files with answers, endpoints that are asked from here, or either.
Takes = Literal["files", "endpoints", "both"]
# Which items of a test set a score is about.
Part = Literal["all", "public", "private"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A task on data in one language: `datasets` names the data set of each phase.

    `judged` names, by phase, the study whose raters judge the answers in place of scores.
    """

    name: str
    title: str
    task: str
    language: str = if_any("")
    about: str = if_any("")
    datasets: Mapping[str, str]
    takes: Takes = "files"
    # Which study it is stays here: before its date nothing of a board is told.
    judged: Mapping[str, str] = internal(factory=dict)

    @property
    def takes_files(self) -> bool:
        """Whether files with answers can be handed in."""
        return self.takes != "endpoints"

    @property
    def takes_endpoints(self) -> bool:
        """Whether endpoints can be registered."""
        return self.takes != "files"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """From `since` on, `who` may see the scores; None is from the beginning."""

    who: Audience
    since: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A time in which teams submit: None in `opens` or `closes` is without an end on that side.

    After `closes` submissions are taken for `late_hours` more and marked late. A team may make
    `most_submissions` in `submission_hours` to each track. `public_share` of the items (0: all) is
    what scores are shown on before the phase is over; then it is `final_part`. Endpoints are asked
    from `asks` on, or as soon as there is something to ask.
    """

    name: str
    title: str
    opens: float | None = None
    closes: float | None = None
    late_hours: float = 0.0
    most_submissions: int = 5
    submission_hours: float = 24.0
    sights: tuple[Sight, ...] = (Sight(who="organisers"),)
    public_share: float = 0.0
    final_part: Part = "all"
    asks: float | None = if_any(None)
    # Whether its runs are what the results of the challenge are made of.
    is_final: bool = key("final", False)

    def state(self, now: float) -> PhaseState:
        """Where it stands at a time; the last second of a deadline is still in time."""
        if self.opens is not None and now < self.opens:
            return "before"
        second = floor(now)
        if self.closes is None or second <= self.closes:
            return "open"
        return "late" if second <= self.closes + self.late_hours * 3600 else "over"

    def takes(self, now: float) -> bool:
        """Whether submissions are taken at a time."""
        return self.state(now) in ("open", "late")

    def audience(self, now: float) -> Audience:
        """Who may see the scores at a time: the widest circle whose time has come."""
        widest: Audience = "organisers"
        for sight in self.sights:
            if sight.since is None or now >= sight.since:
                widest = max(widest, sight.who, key=_WIDTH.__getitem__)
        return widest

    def part(self, now: float) -> Part:
        """Which items the scores are shown on at a time."""
        if not self.public_share:
            return "all"
        return self.final_part if self.state(now) == "over" else "public"


_WIDTH: Mapping[Audience, int] = {"organisers": 0, "own": 1, "everybody": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """How teams come in; without `approval` a team may begin at once."""

    approval: bool = True
    opens: float | None = None
    closes: float | None = None
    most_members: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFile:
    """A file for teams that accepted the terms, from a date on; `path` lies below the challenge."""

    name: str
    title: str
    about: str = if_any("")
    since: float | None = None
    path: str = internal("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A challenge as its file says it.

    `pages` are Markdown by name (`PAGES`). A team has run numbers 1 to `most_runs` on each track,
    and chooses `final_runs` of them; until it does, its newest ones count.
    """

    name: str
    title: str
    summary: str = if_any("")
    contact: str = if_any("")
    pages: Mapping[str, str]
    terms: str = if_any("")
    registration: Registration = Registration()
    tracks: tuple[Track, ...]
    phases: tuple[Phase, ...]
    files: tuple[SharedFile, ...] = ()
    most_runs: int = 10
    final_runs: int = 3

    def phase_at(self, now: float) -> Phase | None:
        """The phase that takes submissions at a time; of several, the one that opened last."""
        taking = [phase for phase in self.phases if phase.takes(now)]
        return max(taking, key=lambda phase: phase.opens or 0.0, default=None)

    def phase_for(self, track: Track, now: float) -> Phase | None:
        """The phase that takes submissions to a track at a time: one that has data for it."""
        taking = [p for p in self.phases if p.takes(now) and p.name in track.datasets]
        return max(taking, key=lambda phase: phase.opens or 0.0, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChallenge:
    """A challenge as it is stored; `frozen` is when it was closed, and nothing changes after that.

    `published` is when whoever may see the challenge could see its results.
    """

    id: int = internal(0)
    name: str
    title: str
    public: bool
    created: float
    frozen: float | None = None
    published: float | None = if_any(None)
    # The challenge file as JSON, the folder its files lie in, and what halves are drawn with.
    content: str = internal("")
    folder: str = internal("")
    digest: str = internal("")
    salt: str = internal("")


def stored_definition(row: StoredChallenge) -> Challenge:
    """The challenge that a row holds."""
    return msgspec.json.decode(row.content, type=Challenge)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedChallenge(StoredChallenge):
    """What became of a challenge that was added: new, as before, or changed in these parts."""

    state: Literal["new", "same", "changed"]
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChallenge(StoredChallenge):
    """A challenge as readers meet it: what its file says, and where each phase stands now.

    `phase` is the one that takes submissions; `terms_digest` names the wording of the terms. `tasks`
    are the tasks of the tracks as their files say them.
    """

    definition: Challenge
    tasks: Mapping[str, Any]
    phase: str | None
    states: Mapping[str, PhaseState]
    terms_digest: str = if_any("")
