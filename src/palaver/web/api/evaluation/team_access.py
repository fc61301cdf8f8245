"""Which team asks: its token, and the task that it submits to."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy import Connection

from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.submitters import Submitter, find_submitter
from palaver.storage.evaluation.tasks import list_tasks
from palaver.studies.deployment import Deployment
from palaver.web.api.access import Here, unauthorized

team_scheme = HTTPBearer(
    auto_error=False,
    scheme_name="TeamToken",
    description="The token of a team, as `palaver team add` prints it: `ps_…`.",
)


@dataclass(frozen=True, slots=True)
class Submitting:
    """A team that asks, and the task that it submits to."""

    deployment: Deployment
    submitter: Submitter
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


async def _team(
    request: Request,
    deployment: Here,
    token: Annotated[HTTPAuthorizationCredentials | None, Depends(team_scheme)],
) -> Submitting:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")

    def find(connection: Connection) -> tuple[Submitter, StoredTask] | None:
        submitter = find_submitter(connection, secret.strip())
        if submitter is None or scheme.lower() != "bearer":
            return None
        rows = {each.id: each for each in list_tasks(connection)}
        return submitter, rows[submitter.task_id]

    found = await deployment.store.read(find)
    if found is None:
        raise unauthorized(
            "Send the token of a team that stands, as 'Authorization: Bearer ps_…'. Whoever runs "
            "the task makes one."
        )
    submitter, row = found
    return Submitting(deployment, submitter, row, stored_task(row))


Team = Annotated[Submitting, Depends(_team)]
