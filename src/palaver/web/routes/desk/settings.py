"""Settings: one's own password and tokens; for owners the accounts and everybody's tokens."""

import asyncio

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import AccessError, InputError
from palaver.storage.accounts import (
    ROLES,
    Account,
    allows,
    create_account,
    list_accounts,
    role_named,
    set_password,
    set_role,
)
from palaver.storage.passwords import hash_password, new_password, verify_password
from palaver.storage.tokens import Token, create_token, list_tokens, revoke_token
from palaver.web.desk import pages
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of, sign_in
from palaver.web.desk.frame import shell, show
from palaver.web.desk.words import plain
from palaver.web.formatting import moment
from palaver.web.routes.desk.signing_in import LEAST_CHARACTERS, change_password

SETTINGS = "/desk/settings"
DAY = 86400.0
MOST_DAYS = 3650


@for_role("viewer")
async def show_settings(request: Request, person: Person) -> Response:
    """The settings of whoever is signed in."""
    return await _show(request, person)


@for_role("viewer", changes=True)
async def own_password(request: Request, person: Person) -> Response:
    """Change one's own password; other browsers are signed out."""
    form = await request.form()
    known = person.account.password_hash if person.account else None
    old = await asyncio.to_thread(verify_password, known, str(form.get("old", "")))
    if not old.ok:
        wrong = "The present password is not right. Nothing was changed."
        return await _show(request, person, error_in="password", error=wrong)
    try:
        account = await change_password(
            deployment_of(request),
            person,
            password=str(form.get("password", "")),
            again=str(form.get("again", "")),
        )
    except InputError as error:
        return await _show(request, person, error_in="password", error=str(error))
    # A page made for the old cookie would carry a token that the new one does not match.
    response = Response(status_code=303, headers={"location": f"{_base(request)}?done=password"})
    sign_in(request, response, account)
    return response


@for_role("owner", changes=True)
async def new_account(request: Request, person: Person) -> Response:
    """Make an account with a one-time password, which is shown once."""
    deployment, form = deployment_of(request), await request.form()
    name, role = plain(str(form.get("name", ""))), str(form.get("role", ""))
    password = new_password()
    hashed = await asyncio.to_thread(hash_password, password)
    now = deployment.clock.now()
    try:
        chosen = role_named(role)
        account = await deployment.store.write(
            lambda c: create_account(
                c, name=name, role=chosen, password_hash=hashed, one_time=True, now=now
            )
        )
    except InputError as error:
        return await _show(request, person, error_in="account", error=str(error))
    return await _show(request, person, secret=_one_time(account, password))


@for_role("owner", changes=True)
async def change_account(request: Request, person: Person) -> Response:
    """Give an account another role or a new one-time password."""
    deployment, form = deployment_of(request), await request.form()
    name = plain(str(form.get("name", "")))
    if person.account is not None and name == person.account.name:
        own = "Your own account is changed by another owner, so that nobody is locked out."
        return await _show(request, person, error_in="account", error=own)
    try:
        if form.get("reset") == "yes":
            password = new_password()
            hashed = await asyncio.to_thread(hash_password, password)
            account = await deployment.store.write(
                lambda c: set_password(c, name, password_hash=hashed, one_time=True)
            )
            return await _show(request, person, secret=_one_time(account, password))
        role = role_named(str(form.get("role", "")))
        account = await deployment.store.write(lambda c: set_role(c, name, role))
    except InputError as error:
        return await _show(request, person, error_in="account", error=str(error))
    done = f"{account.name} is now {account.role} and has to sign in again."
    return await _show(request, person, done=done)


@for_role("viewer", changes=True)
async def new_token(request: Request, person: Person) -> Response:
    """Make an API token, whose secret is shown once."""
    deployment, form = deployment_of(request), await request.form()
    now, days = deployment.clock.now(), str(form.get("days", "")).strip()
    try:
        if person.account is None:
            raise InputError("Nobody is signed in here, so no token can be made.")
        role, expires = role_named(str(form.get("role", ""))), _expiry(days, now)
        account_id, name = person.account.id, plain(str(form.get("name", "")), most=64)
        made = await deployment.store.write(
            lambda c: create_token(
                c, account_id=account_id, name=name, role=role, now=now, expires=expires
            )
        )
    except (InputError, AccessError) as error:
        return await _show(request, person, error_in="token", error=str(error))
    secret = pages.Secret(
        title=f"The token '{made.token.name}'",
        value=made.secret,
        note="Copy it now: it is not shown again. Send it as 'Authorization: Bearer …'.",
    )
    return await _show(request, person, secret=secret)


@for_role("viewer", changes=True)
async def end_token(request: Request, person: Person) -> Response:
    """Revoke a token: one's own, or as an owner anybody's."""
    deployment, form = deployment_of(request), await request.form()
    given, now = str(form.get("id", "")), deployment.clock.now()
    token_id = int(given) if given.isdecimal() and len(given) < 16 else 0
    owner = None if person.may("owner") else (person.account.id if person.account else 0)
    revoked = await deployment.store.write(
        lambda c: revoke_token(c, token_id, now=now, account_id=owner)
    )
    if not revoked:
        gone = "This token is revoked already, or it is not yours."
        return await _show(request, person, error_in="token", error=gone)
    return await _show(request, person, done="The token is revoked and opens nothing any more.")


def _expiry(days: str, now: float) -> float | None:
    if not days:
        return None
    if not days.isdecimal() or not 1 <= int(days[:9]) <= MOST_DAYS:
        raise InputError(f"A token lasts 1 to {MOST_DAYS} days, or has no end; got '{days[:40]}'.")
    return now + int(days) * DAY


def _one_time(account: Account, password: str) -> pages.Secret:
    return pages.Secret(
        title=f"The one-time password of {account.name} ({account.role})",
        value=password,
        note="Pass it on now: it is not shown again. It must be replaced at the first sign-in.",
    )


async def _show(
    request: Request,
    person: Person,
    *,
    secret: pages.Secret | None = None,
    done: str = "",
    error_in: str = "",
    error: str = "",
) -> Response:
    deployment, is_owner = deployment_of(request), person.may("owner")
    own = person.account.id if person.account else 0

    def work(connection: Connection) -> tuple[list[Account], list[Token]]:
        accounts = list_accounts(connection) if is_owner else []
        return accounts, list_tokens(connection, None if is_owner else own)

    accounts, tokens = await deployment.store.read(work)
    now = deployment.clock.now()
    if request.query_params.get("done") == "password" and not error:
        done = "Your password is changed. Other browsers are signed out."
    page = pages.Settings(
        shell=shell(request, person, "Settings", "settings"),
        role=person.role,
        is_owner=is_owner,
        base=_base(request),
        least=LEAST_CHARACTERS,
        accounts=tuple(_account(account, own) for account in accounts),
        tokens=tuple(_token(token, now) for token in tokens),
        token_roles=tuple(role for role in ROLES if allows(person.role, role)),
        secret=secret,
        done=done,
        error_in=error_in,
        error=error,
    )
    return show(request, page, status=422 if error else 200)


def _account(account: Account, own: int) -> pages.AccountRow:
    return pages.AccountRow(
        name=account.name,
        role=account.role,
        one_time=account.one_time,
        created=moment(account.created),
        own=account.id == own,
    )


def _token(token: Token, now: float) -> pages.TokenRow:
    expired = token.expires is not None and token.expires <= now
    state = "revoked" if token.revoked is not None else "expired" if expired else "in use"
    return pages.TokenRow(
        id=token.id,
        name=token.name,
        account=token.account,
        role=token.role,
        state=state,
        standing=state == "in use",
        created=moment(token.created),
        used=None if token.used is None else moment(token.used),
    )


def _base(request: Request) -> str:
    return root_of(request) + SETTINGS


routes: list[BaseRoute] = [
    Route(SETTINGS, show_settings, methods=["GET"]),
    Route(SETTINGS + "/password", own_password, methods=["POST"]),
    Route(SETTINGS + "/accounts", new_account, methods=["POST"]),
    Route(SETTINGS + "/accounts/change", change_account, methods=["POST"]),
    Route(SETTINGS + "/tokens", new_token, methods=["POST"]),
    Route(SETTINGS + "/tokens/revoke", end_token, methods=["POST"]),
]
