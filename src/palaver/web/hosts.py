"""The names by which a server may be reached.

A page of somebody else's whose name leads here (DNS rebinding) would be of one origin with ours, and
links that are made from the Host header would carry whatever a stranger wrote there.
"""

from collections.abc import Sequence

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

# Whoever is on the machine itself; nobody else's browser means us by these.
LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Load balancers ask by number.
HEALTH = "/health"


class AllowedHosts:
    """Refuses requests for other hosts with 421; no hosts: any name will do."""

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str]) -> None:
        self.app = app
        self._exact = {host for host in hosts if not host.startswith("*.")} | {*LOOPBACK}
        self._ends = tuple(host[1:] for host in hosts if host.startswith("*."))
        self._any = not hosts or "*" in hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is meant for this server."""
        if self._any or scope["type"] == "lifespan" or scope["path"] == HEALTH:
            await self.app(scope, receive, send)
            return
        given = [value for name, value in scope["headers"] if name == b"host"]
        host = host_name(given[0].decode("latin-1")) if len(given) == 1 else ""
        if host in self._exact or (host and host.endswith(self._ends)):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            words = (
                f"This server is not {host[:80] or 'without a name'}. Whoever runs it can name the "
                "hosts that it is reached by in PALAVER_HOSTS."
            )
            await PlainTextResponse(words, status_code=421)(scope, receive, send)


def host_name(given: str) -> str:
    """The name in a Host header, without port and in lower case; "" if it is none.

    >>> host_name("Talk.example.org:8000"), host_name("[::1]:8000"), host_name("a b")
    ('talk.example.org', '::1', '')
    """
    if given.startswith("["):
        name, bracket, port = given[1:].partition("]")
        port = port.removeprefix(":") if bracket else "?"
    else:
        name, _, port = given.partition(":")
    is_port = not port or (port.isascii() and port.isdecimal())
    is_name = bool(name) and all(sign.isalnum() or sign in ".-_:" for sign in name)
    return name.rstrip(".").lower() if is_port and is_name else ""
