"""One request to Prolific and its answer: the token, time limits, patience, and who may be asked twice.

Only a question is asked again. What changes something is sent once, on a connection of its own, so that
a connection that went stale never leaves open whether a bonus was paid.
"""

import asyncio
import json
import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from palaver.core.clock import Clock, WallClock
from palaver.core.errors import (
    InputError,
    PanelError,
    PanelUnknownError,
    PanelUnreachableError,
)
from palaver.crowds.prolific.api.refusals import UNKNOWN, refusal, wait_of
from palaver.crowds.prolific.checks import is_this_machine

if TYPE_CHECKING:
    import aiohttp

ADDRESS = "https://api.prolific.com"
SECONDS = 30.0
CONNECT_SECONDS = 10.0
AT_ONCE = 4
TRIES = 5
# What the first of several waits is at most, without a word from the service; each later one doubles.
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
MOST_BYTES = 32 * 1024 * 1024


class Transport:
    """Carries requests, at most `at_once` at a time; the token never shows in anything it says."""

    def __init__(
        self,
        token: str,
        *,
        address: str = ADDRESS,
        clock: Clock | None = None,
        chance: random.Random | None = None,
        seconds: float = SECONDS,
        at_once: int = AT_ONCE,
    ) -> None:
        self._token = _checked_token(token)
        self.address = _checked_address(address)
        self._clock = clock or WallClock()
        self._chance = chance or random.SystemRandom()
        self._seconds = seconds
        self._slots = asyncio.Semaphore(at_once)
        self._session: aiohttp.ClientSession | None = None

    def __repr__(self) -> str:
        return f"Transport({self.address!r})"

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def ask(
        self,
        path: str,
        wanted: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Any = None,
    ) -> Any:
        """The answer to a question, which changes nothing: asked again while the service is busy.

        With a `body` it is a POST that only computes something.
        """
        method = "GET" if body is None else "POST"
        for n in range(TRIES):
            try:
                answer = await self._send(method, path, wanted, query, body, changes=False)
            except PanelUnreachableError:
                if n + 1 == TRIES:
                    raise
                await self._clock.sleep(self._jittered(n))
                continue
            if not (answer.status == 429 or answer.status >= 500) or n + 1 == TRIES:
                break
            wait = answer.wait
            if wait is not None and wait > LONGEST_WAIT:
                break
            await self._clock.sleep(self._jittered(n) if wait is None else wait)
        return answer.content(wanted, self._token, changes=False)

    async def change(
        self, method: str, path: str, wanted: str, body: Any = None
    ) -> tuple[Any, Mapping[str, str]]:
        """The answer to something that changes the service, and its headers; sent exactly once."""
        answer = await self._send(method, path, wanted, None, body, changes=True)
        return answer.content(wanted, self._token, changes=True), answer.headers

    def _jittered(self, n: int) -> float:
        """How long to wait before try `n` + 2: anything up to a bound that doubles."""
        return self._chance.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2**n))

    async def _send(
        self,
        method: str,
        path: str,
        wanted: str,
        query: Mapping[str, str | int] | None,
        body: Any,
        *,
        changes: bool,
    ) -> "_Answer":
        import aiohttp

        async with self._slots:
            try:
                async with self._open().request(
                    method,
                    f"{self.address}/api/v1/{path}",
                    params=query,
                    json=body,
                    headers={"Authorization": f"Token {self._token}"},
                    # A change that is sent elsewhere would arrive as something else.
                    allow_redirects=not changes,
                    max_redirects=2,
                ) as response:
                    content = await _bounded(response)
                    wait = wait_of(response.headers.get("Retry-After"), self._clock.now())
                    return _Answer(response.status, content, response.headers, wait)
            except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
                raise PanelUnreachableError(
                    f"{self.address} cannot be reached ({wanted}: {type(error).__name__}); nothing "
                    "was changed. Check this server's way to the internet, and try again."
                ) from None
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                raise self._unanswered(wanted, error, changes=changes) from None

    def _unanswered(self, wanted: str, error: Exception, *, changes: bool) -> PanelError:
        took_long = isinstance(error, TimeoutError)
        why = f"no answer within {self._seconds:g} seconds" if took_long else "the connection broke"
        if changes:
            return PanelUnknownError(f"This was sent to Prolific: {wanted}; {why}. {UNKNOWN}")
        return PanelUnreachableError(
            f"Prolific did not answer ({wanted}: {why}); nothing was changed. Try again."
        )

    def _open(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(
                    total=self._seconds, connect=min(CONNECT_SECONDS, self._seconds)
                ),
                # No connection is used twice: see above.
                connector=aiohttp.TCPConnector(force_close=True),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"Content-Type": "application/json", "User-Agent": "palaver"},
                trust_env=True,
            )
        return self._session


class _Answer:
    def __init__(
        self, status: int, content: bytes, headers: Mapping[str, str], wait: float | None
    ) -> None:
        self.status = status
        self.headers = headers
        self.wait = wait
        self._content = content

    def content(self, wanted: str, token: str, *, changes: bool) -> Any:
        """What a success says; the error for everything else."""
        if not 200 <= self.status < 300:
            raise refusal(
                self.status,
                self._content,
                wanted=wanted,
                changes=changes,
                wait=self.wait,
                token=token,
            )
        if not self._content.strip():
            return {}
        try:
            return json.loads(self._content)
        except (ValueError, RecursionError):
            kind = PanelUnknownError if changes else PanelError
            more = UNKNOWN if changes else "Try again; if it stays so, its API has changed."
            raise kind(
                f"Prolific's answer cannot be read: it is not JSON ({wanted}). {more}"
            ) from None


async def _bounded(response: "aiohttp.ClientResponse") -> bytes:
    """The body of an answer; a body without an end is cut."""
    content = bytearray()
    async for piece in response.content.iter_any():
        content += piece
        if len(content) > MOST_BYTES:
            break
    return bytes(content)


def _checked_token(token: str) -> str:
    """A token that fits a header; it is in no message."""
    bare = token.strip()
    if not bare or not bare.isascii() or not bare.isprintable() or " " in bare:
        raise InputError(
            "This is not a token of Prolific: a token is one word of letters and digits. "
            "Copy it from Prolific under Settings, API tokens."
        )
    return bare


def _checked_address(address: str) -> str:
    """Where requests go; the token is sent in the clear to nobody but this machine."""
    parts = urlsplit(address)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(address))
    if not is_safe or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise InputError(
            f"The address of Prolific's API is https://…; got '{address[:80]}'. A stand-in on this "
            "machine may have http://localhost or http://127.0.0.1."
        )
    return address.rstrip("/")
