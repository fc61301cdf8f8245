"""What every request passes: headers, size and rate limits, and tokens against forged forms.

Plain ASGI, because the chat sockets pass here too and must not pay for wrappers.
"""

import hashlib
import hmac
import re
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palaver.core.errors import AccessError
from palaver.core.numbers import whole_number

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

# As they are sent.
STATIC_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
PAGE_HEADERS = [*STATIC_HEADERS, (b"cache-control", b"no-store")]

MAX_BODY_BYTES = 256 * 1024
MEBIBYTE = 1024 * 1024
# What may be larger when it is posted. The API counts files by the home's own limit, on their way to
# disk and after it knows who sends them; a form of a page is read before that.
LARGER = (
    (
        re.compile(
            r"/api/v1/(tasks/[^/]+/(datasets/[^/]+|models/[^/]+/predictions)"
            r"|submissions/predictions)"
        ),
        100 * 1024 * MEBIBYTE,
    ),
    # Counted by the home's own limit, after it is known which team sends it.
    (
        re.compile(r"/api/v1/challenges/[^/]+/tracks/[^/]+/(check|entries)"),
        100 * 1024 * MEBIBYTE,
    ),
    (re.compile(r"/tasks/[^/]+/submit"), 256 * MEBIBYTE),
    # Counted by the home's own limit, after it is known who sends it.
    (
        re.compile(r"/desk/tasks/[^/]+/(add-data|add-model/predictions)"),
        100 * 1024 * MEBIBYTE,
    ),
    # Counted by the home's own limit, after it is known which team sends it.
    (re.compile(r"/challenges/[^/]+/submit"), 100 * 1024 * MEBIBYTE),
    (re.compile(r"/api/v1/(tasks/[^/]+/perturb|dynascore)"), 8 * MEBIBYTE),
)
# The WebSocket close code for a server that is busy; the page tries again by itself.
TRY_AGAIN_LATER = 1013


class SecurityHeaders:
    """Adds the security headers to every response, and forbids caching of pages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_static = scope["path"].startswith("/static/")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                further = STATIC_HEADERS if is_static else PAGE_HEADERS
                message["headers"] = [
                    *message["headers"],
                    *(header for header in further if header[0] not in own),
                ]
            await send(message)

        await self.app(scope, receive, send_with_headers)


class BodyLimit:
    """Refuses bodies that are larger than any form of ours, declared or not."""

    def __init__(self, app: ASGIApp, *, limit: int = MAX_BODY_BYTES) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, counting what it brings."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self._limit_of(scope)
        declared = Headers(scope=scope).get("content-length", "0")
        if whole_number(declared, most=limit) is None:
            await self._refuse(scope, receive, send)
            return
        received = 0
        started = False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise _TooLarge
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, counted, noted)
        except _TooLarge:
            if not started:
                await self._refuse(scope, receive, send)

    def _limit_of(self, scope: Scope) -> int:
        if scope["method"] != "POST":
            return self.limit
        larger = (limit for path, limit in LARGER if path.fullmatch(scope["path"]))
        return next(larger, self.limit)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = f"This request is larger than {self._limit_of(scope)} bytes. Nothing was stored."
        await PlainTextResponse(text, status_code=413)(scope, receive, send)


class _TooLarge(Exception):
    """The body grew over the limit."""


class RateLimit:
    """A token bucket per client: `rate` requests a second with bursts of `burst`.

    Sign-in has a slower bucket of its own, so that passwords cannot be guessed.
    """

    def __init__(self, app: ASGIApp, *, rate: float = 40.0, burst: float = 200.0) -> None:
        self.app = app
        self._general = Buckets(rate, burst)
        self._sign_in = Buckets(0.2, 10.0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request or the opening of a socket on, or refuse it."""
        if scope["type"] == "lifespan" or scope["path"].startswith("/static/"):
            await self.app(scope, receive, send)
            return
        client = scope["client"][0] if scope.get("client") else "local"
        signing_in = scope.get("method") == "POST" and scope["path"].startswith("/desk/sign-in")
        buckets = self._sign_in if signing_in else self._general
        if buckets.take(client):
            await self.app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})
            return
        response = PlainTextResponse(
            "Too many requests at once. Nothing was lost; please try again in a few seconds.",
            status_code=429,
            headers={"retry-after": "5"},
        )
        await response(scope, receive, send)


class Buckets:
    """Token buckets by name; the longest unused are forgotten."""

    def __init__(self, rate: float, burst: float, *, names: int = 10_000) -> None:
        self.rate = rate
        self.burst = burst
        self._names = names
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def forget(self, name: str) -> None:
        """Let a name have its whole burst again."""
        self._buckets.pop(name, None)

    def take(self, name: str, now: float | None = None) -> bool:
        """Whether one more is allowed now."""
        at = time.monotonic() if now is None else now
        tokens, since = self._buckets.pop(name, (self.burst, at))
        tokens = min(self.burst, tokens + (at - since) * self.rate)
        allowed = tokens >= 1.0
        self._buckets[name] = (tokens - 1.0 if allowed else tokens, at)
        if len(self._buckets) > self._names:
            self._buckets.popitem(last=False)
        return allowed


def csrf_token(request: HTTPConnection, *, adding: Mapping[str, str] | None = None) -> str:
    """The token a form must send back: bound to this browser's session.

    `adding` holds cookies that the answer with the form sets.
    """
    secret: str = request.app.state.deployment.secret
    return _sign(secret, _session_of({**request.cookies, **(adding or {})}))


async def check_csrf(request: Request) -> None:
    """Raise AccessError unless the form was rendered for this browser."""
    form = await request.form()
    check_token(request, str(form.get("csrf", "")) or request.headers.get("x-csrf", ""))


def check_token(request: HTTPConnection, given: str) -> None:
    """Raise AccessError unless what a form sent back is the token of this browser."""
    if not hmac.compare_digest(given.encode(), csrf_token(request).encode()):
        raise AccessError(
            "This form is too old or came from elsewhere. Reload the page, then send."
        )


def _session_of(cookies: Mapping[str, str]) -> str:
    # Every session cookie of ours starts with "palaver"; a stranger has none and gets the
    # path's own token, which is worth nothing without a session.
    own = sorted(f"{name}={value}" for name, value in cookies.items() if name.startswith("palaver"))
    return "&".join(own) or "nobody"


def _sign(secret: str, text: str) -> str:
    return hmac.new(secret.encode(), b"csrf:" + text.encode(), hashlib.sha256).hexdigest()


def secure_cookie(request: HTTPConnection, **options: Any) -> dict[str, Any]:
    """Options for a session cookie: unreadable to scripts, and only over https where there is."""
    return {
        "httponly": True,
        "samesite": "lax",
        "secure": request.url.scheme in {"https", "wss"},
        **options,
    }


def public_base(connection: HTTPConnection, public_url: str = "") -> str:
    """The address people reach this server at, without a slash at its end."""
    return (public_url or str(connection.base_url)).rstrip("/")
