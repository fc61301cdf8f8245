"""Who is signed in: a cookie for pages, a bearer token for the API.

The cookie holds the account and the generation of its password and role; a change of either raises
the generation, and older cookies are refused. A read-only copy has no accounts: whoever can open it
may look at everything and export, and nothing can be changed.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from urllib.parse import urlencode

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from palaver.accounts.register import find_bearer, find_signed_in
from palaver.core.accounts import Account, Role, allows
from palaver.core.errors import AccessError
from palaver.studies.run.deployment import Deployment
from palaver.web.security import check_csrf, secure_cookie

COOKIE = "palaver_desk"
SALT = "palaver.desk"
HOURS = 12
SIGN_IN = "/desk/sign-in"
NEW_PASSWORD = "/desk/new-password"
HOME = "/desk"


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever asks, and as what; `account` is None for a read-only copy."""

    role: Role
    account: Account | None = None

    @property
    def name(self) -> str:
        """What to call them; empty where nobody signs in."""
        return "" if self.account is None else self.account.name

    def may(self, needed: Role) -> bool:
        """Whether they may do what asks for `needed`."""
        return allows(self.role, needed)


Endpoint = Callable[[Request], Awaitable[Response]]
DeskEndpoint = Callable[[Request, Person], Awaitable[Response]]


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
            require(person, needed)
            if changes:
                check_writable(deployment_of(request))
                await check_csrf(request)
            return await endpoint(request, person)

        return guarded

    return decorate


def require(person: Person, needed: Role) -> None:
    """Raise AccessError unless this person may do what asks for `needed`."""
    if not person.may(needed):
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
        return Person("reviewer")
    try:
        account_id, generation = _signer(deployment).loads(
            connection.cookies.get(COOKIE, ""), max_age=HOURS * 3600
        )
    except BadSignature:
        return None
    account = await find_signed_in(deployment.store, account_id, generation)
    return None if account is None else Person(account.role, account)


async def is_signed_in(connection: HTTPConnection) -> bool:
    """Whether a researcher is signed in here who may see what is not public."""
    person = await signed_in(connection)
    return person is not None and not (person.account is not None and person.account.one_time)


def sign_in(request: Request, response: Response, account: Account) -> None:
    """Let this browser act for an account for some hours."""
    signed = _signer(deployment_of(request)).dumps([account.id, account.generation])
    response.set_cookie(COOKIE, signed, **secure_cookie(request, path="/", max_age=HOURS * 3600))


def sign_out(request: Request, response: Response) -> None:
    """Let this browser act for nobody."""
    response.delete_cookie(COOKIE, **secure_cookie(request, path="/"))


async def bearer(deployment: Deployment, header: str | None) -> Person | None:
    """Whom an Authorization header speaks for; None if nobody."""
    scheme, _, secret = (header or "").partition(" ")
    if deployment.store.read_only:
        return Person("reviewer")
    if scheme.lower() != "bearer":
        return None
    found = await find_bearer(deployment.store, secret.strip(), now=deployment.clock.now())
    return None if found is None else Person(found.role, found.account)


def safe_target(path: str) -> str:
    """Where to go after signing in: a page of the desk, a board or a task, never another site."""
    known = path in (HOME, "/tasks") or path.startswith(
        (f"{HOME}/", f"{HOME}?", "/boards/", "/tasks/", "/tasks?")
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


def _signer(deployment: Deployment) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(deployment.secret, salt=SALT)
