"""The HTTP client against servers that speak bytes: framing, reuse, limits and everything unkind."""

import asyncio
import gzip
import shutil
import ssl
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.systems.attempt import AttemptError
from palaver.systems.web.addresses import basic_authorization, target_of
from palaver.systems.web.client import DirectClient, ProxiedClient, open_client

pytestmark = pytest.mark.asyncio


async def call(server: Any, body: bytes | None = b"{}", **options: Any) -> Any:
    client = DirectClient(server.url, headers={}, **{"limit": 1, **options})
    try:
        return await client.call("POST" if body is not None else "GET", "/x", body)
    finally:
        await client.close()


async def failure(server: Any, **options: Any) -> AttemptError:
    with pytest.raises(AttemptError) as caught:
        await call(server, **options)
    return caught.value


def saying(*pieces: bytes, close: bool = False, pause: float = 0.0) -> Any:
    """A server's side of a talk: these pieces, one after another."""

    async def talk(request: bytes, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
        if close:
            writer.close()

    return talk


async def test_a_request_is_what_the_server_reads(raw: Any, good: Any) -> None:
    server = await raw(saying(good(b"yes", "X-One: 1")))
    client = DirectClient(server.url, headers={"X-Key": "k"}, limit=1)

    response = await client.call("POST", "/a?b=c", b"body")
    await client.close()

    host = server.url.removeprefix("http://")
    assert server.requests == [
        f"POST /a?b=c HTTP/1.1\r\nHost: {host}\r\nX-Key: k\r\nContent-Length: 4\r\n\r\nbody".encode()
    ]
    assert (response.status, response.reason, response.body) == (200, "OK", b"yes")
    assert response.headers["x-one"] == "1"


async def test_one_connection_serves_many_calls(raw: Any, good: Any) -> None:
    server = await raw(saying(good(b"yes")))
    client = DirectClient(server.url, headers={}, limit=1)

    for _ in range(5):
        await client.call("POST", "/", b"{}")
    await client.close()

    assert (server.connections, len(server.requests)) == (1, 5)


async def test_calls_at_a_time_are_as_many_as_the_limit(raw: Any, good: Any) -> None:
    server = await raw(saying(good(b"yes"), pause=0.01))
    client = DirectClient(server.url, headers={}, limit=3)

    responses = await asyncio.gather(*(client.call("POST", "/", b"{}") for _ in range(12)))
    await client.close()

    assert server.connections == 3
    assert [response.body for response in responses] == [b"yes"] * 12


async def test_chunks_split_anywhere_are_put_together(raw: Any) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    whole = head + b"3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\n\r\n"
    pieces = [whole[at : at + 1] for at in range(len(whole))]
    server = await raw(saying(*pieces))

    assert (await call(server)).body == b"abcdefg"


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_a_packed_body_is_unpacked(raw: Any, good: Any, name: str, pack: Any) -> None:
    server = await raw(saying(good(pack(b"yes" * 1000), f"Content-Encoding: {name}")))

    assert (await call(server)).body == b"yes" * 1000


async def test_a_packed_body_that_is_cut_or_broken_or_foreign_is_named(raw: Any, good: Any) -> None:
    cut = gzip.compress(b"yes" * 1000)[:-12]
    for body, coding, words in (
        (cut, "gzip", "gzip data was cut off"),
        (b"plain", "gzip", "not valid gzip"),
        (b"?", "br", "encoded as 'br'"),
    ):
        server = await raw(saying(good(body, f"Content-Encoding: {coding}")))
        assert words in str(await failure(server))


async def test_a_bomb_is_not_unpacked(raw: Any, good: Any) -> None:
    bomb = gzip.compress(b"0" * 5_000_000)
    server = await raw(saying(good(bomb, "Content-Encoding: gzip")))

    assert "longer than 4 MB" in str(await failure(server))


async def test_a_body_over_the_limit_is_refused(raw: Any, good: Any) -> None:
    server = await raw(saying(good(b"0" * 4096)))

    assert "longer than" in str(await failure(server, longest=4095))
    assert len((await call(server, longest=4096)).body) == 4096


async def test_head_lines_without_end_are_refused(raw: Any) -> None:
    server = await raw(saying(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 80_000))

    assert "headers are too long" in str(await failure(server))


async def test_a_body_without_length_ends_with_the_connection(raw: Any) -> None:
    server = await raw(saying(b"HTTP/1.0 200 OK\r\n\r\nab", b"cd", close=True))

    assert (await call(server)).body == b"abcd"


async def test_a_connection_that_the_server_closes_is_not_used_again(raw: Any, good: Any) -> None:
    server = await raw(saying(good(b"yes", "Connection: close"), close=True))
    client = DirectClient(server.url, headers={}, limit=1)

    for _ in range(3):
        assert (await client.call("POST", "/", b"{}")).body == b"yes"
    await client.close()

    assert server.connections == 3


async def test_an_idle_connection_that_went_stale_costs_nothing(raw: Any, good: Any) -> None:
    # The server says it keeps the connection and closes it when the second request comes.
    async def talk(request: bytes, writer: asyncio.StreamWriter) -> None:
        if len(server.requests) == 2:
            writer.close()
        else:
            writer.write(good(b"yes"))

    server = await raw(talk)
    client = DirectClient(server.url, headers={}, limit=1)

    bodies = [(await client.call("POST", "/", b"{}")).body for _ in range(2)]
    await client.close()

    assert bodies == [b"yes", b"yes"]
    assert (server.connections, len(server.requests)) == (2, 3)


async def test_a_fresh_connection_that_says_nothing_is_not_tried_again(raw: Any) -> None:
    server = await raw(saying(close=True))

    error = await failure(server)

    assert "closed before an answer came" in str(error)
    assert (error.kind, error.may_pass, len(server.requests)) == ("unreachable", True, 1)


async def test_an_answer_that_began_is_never_asked_for_again(raw: Any, good: Any) -> None:
    async def talk(request: bytes, writer: asyncio.StreamWriter) -> None:
        if len(server.requests) == 1:
            writer.write(good(b"yes"))
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            writer.close()

    server = await raw(talk)
    client = DirectClient(server.url, headers={}, limit=1)
    await client.call("POST", "/", b"{}")

    with pytest.raises(AttemptError, match="cut off after 4 of 10 bytes"):
        await client.call("POST", "/", b"{}")
    await client.close()

    assert len(server.requests) == 2


async def test_a_reset_in_mid_body_is_named(raw: Any) -> None:
    async def talk(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        await writer.drain()
        await asyncio.sleep(0.01)
        writer.transport.abort()

    error = await failure(await raw(talk))

    assert "cut off after 3 bytes" in str(error)
    assert error.kind == "unreachable"


async def test_what_is_no_http_is_shown(raw: Any) -> None:
    server = await raw(saying(b"220 mail.example ESMTP\r\n"))

    error = await failure(server)

    assert "not HTTP" in str(error)
    assert "mail.example" in str(error)


async def test_early_hints_are_passed_over(raw: Any, good: Any) -> None:
    server = await raw(saying(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", good(b"yes")))

    response = await call(server)

    assert (response.status, response.body) == (200, b"yes")


async def test_a_second_answer_to_one_request_never_meets_the_next(raw: Any, good: Any) -> None:
    async def talk(request: bytes, writer: asyncio.StreamWriter) -> None:
        n = len(server.requests)
        writer.write(good(b"answer %d" % n) + b"HTTP/1.1 200 OK\r\nContent-Le")

    server = await raw(talk)
    client = DirectClient(server.url, headers={}, limit=1)

    bodies = [(await client.call("POST", "/", b"{}")).body for _ in range(3)]
    await client.close()

    assert bodies == [b"answer 1", b"answer 2", b"answer 3"]


async def test_who_stops_waiting_ends_the_connection(raw: Any, good: Any) -> None:
    async def talk(request: bytes, writer: asyncio.StreamWriter) -> None:
        if len(server.requests) > 1:
            writer.write(good(b"second"))

    server = await raw(talk)
    client = DirectClient(server.url, headers={}, limit=1)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await client.call("POST", "/", b"{}")
    response = await client.call("POST", "/", b"{}")
    await client.close()

    assert (response.body, server.connections) == (b"second", 2)


async def test_nobody_there_is_said_without_the_query() -> None:
    client = DirectClient("http://127.0.0.1:1", headers={}, limit=1)

    with pytest.raises(AttemptError) as caught:
        await client.call("GET", "/x?key=hidden")

    assert str(caught.value).startswith("http://127.0.0.1:1/x: no connection: ")
    assert "hidden" not in str(caught.value)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
async def test_https_is_checked_against_the_known_authorities(
    raw: Any, good: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 "
        f"-addext subjectAltName=IP:127.0.0.1 -keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await raw(saying(good(b"yes")), context)

    assert "certificate" in str(await failure(server)).lower()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert (await call(server)).body == b"yes"


async def test_a_proxy_of_the_environment_is_used(
    raw: Any, good: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = await raw(saying(good(gzip.compress(b"by proxy"), "Content-Encoding: gzip")))
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("no_proxy", "direct.example")

    client = open_client("http://model.example", headers={"X-Key": "k"}, limit=1)
    response = await client.call("POST", "/predict?a=b", b"{}")
    await client.close()

    assert response.body == b"by proxy"
    assert proxy.requests[0].startswith(b"POST http://model.example/predict?a=b HTTP/1.1\r\n")
    assert isinstance(open_client("http://direct.example", headers={}, limit=1), DirectClient)
    assert isinstance(client, ProxiedClient)


async def test_headers_cannot_break_out_of_their_line() -> None:
    for headers in ({"X": "a\r\nY: b"}, {"X Y": "a"}, {"X": "日本"}):
        with pytest.raises(InputError, match="Option 'headers'"):
            DirectClient("http://127.0.0.1:1", headers=headers, limit=1)


async def test_a_host_that_is_none_is_refused() -> None:
    for origin in ("http://a..b", "http://a:99999"):
        with pytest.raises(InputError, match="no valid host"):
            DirectClient(origin, headers={}, limit=1)


async def test_targets_and_credentials_come_out_of_addresses() -> None:
    assert target_of("http://h/a b/ü?q=1&r=%20") == "/a%20b/%C3%BC?q=1&r=%20"
    assert target_of("http://h") == "/"
    assert basic_authorization("http://Aladdin:open%20sesame@h/") == (
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="  # the pair of RFC 7617
    )
    assert basic_authorization("http://h/") is None
