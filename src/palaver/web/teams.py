"""Teams in a browser: a token that was given once is kept there for some hours.

A cookie holds the token itself, so that a token that is revoked or renewed is worth nothing at once.
Tasks share one cookie; each challenge has its own, so that somebody may be in several at a time.
"""

from starlette.requests import Request
from starlette.responses import Response

from palaver.web.security import csrf_token, secure_cookie

COOKIE = "palaver_team"
HOURS = 12


def kept_token(request: Request, challenge: str = "") -> str:
    """The token that this browser keeps for tasks, or for a challenge; empty if none."""
    return request.cookies.get(_cookie(challenge), "")


def remember(request: Request, response: Response, token: str, challenge: str = "") -> None:
    """Let this browser act for the team for some hours."""
    options = secure_cookie(request, path="/", max_age=HOURS * 3600)
    response.set_cookie(_cookie(challenge), token, **options)


def forget(request: Request, response: Response, challenge: str = "") -> None:
    """Let this browser act for no team."""
    response.delete_cookie(_cookie(challenge), **secure_cookie(request, path="/"))


def csrf_with(request: Request, token: str, challenge: str = "") -> str:
    """The token of forms on a page whose answer lets the browser act for the team."""
    return csrf_token(request, adding={_cookie(challenge): token})


def _cookie(challenge: str) -> str:
    return f"{COOKIE}_{challenge}" if challenge else COOKIE
