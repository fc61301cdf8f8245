"""Who asks and what they may do: a session's cookie for pages, a bearer token for the API.

What somebody may do in a study is decided here alone, for pages and the API alike: `require` lets
through or refuses, and whoever may not look at a study is told what they would be told if there were
none. The cookie holds the signed secret of a session (see `accounts.sessions`). A read-only copy has
no accounts: whoever can open it may look at everything and export, and nothing can be changed.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from palaver.accounts import sessions
from palaver.accounts.sessions import HOURS, find_session
from palaver.accounts.tokens import find_bearer
from palaver.core.accounts import Account, Rights, Role
from palaver.core.audit import Actor, Via
from palaver.core.errors import AccessError, InputError, MissingError
from palaver.core.networks import network_of
from palaver.core.timed import read_timed, sign_timed
from palaver.studies.review.views import study_of_dialogue
from palaver.studies.run.deployment import Deployment
from palaver.web.desk.parts import plain
from palaver.web.security import check_csrf, secure_cookie

COOKIE = "palaver_desk"
SALT = "palaver.session"
SIGN_IN = "/desk/sign-in"
NEW_PASSWORD = "/desk/new-password"
HOME = "/desk"


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever asks, and what they may do; `account` is None for a read-only copy."""

    rights: Rights
    account: Account | None = None
    # The session of the browser that asks; 0 for a token.
    session_id: int = 0

    @property
    def role(self) -> Role:
        return self.rights.role

    @property
    def name(self) -> str:
        """What to call them; empty where nobody signs in."""
        return "" if self.account is None else self.account.name

    @property
    def only(self) -> frozenset[str] | None:
        """The studies that they may look at; None for all."""
        return self.rights.only

    def may(self, needed: Role, study: str | None = None) -> bool:
        """Whether they may do what asks for `needed`: everywhere, or in a study."""
        return self.rights.may(needed, study)

    def sees(self, study: str) -> bool:
        """Whether they may look at a study."""
        return self.rights.may("viewer", study)


Endpoint = Callable[[Request], Awaitable[Response]]
DeskEndpoint = Callable[[Request, Person], Awaitable[Response]]


def actor_of(connection: HTTPConnection, person: Person | None, via: Via = "desk") -> Actor:
    """Whoever asks, as the audit trail names them: the account, the door, the network."""
    name = "" if person is None else person.name
    return Actor(name, via, network_of(client_address(connection)))


def deployment_of(connection: HTTPConnection) -> Deployment:
    """The deployment that answers this request."""
    deployment: Deployment = connection.app.state.deployment
    return deployment


def root_of(connection: HTTPConnection) -> str:
    """The path the application is mounted at."""
    root: str = connection.app.state.renderer.root
    return root


def for_role(
    needed: Role, *, changes: bool = False, one_time: bool = False
) -> Callable[[DeskEndpoint], Endpoint]:
    """Let an endpoint be called only by those who may; others are sent to sign in.

    An address with a study or a dialogue asks for the role in that study. All others ask for it in the
    whole deployment: an endpoint that is open to members shows them what is theirs (`Person.only`).
    `changes` is for endpoints that change something: they need the form's token and a store that
    can be written. `one_time` lets those in who must replace a one-time password first.
    """

    def decorate(endpoint: DeskEndpoint) -> Endpoint:
        @wraps(endpoint)
        async def guarded(request: Request) -> Response:
            person = await signed_in(request)
            if person is None:
                return _ask_to_sign_in(request)
            if person.account is not None and person.account.one_time and not one_time:
                goal = new_password_url(request, safe_target(_asked_for(request)))
                return RedirectResponse(goal, status_code=303)
            await check_address(deployment_of(request), person, needed, request.path_params)
            if changes:
                check_writable(deployment_of(request))
                await check_csrf(request)
            return await endpoint(request, person)

        return guarded

    return decorate


async def check_address(
    deployment: Deployment, person: Person, needed: Role, names: Mapping[str, Any]
) -> None:
    """Raise unless this person may do what asks for `needed` with what an address names."""
    if person.may(needed):
        return
    study = names.get("study")
    if "dialogue" in names:
        key = plain(names["dialogue"])
        study = await deployment.store.read(lambda c: study_of_dialogue(c, key))
        if study is None or not person.sees(study):
            raise MissingError(f"There is no dialogue '{key}' here.")
    require(person, needed, None if study is None else plain(study))


def require(person: Person, needed: Role, study: str | None = None) -> None:
    """Raise AccessError unless this person may do what asks for `needed`, everywhere or in a study.

    Of a study that they may not look at nobody is told that it exists: MissingError.
    """
    if person.may(needed, study):
        return
    if study is not None and not person.sees(study):
        raise MissingError(f"There is no study '{study}' here.")
    if study is not None:
        raise AccessError(
            f"In this study this needs the role '{needed}'. Ask an owner to grant it to you."
        )
    raise AccessError(
        f"This needs the role '{needed}'; you are signed in as '{person.role}'. "
        "Ask an owner to change your role."
    )


def check_writable(deployment: Deployment) -> None:
    """Raise AccessError if nothing can be changed here."""
    if deployment.store.read_only:
        raise AccessError("This is a read-only copy. Nothing can be changed in it.")


async def signed_in(connection: HTTPConnection) -> Person | None:
    """Whoever this browser is signed in as; None if nobody."""
    deployment = deployment_of(connection)
    if deployment.store.read_only:
        return Person(Rights("reviewer"))
    signed = read_timed(deployment.secret, SALT, connection.cookies.get(COOKIE, ""))
    if signed is None or not signed.is_good(HOURS * 3600):
        return None
    found = await find_session(deployment.store, str(signed.content), now=deployment.clock.now())
    return None if found is None else Person(found.rights, found.account, found.id)


async def reader(connection: HTTPConnection) -> Person | None:
    """Whoever is signed in and has replaced a one-time password; None for strangers."""
    person = await signed_in(connection)
    if person is not None and person.account is not None and person.account.one_time:
        return None
    return person


async def sign_in(
    request: Request, response: Response, account: Account, *, proof: str | None = None
) -> None:
    """Let this browser act for an account for some hours; `proof` can do so once."""
    deployment = deployment_of(request)
    agent, address = request.headers.get("user-agent", ""), client_address(request)
    now = deployment.clock.now()
    secret = await deployment.store.write(
        lambda c: sessions.open_session(
            c, account, agent=agent, address=address, now=now, proof=proof
        )
    )
    signed = sign_timed(deployment.secret, SALT, secret)
    response.set_cookie(COOKIE, signed, **secure_cookie(request, path="/", max_age=HOURS * 3600))


async def sign_out(request: Request, response: Response, person: Person) -> None:
    """Let this browser act for nobody, and its cookie open nothing any more."""
    deployment, account = deployment_of(request), person.account
    now = deployment.clock.now()
    if account is not None:
        with suppress(InputError):
            await deployment.store.write(
                lambda c: sessions.end_session(c, person.session_id, by=account, now=now)
            )
    response.delete_cookie(COOKIE, **secure_cookie(request, path="/"))


def client_address(connection: HTTPConnection) -> str:
    """The address that a request came from, as the server knows it."""
    return connection.client.host if connection.client else ""


async def bearer(deployment: Deployment, header: str | None) -> Person | None:
    """Whom an Authorization header speaks for; None if nobody."""
    scheme, _, secret = (header or "").partition(" ")
    if deployment.store.read_only:
        return Person(Rights("reviewer"))
    if scheme.lower() != "bearer":
        return None
    found = await find_bearer(deployment.store, secret.strip(), now=deployment.clock.now())
    return None if found is None else Person(found.rights, found.account)


def safe_target(path: str) -> str:
    """Where to go after signing in: a page of the desk, a board, a task or a challenge, never another
    site.
    """
    known = path in (HOME, "/tasks", "/challenges") or path.startswith(
        (f"{HOME}/", f"{HOME}?", "/boards/", "/tasks/", "/tasks?", "/challenges/")
    )
    return path if known and "\\" not in path and "\n" not in path else HOME


def sign_in_url(request: Request) -> str:
    """Where to sign in and come back to the page that was asked for."""
    return _on_the_way(root_of(request) + SIGN_IN, _asked_for(request))


def new_password_url(request: Request, target: str) -> str:
    """Where a one-time password is replaced, on the way to a page."""
    return _on_the_way(root_of(request) + NEW_PASSWORD, target)


def _asked_for(request: Request) -> str:
    """The page that was asked for, below the root; what a form sent cannot be asked for again."""
    query = f"?{request.url.query}" if request.url.query else ""
    path = request.url.path.removeprefix(root_of(request)) + query
    return path if request.method in ("GET", "HEAD") else HOME


def _on_the_way(address: str, target: str) -> str:
    return address if target == HOME else f"{address}?{urlencode({'next': target})}"


def _ask_to_sign_in(request: Request) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        error = {"code": "sign_in", "message": "Sign in again, then reload the page."}
        return JSONResponse({"error": error}, status_code=401)
    return RedirectResponse(sign_in_url(request), status_code=303)
