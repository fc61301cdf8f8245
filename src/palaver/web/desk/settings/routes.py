"""Settings: one's own password, sessions and tokens; for owners the accounts and all tokens."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.accounts.passwords import MIN_PASSWORD, OneTimePassword, one_time_password
from palaver.accounts.register import (
    MOST_DAYS,
    add_account,
    change_role,
    list_accounts,
    reset_password,
)
from palaver.accounts.second_factor import accounts_with_factor
from palaver.accounts.sessions import list_sessions
from palaver.accounts.tokens import list_tokens, make_token, revoke_token, token_roles
from palaver.core.accounts import ROLES, Account, BrowserSession, Token
from palaver.core.errors import AccessError, InputError
from palaver.core.numbers import whole_number
from palaver.core.studies.notices import DeliveryHealth
from palaver.crowds.secrets import NOTICES, KnownSecret, known_secret
from palaver.studies.notices.deliveries import delivery_health
from palaver.web.desk.accounts import (
    Person,
    actor_of,
    deployment_of,
    for_role,
    root_of,
    sign_in,
)
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.desk.parts import Secret, plain
from palaver.web.desk.signing_in.routes import change_password
from palaver.web.rendering import show
from palaver.web.settings import mail_settings

SETTINGS = "/desk/settings"
# What a form did that led here.
DONE = {
    "password": "Your password is changed. Other browsers are signed out.",
    "session": "Signed out there.",
    "removed": "The account is removed.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsPage:
    """Own password and tokens; for owners also the accounts and everybody's tokens."""

    template: ClassVar[str] = "desk/settings/settings.html"
    roles: ClassVar[tuple[str, ...]] = ROLES
    least: ClassVar[int] = MIN_PASSWORD
    most_days: ClassVar[int] = MOST_DAYS
    shell: DeskShell
    role: str
    is_owner: bool
    # The account of whoever looks; 0 for nobody.
    own: int
    now: float
    accounts: list[Account]
    tokens: list[Token]
    token_roles: tuple[str, ...]
    # The browsers that are signed in to this account, and the one that asks.
    sessions: list[BrowserSession]
    session: int
    # The accounts with a second factor.
    with_factor: set[int]
    # How letters and hooks fare, for owners; the mail server's name and where the hooks' secret is.
    delivery: DeliveryHealth | None = None
    mail_server: str = ""
    hook_secret: KnownSecret | None = None
    secret: Secret | None = None
    done: str = ""
    # Which form was wrong (password, account, role, token), and how.
    error_in: str = ""
    error: str = ""


@for_role("member")
async def show_settings(request: Request, person: Person) -> Response:
    return await _show(request, person)


@for_role("member", changes=True)
async def own_password(request: Request, person: Person) -> Response:
    """Change one's own password; other browsers are signed out."""
    try:
        account = await change_password(request, person, asks_present=True)
    except InputError as error:
        return await _show(request, person, error_in="password", error=str(error))
    # A page made for the old cookie would carry a token that the new one does not match.
    response = Response(
        status_code=303, headers={"location": f"{root_of(request)}{SETTINGS}?done=password"}
    )
    await sign_in(request, response, account)
    return response


@for_role("owner", changes=True)
async def new_account(request: Request, person: Person) -> Response:
    """Make an account with a one-time password, which is shown once."""
    deployment, form = deployment_of(request), await request.form()
    name, role = plain(str(form.get("name", ""))), str(form.get("role", ""))
    password = await asyncio.to_thread(one_time_password)
    actor, by, now = actor_of(request, person), person.account, deployment.clock.now()
    try:
        account = await deployment.store.write(
            lambda c: add_account(
                c,
                name=name,
                role=role,
                password_hash=password.hash,
                now=now,
                by=by,
                actor=actor,
            )
        )
    except InputError as error:
        return await _show(request, person, error_in="account", error=str(error))
    return await _show(request, person, secret=_one_time(account, password))


@for_role("owner", changes=True)
async def change_account(request: Request, person: Person) -> Response:
    """Give an account another role or a new one-time password."""
    deployment, form = deployment_of(request), await request.form()
    name, role = plain(str(form.get("name", ""))), str(form.get("role", ""))
    actor, now = actor_of(request, person), deployment.clock.now()
    try:
        if form.get("reset") == "yes":
            password = await asyncio.to_thread(one_time_password)
            account = await deployment.store.write(
                lambda c: reset_password(c, name, password_hash=password.hash, actor=actor, now=now)
            )
            return await _show(request, person, secret=_one_time(account, password))
        account = await deployment.store.write(
            lambda c: change_role(c, name, role, actor=actor, now=now)
        )
    except InputError as error:
        return await _show(request, person, error_in="account", error=str(error))
    done = f"{account.name} is now {account.role} and must sign in again."
    return await _show(request, person, done=done)


@for_role("member", changes=True)
async def new_token(request: Request, person: Person) -> Response:
    """Make an API token, whose secret is shown once."""
    deployment, form = deployment_of(request), await request.form()
    account, now, actor = person.account, deployment.clock.now(), actor_of(request, person)
    name, role, days = (plain(str(form.get(each, ""))) for each in ("name", "role", "days"))
    try:
        if account is None:
            raise InputError("Nobody is signed in here, so no token can be made.")
        made = await deployment.store.write(
            lambda c: make_token(
                c, account, name=name[:64], role=role, days=days, now=now, actor=actor
            )
        )
    except (InputError, AccessError) as error:
        return await _show(request, person, error_in="token", error=str(error))
    secret = Secret(
        title=f"The token '{made.token.name}'",
        value=made.secret,
        note="Copy it now: it is not shown again. Send it as 'Authorization: Bearer …'.",
    )
    return await _show(request, person, secret=secret)


@for_role("member", changes=True)
async def end_token(request: Request, person: Person) -> Response:
    """Revoke a token: one's own, or as an owner anybody's."""
    deployment, form = deployment_of(request), await request.form()
    given, now = str(form.get("id", "")), deployment.clock.now()
    token_id = whole_number(given) or 0
    by = person.account
    assert by is not None, "whoever may change something is signed in"
    try:
        await deployment.store.write(
            lambda c: revoke_token(c, token_id, by=by, now=now, actor=actor_of(request, person))
        )
    except InputError as error:
        return await _show(request, person, error_in="token", error=str(error))
    return await _show(request, person, done="The token is revoked and no longer works.")


def _one_time(account: Account, password: OneTimePassword) -> Secret:
    return Secret(
        title=f"The one-time password of {account.name} ({account.role})",
        value=password.text,
        note="Pass it on now: it is not shown again. It must be replaced at the first sign-in.",
    )


async def _show(
    request: Request,
    person: Person,
    *,
    secret: Secret | None = None,
    done: str = "",
    error_in: str = "",
    error: str = "",
) -> Response:
    deployment, is_owner = deployment_of(request), person.may("owner")
    own = person.account.id if person.account else 0

    now = deployment.clock.now()
    mail = mail_settings() if is_owner else None
    hook_secret = await asyncio.to_thread(_hook_secret) if is_owner else None

    def work(connection: Connection) -> SettingsPage:
        return SettingsPage(
            shell=shell(request, person, "Settings", "settings"),
            role=person.role,
            is_owner=is_owner,
            own=own,
            now=now,
            accounts=list_accounts(connection) if is_owner else [],
            tokens=list_tokens(connection, None if is_owner else own),
            token_roles=token_roles(person.account) if person.account else (),
            sessions=list_sessions(connection, own, now=now),
            session=person.session_id,
            with_factor=accounts_with_factor(connection),
            delivery=delivery_health(connection) if is_owner else None,
            mail_server="" if mail is None else str(mail),
            hook_secret=hook_secret,
            secret=secret,
            done=done or ("" if error else DONE.get(request.query_params.get("done", ""), "")),
            error_in=error_in,
            error=error,
        )

    page = await deployment.store.read(work)
    return show(request, page, status=422 if error else 200)


def _hook_secret() -> KnownSecret | None:
    """Where the secret is that hooks are signed with; None also where the file cannot be read."""
    try:
        return known_secret(NOTICES)
    except InputError:
        return None


routes: list[BaseRoute] = [
    Route(SETTINGS, show_settings, methods=["GET"]),
    Route(SETTINGS + "/password", own_password, methods=["POST"]),
    Route(SETTINGS + "/accounts", new_account, methods=["POST"]),
    Route(SETTINGS + "/accounts/change", change_account, methods=["POST"]),
    Route(SETTINGS + "/tokens", new_token, methods=["POST"]),
    Route(SETTINGS + "/tokens/revoke", end_token, methods=["POST"]),
]
