"""Requests to one server over HTTP, with nothing but the standard library.

What only reads is tried again when the connection is lost or the server is busy; what changes
something is not, because nobody knows whether it was done. Answers become typed results.
"""

import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from palaver.client.bodies import Body
from palaver.core.errors import InputError, PalaverError
from palaver.core.serial import convert

MOUNT = "/api/v1"
BLOCK = 1 << 16
# Answers that a moment later may be others.
BUSY = frozenset({429, 502, 503, 504})
LONGEST_WAIT = 30.0

Query = Mapping[str, str | int | float | bool | Sequence[str] | None]

T = TypeVar("T")


class ClientError(PalaverError):
    """A request that failed; `status` is 0 if the server did not answer.

    `code` is the server's short name for what is wrong, `retry_after` the seconds it asks to wait.
    """

    def __init__(
        self, message: str, *, status: int = 0, code: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after


class WaitError(ClientError):
    """Runs were not over within the given time; they continue on the server."""


class Connection:
    """The way to one server."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float,
        retries: int,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"A server's address looks like http://host:port; got '{url}'.")
        self.origin = f"{parts.scheme}://{parts.netloc}"
        base = parts.path.rstrip("/")
        self._base = base if base.endswith(MOUNT) else f"{base}{MOUNT}"
        self._host, self._port = parts.hostname, parts.port
        self._secure = parts.scheme == "https"
        self._token = token
        self._timeout = timeout
        self._retries = retries
        self._sleep = sleep

    def json(
        self, method: str, path: str, *, query: Query | None = None, body: Body | None = None
    ) -> Any:
        """The JSON that a request is answered with; ClientError holds the server's sentence."""
        content = self.content(method, path, query=query, body=body)
        try:
            return msgspec.json.decode(content)
        except msgspec.DecodeError as error:
            raise ClientError(
                f"{self.origin} did not answer with JSON. Is a Palaver server there?"
            ) from error

    def content(
        self, method: str, path: str, *, query: Query | None = None, body: Body | None = None
    ) -> bytes:
        for attempt in range(self._retries + 1):
            try:
                with self._answered(method, path, query, body) as response:
                    return response.read()
            except ClientError as error:
                if method != "GET" or attempt == self._retries or not _may_pass(error):
                    raise
                self._sleep(_pause(error, attempt))
        raise AssertionError("the last attempt returns or raises")

    def lines(self, path: str) -> Iterator[bytes]:
        """What is answered, line by line as it comes."""
        rest = b""
        with self._answered("GET", path, None, None) as response:
            while block := response.read(BLOCK):
                *whole, rest = (rest + block).split(b"\n")
                yield from whole
        if rest:
            yield rest

    def download(self, path: str, folder: Path, *, name: str) -> Path:
        """Keep what is answered in a folder, under the server's name for it, else under `name`.

        The file is there whole, or not at all.
        """
        with self._answered("GET", path, None, None) as response:
            sent = PurePosixPath((response.headers.get_filename() or name).replace("\\", "/")).name
            target = folder / (sent.lstrip(".") or name)
            part = target.with_name(f"{target.name}.part")
            with part.open("wb") as file:
                while block := response.read(BLOCK):
                    file.write(block)
        part.replace(target)
        return target

    @contextmanager
    def _answered(
        self, method: str, path: str, query: Query | None, body: Body | None
    ) -> Iterator[http.client.HTTPResponse]:
        """A good answer while it is read; ClientError for any other."""
        connection = self._open()
        try:
            try:
                response = self._send(connection, method, self._target(path, query), body)
                if response.status >= 400:
                    raise _refusal(response)
                yield response
            except (OSError, http.client.HTTPException) as error:
                raise ClientError(
                    f"{self.origin} cannot be reached or did not answer in full ({_why(error)})."
                ) from error
        finally:
            connection.close()

    def _send(
        self, connection: http.client.HTTPConnection, method: str, target: str, body: Body | None
    ) -> http.client.HTTPResponse:
        headers = {"Accept": "application/json", "User-Agent": "palaver-client"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers |= {"Content-Type": body.media, "Content-Length": str(body.length)}
        try:
            connection.request(
                method, target, body=None if body is None else body.blocks, headers=headers
            )
        except (BrokenPipeError, ConnectionResetError):
            # A server that refuses a body early says why before it hangs up.
            if body is None:
                raise
        return connection.getresponse()

    def _open(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=self._timeout)

    def _target(self, path: str, query: Query | None) -> str:
        given = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in (query or {}).items()
            if value is not None
        }
        return self._base + path + (f"?{urlencode(given, doseq=True)}" if given else "")


class Calls:
    """Asks a server and makes a result of what it answers."""

    _connection: Connection

    def _get(
        self, path: str, kind: type[T], query: Query | None = None, *, part: str | None = None
    ) -> T:
        found = self._connection.json("GET", path, query=query)
        return convert(found if part is None else found[part], kind)

    def _send(
        self,
        method: str,
        path: str,
        kind: type[T],
        body: Body | None = None,
        query: Query | None = None,
    ) -> T:
        found = self._connection.json(method, path, query=query, body=body)
        return convert(found, kind)


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def quoted(*parts: str | int) -> str:
    """An address made of parts, each of which may hold any characters."""
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def _refusal(response: http.client.HTTPResponse) -> ClientError:
    text = response.read().decode("utf-8", "replace")
    message, code = text.strip()[:500] or response.reason, ""
    try:
        found = json.loads(text)["error"]
        message, code = str(found["message"]), str(found["code"])
    except (ValueError, KeyError, TypeError):
        pass  # what stands between the server and us answers in its own words
    after = response.headers.get("Retry-After", "")
    return ClientError(
        message,
        status=response.status,
        code=code,
        retry_after=float(after) if after.isdigit() else None,
    )


def _may_pass(error: ClientError) -> bool:
    return error.status == 0 or error.status in BUSY


def _pause(error: ClientError, attempt: int) -> float:
    wanted = error.retry_after if error.retry_after is not None else 0.5 * 2.0**attempt
    return min(LONGEST_WAIT, wanted)


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__
