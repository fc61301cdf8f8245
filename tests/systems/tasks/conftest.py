"""What the tests of predictors share: predictors that are closed, and servers that misbehave."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from palaver.systems.build import build_predictor

Talk = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


@pytest_asyncio.fixture
async def build(tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """Builds predictors without pauses, and closes them after the test."""
    built: list[Any] = []

    def make(kind: str, **options: Any) -> Any:
        predictor = build_predictor(kind, {"backoff": 0.0, **options}, folder=tmp_path)
        built.append(predictor)
        return predictor

    yield make
    for predictor in built:
        await predictor.close()


class RawServer:
    """Reads whole requests and lets `talk` write whatever bytes it likes."""

    def __init__(self, talk: Talk, ssl: Any = None) -> None:
        self.talk = talk
        self.ssl = ssl
        self.connections = 0
        self.requests: list[bytes] = []
        self.url = ""
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.ssl)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"{'https' if self.ssl else 'http'}://127.0.0.1:{port}"

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = 0
                for line in head.split(b"\r\n"):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                body = await reader.readexactly(length) if length else b""
                self.requests.append(head + body)
                await self.talk(head + body, writer)
                if writer.is_closing():
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return


@pytest_asyncio.fixture
async def raw() -> AsyncIterator[Callable[..., Awaitable[RawServer]]]:
    """Starts servers that speak bytes."""
    servers: list[RawServer] = []

    async def start(talk: Talk, ssl: Any = None) -> RawServer:
        server = RawServer(talk, ssl)
        servers.append(server)
        await server.start()
        return server

    yield start
    for server in servers:
        await server.stop()


def good(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A proper response."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.fixture(name="good")
def good_fixture() -> Callable[..., bytes]:
    return good


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The servers of these tests are on this machine, whatever the environment says."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
