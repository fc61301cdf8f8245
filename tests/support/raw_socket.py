"""A WebSocket client that can break the rules: frames are built by hand, byte by byte."""

import asyncio
import base64
import json
import os
from typing import Any
from urllib.parse import urlsplit

from yarl import URL

from support.participants import Participant

TEXT, BINARY, CLOSE, PING, PONG, MORE = 0x1, 0x2, 0x8, 0x9, 0xA, 0x0


class RawSocket:
    """One connection; `receive` gives (opcode, payload)."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, person: Participant, url: str, **headers: str) -> "RawSocket":
        """Shake hands as this person's browser would."""
        address = urlsplit(url)
        cookies = person.session.cookie_jar.filter_cookies(URL(url))
        lines = {
            "Host": address.netloc,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Version": "13",
            "Cookie": "; ".join(f"{name}={morsel.value}" for name, morsel in cookies.items()),
            **headers,
        }
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"GET {address.path} HTTP/1.1\r\n{head}\r\n".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 101"), answer
        return cls(reader, writer)

    def send(self, opcode: int, payload: bytes, *, final: bool = True, masked: bool = True) -> None:
        """Send one frame."""
        self._writer.write(frame(opcode, payload, final=final, masked=masked))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)

    async def receive(self, *, seconds: float = 60.0) -> tuple[int, bytes]:
        """The next frame."""
        async with asyncio.timeout(seconds):
            first, size = await self._reader.readexactly(2)
            if size == 126:
                size = int.from_bytes(await self._reader.readexactly(2))
            elif size == 127:
                size = int.from_bytes(await self._reader.readexactly(8))
            return first & 0xF, await self._reader.readexactly(size)

    async def receive_json(self, kind: str, *, seconds: float = 60.0) -> dict[str, Any]:
        """The next text frame of this type; others are passed over."""
        async with asyncio.timeout(seconds):
            while True:
                opcode, payload = await self.receive(seconds=seconds)
                if opcode == TEXT and (content := json.loads(payload))["type"] == kind:
                    return dict(content)

    async def hello(self) -> None:
        """Say hello and wait until the page is up to date."""
        self.send(TEXT, b'{"type":"hello","after":0}')
        await self.receive_json("ready")

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


def frame(opcode: int, payload: bytes, *, final: bool = True, masked: bool = True) -> bytes:
    """The bytes of one frame from a client."""
    size = len(payload)
    flag = 0x80 if masked else 0
    head = bytes((opcode | (0x80 if final else 0),))
    if size < 126:
        head += bytes((flag | size,))
    elif size < 65536:
        head += bytes((flag | 126,)) + size.to_bytes(2)
    else:
        head += bytes((flag | 127,)) + size.to_bytes(8)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[n % 4] for n, byte in enumerate(payload))
