"""A small HTTP/1.1 client for one host: a pool of connections that are kept and used again."""

import asyncio
import re
import socket
import ssl
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from palaver.core.errors import InputError
from palaver.systems.attempt import AttemptError, ForbiddenError
from palaver.systems.web.addresses import plain_url, target_of
from palaver.systems.web.connection import (
    HttpConnection,
    Listener,
    NothingCameError,
    Response,
    is_stream,
    unzipped,
)
from palaver.systems.web.destinations import (
    Destination,
    Inside,
    InsideError,
    check_peer,
    may_lie_inside,
    resolve_beside,
)

if TYPE_CHECKING:
    import aiohttp

LONGEST_BODY = 4 * 1024 * 1024
_PORTS = {"http": 80, "https": 443}
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


class Caller(ABC):
    """Whatever carries requests to one host, at most `limit` at a time, and brings their responses."""

    _way = ""

    def __init__(
        self,
        origin: str,
        *,
        headers: Mapping[str, str],
        limit: int,
        longest: int = LONGEST_BODY,
        inside: Inside = True,
    ) -> None:
        self._origin = plain_url(origin)
        self._inside = inside
        self._headers = headers
        self._longest = longest
        self._slots = asyncio.Semaphore(limit)

    async def call(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        *,
        listener: Listener | None = None,
    ) -> Response:
        """The response to one request, whatever its status; AttemptError where none came.

        A stream of events goes to `listener` piece by piece as it comes.
        """
        async with self._slots:
            try:
                return await self._exchange(method, target, body, listener)
            except ForbiddenError:
                raise
            except AttemptError as error:
                where = f"{self._origin}{target.partition('?')[0]}{self._way}"
                raise AttemptError(
                    error.kind, f"{where}: {error}", may_pass=error.may_pass
                ) from None

    @abstractmethod
    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""

    @abstractmethod
    async def _exchange(
        self, method: str, target: str, body: bytes | None, listener: Listener | None
    ) -> Response: ...


class DirectClient(Caller):
    """Calls over connections of our own."""

    def __init__(
        self,
        origin: str,
        *,
        headers: Mapping[str, str],
        limit: int,
        longest: int = LONGEST_BODY,
        inside: Inside = True,
    ) -> None:
        super().__init__(origin, headers=headers, limit=limit, longest=longest, inside=inside)
        parts = urlsplit(origin)
        try:
            self._host = (parts.hostname or "").encode("idna").decode("ascii")
            self._port = parts.port or _PORTS[parts.scheme]
        except ValueError as error:
            raise InputError(f"The address {self._origin} has no valid host: {error}.") from None
        self._ssl = ssl.create_default_context() if parts.scheme == "https" else None
        self._head = _head_lines({"Host": parts.netloc.rpartition("@")[2], **headers})
        self._idle: list[HttpConnection] = []
        self._all: set[HttpConnection] = set()

    async def close(self) -> None:
        kept, self._all, self._idle = self._all, set(), []
        for connection in kept:
            connection.close()

    async def _exchange(
        self, method: str, target: str, body: bytes | None, listener: Listener | None
    ) -> Response:
        length = "" if body is None else f"Content-Length: {len(body)}\r\n"
        head = f"{method} {target} HTTP/1.1\r\n{self._head}{length}\r\n".encode("latin-1")
        payload = head if body is None else head + body
        kept = self._kept()
        if kept is not None:
            try:
                return await self._use(kept, payload, listener)
            except NothingCameError:
                pass  # it went stale while it was idle: a fresh one tells what is really wrong
        return await self._use(await self._connect(), payload, listener)

    def _kept(self) -> HttpConnection | None:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection
            self._all.discard(connection)
        return None

    async def _connect(self) -> HttpConnection:
        try:
            if self._inside is True:
                connection = await self._connect_to(self._host)
            else:
                connection = await self._connect_outside()
        except OSError as error:
            told = f"no connection: {type(error).__name__}: {error}"
            raise AttemptError("unreachable", told) from None
        self._all.add(connection)
        return connection

    async def _connect_outside(self) -> HttpConnection:
        """A connection to one of the addresses that the name led to when it was looked at."""
        destinations = await _allowed(self._host, self._port, self._inside)
        for place in destinations[:-1]:
            try:
                return await self._connect_to(place.address)
            except OSError:
                continue
        return await self._connect_to(destinations[-1].address)

    async def _connect_to(self, address: str) -> HttpConnection:
        # The certificate must be the name's, wherever the name leads.
        name = self._host if self._ssl is not None else None
        transport, connection = await asyncio.get_running_loop().create_connection(
            lambda: HttpConnection(self._longest),
            address,
            self._port,
            ssl=self._ssl,
            server_hostname=name,
        )
        _keep_alive(transport)
        try:
            check_peer(self._host, transport.get_extra_info("peername"), inside=self._inside)
        except InsideError as error:
            connection.close()
            raise ForbiddenError(str(error)) from None
        return connection

    async def _use(
        self, connection: HttpConnection, payload: bytes, listener: Listener | None
    ) -> Response:
        try:
            return await connection.request(payload, listener)
        finally:
            if connection.usable and connection in self._all:
                self._idle.append(connection)
            else:
                self._all.discard(connection)
                connection.close()


class ProxiedClient(Caller):
    """The same calls through the proxy that the environment names, by way of aiohttp."""

    _way = " (through a proxy)"

    def __init__(
        self,
        origin: str,
        *,
        headers: Mapping[str, str],
        limit: int,
        longest: int = LONGEST_BODY,
        inside: Inside = True,
    ) -> None:
        super().__init__(origin, headers=headers, limit=limit, longest=longest, inside=inside)
        _head_lines(headers)
        self._address = origin
        self._host = urlsplit(origin).hostname or ""
        self._limit = limit
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _exchange(
        self, method: str, target: str, body: bytes | None, listener: Listener | None
    ) -> Response:
        import aiohttp

        if not may_lie_inside(self._host, self._inside):
            # The proxy resolves the name once more: its own rules keep it out of the inside.
            await _allowed(self._host, 0, self._inside)
        try:
            async with self._open().request(
                method,
                f"{self._address}{target}",
                data=body,
                headers=self._headers,
                allow_redirects=False,
            ) as response:
                content = bytearray()
                headers = {name.lower(): value for name, value in response.headers.items()}
                hears = listener if is_stream(response.status, headers) else None
                async for piece in response.content.iter_any():
                    if hears is None:
                        content += piece
                    elif hears(piece):
                        break
                    if len(content) > self._longest:
                        break
                plain = unzipped(bytes(content), headers, limit=self._longest)
                return Response(response.status, response.reason or "", headers, plain)
        except (aiohttp.InvalidURL, aiohttp.ClientError, OSError) as error:
            raise AttemptError("unreachable", f"{type(error).__name__}: {error}") from None

    def _open(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=None),  # the guard keeps the time
                connector=aiohttp.TCPConnector(limit=self._limit),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=True,
            )
        return self._session


def open_client(
    origin: str,
    *,
    headers: Mapping[str, str],
    limit: int,
    longest: int = LONGEST_BODY,
    inside: Inside = True,
) -> Caller:
    """A client for a host: our own, or aiohttp where the environment asks for a proxy.

    `inside` says whether the host may lie inside this network.
    """
    parts = urlsplit(origin)
    proxied = parts.scheme in getproxies() and not proxy_bypass(parts.hostname or "")
    kind = ProxiedClient if proxied else DirectClient
    return kind(origin, headers=headers, limit=limit, longest=longest, inside=inside)


async def call_once(
    method: str,
    address: str,
    body: bytes | None = None,
    *,
    headers: Mapping[str, str],
    longest: int,
    seconds: float,
    inside: Inside,
) -> Response:
    """The response of an address of somebody else; AttemptError or TimeoutError where none came."""
    parts = urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}"
    client = open_client(origin, headers=headers, limit=1, longest=longest, inside=inside)
    try:
        async with asyncio.timeout(seconds):
            return await client.call(method, target_of(address), body)
    finally:
        await client.close()


def _keep_alive(transport: asyncio.BaseTransport) -> None:
    """Let the system look after a connection that is silent for hours while a model works."""
    plug = transport.get_extra_info("socket")
    if plug is not None:
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


async def _allowed(host: str, port: int, inside: Inside) -> list[Destination]:
    try:
        return await resolve_beside(host, port, inside=inside)
    except InsideError as error:
        raise ForbiddenError(str(error)) from None
    except InputError as error:
        raise AttemptError("unreachable", str(error)) from None


def _head_lines(headers: Mapping[str, str]) -> str:
    """Headers as they are sent; InputError for what would break out of its line."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise InputError(f"Option 'headers': '{name}' is not the name of a header.")
        if any(ord(sign) < 32 and sign != "\t" for sign in value):
            raise InputError(f"Option 'headers': the value of '{name}' has a line break in it.")
        try:
            value.encode("latin-1")
        except UnicodeEncodeError:
            raise InputError(
                f"Option 'headers': the value of '{name}' has characters that are not allowed in a "
                "header."
            ) from None
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items())
