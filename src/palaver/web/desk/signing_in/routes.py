"""Signing in and out: a password, then a code where there is a second factor; first passwords."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.accounts.passwords import MIN_PASSWORD, choose_password
from palaver.accounts.register import (
    find_by_id,
    record_sign_in,
    record_sign_out,
    replace_password,
    verify,
)
from palaver.accounts.second_factor import WRONG as WRONG_CODE
from palaver.accounts.second_factor import check_factor, factor_state
from palaver.core.accounts import Account
from palaver.core.errors import InputError
from palaver.core.timed import read_timed, sign_timed
from palaver.web.desk.accounts import (
    HOME,
    NEW_PASSWORD,
    SIGN_IN,
    Person,
    actor_of,
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
from palaver.web.desk.signing_in.attempts import (
    TOO_MANY,
    attempts_of,
    check_attempt,
    remember_browser,
)
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.security import check_csrf, secure_cookie

WRONG = "The name or the password is wrong. Try again."
CODE = f"{SIGN_IN}/code"
PROVIDER = f"{SIGN_IN}/provider"
# What says for some minutes that the password was right.
HALFWAY, SALT = "palaver_halfway", "palaver.halfway"
HALFWAY_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPage:
    """Posts `name`, `password` and `next`; `provider` is where one can sign in without a password."""

    template: ClassVar[str] = "desk/signing_in/sign_in.html"
    shell: DeskShell
    target: str
    name: str = ""
    error: str = ""
    provider: str = ""
    provider_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePage:
    """The password was right, and a code is asked for. Posts `code`."""

    template: ClassVar[str] = "desk/signing_in/code.html"
    shell: DeskShell
    name: str
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
    return show(request, sign_in_form(request, target))


async def enter(request: Request) -> Response:
    """Check the name and password that the form sent."""
    deployment = deployment_of(request)
    check_writable(deployment)
    await check_csrf(request)
    form = await request.form()
    name, password = plain(str(form.get("name", ""))), str(form.get("password", ""))
    target = safe_target(str(form.get("next", HOME)))
    if not attempts_of(request).take(request, name):
        return show(request, sign_in_form(request, target, name=name, error=TOO_MANY), status=429)
    account = await verify(deployment.store, name, password)
    if account is None:
        await record_attempt(request, name, passed=False)
        return show(request, sign_in_form(request, target, name=name, error=WRONG), status=403)
    attempts_of(request).forgive(request, name)
    return await let_in(request, account, target)


async def let_in(
    request: Request, account: Account, target: str, *, proof: str | None = None
) -> Response:
    """Sign somebody in who has shown who they are; with a second factor the code comes first."""
    store = deployment_of(request).store
    if (await store.read(lambda c: factor_state(c, account.id))).on:
        response: Response = RedirectResponse(root_of(request) + CODE, status_code=303)
        half = [account.id, account.generation, target, proof]
        signed = sign_timed(deployment_of(request).secret, SALT, half)
        options = secure_cookie(request, path=SIGN_IN, max_age=HALFWAY_SECONDS)
        response.set_cookie(HALFWAY, signed, **options)
        return response
    return await _finish(request, account, target, proof)


async def code_page(request: Request) -> Response:
    """The form for a code; whoever has not given a password begins there."""
    half = await _halfway(request)
    if half is None:
        return RedirectResponse(root_of(request) + SIGN_IN, status_code=303)
    return show(request, _code_form(request, half.account))


async def enter_code(request: Request) -> Response:
    """Check the code that the form sent."""
    deployment = deployment_of(request)
    check_writable(deployment)
    await check_csrf(request)
    half = await _halfway(request)
    if half is None:
        return RedirectResponse(root_of(request) + SIGN_IN, status_code=303)
    account, code = half.account, str((await request.form()).get("code", ""))[:64]
    if not attempts_of(request).take(request, account.name, at="code"):
        return show(request, _code_form(request, account, TOO_MANY), status=429)
    now = deployment.clock.now()
    if not await deployment.store.write(lambda c: check_factor(c, account, code, now=now)):
        await record_attempt(request, account.name, passed=False)
        return show(request, _code_form(request, account, WRONG_CODE), status=403)
    attempts_of(request).forgive(request, account.name, at="code")
    response = await _finish(request, account, half.target, half.proof)
    response.delete_cookie(HALFWAY, **secure_cookie(request, path=SIGN_IN))
    return response


@for_role("member", changes=True, one_time=True)
async def leave(request: Request, person: Person) -> Response:
    deployment, actor = deployment_of(request), actor_of(request, person)
    now = deployment.clock.now()
    await deployment.store.write(lambda c: record_sign_out(c, actor=actor, now=now))
    response = RedirectResponse(root_of(request) + SIGN_IN, status_code=303)
    await sign_out(request, response, person)
    return response


@for_role("member", one_time=True)
async def new_password_page(request: Request, person: Person) -> Response:
    """The form that replaces a one-time password."""
    target = safe_target(request.query_params.get("next", HOME))
    return show(request, _new_password_form(request, target))


@for_role("member", changes=True, one_time=True)
async def choose_first_password(request: Request, person: Person) -> Response:
    """Replace a one-time password by the one the form sent, and go on to the page asked for."""
    target = safe_target(str((await request.form()).get("next", HOME)))
    try:
        account = await change_password(request, person, asks_present=not _is_new(person))
    except InputError as error:
        page = _new_password_form(request, target, str(error))
        return show(request, page, status=422)
    response = RedirectResponse(root_of(request) + target, status_code=303)
    await sign_in(request, response, account)
    return response


async def change_password(
    request: Request, person: Person, *, asks_present: bool = False
) -> Account:
    """Store the password that a form sent; InputError if it will not do."""
    form = await request.form()
    if asks_present:
        check_attempt(request, person.name)
    hashed = await asyncio.to_thread(
        choose_password,
        person.account,
        password=str(form.get("password", "")),
        again=str(form.get("again", "")),
        present=str(form.get("old", "")) if asks_present else None,
    )
    if asks_present:
        attempts_of(request).forgive(request, person.name)
    account, deployment = person.account, deployment_of(request)
    assert account is not None, "a password was chosen for an account"
    actor, now = actor_of(request, person), deployment.clock.now()
    return await deployment.store.write(
        lambda c: replace_password(c, account, password_hash=hashed, actor=actor, now=now)
    )


@dataclass(frozen=True, slots=True)
class _Halfway:
    """Whose password was right, where they want to go, and what their session will use up."""

    account: Account
    target: str
    proof: str | None


async def _halfway(request: Request) -> _Halfway | None:
    signed = read_timed(deployment_of(request).secret, SALT, request.cookies.get(HALFWAY, ""))
    if signed is None or not signed.is_good(HALFWAY_SECONDS):
        return None
    account_id, generation, target, proof = signed.content
    account = await deployment_of(request).store.read(lambda c: find_by_id(c, account_id))
    if account is None or account.generation != generation or account.disabled is not None:
        return None
    return _Halfway(account, safe_target(str(target)), proof)


async def _finish(
    request: Request, account: Account, target: str, proof: str | None = None
) -> Response:
    response = _go_on(request, account, target)
    await sign_in(request, response, account, proof=proof)
    await record_attempt(request, account.name, passed=True)
    remember_browser(request, response, account.name)
    return response


async def record_attempt(request: Request, name: str, *, passed: bool) -> None:
    """Record that somebody signed in, or failed to: with a password, a code or at a provider."""
    deployment = deployment_of(request)
    actor, now = actor_of(request, None), deployment.clock.now()
    await deployment.store.write(
        lambda c: record_sign_in(c, name, passed=passed, actor=actor, now=now)
    )


def _is_new(person: Person) -> bool:
    return person.account is not None and person.account.one_time


def _go_on(request: Request, account: Account | None, target: str) -> Response:
    """To the page that was asked for; a one-time password is replaced first."""
    if account is not None and account.one_time:
        return RedirectResponse(new_password_url(request, target), status_code=303)
    return RedirectResponse(root_of(request) + target, status_code=303)


def sign_in_form(request: Request, target: str, *, name: str = "", error: str = "") -> SignInPage:
    """The page to sign in, with what was wrong the last time."""
    provider = request.app.state.settings.provider
    to_provider = with_query(root_of(request) + PROVIDER, next=None if target == HOME else target)
    return SignInPage(
        shell=shell(request, None, "Sign in"),
        target=target,
        name=name,
        error=error,
        provider=provider.name if provider else "",
        provider_url=to_provider if provider else "",
    )


def _code_form(request: Request, account: Account, error: str = "") -> CodePage:
    return CodePage(shell=shell(request, None, "Enter a code"), name=account.name, error=error)


def _new_password_form(request: Request, target: str, error: str = "") -> NewPasswordPage:
    frame = shell(request, None, "Choose a password")
    return NewPasswordPage(shell=frame, target=target, error=error)


routes: list[BaseRoute] = [
    Route(SIGN_IN, sign_in_page, methods=["GET"]),
    Route(SIGN_IN, enter, methods=["POST"]),
    Route(CODE, code_page, methods=["GET"]),
    Route(CODE, enter_code, methods=["POST"]),
    Route("/desk/sign-out", leave, methods=["POST"]),
    Route(NEW_PASSWORD, new_password_page, methods=["GET"]),
    Route(NEW_PASSWORD, choose_first_password, methods=["POST"]),
]
