"""Sockets counted by address, and what a server is told about its limits."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from palaver.core.errors import InputError
from palaver.web.connections import TRY_AGAIN_LATER, SocketLimit
from palaver.web.settings import Settings


class OpenSocket:
    """A socket from an address, as a server would offer it."""

    def __init__(self, address: str) -> None:
        self.scope: Scope = {
            "type": "websocket",
            "client": (address, 1),
            "path": "/",
            "headers": [],
        }
        self.sent: list[Message] = []

    async def receive(self) -> Message:
        return {"type": "websocket.connect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)


@pytest.mark.asyncio
async def test_an_address_has_its_share_of_sockets() -> None:
    closing = asyncio.Event()

    async def stays_open(scope: Scope, receive: Receive, send: Send) -> None:
        await closing.wait()

    limit = SocketLimit(stays_open, per_address=2)

    def opened(address: str) -> tuple[OpenSocket, "asyncio.Task[None]"]:
        socket = OpenSocket(address)
        return socket, asyncio.ensure_future(limit(socket.scope, socket.receive, socket.send))

    mine = [opened("192.0.2.9") for _ in range(3)]
    others = opened("192.0.2.10")
    # The proxy itself, where it names nobody.
    proxys = [opened("127.0.0.1") for _ in range(3)]
    await mine[2][1]
    assert mine[2][0].sent == [{"type": "websocket.close", "code": TRY_AGAIN_LATER}]
    assert not any(task.done() for _, task in [*mine[:2], others, *proxys])
    closing.set()
    await asyncio.gather(*(task for _, task in [*mine, others, *proxys]))
    again, task = opened("192.0.2.9")
    await task
    assert again.sent == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PALAVER_CONNECTIONS", "0", "takes a number from 1; got 0"),
        ("PALAVER_HEAD_SECONDS", "nan", "takes a number from 0.1; got nan"),
        ("PALAVER_BODY_SECONDS", "soon", "takes a number; got 'soon'"),
        ("PALAVER_HOSTS", "https://talk.example.org", "takes names such as talk.example.org"),
    ],
)
def test_a_limit_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=said):
        Settings()


def test_hosts_are_named_or_follow_from_the_public_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PALAVER_HOSTS", raising=False)
    monkeypatch.delenv("PALAVER_PUBLIC_URL", raising=False)
    assert Settings().hosts == ()
    monkeypatch.setenv("PALAVER_PUBLIC_URL", "https://Talk.example.org:8443/x")
    assert Settings().hosts == ("talk.example.org",)
    monkeypatch.setenv("PALAVER_HOSTS", "a.example, *.b.example")
    assert Settings().hosts == ("a.example", "*.b.example")
