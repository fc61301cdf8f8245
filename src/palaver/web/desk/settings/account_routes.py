"""One account, for owners: what it may do in which study, whether it may sign in, and its removal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.accounts import register, rights
from palaver.accounts.second_factor import accounts_with_factor, reset_factor
from palaver.core.accounts import GRANTED, Account, Grant
from palaver.core.errors import InputError, MissingError
from palaver.core.studies.progress import StoredStudy
from palaver.studies.review.views import list_studies
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.desk.parts import plain
from palaver.web.formatting import with_query
from palaver.web.rendering import show

ACCOUNTS = "/desk/settings/accounts"
# What a button did.
DONE = {
    "disable": "The account is disabled. Its sessions have ended and its tokens are revoked.",
    "enable": "The account may sign in again. Tokens that were revoked stay so: make new ones.",
    "reset-factor": "The second factor is removed. The account signs in with its password alone.",
    "grant": "Granted. It holds from the next page on.",
    "revoke": "Taken back. It holds from the next page on.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPage:
    """One account; posts to `address`/ACT."""

    template: ClassVar[str] = "desk/settings/account.html"
    roles: ClassVar[tuple[str, ...]] = GRANTED
    shell: DeskShell
    address: str
    account: Account
    is_own: bool
    has_factor: bool
    grants: list[Grant]
    # Those in which nothing is granted yet.
    others: list[StoredStudy]
    done: str = ""
    error: str = ""


@for_role("owner")
async def show_account(request: Request, person: Person) -> Response:
    return await _show(request, person)


@for_role("owner", changes=True)
async def change_account(request: Request, person: Person) -> Response:
    """Disable, enable or remove an account, reset its second factor, grant or take back a study."""
    act, name = request.path_params["act"], plain(request.path_params["account"])
    form, now = await request.form(), deployment_of(request).clock.now()
    study, role = (plain(str(form.get(each, ""))) for each in ("study", "role"))
    actor = actor_of(request, person)
    acts: dict[str, Callable[[Connection], Account]] = {
        "disable": lambda c: register.disable_account(c, name, now=now, actor=actor),
        "enable": lambda c: register.enable_account(c, name, now=now, actor=actor),
        "remove": lambda c: register.remove_account(c, name, now=now, actor=actor),
        "reset-factor": lambda c: reset_factor(c, name, now=now, actor=actor),
        "grant": lambda c: rights.grant_study(c, name, study, role, now=now, actor=actor),
        "revoke": lambda c: rights.revoke_study(c, name, study, now=now, actor=actor),
    }
    if act not in acts:
        raise InputError(f"There is no action '{plain(act, most=40)}' for an account.")
    if act == "remove" and form.get("sure") != name:
        return await _show(
            request,
            person,
            error=f"To remove the account, type its name: {name}. Nothing was done.",
        )
    try:
        account = await deployment_of(request).store.write(acts[act])
    except InputError as error:
        return await _show(request, person, error=str(error))
    if act == "remove":
        address = with_query(f"{root_of(request)}/desk/settings", done="removed")
    else:
        address = with_query(f"{root_of(request)}{ACCOUNTS}/{account.name}", done=act)
    return RedirectResponse(address, status_code=303)


async def _show(request: Request, person: Person, *, error: str = "") -> Response:
    name, own = plain(request.path_params["account"]), person.account

    def work(connection: Connection) -> AccountPage:
        known = {each.name: each for each in register.list_accounts(connection)}
        account = known.get(name)
        if account is None:
            raise MissingError(f"There is no account '{name}' here.")
        mine = [each for each in rights.list_grants(connection) if each.account_id == account.id]
        granted = {each.study for each in mine}
        return AccountPage(
            shell=shell(request, person, f"Account {name}", "settings"),
            address=f"{root_of(request)}{ACCOUNTS}/{name}",
            account=account,
            is_own=own is not None and own.id == account.id,
            has_factor=account.id in accounts_with_factor(connection),
            grants=mine,
            others=[each for each in list_studies(connection) if each.name not in granted],
            done="" if error else DONE.get(request.query_params.get("done", ""), ""),
            error=error,
        )

    page = await deployment_of(request).store.read(work)
    return show(request, page, status=422 if error else 200)


routes: list[BaseRoute] = [
    Route(ACCOUNTS + "/{account}", show_account, methods=["GET"]),
    Route(ACCOUNTS + "/{account}/{act}", change_account, methods=["POST"]),
]
