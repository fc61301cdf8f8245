"""How often a name may be tried: guessing is slowed down, and nobody is locked out by it.

The tries that strangers make with a name share one bucket, whether an account has it or not. A browser
that signed in before carries a cookie that says so and has a bucket of its own: however often others
try, whoever the account belongs to still gets in. Tries per address are limited in `web.security`.
"""

import secrets

from starlette.requests import Request
from starlette.responses import Response

from palaver.core.accounts import folded_name
from palaver.core.errors import InputError
from palaver.core.timed import read_timed, sign_timed
from palaver.web.desk.accounts import deployment_of
from palaver.web.security import Buckets, secure_cookie

# So many tries at once, then one every half minute.
BURST, RATE = 8.0, 1 / 30
COOKIE, SALT = "pv_known", "palaver.known"
DAYS = 180
TOO_MANY = (
    "There were too many attempts with this name. Wait half a minute, then try again. Nothing is "
    "locked."
)


class Attempts:
    """The tries with each name in this process."""

    def __init__(self) -> None:
        self._buckets = Buckets(RATE, BURST)

    def take(self, request: Request, name: str, *, at: str = "password") -> bool:
        """Whether a password or a code may be tried with a name now."""
        return self._buckets.take(_key(request, name, at), deployment_of(request).clock.now())

    def forgive(self, request: Request, name: str, *, at: str = "password") -> None:
        """It was right: what was tried before no longer counts."""
        self._buckets.forget(_key(request, name, at))


def attempts_of(request: Request) -> Attempts:
    """The tries that this process has seen."""
    kept = deployment_of(request).kept
    found: Attempts = kept.setdefault(Attempts, Attempts())
    return found


def check_attempt(request: Request, name: str, *, at: str = "password") -> None:
    """InputError if a name was tried too often just now."""
    if not attempts_of(request).take(request, name, at=at):
        raise InputError(TOO_MANY)


def remember_browser(request: Request, response: Response, name: str) -> None:
    """Let a browser that signed in be known the next time."""
    known = [folded_name(name), _browser(request, name) or secrets.token_urlsafe(12)]
    signed = sign_timed(deployment_of(request).secret, SALT, known)
    options = secure_cookie(request, path="/desk/sign-in", max_age=DAYS * 86400)
    response.set_cookie(COOKIE, signed, **options)


def _key(request: Request, name: str, at: str) -> str:
    return f"{at}\0{folded_name(name)}\0{_browser(request, name)}"


def _browser(request: Request, name: str) -> str:
    """What a browser that signed in to this account before is called; empty for strangers."""
    signed = read_timed(deployment_of(request).secret, SALT, request.cookies.get(COOKIE, ""))
    if signed is None or not signed.is_good(DAYS * 86400):
        return ""
    known, browser = signed.content
    return str(browser) if known == folded_name(name) else ""
