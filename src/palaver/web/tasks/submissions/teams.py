"""The team of a browser on the pages of a task."""

from sqlalchemy import Connection
from starlette.requests import Request

from palaver.core.errors import AccessError
from palaver.core.evaluation.submissions import Team
from palaver.evaluation.submissions import holder_of
from palaver.evaluation.tasks import find_task
from palaver.web.desk.accounts import deployment_of
from palaver.web.tasks.access import TaskVisit


async def holds_token(request: Request, task: str, secret: str) -> bool:
    """Whether the secret is a token for the task of that name, public or not."""

    def read(connection: Connection) -> bool:
        team = holder_of(connection, secret)
        if team is None or team.task_id is None:
            return False
        return find_task(connection, str(team.task_id)).name == task

    return await deployment_of(request).store.read(read)


def need_team(found: TaskVisit) -> Team:
    """The team of this browser; AccessError if it has none."""
    if found.team is None:
        raise AccessError("Enter your team's token first, on the page 'Submit'.")
    return found.team
