"""Which team asks: its token, and the task that it submits to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy import Connection

from palaver.core.evaluation.submissions import Team
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.submissions import holder_of
from palaver.evaluation.tasks import list_tasks, stored_task
from palaver.studies.run.deployment import Deployment
from palaver.web.api.access import Here, unauthorized
from palaver.web.api.evaluation.request import missing
from palaver.web.desk.accounts import check_writable

T = TypeVar("T")

team_scheme = HTTPBearer(
    auto_error=False,
    scheme_name="TeamToken",
    description="The token of a team, as `palaver team add` prints it: `ps_…`.",
)


@dataclass(frozen=True, slots=True)
class SubmittingTeam:
    """A team that asks, and the task that it submits to."""

    deployment: Deployment
    team: Team
    row: StoredTask
    task: Task

    @property
    def home(self) -> EvaluationHome:
        """The home that the task lies in."""
        return self.deployment.evaluation

    @property
    def now(self) -> float:
        """The time, as the deployment has it."""
        return self.deployment.clock.now()

    def check_writable(self) -> None:
        """Raise AccessError where nothing can be submitted."""
        check_writable(self.deployment)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` reads; a name that it does not find is missing at this address."""
        with missing():
            return await self.deployment.store.read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` comes to after it was committed."""
        self.check_writable()
        with missing():
            return await self.deployment.store.write(work)


async def _team(
    request: Request,
    deployment: Here,
    token: Annotated[HTTPAuthorizationCredentials | None, Depends(team_scheme)],
) -> SubmittingTeam:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")

    def find(connection: Connection) -> tuple[Team, StoredTask] | None:
        team = holder_of(connection, secret.strip())
        if team is None or scheme.lower() != "bearer":
            return None
        rows = {each.id: each for each in list_tasks(connection)}
        return team, rows[team.task_id]

    found = await deployment.store.read(find)
    if found is None:
        raise unauthorized(
            "Send a team's valid token as 'Authorization: Bearer ps_…'. Ask whoever runs the task "
            "for one."
        )
    team, row = found
    return SubmittingTeam(deployment, team, row, stored_task(row))


AskingTeam = Annotated[SubmittingTeam, Depends(_team)]
