"""Teams that may submit to a task: added with a token that is shown once, revoked, renewed.

With that token a team asks for itself: `AskingTeam` is whose it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Body, Depends, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import Field
from sqlalchemy import Connection

from palaver.core.evaluation.submissions import ListedTeam, Team, TeamToken
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation import submissions
from palaver.evaluation.models.decisions import MOST_LINK
from palaver.evaluation.submissions import holder_of
from palaver.evaluation.submissions.teams import MOST_AFFILIATION, MOST_NAME
from palaver.evaluation.tasks import list_tasks, stored_task
from palaver.web.api.access import Here, Owner, unauthorized
from palaver.web.api.errors import ANSWERS, CONFLICT, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.request import TaskRequest, ViewedTask
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter
from palaver.web.desk.accounts import check_writable

T = TypeVar("T")

team_scheme = HTTPBearer(
    auto_error=False,
    scheme_name="TeamToken",
    description="The token of a team, as `palaver team add` prints it: `ps_…`.",
)


@dataclass(frozen=True, slots=True)
class SubmittingTeam(TaskRequest):
    """A team that asks, and the task that it submits to."""

    team: Team

    def check_writable(self) -> None:
        """Raise AccessError where nothing can be submitted."""
        check_writable(self.deployment)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` comes to after it was committed; AccessError where nothing can be."""
        self.check_writable()
        return await TaskRequest.write(self, work)


async def _team(
    request: Request,
    deployment: Here,
    token: Annotated[HTTPAuthorizationCredentials | None, Depends(team_scheme)],
) -> SubmittingTeam:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")

    def find(connection: Connection) -> tuple[Team, StoredTask] | None:
        team = holder_of(connection, secret.strip())
        if team is None or team.task_id is None or scheme.lower() != "bearer":
            return None
        rows = {task.id: task for task in list_tasks(connection)}
        return team, rows[team.task_id]

    found = await deployment.store.read(find)
    if found is None:
        raise unauthorized(
            "Send a team's valid token as 'Authorization: Bearer ps_…'. Ask whoever runs the task "
            "for one."
        )
    team, row = found
    return SubmittingTeam(deployment, row, stored_task(row), None, team)


AskingTeam = Annotated[SubmittingTeam, Depends(_team)]


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
