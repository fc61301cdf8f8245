"""Somebody who is told of events: a server that keeps what it was sent, and answers as it is told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Subscriber:
    """What came, and with which status the next requests are answered."""

    address: str = ""
    status: int = 204
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def serve_subscriber() -> Iterator[Subscriber]:
    """A subscriber at a free port."""
    subscriber = Subscriber()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            subscriber.came.append((dict(self.headers.items()), body))
            self.send_response(subscriber.status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    subscriber.address = f"http://127.0.0.1:{server.server_address[1]}/hooks"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield subscriber
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)
