"""How many connections a server takes, and how slow they may be.

Uvicorn waits for as long as a client likes to finish the head of a request, so that a few hundred
connections that send a byte now and then use up every file a process may open. Here each connection
is in one phase at a time (head, body, answer, idle), and one look a second closes those that stand
still. Whoever comes when all places are taken gets the place of the connection that has waited longest
without asking anything.

Connections count by the address they come from, those of a trusted proxy only in all; chat sockets
count once more by the address that the proxy names.
"""

import asyncio
import os
import resource
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import _TrustedHosts
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from palaver.core.logs import get_log
from palaver.core.networks import network_of
from palaver.web.direct import DirectWebSocketProtocol

log = get_log(__name__)

Phase = Literal["head", "body", "answer", "idle", "socket", "refused"]

LONGEST_HEAD = 64 * 1024
# What a body must bring in the time that it may stand still.
LEAST_BODY = 1024
LOOK_SECONDS = 1.0
# How often a log line of one kind is written at most.
LOG_SECONDS = 60.0
# Files that are not connections: the database, the log, models, results.
OTHER_FILES = 128
MOST_FILES = 65_536
MOST_CONNECTIONS = 10_000
# The WebSocket close code for a server that is busy; the page tries again by itself.
TRY_AGAIN_LATER = 1013


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """How many connections there may be in all and from one address, and how long they may take."""

    most: int = MOST_CONNECTIONS
    per_address: int = 1000
    head_seconds: float = 20.0
    body_seconds: float = 60.0


def places() -> int:
    """How many connections this process has files for, after asking for as many as it may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    files = MOST_FILES if soft == resource.RLIM_INFINITY else soft
    return max(1, min(MOST_CONNECTIONS, files - OTHER_FILES))


def trusted_proxies() -> _TrustedHosts:
    """The addresses whose X-Forwarded-For is believed, as uvicorn has them."""
    return _TrustedHosts(os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1"))


class Quiet:
    """Log lines about what may happen a thousand times a second: one a minute, with a count."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}
        self._times: Counter[str] = Counter()

    def warn(self, event: str, *, address: str, **fields: object) -> None:
        """Log now, or count it for the next line."""
        self._times[event] += 1
        now = time.monotonic()
        if now - self._last.get(event, -LOG_SECONDS) >= LOG_SECONDS:
            self._last[event] = now
            times = self._times.pop(event)
            log.warning(event, **fields, times=times, last_from=network_of(address))


class ConnectionGate:
    """The connections of a server: who may come in, and who has stood still for too long."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._trusted = trusted_proxies()
        self._quiet = Quiet()
        self._inside: dict[GuardedHttp, str] = {}
        self._by_address: Counter[str] = Counter()
        # Those that have asked nothing yet, or nothing more; the one that has waited longest first.
        self._waiting: dict[GuardedHttp, None] = {}
        self._looking: asyncio.TimerHandle | None = None

    def admit(self, connection: "GuardedHttp") -> bool:
        """Whether there is a place for a connection; it is taken then."""
        address = connection.client[0] if connection.client else ""
        limits = self.limits
        known = "" if address in self._trusted else address
        if known and self._by_address[known] >= limits.per_address:
            self.tell("connections_refused", address, most_from_one_address=limits.per_address)
            return False
        if len(self._inside) >= limits.most and not self._make_room(address):
            return False
        self._inside[connection] = known
        if known:
            self._by_address[known] += 1
        self.wait(connection)
        if self._looking is None:
            self._look_later(connection.loop)
        return True

    def leave(self, connection: "GuardedHttp") -> None:
        """Give a place back; leaving twice does no harm."""
        self._waiting.pop(connection, None)
        known = self._inside.pop(connection, "")
        if known:
            self._by_address[known] -= 1
            if not self._by_address[known]:
                del self._by_address[known]

    def wait(self, connection: "GuardedHttp") -> None:
        """Note that a connection has asked nothing."""
        if connection in self._inside:
            self._waiting[connection] = None

    def ask(self, connection: "GuardedHttp") -> None:
        """Note that a connection has asked something."""
        self._waiting.pop(connection, None)

    def tell(self, event: str, address: str, **fields: object) -> None:
        """Log what was done to a connection, at most one line a minute of each kind."""
        self._quiet.warn(event, address=address, **fields)

    def _make_room(self, address: str) -> bool:
        """Close the connection that has waited longest; False if none waits."""
        self.tell("connections_full", address, most=self.limits.most)
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        self.leave(oldest)
        oldest.transport.abort()
        return True

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        every = min(LOOK_SECONDS, self.limits.head_seconds / 4, self.limits.body_seconds / 4)
        self._looking = loop.call_later(every, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._looking = None
        now = loop.time()
        for connection in list(self._inside):
            connection.check(now)
        if self._inside:
            self._look_later(loop)


class GuardedHttp(HttpToolsProtocol):
    """Uvicorn's HTTP protocol behind a gate."""

    gate: ClassVar[ConnectionGate]
    # The parser hands itself over with each phase; connections are told apart by being themselves.
    __hash__ = object.__hash__

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._phase: Phase = "head"
        self._since = 0.0
        self._head_bytes = 0
        self._moved = 0

    # What the event loop calls.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, or turn the client away."""
        super().connection_made(transport)
        self._since = self.loop.time()
        if not self.gate.admit(self):
            self._turn_away(503, "The server is busy. Please try again in a few seconds.")

    def connection_lost(self, exc: Exception | None) -> None:
        self.gate.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, as long as it is no more than a request may have."""
        if self._phase == "refused":
            return
        if self._phase == "idle":
            self._enter("head")
            self._head_bytes = 0
        if self._phase == "head":
            self._head_bytes += len(data)
        super().data_received(data)
        if self._phase == "head" and self._head_bytes > LONGEST_HEAD:
            self.gate.tell("long_head", self._address, most_bytes=LONGEST_HEAD)
            self._turn_away(431, f"The head of a request may have {LONGEST_HEAD} bytes.")

    def handle_websocket_upgrade(self) -> None:
        """Let the socket keep the place of the connection that it was."""
        self._enter("socket")
        super().handle_websocket_upgrade()
        protocol = self.transport.get_protocol()
        if isinstance(protocol, PlacedWebSocket):
            protocol.place = self
        if self.transport.is_closing():
            self.gate.leave(self)

    # What the parser and the application call.

    def on_headers_complete(self) -> None:
        self._enter("body")
        self.gate.ask(self)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._moved += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole: the client waits for us, not we for the client."""
        if self._phase == "body":
            answered = self.cycle is not None and self.cycle.response_complete
            self._enter("idle" if answered else "answer")
            if answered:
                self.gate.wait(self)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self._phase == "answer":
            self._enter("idle")
            self.gate.wait(self)
        super().on_response_complete()

    def check(self, now: float) -> None:
        """Close the connection if it has stood still for too long."""
        passed = now - self._since
        limits = self.gate.limits
        if self._phase == "head" and passed > limits.head_seconds:
            if self._head_bytes:
                self.gate.tell("slow_head", self._address, most_seconds=limits.head_seconds)
            self._turn_away(408, "The head of the request took too long.")
        elif self._phase == "body" and self._stands_still(now, passed):
            self.gate.tell("slow_body", self._address, most_seconds=limits.body_seconds)
            self.transport.abort()
        elif self._phase == "answer" and self._is_unread(now, passed):
            self.gate.tell("answer_not_read", self._address, most_seconds=limits.body_seconds)
            self.transport.abort()

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _stands_still(self, now: float, passed: float) -> bool:
        if self.flow.read_paused:
            # We do not read: what does not come is not the client's fault.
            self._since, self._moved = now, 0
            return False
        if passed <= self.gate.limits.body_seconds:
            return False
        too_little = self._moved < LEAST_BODY
        self._since, self._moved = now, 0
        return too_little

    def _is_unread(self, now: float, passed: float) -> bool:
        unread = self.transport.get_write_buffer_size()
        if not unread or unread != self._moved:
            self._since, self._moved = now, unread
            return False
        return passed > self.gate.limits.body_seconds

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        self._since, self._moved = self.loop.time(), 0

    def _turn_away(self, status: int, words: str) -> None:
        """Say why, and close."""
        self._phase = "refused"
        self.gate.leave(self)
        if self.transport.is_closing():
            return
        content = words.encode()
        self.transport.write(
            f"HTTP/1.1 {status} {_PHRASES[status]}\r\ncontent-type: text/plain; charset=utf-8\r\n"
            f"content-length: {len(content)}\r\nretry-after: 5\r\nconnection: close\r\n\r\n".encode()
            + content
        )
        self.transport.close()


_PHRASES = {
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


class PlacedWebSocket(DirectWebSocketProtocol):
    """A chat socket that gives back the place of the connection that it was."""

    place: GuardedHttp | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self.place is not None:
            self.place.gate.leave(self.place)
        super().connection_lost(exc)


class SocketLimit:
    """Counts chat sockets by the address that a trusted proxy names, or that they come from."""

    def __init__(self, app: ASGIApp, *, per_address: int) -> None:
        self.app = app
        self._most = per_address
        self._trusted = trusted_proxies()
        self._open: Counter[str] = Counter()
        self._quiet = Quiet()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a socket on while its address has fewer than its share."""
        address = scope["client"][0] if scope.get("client") else ""
        if scope["type"] != "websocket" or not address or address in self._trusted:
            await self.app(scope, receive, send)
            return
        if self._open[address] >= self._most:
            self._quiet.warn("sockets_refused", address=address, most_from_one_address=self._most)
            await receive()
            await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})
            return
        self._open[address] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


def behind_a_gate(limits: ConnectionLimits) -> type[GuardedHttp]:
    """The HTTP protocol of one server, with a gate of its own."""
    return type("GuardedHttp", (GuardedHttp,), {"gate": ConnectionGate(limits)})
