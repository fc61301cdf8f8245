"""A web service that is asked: headers, secrets, statuses, JSON and streams in one place.

Keys are taken from the environment, and hidden in whatever goes wrong.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from json import JSONDecodeError, JSONDecoder
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

import msgspec

from palaver.core.errors import InputError
from palaver.systems.attempt import AttemptError, FailureKind, ForbiddenError, shorten
from palaver.systems.options import WebOptions
from palaver.systems.web.addresses import basic_authorization, plain_url, target_of
from palaver.systems.web.client import open_client
from palaver.systems.web.connection import Listener, Response

# Answers that a service may well give otherwise in a moment.
PASSING_STATUS = frozenset({408, 409, 425, 429})
TIMEOUT_STATUS = frozenset({408, 504})
# Answers of a service, or of what stands before it, that is there and cannot answer just now.
BUSY_STATUS = PASSING_STATUS | {502, 503, 504}
_SHOWN = 200
_DECODER = JSONDecoder()
_BETWEEN = re.compile(r"[\s,]*")

_ENVIRONMENT = re.compile(r"\$\{(\w+)\}")
_TELLING_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)


class StatusError(AttemptError):
    """The endpoint answered with a status that is no answer."""

    def __init__(
        self,
        status: int,
        kind: FailureKind,
        detail: str,
        *,
        wait: float | None = None,
        came: str | None = None,
    ) -> None:
        may_pass = status in PASSING_STATUS or status >= 500
        super().__init__(
            kind, detail, may_pass=may_pass, wait=wait, came=came, is_busy=status in BUSY_STATUS
        )
        self.status = status


class Endpoint:
    """One host with fixed headers; nothing that it raises holds a secret."""

    def __init__(
        self,
        url: str,
        options: WebOptions,
        *,
        key_variable: str | None = None,
        streams: bool = False,
    ) -> None:
        secrets: set[str] = set()
        self.url = expand(url, option="url", secrets=secrets)
        headers = {"Content-Type": "application/json"}
        if not streams:  # a stream that is packed comes too late to be read as it grows
            headers["Accept-Encoding"] = "gzip"
        if key_variable is not None:
            key = from_environment(key_variable, option="api_key_env")
            secrets.add(key)
            headers["Authorization"] = f"Bearer {key}"
        basic = basic_authorization(self.url)
        if basic is not None:
            headers["Authorization"] = basic
            secrets.add(unquote(urlsplit(self.url).password or ""))
        for name, value in options.headers.items():
            headers = {
                header: headers[header] for header in headers if header.lower() != name.lower()
            }
            headers[name] = expand(value, option=f"headers.{name}", secrets=secrets)
        parts = urlsplit(self.url)
        self.hide = hiding(headers, secrets)
        self._client = open_client(
            f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
            headers=headers,
            limit=options.concurrency,
            inside=options.inside,
        )

    async def post(self, url: str, body: bytes, *, method: str = "POST") -> Response:
        """A response with a good status; AttemptError for anything else."""
        return await self._call(method, url, body)

    async def get(self, url: str, query: Mapping[str, str] | None = None) -> Response:
        """The same without a body."""
        if query:
            url += ("&" if urlsplit(url).query else "?") + urlencode(query, quote_via=quote)
        return await self._call("GET", url, None)

    async def ask(self, url: str, question: Any, *, method: str = "POST") -> Any:
        """What the endpoint answers to one JSON document, decoded."""
        return self.decode(await self.post(url, msgspec.json.encode(question), method=method))

    async def ask_streaming(self, url: str, question: Any, listener: Listener) -> Any:
        """The same of a service that may stream: what it streams goes to `listener`, else decoded.

        None stands for an answer that was streamed.
        """
        body = msgspec.json.encode(question)
        heard = False

        def hear(piece: bytes) -> bool:
            nonlocal heard
            heard = True
            return listener(piece)

        response = await self._call("POST", url, body, listener=hear)
        if not heard and response.headers.get("content-type", "").startswith("text/event-stream"):
            hear(response.body)
        return None if heard else self.decode(response)

    def decode(self, response: Response) -> Any:
        """The body as one JSON document; AttemptError shows what it is instead."""
        try:
            return msgspec.json.decode(response.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._not_json(response, str(error)) from None

    def decode_all(self, response: Response) -> Sequence[Any]:
        """The body as JSON documents one after another, on lines of their own or spread over many."""
        text = response.body.decode("utf-8-sig", "replace")
        values: list[Any] = []
        at = _after_gap(text, 0)
        while at < len(text):
            try:
                value, at = _DECODER.raw_decode(text, at)
            except JSONDecodeError as error:
                told = f"answer {len(values) + 1}: {error.msg}"
                raise self._not_json(response, told) from None
            values.append(value)
            at = _after_gap(text, at)
        return values

    async def close(self) -> None:
        await self._client.close()

    async def _call(
        self, method: str, url: str, body: bytes | None, *, listener: Listener | None = None
    ) -> Response:
        try:
            response = await self._client.call(method, target_of(url), body, listener=listener)
        except ForbiddenError:
            raise
        except AttemptError as error:
            raise AttemptError(error.kind, self.hide(str(error)), may_pass=error.may_pass) from None
        if not 200 <= response.status < 300:
            raise self._refusal(response, url)
        return response

    def _refusal(self, response: Response, url: str) -> StatusError:
        status = response.status
        seen = self._seen(response) or "an empty body"
        kind: FailureKind = "error" if status >= 500 else "refused"
        if status in TIMEOUT_STATUS:
            kind = "timeout"
        told = f"{self.hide(plain_url(url))} answered {status} {response.reason}: {seen}"
        if 300 <= status < 400:
            told += " Redirects are not followed: give the final address."
        wait = retry_after(response.headers.get("retry-after", ""))
        return StatusError(status, kind, told, wait=wait, came=_text(response))

    def _not_json(self, response: Response, error: str) -> AttemptError:
        if not response.body.strip():
            return AttemptError("garbage", "The answer is empty; expected JSON.")
        what = "HTML" if _is_html(response) else "not JSON"
        told = f"The answer is {what}; expected JSON ({error}): {self._seen(response)}"
        return AttemptError("garbage", told, came=_text(response))

    def _seen(self, response: Response) -> str:
        # Hidden before it is cut, lest half a secret be left at the edge.
        return shorten(self.hide(_text(response).strip()), _SHOWN)


class WebRespondent:
    """What every kind of model behind an endpoint has in common."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def ready(self) -> bool:
        """Always: the first call connects."""
        return True

    async def start(self) -> None:
        """Nothing to do: the first call connects."""

    def memory(self) -> float | None:
        """Not known: the server is elsewhere."""
        return None

    def hide(self, text: str) -> str:
        """`text` without the secrets that the service was sent: some echo them."""
        return self._endpoint.hide(text)

    async def close(self) -> None:
        await self._endpoint.close()


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


def from_environment(name: str, *, option: str) -> str:
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


def hiding(headers: Mapping[str, str], secrets: Iterable[str]) -> Callable[[str], str]:
    """What takes the secrets, and the headers that hold keys, out of a text."""
    told = {
        word
        for name, value in headers.items()
        if _TELLING_HEADER.search(name)
        for word in (value, *value.split())
    }
    hidden = {secret for secret in {*secrets, *told} if len(secret) >= 4} - {"Bearer", "Basic"}
    longest_first = sorted({*hidden, *map(quote, hidden)}, key=len, reverse=True)

    def hide(text: str) -> str:
        for secret in longest_first:
            text = text.replace(secret, "***")
        return text

    return hide


def _text(response: Response) -> str:
    return response.body.decode("utf-8", "replace")


def _is_html(response: Response) -> bool:
    return "html" in response.headers.get("content-type", "") or response.body.lstrip()[:1] == b"<"


def _after_gap(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return at if match is None else match.end()
