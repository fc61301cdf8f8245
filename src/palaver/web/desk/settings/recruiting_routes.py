"""The token for a panel: whether there is one, and where; storing, trying and forgetting it."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, PanelError
from palaver.crowds.secrets import MOST, PROLIFIC_TOKEN
from palaver.studies.recruiting.access import (
    KnownAccount,
    PanelAccess,
    forget_token,
    read_access,
    store_token,
    try_token,
)
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.rendering import show

ACCESS = "/desk/settings/recruiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPage:
    """Whether the secrets of a panel are set, and where; no page shows them."""

    template: ClassVar[str] = "desk/settings/recruiting.html"
    most: ClassVar[int] = MOST
    variable: ClassVar[str] = PROLIFIC_TOKEN
    shell: DeskShell
    access: PanelAccess
    account: KnownAccount | None = None
    done: str = ""
    error: str = ""


@for_role("owner")
async def show_access(request: Request, person: Person) -> Response:
    return await _show(request, person)


@for_role("owner", changes=True)
async def store(request: Request, person: Person) -> Response:
    """Keep a token in the file of secrets, in place of an older one."""
    token = str((await request.form()).get("token", ""))
    try:
        await store_token(deployment_of(request), token, actor=actor_of(request, person))
    except InputError as error:
        return await _show(request, person, error=str(error))
    return await _show(request, person, done="The token is stored. Test it now.")


@for_role("owner", changes=True)
async def forget(request: Request, person: Person) -> Response:
    """Take the token out of the file of secrets."""
    try:
        gone = await forget_token(deployment_of(request), actor=actor_of(request, person))
    except InputError as error:
        return await _show(request, person, error=str(error))
    told = "The token is forgotten." if gone else "There was no token to forget."
    return await _show(request, person, done=told)


@for_role("owner", changes=True)
async def test(request: Request, person: Person) -> Response:
    """Ask the panel whose the token is."""
    try:
        found = await try_token(deployment_of(request))
    except (InputError, PanelError) as error:
        return await _show(request, person, error=str(error))
    return await _show(request, person, account=found)


async def _show(
    request: Request,
    person: Person,
    *,
    account: KnownAccount | None = None,
    done: str = "",
    error: str = "",
) -> Response:
    try:
        access = await asyncio.to_thread(read_access)
    except InputError as failure:
        access = PanelAccess(file="", trouble=str(failure))
    page = AccessPage(
        shell=shell(request, person, "Token for Prolific", "settings"),
        access=access,
        account=account,
        done=done,
        error=error,
    )
    return show(request, page, status=422 if error else 200)


routes: list[BaseRoute] = [
    Route(ACCESS, show_access, methods=["GET"]),
    Route(ACCESS + "/store", store, methods=["POST"]),
    Route(ACCESS + "/forget", forget, methods=["POST"]),
    Route(ACCESS + "/test", test, methods=["POST"]),
]
