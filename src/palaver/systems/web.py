"""Calls to web services: one connection pool, one reading of status codes, no secrets in errors."""

import os
import re
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp
import msgspec

from palaver.core.errors import InputError
from palaver.systems.attempt import AttemptError, FailureKind, shorten

# Answers that a service may well give otherwise in a moment.
PASSING_STATUS = frozenset({408, 409, 425, 429})
TIMEOUT_STATUS = frozenset({408, 504})
_LONGEST_BODY = 4 * 1024 * 1024
_ENVIRONMENT = re.compile(r"\$\{(\w+)\}")
_TELLING_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)


class WebClient:
    """Sends requests with fixed headers and hides `secrets` in whatever goes wrong."""

    def __init__(self, *, headers: Mapping[str, str], secrets: Iterable[str] = ()) -> None:
        self._headers = dict(headers)
        told = {
            word
            for name, value in headers.items()
            if _TELLING_HEADER.search(name)
            for word in (value, *value.split())
        }
        hidden = {secret for secret in {*secrets, *told} if len(secret) >= 4} - {"Bearer", "Basic"}
        self._secrets = sorted({*hidden, *map(quote, hidden)}, key=len, reverse=True)
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def call(
        self, method: str, url: str, *, json: Any = None, query: Mapping[str, str] | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A response with a good status; AttemptError for anything else.

        Redirects are refused: a POST would silently turn into a GET, and headers with keys would
        travel to another host.
        """
        body = None if json is None else msgspec.json.encode(json)
        try:
            async with self._open().request(
                method, url, data=body, params=query, headers=self._headers, allow_redirects=False
            ) as response:
                if response.status >= 300:
                    raise await self._refusal(response)
                yield response
        except (aiohttp.InvalidURL, aiohttp.ClientError, OSError) as error:
            # `from None`: aiohttp's own errors can carry the address with a key in it.
            detail = f"{plain_url(url)}: {type(error).__name__}: {error}"
            raise AttemptError("unreachable", self.hide(detail)) from None
        except AttemptError as error:
            hidden = AttemptError(
                error.kind, self.hide(str(error)), may_pass=error.may_pass, wait=error.wait
            )
            raise hidden from None

    async def text(self, response: aiohttp.ClientResponse) -> str:
        """The body as text, up to 4 MB of it."""
        body = bytearray()
        async for piece in response.content.iter_any():
            body += piece
            if len(body) > _LONGEST_BODY:
                raise AttemptError("garbage", "The response is longer than 4 MB.")
        return body.decode("utf-8", "replace")

    async def json(self, response: aiohttp.ClientResponse) -> Any:
        """The body as JSON."""
        text = await self.text(response)
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise AttemptError(
                "garbage", f"The response is not JSON ({error}): {shorten(text)!r}"
            ) from None

    def hide(self, text: str) -> str:
        """`text` without the secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=None),  # the guard keeps the time
                connector=aiohttp.TCPConnector(limit=0),  # and the number of calls
                cookie_jar=aiohttp.DummyCookieJar(),  # dialogues share nothing
            )
        return self._session

    async def _refusal(self, response: aiohttp.ClientResponse) -> AttemptError:
        status = response.status
        body = shorten((await self.text(response)).strip(), 300)
        detail = f"{plain_url(str(response.url))} answered {status} {response.reason}: {body}"
        kind: FailureKind = "error" if status >= 500 else "refused"
        if status in TIMEOUT_STATUS:
            kind = "timeout"
        wait = retry_after(response.headers.get("Retry-After", ""))
        may_pass = status in PASSING_STATUS or status >= 500
        return AttemptError(kind, detail, may_pass=may_pass, wait=wait)


def retry_after(given: str) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or as a date."""
    given = given.strip()
    if not given:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", given):
        return float(given)
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None


def plain_url(url: str) -> str:
    """An address without user, password and query, where keys may stand."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def check_url(url: str) -> str:
    """`url` itself if it is one for the web; ValueError for pydantic otherwise."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("expected an address like http://127.0.0.1:8080")
    return url


def from_environment(name: str, *, option: str) -> str:
    """The value of an environment variable that an option names."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise InputError(
            f"Option '{option}' names the environment variable {name}, which is not set. "
            f"Set it before starting: export {name}=…"
        )
    return value


def expand(text: str, *, option: str, secrets: set[str]) -> str:
    """`text` with every ${VARIABLE} filled in; the values are added to `secrets`."""

    def value(match: re.Match[str]) -> str:
        found = from_environment(match[1], option=option)
        secrets.add(found)
        return found

    return _ENVIRONMENT.sub(value, text)
