"""What the pages of a team show: its registration, its token once, and what it handed in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from sqlalchemy import Connection

from palaver.core.evaluation.challenge_entries import (
    ChallengeSheet,
    ChallengeTeam,
    CheckedFile,
    TrackSheet,
)
from palaver.core.evaluation.challenges import Challenge, Phase
from palaver.core.evaluation.models import ProbedEndpoint
from palaver.core.evaluation.submissions import TeamToken
from palaver.evaluation.challenges.entry_values import measure_titles
from palaver.evaluation.challenges.sheets import team_sheet
from palaver.evaluation.submissions import REMOTE_KINDS
from palaver.web.challenges.access import ChallengeVisit, challenge_shell, has_results
from palaver.web.desk.accounts import deployment_of
from palaver.web.schedules import Standing, standing_of
from palaver.web.security import public_base
from palaver.web.tasks.access import TaskShell
from palaver.web.teams import csrf_with
from palaver.web.uploads import MEGABYTE

# The fields of a form that registers or changes a team, and of one that hands in a run.
TEAM = ("team", "contact", "affiliation", "link", "members")
RUN = ("track", "run")
# The fields of a form that registers an endpoint; a key that was typed is not shown again.
ENDPOINT = (
    "track",
    "run",
    "kind",
    "url",
    "title",
    "parameters",
    "link",
    "about",
    "key",
    "model",
    "prompt",
    "options",
)
Door = Literal["open", "before", "over"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterPage:
    """A form to register, or the team of this browser."""

    template: ClassVar[str] = "challenges/teams/register.html"
    shell: TaskShell
    url: str
    challenge: Challenge
    team: ChallengeTeam | None
    # Whether teams may register now.
    door: Door
    form: Mapping[str, str]
    read_only: bool
    closed: bool
    has_results: bool
    done: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTokenPage:
    """A team's new token, which is shown on this page alone; `server` is where programs send it."""

    template: ClassVar[str] = "challenges/teams/token.html"
    shell: TaskShell
    url: str
    server: str
    team: TeamToken
    is_new: bool
    waits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandInPage:
    """How to hand in; a team gives its token, accepts the terms, then has the form and its entries."""

    template: ClassVar[str] = "challenges/teams/submit.html"
    shell: TaskShell
    url: str
    server: str
    challenge: Challenge
    standing: Standing
    sheet: ChallengeSheet | None
    tracks: Mapping[str, str]
    phases: Mapping[str, Phase]
    measures: Mapping[str, str]
    form: Mapping[str, str]
    megabytes: int
    now: float
    read_only: bool
    closed: bool
    has_results: bool
    endpoint: Mapping[str, str]
    kinds: tuple[str, ...]
    checked: CheckedFile | None = None
    probed: ProbedEndpoint | None = None
    done: str = ""
    error: str = ""

    @property
    def open_tracks(self) -> tuple[TrackSheet, ...]:
        """The tracks that take files now."""
        return tuple(each for each in self._open if each.takes != "endpoints")

    @property
    def endpoint_tracks(self) -> tuple[TrackSheet, ...]:
        """The tracks that take endpoints now."""
        return tuple(each for each in self._open if each.takes != "files")

    @property
    def usual_kind(self) -> str:
        """The kind of endpoint that is chosen before somebody chooses."""
        is_advice = any(each.task == "advice" for each in self.endpoint_tracks)
        return "askbatch" if is_advice else "http"

    @property
    def _open(self) -> tuple[TrackSheet, ...]:
        return tuple(each for each in self.sheet.tracks if each.phase) if self.sheet else ()

    def as_text(self, values: Mapping[str, Any]) -> str:
        """What was sent or came, as readable JSON."""
        return json.dumps(values, ensure_ascii=False, indent=2)

    @property
    def progress(self) -> str:
        """What changes while something is scored or asked."""
        entries = self.sheet.entries if self.sheet else ()
        return " ".join(f"{each.state}:{each.asked}" for each in entries)

    def takes(self, phase: Phase) -> bool:
        """Whether a phase is not over, so that its runs can be chosen."""
        return phase.takes(self.now)

    @property
    def is_waiting(self) -> bool:
        """Whether something that was handed in is being scored or asked."""
        if self.sheet is None or self.probed is not None or self.error:
            return False
        return any(each.state == "running" for each in self.sheet.entries)


def register_page(
    found: ChallengeVisit,
    *,
    form: Mapping[str, str] | None = None,
    done: str = "",
    error: str = "",
) -> RegisterPage:
    """The page, with what the form holds: what was typed, else what is known of the team."""
    known = found.team
    registration, now = found.challenge.registration, found.now
    is_early = registration.opens is not None and now < registration.opens
    is_late = registration.closes is not None and int(now) > registration.closes
    return RegisterPage(
        shell=challenge_shell(found, *_named(known is not None)),
        url=found.url,
        challenge=found.challenge,
        team=known,
        door="before" if is_early else "over" if is_late else "open",
        form=form or _form(known),
        read_only=deployment_of(found.request).store.read_only,
        closed=found.row.frozen is not None,
        has_results=has_results(found),
        done=done,
        error=error,
    )


def token_page(found: ChallengeVisit, made: TeamToken, *, is_new: bool) -> NewTokenPage:
    """The page with a token that was just made."""
    csrf = csrf_with(found.request, made.token, found.row.name)
    shell = replace(challenge_shell(found, "Your team's token"), csrf=csrf)
    return NewTokenPage(
        shell=shell,
        url=found.url,
        server=_server(found),
        team=made,
        is_new=is_new,
        waits=made.state == "waiting",
    )


async def hand_in_page(
    found: ChallengeVisit,
    *,
    form: Mapping[str, str] | None = None,
    checked: CheckedFile | None = None,
    endpoint: Mapping[str, str] | None = None,
    probed: ProbedEndpoint | None = None,
    done: str = "",
    error: str = "",
) -> HandInPage:
    """The page as it is now, with what the browser's team handed in."""
    store, team = deployment_of(found.request).store, found.team
    now = deployment_of(found.request).clock.now()

    def read(connection: Connection) -> tuple[ChallengeSheet | None, Mapping[str, str]]:
        if team is None:
            return None, {}
        sheet = team_sheet(connection, found.row, team, now=now, home=found.home)
        return sheet, measure_titles(connection, found.challenge)

    sheet, measures = await store.read(read)
    return HandInPage(
        shell=challenge_shell(found, "Submit", "Submit"),
        url=found.url,
        server=_server(found),
        challenge=found.challenge,
        standing=standing_of(found.row, found.challenge, now),
        sheet=sheet,
        tracks={each.name: each.title for each in found.challenge.tracks},
        phases={each.name: each for each in found.challenge.phases},
        measures=measures,
        form=form or dict.fromkeys(RUN, ""),
        megabytes=found.home.settings.upload_megabytes,
        now=now,
        read_only=store.read_only,
        closed=found.row.frozen is not None,
        has_results=has_results(found),
        endpoint={**dict.fromkeys(ENDPOINT, ""), **(endpoint or {}), "key": ""},
        kinds=REMOTE_KINDS,
        checked=checked,
        probed=probed,
        done=done,
        error=error,
    )


def most_bytes(found: ChallengeVisit) -> int:
    """The largest form that is read."""
    return found.home.settings.upload_megabytes * MEGABYTE


def _named(has_team: bool) -> tuple[str, str]:
    name = "Your team" if has_team else "Register"
    return name, name


def _form(team: ChallengeTeam | None) -> dict[str, str]:
    if team is None:
        return dict.fromkeys(TEAM, "")
    return {
        "team": team.team,
        "contact": team.contact,
        "affiliation": team.affiliation,
        "link": team.link,
        "members": "\n".join(team.members),
    }


def _server(found: ChallengeVisit) -> str:
    """The address that programs reach the challenge at."""
    settings = found.request.app.state.settings
    return f"{public_base(found.request, settings.public_url)}/challenges/{found.row.name}"
