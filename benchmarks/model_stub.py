"""A model that answers every question after 20 ms: a bare HTTP server that costs next to nothing.

It speaks as TorchServe does, and as a language model behind /v1/chat/completions. It also keeps the
time for those who ask it: `GET /span` says how many questions came since the last such request, and
the seconds from the first question to the last answer. That clock is the same for every program.

Run: python -m benchmarks.model_stub --port PORT
"""

import argparse
import asyncio
import time
from typing import Any

import httptools
import msgspec
import uvloop

DELAY = 0.020
LABEL = b"neutral"
HEALTH = b'{"status":"Healthy"}'
COMPLETION = (
    b'{"id":"chatcmpl-stub","object":"chat.completion","created":1700000000,"model":"stub",'
    b'"choices":[{"index":0,"message":{"role":"assistant","content":"%s"},"logprobs":null,'
    b'"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":40,"completion_tokens":1,"total_tokens":41}}'
) % LABEL
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


class Question(msgspec.Struct):
    """What is needed of a question."""

    uid: str = ""


class Span:
    """The questions that came, and the time from the first of them to the last answer."""

    def __init__(self) -> None:
        self.asked = 0
        self._first = 0.0
        self._last = 0.0

    def ask(self) -> None:
        """Count a question."""
        if not self.asked:
            self._first = time.perf_counter()
        self.asked += 1

    def answer(self) -> None:
        """Note that an answer goes out."""
        self._last = time.perf_counter()

    def told(self) -> bytes:
        """The span as JSON; the next question begins a new one."""
        seconds = self._last - self._first
        told = msgspec.json.encode({"asked": self.asked, "seconds": seconds})
        self.asked = 0
        return told


class Stub(asyncio.Protocol):
    """One connection."""

    def __init__(self, span: Span) -> None:
        self._span = span
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._body = b""
        self._decode = msgspec.json.Decoder(Question).decode

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_begin(self) -> None:
        self._url = b""
        self._body = b""

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        if self._parser.get_method() == b"GET":
            self._write(self._span.told() if self._url == b"/span" else HEALTH)
            return
        self._span.ask()
        asyncio.get_running_loop().call_later(DELAY, self._answer, self._reply())

    def _reply(self) -> bytes:
        if self._url.endswith(b"/chat/completions"):
            return COMPLETION
        uid = self._decode(self._body).uid
        return b'{"id": "%s", "label": "%s"}' % (uid.encode(), LABEL)

    def _answer(self, body: bytes) -> None:
        self._write(body)
        self._span.answer()

    def _write(self, body: bytes) -> None:
        self._transport.write(HEAD % len(body) + body)


async def listen(port: int) -> asyncio.Server:
    """A stub that listens on this port; 0: any that is free."""
    span = Span()
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: Stub(span), "127.0.0.1", port, backlog=1024)


async def _serve(port: int) -> None:
    await (await listen(port)).serve_forever()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    uvloop.run(_serve(arguments.parse_args().port))
