"""The load generator: thousands of sockets in one process that is cheaper than any server here.

Raw asyncio protocols on uvloop, WebSocket frames made by hand (with a mask of zeros, which the server
must still apply), and no JSON parsing: a message begins with its id, by which its frame is told. Reads a
plan as JSON from standard input and writes what it measured as JSON to standard output.

Closed loop: each pair has one message in flight, sent in turn by its two seats; the next one goes out
when both have seen it. Open loop: messages go out at a fixed rate, whatever comes back.

Run: python -m benchmarks.load < plan.json
"""

import asyncio
import base64
import json
import os
import resource
import sys
import time
from array import array
from dataclasses import asdict, dataclass, field

import uvloop

from benchmarks.processes import cpu_seconds, resident_bytes

clock = time.perf_counter
HELLO = b'{"type":"hello","after":0}'
TEXT, ERROR = b'"text":"', b'{"type":"error"'
CONNECT_AT_ONCE = 50


def frame(payload: bytes) -> bytes:
    """A client's text frame, masked with zeros."""
    size = len(payload)
    if size < 126:
        return bytes((0x81, 0x80 | size)) + b"\0\0\0\0" + payload
    return bytes((0x81, 0x80 | 126)) + size.to_bytes(2) + b"\0\0\0\0" + payload


@dataclass(slots=True)
class Measured:
    """What one phase of load came to; times in milliseconds."""

    messages: int = 0
    seconds: float = 0.0
    ack_p50: float = 0.0
    ack_p99: float = 0.0
    partner_p50: float = 0.0
    partner_p99: float = 0.0
    worst: float = 0.0
    # How late the generator itself was, where it had a schedule.
    lag_p99: float = 0.0
    server_cpu: float = 0.0
    client_cpu: float = 0.0
    errors: list[str] = field(default_factory=list)


class Pair:
    """Two sockets that talk with each other."""

    def __init__(self, number: int, run: "Run") -> None:
        self.number = number
        self.run = run
        self.sockets: list[Client] = []
        self.count = 0
        self.sent: dict[bytes, tuple[float, int]] = {}

    def send(self) -> None:
        """Let the seat whose turn it is say something."""
        seat = self.count & 1
        self.count += 1
        message_id = b"%s%x-%x" % (self.run.prefix, self.number, self.count)
        payload = self.run.message % (message_id, message_id)
        self.sent[message_id] = (clock(), seat)
        self.sockets[seat].transport.write(frame(payload))

    def heard(self, seat: int, payload: bytes) -> None:
        """A frame came: take the time if it is one of ours."""
        start = payload.find(TEXT)
        if start < 0:
            if payload.startswith(ERROR):
                self.run.fail(payload)
            return
        start += len(TEXT)
        message_id = payload[start : payload.find(b" ", start)]
        known = self.sent.get(message_id)
        if known is None:
            return
        began, sender = known
        took = clock() - began
        if seat == sender:
            self.run.acks.append(took)
        else:
            self.run.receipts.append(took)
        # Half of it is there; the other half closes it.
        if began > 0 and message_id in self.run.half:
            self.run.half.discard(message_id)
            del self.sent[message_id]
            self.run.delivered += 1
            if self.run.closed_loop:
                self.send()
        else:
            self.run.half.add(message_id)


class Client(asyncio.Protocol):
    """One socket: the handshake, then frames."""

    def __init__(self, pair: Pair, seat: int, request: bytes, ready: asyncio.Future[None]) -> None:
        self.pair = pair
        self.seat = seat
        self.request = request
        self.ready = ready
        self.transport: asyncio.Transport
        self.buffer = b""
        self.open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        self.transport.write(self.request)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ready.done():
            self.ready.set_exception(
                ConnectionError(f"closed before it was ready: {self.buffer!r}")
            )
        elif not self.pair.run.over:
            self.pair.run.fail(b"a socket was closed")

    def data_received(self, data: bytes) -> None:
        if self.buffer:
            data = self.buffer + data
        if not self.open:
            head, separator, data = data.partition(b"\r\n\r\n")
            if not separator:
                self.buffer = head
                return
            if b" 101 " not in head[:16]:
                self.buffer = head
                self.transport.close()
                return
            self.open = True
            self.transport.write(frame(HELLO))
        start, have = 0, len(data)
        while have - start >= 2:
            size, offset = data[start + 1], start + 2
            if size == 126:
                if have - start < 4:
                    break
                size, offset = data[start + 2] << 8 | data[start + 3], start + 4
            end = offset + size
            if end > have:
                break
            self.take(data[start], data[offset:end])
            start = end
        self.buffer = data[start:]

    def take(self, first: int, payload: bytes) -> None:
        if first == 0x81:
            if self.ready.done():
                self.pair.heard(self.seat, payload)
            elif payload.startswith(b'{"type":"ready"'):
                self.ready.set_result(None)
        elif first == 0x89:
            self.transport.write(bytes((0x8A, 0x80 | len(payload))) + b"\0\0\0\0" + payload)
        elif first == 0x88:
            self.pair.run.fail(b"the server closed a socket: " + payload)


class Run:
    """All pairs, and what is being measured."""

    def __init__(self, plan: dict) -> None:
        self.plan = plan
        self.pairs = [Pair(n, self) for n in range(len(plan["pairs"]))]
        self.prefix = base64.b32encode(os.urandom(5)).lower() + b"-"
        text = json.dumps(plan["text"]).encode()[1:].replace(b"%", b"%%")
        self.message = (
            b'{"type":"move","id":"%s","action":"message","data":{"text":"%s ' + text + b"}}"
        )
        self.closed_loop = False
        self.over = False
        self.errors: list[str] = []
        self.reset()

    def reset(self) -> None:
        """Begin to measure anew; what is in flight is counted when it arrives."""
        self.acks = array("d")
        self.receipts = array("d")
        self.lags = array("d")
        self.half: set[bytes] = getattr(self, "half", set())
        self.delivered = 0

    def fail(self, what: bytes) -> None:
        """Remember something that should not happen."""
        if len(self.errors) < 20:
            self.errors.append(what.decode(errors="replace"))

    async def connect(self) -> None:
        """Open every socket and wait until each is up to date."""
        gate = asyncio.Semaphore(CONNECT_AT_ONCE)

        async def one(pair: Pair, seat: int, path: str, cookie: str) -> Client:
            async with gate:
                return await self._open(pair, seat, path, cookie)

        for pair in self.pairs:
            pair.sockets = [None, None]  # type: ignore[list-item]
        opened = [
            one(pair, seat, end["path"], end["cookie"])
            for pair, ends in zip(self.pairs, self.plan["pairs"], strict=True)
            for seat, end in enumerate(ends)
        ]
        for client in await asyncio.gather(*opened):
            client.pair.sockets[client.seat] = client

    async def _open(self, pair: Pair, seat: int, path: str, cookie: str) -> Client:
        loop = asyncio.get_running_loop()
        key = base64.b64encode(os.urandom(16)).decode()
        request = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.plan['port']}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            + (f"Cookie: {cookie}\r\n" if cookie else "")
            + "\r\n"
        ).encode()
        ready: asyncio.Future[None] = loop.create_future()
        _, client = await loop.create_connection(
            lambda: Client(pair, seat, request, ready), "127.0.0.1", self.plan["port"]
        )
        await asyncio.wait_for(ready, 60)
        return client

    async def measure(self, seconds: float) -> Measured:
        """Take the time for a while."""
        pid = self.plan["pid"]
        self.reset()
        began, server, own = clock(), cpu_seconds(pid), time.process_time()
        await asyncio.sleep(seconds)
        lasted = clock() - began
        server, own = cpu_seconds(pid) - server, time.process_time() - own
        acks, receipts, lags = sorted(self.acks), sorted(self.receipts), sorted(self.lags)
        return Measured(
            messages=self.delivered,
            seconds=lasted,
            ack_p50=1000 * quantile(acks, 0.5),
            ack_p99=1000 * quantile(acks, 0.99),
            partner_p50=1000 * quantile(receipts, 0.5),
            partner_p99=1000 * quantile(receipts, 0.99),
            worst=1000 * max(acks[-1:] + receipts[-1:], default=0.0),
            lag_p99=1000 * quantile(lags, 0.99),
            server_cpu=server,
            client_cpu=own,
            errors=list(self.errors),
        )

    async def closed(self, *, warm_up: float, seconds: float) -> Measured:
        """As fast as the answers come."""
        self.closed_loop = True
        for pair in self.pairs:
            pair.send()
        await asyncio.sleep(warm_up)
        measured = await self.measure(seconds)
        self.closed_loop = False
        await self.settle()
        return measured

    async def open_rate(self, rate: float, *, warm_up: float, seconds: float) -> Measured:
        """At a fixed rate."""
        sending = asyncio.create_task(self._send_at(rate, warm_up + seconds))
        await asyncio.sleep(warm_up)
        measured = await self.measure(seconds)
        await sending
        await self.settle()
        return measured

    async def _send_at(self, rate: float, seconds: float) -> None:
        began, due = clock(), 0
        total = int(rate * seconds)
        while due < total:
            now = clock() - began
            while due < total and due / rate <= now:
                self.lags.append(now - due / rate)
                self.pairs[due % len(self.pairs)].send()
                due += 1
            await asyncio.sleep(max(0.0, due / rate - (clock() - began)))

    async def settle(self) -> None:
        """Wait until nothing is in flight."""
        for _ in range(200):
            if not any(pair.sent for pair in self.pairs):
                return
            await asyncio.sleep(0.05)
        self.fail(b"messages were still in flight after 10 s")
        for pair in self.pairs:
            pair.sent.clear()
        self.half.clear()


def quantile(ordered: list[float], q: float) -> float:
    """A quantile of an ordered list; 0 of an empty one."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * q))] if ordered else 0.0


async def carry_out(plan: dict) -> dict:
    """Connect, load in the ways the plan asks for, and say what was measured."""
    run = Run(plan)
    before = resident_bytes(plan["pid"])
    began = clock()
    await run.connect()
    result: dict = {
        "sockets": 2 * len(run.pairs),
        "connected_in": clock() - began,
        "rss_before": before,
    }
    await asyncio.sleep(plan.get("rest", 1.0))
    result["rss_connected"] = resident_bytes(plan["pid"])
    if "closed" in plan:
        result["closed"] = asdict(await run.closed(**plan["closed"]))
    if "open" in plan:
        result["open"] = asdict(await run.open_rate(**plan["open"]))
    result["rss_after"] = resident_bytes(plan["pid"])
    run.over = True
    for pair in run.pairs:
        for client in pair.sockets:
            client.transport.abort()
    return result


def main() -> None:
    """Read the plan, carry it out, print what came of it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    plan = json.load(sys.stdin)
    result = uvloop.run(carry_out(plan))
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
