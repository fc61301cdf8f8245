"""A server to attack: the made home, rebuilt in a folder and served for real, with small limits."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from support.made_home import rebuild_home
from support.serving import Server, start_server

# Our own addresses on the loopback network: each looks like another visitor.
STRANGER = "127.0.0.66"
NEIGHBOUR = "127.0.0.77"


@contextmanager
def attacked_home(
    folder: Path, *, settings: str | None = None, **environment: str
) -> Iterator[Server]:
    """The made home, served until the block is left; `settings` is its palaver.yaml."""
    home = rebuild_home(folder / "home")
    if settings is not None:
        (home / "palaver.yaml").write_text(settings, encoding="utf-8")
    known = {"PALAVER_HOSTS": "", "PALAVER_PUBLIC_URL": "", **environment}
    path = os.environ.get("PYTHONPATH", "")
    if "PYTHONPATH" in known:
        known["PYTHONPATH"] = os.pathsep.join(filter(None, (known["PYTHONPATH"], path)))
    server = start_server(home, home=home, environment=known)
    try:
        yield server
    finally:
        server.stop()


def port_of(server: Server) -> int:
    """The port it listens on."""
    return urlsplit(server.base).port or 0


def connect(server: Server, *, source: str = "127.0.0.1", timeout: float = 120.0) -> socket.socket:
    """A connection from one of our addresses on the loopback network."""
    return socket.create_connection(
        ("127.0.0.1", port_of(server)), timeout=timeout, source_address=(source, 0)
    )


def ask(
    server: Server,
    target: str,
    *,
    method: str = "GET",
    source: str = "127.0.0.1",
    body: bytes = b"",
    **headers: str,
) -> tuple[int, str]:
    """The status and the text of what comes back to a request written by hand."""
    lines = {"host": "127.0.0.1", "connection": "close", **headers}
    if body:
        lines.setdefault("content-length", str(len(body)))
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    with connect(server, source=source) as opened:
        # A server may answer and close before it has read all of a body.
        with suppress(BrokenPipeError, ConnectionResetError):
            opened.sendall(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body)
        return read_answer(opened)


def read_answer(opened: socket.socket) -> tuple[int, str]:
    """The status and the text of an answer that ends with its connection; 0 if none came."""
    content = b""
    while True:
        try:
            block = opened.recv(65536)
        except ConnectionResetError:
            break
        if not block:
            break
        content += block
    head, _, rest = content.partition(b"\r\n\r\n")
    status = head.split(b" ")[1] if head.startswith(b"HTTP/1.1 ") else b"0"
    return int(status), rest.decode("utf-8", "replace")
