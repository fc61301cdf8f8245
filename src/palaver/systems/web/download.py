"""A file from an address that came from outside: block by block, redirects looked at one by one.

The host that somebody named may lie inside this network where `inside` allows it. Where it redirects
to is the host's word, not theirs: after a public address only public ones are followed.
"""

import http.client
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from palaver.core.errors import InputError
from palaver.systems.web.addresses import basic_authorization, plain_url, target_of
from palaver.systems.web.destinations import (
    Destination,
    Inside,
    check_peer,
    is_public,
    resolve,
)

BLOCK = 1 << 20
# How long one step may take, and all of them together.
STEP_SECONDS = 60.0
MOST_SECONDS = 3600.0
MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class _Hop:
    """One request of a download: where to, and whether it may lead inside."""

    url: str
    inside: Inside
    # Only the first one carries what stands before the @ of its address.
    authorization: str | None = None

    @property
    def parts(self) -> SplitResult:
        return urlsplit(self.url)


def download(
    url: str,
    *,
    inside: Inside,
    most_seconds: float = MOST_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[bytes]:
    """The blocks of the file at an address; InputError says why there are none."""
    deadline = clock() + most_seconds
    with _opened(_Hop(url, inside, basic_authorization(url))) as response:
        declared = response.headers.get("Content-Length", "")
        got = 0
        while block := response.read(BLOCK):
            got += len(block)
            yield block
            if clock() > deadline:
                raise InputError(
                    f"{plain_url(url)} took longer than {most_seconds / 60:g} minutes. Download it "
                    "yourself and give the file."
                )
        if declared.isdecimal() and got < int(declared):
            raise InputError(
                f"{plain_url(url)} ended after {got:,} of {int(declared):,} bytes. Try again."
            )


@contextmanager
def _opened(hop: _Hop) -> Iterator[http.client.HTTPResponse]:
    """The response at the end of the redirects."""
    for _ in range(MOST_REDIRECTS + 1):
        connection, led_outside = _asked(hop)
        try:
            response = connection.getresponse()
            if response.status not in _REDIRECTS:
                _check_status(hop.url, response.status)
                yield response
                return
            hop = _next(hop, response.headers.get("Location", ""), led_outside)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _unreachable(hop.url, error) from error
        finally:
            connection.close()
    raise InputError(f"{plain_url(hop.url)} redirects more than {MOST_REDIRECTS} times.")


def _next(hop: _Hop, location: str, led_outside: bool) -> _Hop:
    """Where a redirect leads, if it may be followed."""
    there = urljoin(hop.url, location)
    parts, before = urlsplit(there), hop.parts
    if not location or parts.scheme not in _PORTS or not parts.hostname:
        raise InputError(f"{plain_url(hop.url)} redirects to something that is not an address.")
    if before.scheme == "https" and parts.scheme == "http":
        raise InputError(
            f"{plain_url(hop.url)} redirects from https to http, which is not followed. Give the "
            "final address."
        )
    # An owner who named a host of this network meant that one host.
    same_place = not led_outside and parts.hostname == before.hostname
    inside = hop.inside if same_place or not isinstance(hop.inside, bool) else False
    return _Hop(there, inside)


def _asked(hop: _Hop) -> tuple[http.client.HTTPConnection, bool]:
    """A connection on which the request was sent, and whether it leads to a public address."""
    try:
        parts = hop.parts
        host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    except (KeyError, ValueError) as error:
        raise InputError(f"'{plain_url(hop.url)[:200]}' is not an http(s) address.") from error
    destinations = resolve(host, port, inside=hop.inside)
    proxy = _proxy(parts.scheme, host)
    headers = {"User-Agent": "palaver", "Accept-Encoding": "identity", "Connection": "close"}
    if hop.authorization:
        headers["Authorization"] = hop.authorization
    try:
        if proxy is None:
            connection = _connected(parts.scheme, host, port, destinations, hop.inside)
            target = target_of(hop.url)
        else:
            connection, target, passed = _through(proxy, hop.url, host, port)
            headers |= passed
        connection.request("GET", target, headers={"Host": _host_header(parts), **headers})
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _unreachable(hop.url, error) from error
    return connection, all(is_public(each.address) for each in destinations)


def _connected(
    scheme: str, host: str, port: int, destinations: Sequence[Destination], inside: Inside
) -> http.client.HTTPConnection:
    """A connection to one of the addresses that were looked at; the certificate must be the name's."""
    reached = _reached([(each.address, each.port) for each in destinations])
    try:
        check_peer(host, reached.getpeername(), inside=inside)
        if scheme == "https":
            reached = ssl.create_default_context().wrap_socket(reached, server_hostname=host)
    except BaseException:
        reached.close()
        raise
    connection = http.client.HTTPConnection(host, port, timeout=STEP_SECONDS)
    connection.sock = reached
    return connection


def _reached(places: list[tuple[str, int]]) -> socket.socket:
    for place in places[:-1]:
        try:
            return socket.create_connection(place, STEP_SECONDS)
        except OSError:
            continue
    return socket.create_connection(places[-1], STEP_SECONDS)


def _through(
    proxy: str, url: str, host: str, port: int
) -> tuple[http.client.HTTPConnection, str, dict[str, str]]:
    """A connection through the proxy that the environment names, its target and further headers.

    The proxy resolves the name once more: its own rules keep it out of the inside.
    """
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    at = parts.hostname or "", parts.port or 80
    pass_on = basic_authorization(parts.geturl())
    extra = {"Proxy-Authorization": pass_on} if pass_on else {}
    if url.startswith("https:"):
        tunnelled = http.client.HTTPSConnection(*at, timeout=STEP_SECONDS)
        tunnelled.set_tunnel(host, port, headers=extra)
        return tunnelled, target_of(url), {}
    plain = http.client.HTTPConnection(*at, timeout=STEP_SECONDS)
    return plain, f"http://{_host_header(urlsplit(url))}{target_of(url)}", extra


def _proxy(scheme: str, host: str) -> str | None:
    return None if proxy_bypass(host) else getproxies().get(scheme)


def _host_header(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _check_status(url: str, status: int) -> None:
    if status != 200:
        phrase = http.client.responses.get(status, "")
        raise InputError(
            f"{plain_url(url)} answered {status} {phrase}".rstrip()
            + ". Does it open in a browser without signing in?"
        )


def _unreachable(url: str, error: Exception) -> InputError:
    return InputError(
        f"{plain_url(url)} cannot be reached ({_why(error)}). Check the address and the network, or "
        "download the file yourself and give its path."
    )


def _why(error: Exception) -> str:
    """What went wrong on the way, without a word of what was sent."""
    if isinstance(error, OSError):
        return str(error)
    return "its answer is not HTTP" if isinstance(error, http.client.HTTPException) else str(error)
