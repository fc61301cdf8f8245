"""Signing in and out, and replacing a one-time password."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.accounts.passwords import MIN_PASSWORD, choose_password
from palaver.accounts.register import replace_password, verify
from palaver.core.accounts import Account
from palaver.core.errors import InputError
from palaver.web.desk.accounts import (
    HOME,
    NEW_PASSWORD,
    SIGN_IN,
    Person,
    check_writable,
    deployment_of,
    for_role,
    new_password_url,
    root_of,
    safe_target,
    sign_in,
    sign_out,
    signed_in,
)
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.desk.parts import plain
from palaver.web.rendering import show
from palaver.web.security import check_csrf

WRONG = "The name or the password is wrong. Try again."


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPage:
    """Posts `name`, `password` and `next`."""

    template: ClassVar[str] = "desk/signing_in/sign_in.html"
    shell: DeskShell
    target: str
    name: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPasswordPage:
    """A one-time password must be replaced. Posts `password`, `again` and `next`."""

    template: ClassVar[str] = "desk/signing_in/new_password.html"
    least: ClassVar[int] = MIN_PASSWORD
    shell: DeskShell
    target: str
    error: str = ""


async def sign_in_page(request: Request) -> Response:
    """The form to sign in; whoever is signed in already goes on."""
    target = safe_target(request.query_params.get("next", HOME))
    person = await signed_in(request)
    if person is not None:
        return _go_on(request, person.account, target)
    return show(request, _sign_in_form(request, target))


async def enter(request: Request) -> Response:
    """Check the name and password that the form sent."""
    deployment = deployment_of(request)
    check_writable(deployment)
    await check_csrf(request)
    form = await request.form()
    name, password = plain(str(form.get("name", ""))), str(form.get("password", ""))
    target = safe_target(str(form.get("next", HOME)))
    account = await verify(deployment.store, name, password)
    if account is None:
        return show(request, _sign_in_form(request, target, name=name, error=WRONG), status=403)
    response = _go_on(request, account, target)
    sign_in(request, response, account)
    return response


@for_role("viewer", changes=True, one_time=True)
async def leave(request: Request, person: Person) -> Response:
    response = RedirectResponse(root_of(request) + SIGN_IN, status_code=303)
    sign_out(request, response)
    return response


@for_role("viewer", one_time=True)
async def new_password_page(request: Request, person: Person) -> Response:
    """The form that replaces a one-time password."""
    target = safe_target(request.query_params.get("next", HOME))
    return show(request, _new_password_form(request, target))


@for_role("viewer", changes=True, one_time=True)
async def choose_first_password(request: Request, person: Person) -> Response:
    """Replace a one-time password by the one the form sent, and go on to the page asked for."""
    target = safe_target(str((await request.form()).get("next", HOME)))
    try:
        account = await change_password(request, person)
    except InputError as error:
        page = _new_password_form(request, target, str(error))
        return show(request, page, status=422)
    response = RedirectResponse(root_of(request) + target, status_code=303)
    sign_in(request, response, account)
    return response


async def change_password(
    request: Request, person: Person, *, asks_present: bool = False
) -> Account:
    """Store the password that a form sent; InputError if it will not do."""
    form = await request.form()
    hashed = await asyncio.to_thread(
        choose_password,
        person.account,
        password=str(form.get("password", "")),
        again=str(form.get("again", "")),
        present=str(form.get("old", "")) if asks_present else None,
    )
    account = person.account
    assert account is not None, "a password was chosen for an account"
    return await deployment_of(request).store.write(
        lambda c: replace_password(c, account, password_hash=hashed)
    )


def _go_on(request: Request, account: Account | None, target: str) -> Response:
    """To the page that was asked for; a one-time password is replaced first."""
    if account is not None and account.one_time:
        return RedirectResponse(new_password_url(request, target), status_code=303)
    return RedirectResponse(root_of(request) + target, status_code=303)


def _sign_in_form(request: Request, target: str, *, name: str = "", error: str = "") -> SignInPage:
    frame = shell(request, None, "Sign in")
    return SignInPage(shell=frame, target=target, name=name, error=error)


def _new_password_form(request: Request, target: str, error: str = "") -> NewPasswordPage:
    frame = shell(request, None, "Choose a password")
    return NewPasswordPage(shell=frame, target=target, error=error)


routes: list[BaseRoute] = [
    Route(SIGN_IN, sign_in_page, methods=["GET"]),
    Route(SIGN_IN, enter, methods=["POST"]),
    Route("/desk/sign-out", leave, methods=["POST"]),
    Route(NEW_PASSWORD, new_password_page, methods=["GET"]),
    Route(NEW_PASSWORD, choose_first_password, methods=["POST"]),
]
