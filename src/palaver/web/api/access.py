"""Who asks the API: a token of an account, what its role allows, or nobody.

What somebody may do in a study is decided where the desk has it decided: `desk.accounts`.
"""

from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from palaver.core.accounts import Role
from palaver.core.errors import InputError, MissingError
from palaver.studies.review.progress import StudyProgress
from palaver.studies.review.views import find_study
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.web.desk.accounts import Person, bearer, check_address, check_writable, require

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

MOST_ROWS = 500
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS)]
StudyName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
DialogueKey = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


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


# Anybody with an account: a member sees what was granted, and nothing else.
Member = Annotated[Person, Depends(_person)]


async def anybody(request: Request, deployment: Here, token: Token) -> Person | None:
    """Whoever sent a token; None without one. A token that does not stand is refused.

    A member is a stranger to what belongs to no study.
    """
    if "authorization" not in request.headers and not deployment.store.read_only:
        return None
    person = await _person(request, deployment, token)
    return person if person.may("viewer") else None


def _needs(role: Role, *, changes: bool) -> Any:
    async def check(person: Member, deployment: Here) -> Person:
        require(person, role)
        if changes:
            check_writable(deployment)
        return person

    return Depends(check)


def _needs_in_study(role: Role) -> Any:
    async def check(person: Member, deployment: Here, name: StudyName) -> Person:
        await check_address(deployment, person, role, {"study": name})
        return person

    return Depends(check)


async def _reads_dialogue(person: Member, deployment: Here, key: DialogueKey) -> Person:
    await check_address(deployment, person, "viewer", {"dialogue": key})
    return person


Viewer = Annotated[Person, _needs("viewer", changes=False)]
Reviewer = Annotated[Person, _needs("reviewer", changes=False)]
# Those who may read who did what.
Auditor = Annotated[Person, _needs("owner", changes=False)]
# Those who may change something, where anything can be changed.
Editor = Annotated[Person, _needs("reviewer", changes=True)]
Owner = Annotated[Person, _needs("owner", changes=True)]
Anybody = Annotated[Person | None, Depends(anybody)]
# Those who may in the study, or with the dialogue, that the address names.
StudyViewer = Annotated[Person, _needs_in_study("viewer")]
StudyReviewer = Annotated[Person, _needs_in_study("reviewer")]
StudyOwner = Annotated[Person, _needs_in_study("owner")]
DialogueViewer = Annotated[Person, Depends(_reads_dialogue)]


async def known_study(deployment: Deployment, name: str) -> StudyProgress:
    """The study called `name`, served or only stored; MissingError if there is none."""
    return await deployment.store.read(
        lambda c: find_study(c, deployment.served, name, now=deployment.clock.now())
    )


def served_study(deployment: Deployment, name: str) -> RunningStudy:
    """The study called `name`, as it is served here; MissingError if it is not."""
    try:
        return deployment.study(name)
    except InputError as error:
        raise MissingError(str(error)) from error
