"""Teams that may submit to a task: added with a token that is shown once, revoked, renewed."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Body, Path
from pydantic import Field

from palaver.core.evaluation.submissions import ListedTeam, Team, TeamToken
from palaver.evaluation import submissions
from palaver.evaluation.models.decisions import MOST_LINK
from palaver.evaluation.submissions.teams import MOST_AFFILIATION, MOST_NAME
from palaver.web.api.access import Owner
from palaver.web.api.errors import ANSWERS, CONFLICT, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.request import ViewedTask
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["teams"])

TeamId = Annotated[int, Path(ge=1, le=2**53)]
CHANGED = {**FORBIDDEN, **MISSING}


@dataclass(frozen=True, slots=True)
class TeamList:
    """The teams of a task, oldest first."""

    teams: list[ListedTeam]


class NewTeam(Given):
    """A team that may submit."""

    team: Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": MOST_NAME})]
    affiliation: Annotated[str, Field(json_schema_extra={"maxLength": MOST_AFFILIATION})] = ""
    link: Annotated[str, Field(json_schema_extra={"maxLength": MOST_LINK})] = ""


@router.get("/tasks/{task}/teams", responses=CHANGED)
async def list_teams(asked: ViewedTask, person: Owner) -> TeamList:
    """The teams of a task, oldest first, revoked ones included."""
    return TeamList(await asked.read(lambda c: submissions.list_teams(c, asked.row, now=asked.now)))


@router.post(
    "/tasks/{task}/teams", status_code=201, responses={**CHANGED, **UNREADABLE, **CONFLICT}
)
async def new_team(
    asked: ViewedTask, person: Owner, wanted: Annotated[NewTeam, Body()]
) -> TeamToken:
    """Let a team submit; its token is in this answer and nowhere else."""
    return await asked.write(
        lambda c: submissions.add_team(c, asked.row, **wanted.model_dump(), now=asked.now)
    )


@router.post("/tasks/{task}/teams/{team}/renew", responses=CHANGED)
async def renew_team(asked: ViewedTask, person: Owner, team: TeamId) -> TeamToken:
    """A new token for a team, in place of the old one; a revoked team may submit again."""
    return await asked.write(lambda c: submissions.renew_team(c, asked.row, team))


@router.post("/tasks/{task}/teams/{team}/revoke", responses=CHANGED)
async def revoke_team(asked: ViewedTask, person: Owner, team: TeamId) -> Team:
    """Revoke a team's token; its models stay. Doing it again changes nothing."""
    return await asked.write(lambda c: submissions.revoke_team(c, asked.row, team, now=asked.now))
