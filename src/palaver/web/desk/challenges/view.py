"""What the pages of a challenge at the desk show."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal
from urllib.parse import quote

from starlette.requests import Request

from palaver.core.evaluation.challenge_entries import Announcement, ChallengeTeam, Entry
from palaver.core.evaluation.challenges import Challenge, Phase, StoredChallenge, TeamState, Track
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import find_challenge
from palaver.web.desk.accounts import Person, deployment_of, root_of
from palaver.web.desk.frame import DeskShell, NavItem, shell
from palaver.web.desk.parts import Pager, Secret, plain
from palaver.web.schedules import Standing, Timetable
from palaver.web.shell import ChoiceLink

CHALLENGES = "/desk/challenges"
ChallengeTab = Literal["Overview", "Teams", "Entries", "Announcements"]
TABS: Mapping[ChallengeTab, str] = {
    "Overview": "",
    "Teams": "/teams",
    "Entries": "/entries",
    "Announcements": "/announcements",
}


@dataclass(frozen=True, slots=True)
class AskedChallenge:
    """The challenge of an address, where its pages are, and when it was asked for."""

    row: StoredChallenge
    challenge: Challenge
    address: str
    public_url: str
    now: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeRow:
    """A challenge in the list, with how much it holds."""

    row: StoredChallenge
    standing: Standing
    teams: int
    waiting: int
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskChallenges:
    """The challenges of this home."""

    template: ClassVar[str] = "desk/challenges/challenges.html"
    shell: DeskShell
    address: str
    challenges: tuple[ChallengeRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackCount:
    """How much was handed in to a track in a phase; `late` of them after its end."""

    track: Track
    phase: Phase
    teams: int
    entries: int
    late: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeOverview:
    """Where a challenge stands, what needs its organisers, and what they can do."""

    template: ClassVar[str] = "desk/challenges/challenge.html"
    shell: DeskShell
    asked: AskedChallenge
    standing: Standing
    timetable: Timetable
    teams: Mapping[TeamState, int]
    counts: tuple[TrackCount, ...]
    failed: int
    may_change: bool
    may_export: bool
    done: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeTeams:
    """The teams with their state; contacts and members are for whoever may change them."""

    template: ClassVar[str] = "desk/challenges/teams.html"
    shell: DeskShell
    asked: AskedChallenge
    standing: Standing
    teams: tuple[ChallengeTeam, ...]
    entries: Mapping[str, int]
    may_change: bool
    form: Mapping[str, str]
    secret: Secret | None = None
    done: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeEntries:
    """What all teams handed in, newest first, a part at a time."""

    template: ClassVar[str] = "desk/challenges/entries.html"
    shell: DeskShell
    asked: AskedChallenge
    standing: Standing
    entries: tuple[Entry, ...]
    total: int
    choices: tuple[ChoiceLink, ...]
    titles: Mapping[str, str]
    phases: Mapping[str, str]
    measures: Mapping[str, str]
    pager: Pager
    may_change: bool
    done: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeNews:
    """What was announced, and a form to announce something."""

    template: ClassVar[str] = "desk/challenges/announcements.html"
    shell: DeskShell
    asked: AskedChallenge
    standing: Standing
    news: tuple[Announcement, ...]
    approved: int
    may_change: bool
    form: Mapping[str, str]
    done: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseChallengePage:
    """What closing does, before it is done; `open_phases` still take entries."""

    template: ClassVar[str] = "desk/challenges/close.html"
    shell: DeskShell
    asked: AskedChallenge
    standing: Standing
    open_phases: tuple[Phase, ...]
    teams: int
    runs: int
    is_under_way: bool
    error: str = ""


async def asked_challenge(request: Request) -> AskedChallenge:
    """The challenge that the address names; UnknownNameError if there is none."""
    deployment, name = deployment_of(request), plain(request.path_params["challenge"])
    row = await deployment.store.read(lambda c: find_challenge(c, name))
    root, own = root_of(request), quote(row.name, safe="")
    return AskedChallenge(
        row=row,
        challenge=stored_definition(row),
        address=f"{root}{CHALLENGES}/{own}",
        public_url=f"{root}/challenges/{own}",
        now=deployment.clock.now(),
    )


def challenge_shell(
    request: Request,
    person: Person,
    asked: AskedChallenge,
    tab: ChallengeTab,
    counts: Mapping[ChallengeTab, int] | None = None,
) -> DeskShell:
    """The frame of a page of a challenge, with its tabs."""
    tabs = tuple(
        NavItem(
            label=label,
            url=asked.address + path,
            count=(counts or {}).get(label),
            current=label == tab,
        )
        for label, path in TABS.items()
    )
    title = f"{tab} · {asked.row.title}"
    return replace(shell(request, person, title, "challenges"), tabs=tabs)


def track_counts(challenge: Challenge, entries: Sequence[Entry]) -> tuple[TrackCount, ...]:
    """How much was handed in to each track in each phase; what was withdrawn is not counted."""
    kept = [each for each in entries if each.withdrawn is None]
    teams = {(each.track, each.phase): set[str]() for each in kept}
    for each in kept:
        teams[each.track, each.phase].add(each.team)
    every = Counter((each.track, each.phase) for each in kept)
    late = Counter((each.track, each.phase) for each in kept if each.is_late)
    failed = Counter((each.track, each.phase) for each in kept if each.state == "failed")
    return tuple(
        TrackCount(
            track=track,
            phase=phase,
            teams=len(teams.get((track.name, phase.name), ())),
            entries=every[track.name, phase.name],
            late=late[track.name, phase.name],
            failed=failed[track.name, phase.name],
        )
        for track in challenge.tracks
        for phase in challenge.phases
        if phase.name in track.datasets
    )
