"""Challenges for readers and for those who run them: what there is, teams, announcements."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Body, Query
from pydantic import Field

from palaver.core.evaluation.challenge_entries import Announcement, ChallengeTeam
from palaver.core.evaluation.challenge_standings import TrackStandings
from palaver.core.evaluation.challenges import Part, ShownChallenge, StoredChallenge
from palaver.core.evaluation.submissions import TeamToken
from palaver.core.letters import MOST_TEXT
from palaver.evaluation.challenges import announcements, teams
from palaver.evaluation.challenges.announcements import MOST_SUBJECT
from palaver.evaluation.challenges.arrival import last_phase
from palaver.evaluation.challenges.board_rows import live_rows
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import find_track, list_challenges, set_challenge
from palaver.evaluation.challenges.views import shown_challenge
from palaver.web.api.access import Anybody, Here, Owner
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.challenge_request import (
    NAME,
    OpenChallenge,
    RunChallenge,
    TrackName,
)
from palaver.web.api.evaluation.request import OPEN, in_thread, missing
from palaver.web.api.evaluation.teams import TeamId
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["challenges"])

CHANGED = {**FORBIDDEN, **MISSING}


@dataclass(frozen=True, slots=True)
class ChallengeList:
    """Challenges by name: the public ones, and with an account's token all of them."""

    challenges: list[StoredChallenge]


@dataclass(frozen=True, slots=True)
class ChallengeTeamList:
    """The teams of a challenge, oldest first, whatever their state."""

    teams: list[ChallengeTeam]


@dataclass(frozen=True, slots=True)
class AnnouncementList:
    """What a challenge announced, newest first."""

    announcements: list[Announcement]


class ChallengePublicity(Given):
    """Whether everybody sees the challenge and may register."""

    public: bool


class NewAnnouncement(Given):
    """What to tell the teams; with `public` everybody reads it on the page of the challenge."""

    subject: Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": MOST_SUBJECT})]
    text: Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": MOST_TEXT})]
    public: bool = True


@router.get("/challenges", openapi_extra=OPEN)
async def list_known(deployment: Here, person: Anybody) -> ChallengeList:
    """The public challenges; with an account's token all of them."""
    known = await deployment.store.read(list_challenges)
    return ChallengeList([row for row in known if row.public or person is not None])


@router.get("/challenges/{challenge}", responses=CHANGED, openapi_extra=OPEN)
async def show_challenge(asking: OpenChallenge) -> ShownChallenge:
    """A challenge: its tracks, phases, pages and terms, and what is open now."""
    return await asking.read(lambda c: shown_challenge(c, asking.row, now=asking.now))


@router.patch("/challenges/{challenge}", responses={**CHANGED, **UNREADABLE})
async def change_challenge(
    asking: RunChallenge, person: Owner, wanted: Annotated[ChallengePublicity, Body()]
) -> StoredChallenge:
    """Let everybody see a challenge and register, or nobody; teams with a token go on."""
    return await asking.write(
        lambda c: set_challenge(
            c, asking.row, public=wanted.public, by=asking.actor, now=asking.now
        )
    )


@router.get("/challenges/{challenge}/announcements", responses=CHANGED, openapi_extra=OPEN)
async def read_announcements(asking: OpenChallenge) -> AnnouncementList:
    """What was announced, newest first: to everybody; with a token also what is for teams alone."""
    public_only = asking.audience == "everybody"
    return AnnouncementList(
        await asking.read(
            lambda c: announcements.list_announcements(c, asking.row, public_only=public_only)
        )
    )


@router.post(
    "/challenges/{challenge}/announcements",
    status_code=201,
    responses={**CHANGED, **UNREADABLE},
)
async def new_announcement(
    asking: RunChallenge, person: Owner, wanted: Annotated[NewAnnouncement, Body()]
) -> Announcement:
    """Announce something; each approved team gets a letter."""
    return await asking.write(
        lambda c: announcements.announce(
            c, asking.row, **wanted.model_dump(), by=asking.actor, now=asking.now
        )
    )


@router.get("/challenges/{challenge}/tracks/{track}/board", responses=CHANGED, openapi_extra=OPEN)
async def show_board(
    asking: OpenChallenge,
    track: TrackName,
    phase: Annotated[str | None, Query(pattern=NAME)] = None,
    part: Annotated[Part | None, Query(description="For organisers: all, public, private.")] = None,
) -> TrackStandings:
    """How a track stands, as far as whoever asks may see it now.

    Without `phase` in the one that is open, else in the one that closed last.
    """
    challenge = stored_definition(asking.row)
    with missing():
        found = find_track(challenge, track)
        last = last_phase(challenge, found, now=asking.now) or challenge.phases[0]
        return await in_thread(
            lambda: live_rows(
                asking.home,
                asking.row,
                track,
                phase or last.name,
                now=asking.now,
                viewer=asking.team or asking.audience,
                part=part,
            )
        )


@router.get("/challenges/{challenge}/teams", responses=CHANGED)
async def read_teams(asking: RunChallenge) -> ChallengeTeamList:
    """The teams of a challenge, oldest first, those that wait, were refused or left included."""
    return ChallengeTeamList(await asking.read(lambda c: teams.list_teams(c, asking.row)))


@router.post("/challenges/{challenge}/teams/{team}/approve", responses=CHANGED)
async def approve_team(asking: RunChallenge, person: Owner, team: TeamId) -> ChallengeTeam:
    """Let a team hand in; it is told so by mail."""
    return await asking.write(
        lambda c: teams.approve_team(c, asking.row, team, by=asking.actor, now=asking.now)
    )


@router.post("/challenges/{challenge}/teams/{team}/refuse", responses=CHANGED)
async def refuse_team(asking: RunChallenge, person: Owner, team: TeamId) -> ChallengeTeam:
    """Let a team hand in nothing more; what it handed in is kept and no longer counts."""
    return await asking.write(
        lambda c: teams.refuse_team(c, asking.row, team, by=asking.actor, now=asking.now)
    )


@router.post("/challenges/{challenge}/teams/{team}/token", responses=CHANGED)
async def new_token(asking: RunChallenge, person: Owner, team: TeamId) -> TeamToken:
    """A new token for a team, in place of the old one; it is in this answer and nowhere else."""
    return await asking.write(
        lambda c: teams.renew_token(c, asking.row, team, by=asking.actor, now=asking.now)
    )
