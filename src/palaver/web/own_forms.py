"""Forms and sockets of our own pages alone: what another site sends with somebody's cookies is refused.

A browser says of every form and every socket where it comes from, in `Sec-Fetch-Site` or in `Origin`,
and no page can make it say something else. A request with neither is from a program, which has only
the cookies that it was given. Forms carry a token as well (see `security`). Links from other sites
are GET and stay as they are; a bearer token is never sent by a browser of its own accord.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

READING = ("GET", "HEAD", "OPTIONS", "TRACE")
# What a browser calls its own pages, and what somebody typed or opened from a bookmark.
OWN = ("same-origin", "none")
REFUSAL = (
    "This form was sent from another site, so nothing was changed. Open the page here, then send it "
    "again."
)


class OwnForms:
    """Refuses forms and sockets that pages of other sites send."""

    def __init__(self, app: ASGIApp, *, public_url: str = "") -> None:
        self.app = app
        self._public = urlsplit(public_url).netloc.lower()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what our own pages, or programs, send."""
        changes = scope["type"] == "websocket" or (
            scope["type"] == "http" and scope["method"] not in READING
        )
        if not changes or self._is_own(Headers(scope=scope)):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await PlainTextResponse(REFUSAL, status_code=403)(scope, receive, send)

    def _is_own(self, headers: Headers) -> bool:
        if headers.get("authorization", "").lower().startswith("bearer "):
            return True
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site in OWN
        origin = headers.get("origin")
        if origin is None:
            return True
        # A page without an origin of its own, such as a sandboxed frame, says "null".
        sent_from = urlsplit(origin).netloc.lower()
        here = (headers.get("host", "").lower(), self._public)
        return bool(sent_from) and sent_from in here
