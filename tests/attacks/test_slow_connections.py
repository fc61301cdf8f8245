"""Connections that stand still: an outsider opens many, sends a byte now and then, and waits."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.attacked import NEIGHBOUR, STRANGER, ask, attacked_home, connect, read_answer
from support.serving import Server

MOST, PER_ADDRESS = 40, 12
# A client's close frame, masked with zeros.
GOODBYE = b"\x88\x82\0\0\0\0\x03\xe8"
HALF_A_HEAD = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: "


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with few places and little patience."""
    folder: Path = tmp_path_factory.mktemp("slow")
    limits = {
        "PALAVER_CONNECTIONS": str(MOST),
        "PALAVER_CONNECTIONS_PER_ADDRESS": str(PER_ADDRESS),
        "PALAVER_HEAD_SECONDS": "1.5",
        "PALAVER_BODY_SECONDS": "1.5",
    }
    with attacked_home(folder, **limits) as served:
        yield served


@pytest.fixture
def held() -> Iterator[list[socket.socket]]:
    """Connections that are closed at the end."""
    opened: list[socket.socket] = []
    yield opened
    for each in opened:
        each.close()


def whole_answer(opened: socket.socket) -> bytes:
    """An answer on a connection that stays open: its head and its body may come one by one."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += opened.recv(65536)
    head, _, body = got.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    assert length is not None
    while len(body) < int(length[1]):
        body += opened.recv(65536)
    return head


def test_heads_that_never_end_do_not_keep_others_out(
    server: Server, held: list[socket.socket]
) -> None:
    # As many as there are places, each from an address of its own, none of which ends its head.
    for number in range(MOST + 10):
        opened = connect(server, source=f"127.0.1.{number + 1}")
        opened.sendall(HALF_A_HEAD)
        held.append(opened)
    assert ask(server, "/health", source=NEIGHBOUR)[0] == 200
    assert "connections_full" in server.output()


def test_one_address_gets_its_share_and_no_more(server: Server, held: list[socket.socket]) -> None:
    for _ in range(PER_ADDRESS):
        opened = connect(server, source=STRANGER)
        opened.sendall(HALF_A_HEAD)
        held.append(opened)
    status, words = ask(server, "/health", source=STRANGER)
    assert (status, "busy" in words) in {(503, True), (0, False)}
    assert ask(server, "/health", source=NEIGHBOUR)[0] == 200
    line = next(line for line in server.output().splitlines() if "connections_refused" in line)
    # The network is named; the person is not.
    assert "127.0.0.0/24" in line
    assert STRANGER not in line


def test_a_head_that_takes_too_long_is_cut_off(server: Server) -> None:
    with connect(server, source=NEIGHBOUR) as opened:
        opened.sendall(HALF_A_HEAD)
        assert read_answer(opened)[0] == 408
    assert "slow_head" in server.output()


def test_a_second_head_on_a_kept_connection_is_no_slower(server: Server) -> None:
    with connect(server, source=NEIGHBOUR) as opened:
        opened.sendall(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        assert whole_answer(opened).startswith(b"HTTP/1.1 200")
        opened.sendall(HALF_A_HEAD)
        assert read_answer(opened)[0] == 408


def test_a_head_without_an_end_is_not_kept_in_memory(server: Server) -> None:
    with connect(server, source=NEIGHBOUR) as opened:
        opened.sendall(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n")
        filled = b"x-fill: " + b"a" * 8000 + b"\r\n"
        try:
            for _ in range(20):
                opened.sendall(filled)
        except OSError:
            pass  # it is closed while we still write
        assert read_answer(opened)[0] in {431, 0}
    assert "long_head" in server.output()


def test_a_body_that_stands_still_is_cut_off(server: Server) -> None:
    with connect(server, source=NEIGHBOUR) as opened:
        opened.sendall(
            b"POST /desk/sign-in HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100000\r\n"
            b"content-type: application/x-www-form-urlencoded\r\n\r\nname=a"
        )
        assert read_answer(opened)[0] == 0
    assert "slow_body" in server.output()
    assert "Traceback" not in server.output()


def test_a_socket_gives_its_place_back(server: Server) -> None:
    """Nobody has a seat here: the page's own refusal ends each of them."""
    for _ in range(PER_ADDRESS * 2):
        with connect(server, source=NEIGHBOUR) as opened:
            opened.sendall(
                b"GET /take/none/waiting/0 HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\n"
                b"connection: upgrade\r\nsec-websocket-version: 13\r\n"
                b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            )
            assert opened.recv(65536).startswith(b"HTTP/1.1 101")
            opened.sendall(GOODBYE)
            read_answer(opened)
    assert ask(server, "/health", source=NEIGHBOUR)[0] == 200
