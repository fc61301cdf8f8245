"""The researcher's desk: every route below /desk, and what a refusal there looks like."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from palaver.core.errors import AccessError

routes: list[BaseRoute] = []


def refuse(request: Request, error: AccessError) -> Response:
    """Somebody may not see a page of the desk: let them sign in."""
    return RedirectResponse("/desk/sign-in", status_code=303)
