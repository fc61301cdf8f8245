"""Teams that may submit to a task: added with a token that is shown once, revoked, renewed."""

from typing import Annotated

from fastapi import Body, Path
from pydantic import Field
from sqlalchemy import Connection

from palaver.storage.evaluation.submitters import (
    Submitter,
    add_submitter,
    find_team,
    list_submitters,
    renew_token,
    revoke_submitter,
)
from palaver.web.api.access import Owner
from palaver.web.api.errors import ANSWERS, CONFLICT, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.asking import ViewedTask
from palaver.web.api.models import Given, Model
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["teams"])

TeamId = Annotated[int, Path(ge=1, le=2**53)]
CHANGED = {**FORBIDDEN, **MISSING}


class TeamState(Model):
    """A team; `revoked` is when its token was refused, `accepted` when it accepted the terms."""

    id: int
    team: str
    affiliation: str
    link: str
    accepted: float | None
    created: float
    revoked: float | None


class TeamList(Model):
    """The teams of a task, oldest first."""

    teams: list[TeamState]


class NewTeam(Given):
    """A team that may submit."""

    team: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^\S(.*\S)?$")]
    affiliation: Annotated[str, Field(max_length=200)] = ""
    link: Annotated[str, Field(max_length=500)] = ""


class TeamWithToken(TeamState):
    """A team with its token, which is shown only here."""

    token: str


@router.get("/tasks/{task}/teams", responses=CHANGED)
async def list_teams(asked: ViewedTask, person: Owner) -> TeamList:
    """The teams of a task, oldest first, revoked ones included."""
    found = await asked.read(lambda c: list_submitters(c, asked.row.id))
    return TeamList(teams=[TeamState.model_validate(each) for each in found])


@router.post(
    "/tasks/{task}/teams", status_code=201, responses={**CHANGED, **UNREADABLE, **CONFLICT}
)
async def new_team(
    asked: ViewedTask, person: Owner, wanted: Annotated[NewTeam, Body()]
) -> TeamWithToken:
    """Let a team submit; its token is in this answer and nowhere else."""
    made = await asked.write(
        lambda c: add_submitter(
            c,
            task_id=asked.row.id,
            team=wanted.team,
            affiliation=wanted.affiliation,
            link=wanted.link,
            now=asked.now,
        )
    )
    return _with_token(made.submitter, made.secret)


@router.post("/tasks/{task}/teams/{team}/renew", responses=CHANGED)
async def renew_team(asked: ViewedTask, person: Owner, team: TeamId) -> TeamWithToken:
    """A new token for a team, in place of the old one; a revoked team may submit again."""

    def change(connection: Connection) -> TeamWithToken:
        found = find_team(connection, asked.row.id, str(team))
        secret = renew_token(connection, found.id)
        return _with_token(find_team(connection, asked.row.id, str(team)), secret)

    return await asked.write(change)


@router.post("/tasks/{task}/teams/{team}/revoke", responses=CHANGED)
async def revoke_team(asked: ViewedTask, person: Owner, team: TeamId) -> TeamState:
    """Refuse a team's token from now on; its models stay."""

    def change(connection: Connection) -> TeamState:
        found = find_team(connection, asked.row.id, str(team))
        revoke_submitter(connection, found.id, now=asked.now)
        return TeamState.model_validate(find_team(connection, asked.row.id, str(team)))

    return await asked.write(change)


def _with_token(submitter: Submitter, secret: str) -> TeamWithToken:
    return TeamWithToken(**TeamState.model_validate(submitter).model_dump(), token=secret)
