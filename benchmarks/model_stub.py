"""A model that answers every question after 20 ms: a bare HTTP server that costs next to nothing.

Run: python -m benchmarks.model_stub --port PORT
"""

import argparse
import asyncio
from typing import Any

import httptools
import msgspec
import uvloop

DELAY = 0.020
HEALTH = b'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"status":"Healthy"}'


class Question(msgspec.Struct):
    """What is needed of a question."""

    uid: str = ""


class Stub(asyncio.Protocol):
    """One connection."""

    def __init__(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._body = b""
        self._decode = msgspec.json.Decoder(Question).decode

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_begin(self) -> None:
        self._body = b""

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        if self._parser.get_method() == b"GET":
            self._transport.write(HEALTH)
            return
        uid = self._decode(self._body).uid
        body = b'{"id": "%s", "label": "neutral"}' % uid.encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        answer = head % len(body) + body
        asyncio.get_running_loop().call_later(DELAY, self._transport.write, answer)


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    uvloop.run(_serve(arguments.parse_args().port))
