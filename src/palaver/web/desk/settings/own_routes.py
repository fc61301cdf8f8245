"""One's own sessions and second factor."""

from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.accounts import sessions
from palaver.accounts.one_time_codes import enrolment_uri
from palaver.accounts.second_factor import (
    FactorState,
    begin_factor,
    confirm_factor,
    factor_state,
    prove_password,
    remove_factor,
)
from palaver.core.accounts import Account
from palaver.core.errors import InputError
from palaver.core.numbers import whole_number
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.desk.signing_in.attempts import attempts_of, check_attempt
from palaver.web.formatting import with_query
from palaver.web.qr_codes import qr_svg
from palaver.web.rendering import show

SETTINGS = "/desk/settings"
FACTOR = f"{SETTINGS}/second-factor"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorPage:
    """One's own second factor: to set up, to confirm, or in use; `codes` are told this once."""

    template: ClassVar[str] = "desk/settings/second_factor.html"
    shell: DeskShell
    address: str
    state: FactorState
    # The picture an app reads, and the secret for whoever types it.
    picture: Markup | None = None
    codes: tuple[str, ...] = ()
    done: str = ""
    error: str = ""

    @property
    def spaced(self) -> str:
        """The secret in groups of four letters."""
        secret = self.state.pending
        return " ".join(secret[n : n + 4] for n in range(0, len(secret), 4))


@for_role("member")
async def show_factor(request: Request, person: Person) -> Response:
    return await _show(request, person)


@for_role("member", changes=True)
async def set_up(request: Request, person: Person) -> Response:
    """Make a secret for an app, for whoever knows the password."""
    now = deployment_of(request).clock.now()
    try:
        account = await _proved(request, person)
        await deployment_of(request).store.write(lambda c: begin_factor(c, account, now=now))
    except InputError as error:
        return await _show(request, person, error=str(error))
    return RedirectResponse(root_of(request) + FACTOR, status_code=303)


@for_role("member", changes=True)
async def confirm(request: Request, person: Person) -> Response:
    """Ask for codes from now on, and show the recovery codes."""
    code, now = str((await request.form()).get("code", ""))[:64], deployment_of(request).clock.now()
    account = _own(person)
    try:
        check_attempt(request, account.name, at="code")
        codes = await deployment_of(request).store.write(
            lambda c: confirm_factor(c, account, code, now=now, actor=actor_of(request, person))
        )
    except InputError as error:
        return await _show(request, person, error=str(error))
    attempts_of(request).forgive(request, account.name, at="code")
    return await _show(request, person, codes=codes)


@for_role("member", changes=True)
async def remove(request: Request, person: Person) -> Response:
    """Ask for codes no more, for whoever knows the password."""
    now = deployment_of(request).clock.now()
    try:
        account = await _proved(request, person)
        await deployment_of(request).store.write(
            lambda c: remove_factor(c, account, now=now, actor=actor_of(request, person))
        )
    except InputError as error:
        return await _show(request, person, error=str(error))
    address = with_query(root_of(request) + FACTOR, done="removed")
    return RedirectResponse(address, status_code=303)


@for_role("member", changes=True)
async def end_session(request: Request, person: Person) -> Response:
    """End one of one's own sessions, or all but this one."""
    deployment, form = deployment_of(request), await request.form()
    given, now, by = str(form.get("id", "")), deployment.clock.now(), _own(person)
    try:
        if given == "others":
            await deployment.store.write(
                lambda c: sessions.end_other_sessions(c, person.session_id, by=by, now=now)
            )
        else:
            number = whole_number(given) or 0
            await deployment.store.write(lambda c: sessions.end_session(c, number, by=by, now=now))
    except InputError:
        pass  # it is over, which is what was wanted
    address = with_query(root_of(request) + SETTINGS, done="session")
    return RedirectResponse(f"{address}#sessions-heading", status_code=303)


async def _proved(request: Request, person: Person) -> Account:
    """The account of whoever sent its password along."""
    account = _own(person)
    check_attempt(request, account.name)
    await prove_password(account, str((await request.form()).get("password", "")))
    attempts_of(request).forgive(request, account.name)
    return account


def _own(person: Person) -> Account:
    assert person.account is not None, "whoever may change something is signed in"
    return person.account


async def _show(
    request: Request, person: Person, *, codes: tuple[str, ...] = (), error: str = ""
) -> Response:
    store, account = deployment_of(request).store, person.account
    state = FactorState()
    if account is not None:
        own = account.id
        state = await store.read(lambda c: factor_state(c, own))
    removed = request.query_params.get("done") == "removed" and not error and not state.on
    page = FactorPage(
        shell=shell(request, person, "Second factor", "settings"),
        address=root_of(request) + FACTOR,
        state=state,
        picture=_picture(state.pending, person.name, request.url.hostname or "")
        if state.pending
        else None,
        codes=codes,
        done="The second factor is removed." if removed else "",
        error=error,
    )
    return show(request, page, status=422 if error else 200)


def _picture(secret: str, name: str, host: str) -> Markup:
    """The picture that an app reads the secret from."""
    issuer = "Palaver" if host in ("", "localhost", "127.0.0.1") else f"Palaver {host}"
    address = enrolment_uri(secret, account=name, issuer=issuer)
    return qr_svg(address, title="The code for your authenticator app")


routes: list[BaseRoute] = [
    Route(SETTINGS + "/sessions/end", end_session, methods=["POST"]),
    Route(FACTOR, show_factor, methods=["GET"]),
    Route(FACTOR + "/set-up", set_up, methods=["POST"]),
    Route(FACTOR + "/confirm", confirm, methods=["POST"]),
    Route(FACTOR + "/remove", remove, methods=["POST"]),
]
