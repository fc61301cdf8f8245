"""Teams on the pages: a token that was given once is kept in this browser for some hours.

The cookie holds the token itself, so that a token that is revoked or renewed is worth nothing at once.
"""

from starlette.responses import Response

from palaver.core.errors import AccessError
from palaver.core.evaluation.submissions import Team
from palaver.evaluation.submissions import holder_of
from palaver.web.desk.accounts import deployment_of
from palaver.web.security import secure_cookie
from palaver.web.tasks.access import Visit

COOKIE = "palaver_team"
HOURS = 12


async def team_of(found: Visit) -> Team | None:
    """The team whose token this browser holds, if it is one for this task."""
    secret = found.request.cookies.get(COOKIE, "")
    return await find_team(found, secret) if secret else None


async def find_team(found: Visit, secret: str) -> Team | None:
    """The team of a token, if it is one for this task."""
    store = deployment_of(found.request).store
    known = await store.read(lambda c: holder_of(c, secret))
    return known if known is not None and known.task_id == found.row.id else None


async def need_team(found: Visit) -> Team:
    """The team of this browser; AccessError if it has none."""
    team = await team_of(found)
    if team is None:
        raise AccessError("Enter your team's token first, on the page 'Submit'.")
    return team


def remember(found: Visit, response: Response, secret: str) -> None:
    """Let this browser act for the team for some hours."""
    options = secure_cookie(found.request, path="/", max_age=HOURS * 3600)
    response.set_cookie(COOKIE, secret, **options)


def forget(found: Visit, response: Response) -> None:
    """Let this browser act for no team."""
    response.delete_cookie(COOKIE, **secure_cookie(found.request, path="/"))
