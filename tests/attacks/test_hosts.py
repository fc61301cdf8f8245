"""A name that is not ours: a page of somebody else's leads its visitors' browsers here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.attacked import ask, attacked_home
from support.serving import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that says by which address people reach it."""
    folder: Path = tmp_path_factory.mktemp("hosts")
    public = "https://talk.example.org"
    with attacked_home(folder, PALAVER_PUBLIC_URL=public) as served:
        yield served


@pytest.mark.parametrize(
    "host", ["evil.example", "talk.example.org.evil.example", "", "a b", "talk.example.org@evil"]
)
@pytest.mark.parametrize("path", ["/desk/sign-in", "/api/v1/me", "/tasks", "/static/none.js"])
def test_another_name_is_refused(server: Server, host: str, path: str) -> None:
    status, words = ask(server, path, host=host)
    assert status in {400, 421}
    assert "evil.example</" not in words


@pytest.mark.parametrize("host", ["talk.example.org", "TALK.example.org:443", "localhost:8000"])
def test_our_own_names_are_not(server: Server, host: str) -> None:
    assert ask(server, "/desk/sign-in", host=host)[0] == 200


def test_two_names_at_once_are_none(server: Server) -> None:
    status, _ = ask(server, "/desk/sign-in", host="talk.example.org\r\nhost: evil.example")
    assert status in {400, 421}


def test_a_balancer_asks_by_number(server: Server) -> None:
    assert ask(server, "/health", host="10.0.0.7")[0] == 200


def test_a_socket_of_another_name_is_refused(server: Server) -> None:
    status, _ = ask(
        server,
        "/take/none/waiting/0",
        host="evil.example",
        connection="upgrade",
        upgrade="websocket",
        sec_websocket_version="13",
        sec_websocket_key="dGhlIHNhbXBsZSBub25jZQ==",
    )
    assert status == 403
