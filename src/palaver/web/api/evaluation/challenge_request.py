"""Who asks about a challenge: a stranger, a team with its token, or whoever runs it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

from fastapi import Depends, Path, Request
from fastapi.security import HTTPAuthorizationCredentials
from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import AccessError
from palaver.core.evaluation.challenge_entries import ChallengeTeam
from palaver.core.evaluation.challenges import Audience, StoredChallenge
from palaver.core.evaluation.public_numbers import public_number
from palaver.evaluation.challenges.stored import find_challenge, find_public_challenge
from palaver.evaluation.challenges.teams import holder_of
from palaver.evaluation.home import EvaluationHome
from palaver.studies.run.deployment import Deployment
from palaver.web.api.access import Here, Token, Viewer, anybody, unauthorized
from palaver.web.api.evaluation.request import missing
from palaver.web.api.evaluation.teams import team_scheme
from palaver.web.desk.accounts import Person, actor_of, check_writable

T = TypeVar("T")

NAME = r"^[a-z0-9][a-z0-9_-]{0,62}$"
TEAM_TOKEN = "ps_"
ChallengeName = Annotated[str, Path(pattern=NAME)]
TrackName = Annotated[str, Path(pattern=NAME)]
TeamCredentials = Annotated[HTTPAuthorizationCredentials | None, Depends(team_scheme)]


@dataclass(frozen=True, slots=True)
class ChallengeCaller:
    """A challenge and whoever asks about it: an account, a team, or neither."""

    deployment: Deployment
    row: StoredChallenge
    actor: Actor
    person: Person | None
    team: ChallengeTeam | None

    @property
    def home(self) -> EvaluationHome:
        return self.deployment.evaluation

    @property
    def now(self) -> float:
        return self.deployment.clock.now()

    @property
    def audience(self) -> Audience:
        """As what they see scores."""
        if self.person is not None:
            return "organisers"
        return "everybody" if self.team is None else "own"

    async def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` reads; a name that it does not find is missing at this address."""
        with missing():
            return await self.deployment.store.read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` comes to after it was committed; AccessError where nothing can be."""
        check_writable(self.deployment)
        with missing():
            return await self.deployment.store.write(work)


@dataclass(frozen=True, slots=True)
class TeamCaller(ChallengeCaller):
    """A team that asks with its token."""

    team: ChallengeTeam


async def _anybody(
    request: Request,
    deployment: Here,
    challenge: ChallengeName,
    token: Token,
    team: TeamCredentials,
) -> ChallengeCaller:
    """Whoever asks, with a token or without."""
    if _secret(request).startswith(TEAM_TOKEN):
        return await _team(request, deployment, challenge, team)
    person = await anybody(request, deployment, token)
    find = find_public_challenge if person is None else find_challenge
    with missing():
        row = await deployment.store.read(lambda c: find(c, challenge))
    return ChallengeCaller(deployment, row, actor_of(request, person, "api"), person, None)


async def _team(
    request: Request, deployment: Here, challenge: ChallengeName, team: TeamCredentials
) -> TeamCaller:
    secret = _secret(request)
    held = await deployment.store.read(lambda c: holder_of(c, secret))
    if held is None:
        raise unauthorized(
            "Send your team's valid token as 'Authorization: Bearer ps_…'. Register for the "
            "challenge to get one; ask the organisers for a new one if it is lost."
        )
    row, own = held
    if row.name != challenge:
        raise AccessError(
            f"The token of '{own.team}' is for the challenge '{row.name}', not for '{challenge}'."
        )
    return TeamCaller(deployment, row, actor_of(request, None, "api"), None, own)


async def _organiser(
    request: Request, deployment: Here, person: Viewer, challenge: ChallengeName
) -> ChallengeCaller:
    with missing():
        row = await deployment.store.read(lambda c: find_challenge(c, challenge))
    return ChallengeCaller(deployment, row, actor_of(request, person, "api"), person, None)


def _secret(request: Request) -> str:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def for_strangers(team: ChallengeTeam) -> ChallengeTeam:
    """A team without the number of its row, which tells how many came before it."""
    return replace(team, id=public_number("team", team.team))


OpenChallenge = Annotated[ChallengeCaller, Depends(_anybody)]
AskingChallengeTeam = Annotated[TeamCaller, Depends(_team)]
RunChallenge = Annotated[ChallengeCaller, Depends(_organiser)]
