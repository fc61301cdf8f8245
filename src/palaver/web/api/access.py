"""Who asks the API: a token of an account, what its role allows, or nobody."""

from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from palaver.core.accounts import Role
from palaver.studies.run.deployment import Deployment
from palaver.web.desk.accounts import Person, bearer, check_writable, require

scheme = HTTPBearer(
    auto_error=False,
    scheme_name="AccountToken",
    description="A token made under Settings at the desk: `pv_…`.",
)
Token = Annotated[HTTPAuthorizationCredentials | None, Depends(scheme)]


def _deployment(request: Request) -> Deployment:
    deployment: Deployment = request.app.state.deployment
    return deployment


Here = Annotated[Deployment, Depends(_deployment)]


def unauthorized(message: str) -> HTTPException:
    """The answer to whoever did not say who they are."""
    return HTTPException(401, message, headers={"www-authenticate": "Bearer"})


async def _person(request: Request, deployment: Here, token: Token) -> Person:
    person = await bearer(deployment, request.headers.get("authorization"))
    if person is None:
        raise unauthorized(
            "Send a valid token as 'Authorization: Bearer …'. Make one under Settings."
        )
    return person


Viewer = Annotated[Person, Depends(_person)]


async def anybody(request: Request, deployment: Here, token: Token) -> Person | None:
    """Whoever sent a token; None without one. A token that does not stand is refused."""
    if "authorization" not in request.headers and not deployment.store.read_only:
        return None
    return await _person(request, deployment, token)


def _needs(role: Role, *, changes: bool) -> Any:
    async def check(person: Viewer, deployment: Here) -> Person:
        require(person, role)
        if changes:
            check_writable(deployment)
        return person

    return Depends(check)


Reviewer = Annotated[Person, _needs("reviewer", changes=False)]
# Those who may change something, where anything can be changed.
Editor = Annotated[Person, _needs("reviewer", changes=True)]
Owner = Annotated[Person, _needs("owner", changes=True)]
Anybody = Annotated[Person | None, Depends(anybody)]
