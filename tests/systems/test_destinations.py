"""Connections go to the address that was looked at, and carry the name."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from palaver.core.errors import InputError
from palaver.systems.attempt import ForbiddenError
from palaver.systems.web import client, destinations, download
from palaver.systems.web.client import DirectClient


class Seen(BaseHTTPRequestHandler):
    """Notes who was asked by which name, and redirects whoever asks for it."""

    asked: ClassVar[list[tuple[str, str, str]]] = []

    def do_GET(self) -> None:
        here = str(self.connection.getsockname()[0])
        self.asked.append((here, self.headers["Host"], self.headers.get("Authorization", "")))
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", "http" + self.path.removeprefix("/to/http"))
            self.send_header("Content-Length", "0")
        else:
            self.send_response(200)
            self.send_header("Content-Length", "2")
        self.end_headers()
        if not self.path.startswith("/to/"):
            self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    """A server at every address of the loopback network."""
    Seen.asked.clear()
    server = ThreadingHTTPServer(("0.0.0.0", 0), Seen)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Where names lead, one look-up after the other; 127.0.0.2 to .9 stand for public addresses."""
    led: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def look_up(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host not in led:
            return real(host, port, *args, **options)
        address = led[host].pop(0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def stands_for_public(address: str) -> bool:
        return address.startswith("127.0.0.") and 2 <= int(address.rpartition(".")[2]) <= 9

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    for module in (destinations, download):
        monkeypatch.setattr(module, "is_public", stands_for_public)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return led


@pytest.mark.asyncio
async def test_a_name_is_resolved_once_for_a_connection(
    port: int, names: dict[str, list[str]]
) -> None:
    names["model.test"] = ["127.0.0.2", "127.0.0.1"]
    asked = DirectClient(f"http://model.test:{port}", headers={}, limit=1, inside=False)
    try:
        assert (await asked.call("GET", "/")).body == b"ok"
    finally:
        await asked.close()
    assert Seen.asked == [("127.0.0.2", f"model.test:{port}", "")]
    # The next connection is looked at anew.
    again = DirectClient(f"http://model.test:{port}", headers={}, limit=1, inside=False)
    with pytest.raises(ForbiddenError, match=r"'model\.test' is not on a public address"):
        await again.call("GET", "/")
    assert len(Seen.asked) == 1


@pytest.mark.asyncio
async def test_the_other_end_is_looked_at_too(
    port: int, names: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def believes_anything(host: str, port: int, *, inside: object) -> list[Any]:
        return [destinations.Destination(socket.AF_INET, "127.0.0.1", port)]

    monkeypatch.setattr(client, "resolve_beside", believes_anything)
    asked = DirectClient(f"http://model.test:{port}", headers={}, limit=1, inside=False)
    with pytest.raises(ForbiddenError):
        await asked.call("GET", "/")
    assert Seen.asked == []


def test_redirects_are_followed_between_public_hosts_without_credentials(
    port: int, names: dict[str, list[str]]
) -> None:
    names |= {"one.test": ["127.0.0.2"], "two.test": ["127.0.0.3"]}
    url = f"http://ann:secret@one.test:{port}/to/http://two.test:{port}/a.jsonl"
    assert b"".join(download.download(url, inside=False)) == b"ok"
    assert [(here, bool(key)) for here, _, key in Seen.asked] == [
        ("127.0.0.2", True),
        ("127.0.0.3", False),
    ]


@pytest.mark.parametrize("inside", [False, True, ["one.test"]])
def test_a_public_host_does_not_lead_inside(
    port: int, names: dict[str, list[str]], inside: bool | list[str]
) -> None:
    """Not even an owner, who may name any host: where it leads to is the host's word."""
    names |= {"one.test": ["127.0.0.2"], "two.test": ["127.0.0.1"]}
    url = f"http://one.test:{port}/to/http://two.test:{port}/a.jsonl"
    with pytest.raises(InputError, match=r"'two\.test' is not on a public address"):
        list(download.download(url, inside=inside))
    assert len(Seen.asked) == 1


def test_redirects_come_to_an_end(port: int, names: dict[str, list[str]]) -> None:
    names["one.test"] = ["127.0.0.2"] * 20
    url = f"http://one.test:{port}" + f"/to/http://one.test:{port}" * 8 + "/a.jsonl"
    with pytest.raises(InputError, match="redirects more than 5 times"):
        list(download.download(url, inside=False))


def test_https_does_not_lead_to_http() -> None:
    hop = download._Hop("https://one.test/a", False)
    with pytest.raises(InputError, match="redirects from https to http"):
        download._next(hop, "http://one.test/a", True)


def test_a_download_has_an_end(port: int, names: dict[str, list[str]]) -> None:
    names["one.test"] = ["127.0.0.2"]
    moments = iter([0.0, 10.0])
    with pytest.raises(InputError, match=r"took longer than 0\.1 minutes"):
        list(
            download.download(
                f"http://one.test:{port}/a",
                inside=False,
                most_seconds=6,
                clock=lambda: next(moments),
            )
        )
