"""The inside network: addresses from outside that lead there by name, by redirect or in disguise.

The names of these tests have no records, so that a stand-in answers for the resolver of the server's
process. Whatever is reached is on the loopback network.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from palaver.systems.web.destinations import is_public
from support.attacked import attacked_home
from support.served_home import ServedHome

SECRET = "the-inside-secret"
# A public address that the stand-in answers with at first; nothing is ever sent there.
PUBLIC = "9.9.9.9"
RESOLVER = f'''
import collections, socket

real, asked = socket.getaddrinfo, collections.Counter()
# How often a name leads to a public address before it leads inside.
PUBLIC_FIRST = {{"rebind-endpoint.test": 2, "rebind-data.test": 1, "rebind-editor.test": 1}}
INSIDE = {{"data.test": ["127.0.0.1"], "both.test": ["{PUBLIC}", "127.0.0.1"]}}

def getaddrinfo(host, port, *args, **options):
    name = host.decode() if isinstance(host, bytes) else host
    if not isinstance(name, str) or not name.endswith(".test"):
        return real(host, port, *args, **options)
    asked[name] += 1
    led = ["{PUBLIC}"] if asked[name] <= PUBLIC_FIRST.get(name, 0) else ["127.0.0.1"]
    return [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port or 0))
        for address in INSIDE.get(name, led)
    ]

socket.getaddrinfo = getaddrinfo
'''


class Inside(BaseHTTPRequestHandler):
    """A service of the inside network; its own host sends whoever comes elsewhere."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path.startswith("/away"):
            self.send_response(302)
            port = self.server.server_address[1]  # type: ignore[attr-defined]
            self.send_header("Location", f"http://127.0.0.1:{port}/secret.jsonl")
            self.end_headers()
            return
        content = SECRET.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def inside() -> Iterator[int]:
    """The port of the inside service."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Inside)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHome]:
    """A served home with the stand-in, whose administrator allows one host of the inside."""
    folder: Path = tmp_path_factory.mktemp("inside")
    (folder / "stand-in").mkdir()
    (folder / "stand-in" / "sitecustomize.py").write_text(RESOLVER, encoding="utf-8")
    settings = "private_endpoints: [data.test]\n"
    path = str(folder / "stand-in")
    with attacked_home(folder, settings=settings, PYTHONPATH=path, no_proxy="*") as server:
        yield ServedHome(server.base)


@pytest.fixture(autouse=True)
def nothing_asked() -> None:
    """Each test begins with an inside that nobody has reached."""
    Inside.asked.clear()


def test_an_endpoint_whose_name_changes_where_it_leads(home: ServedHome, inside: int) -> None:
    """Public when it is submitted and when its run begins, inside when it is asked."""
    options = {"url": f"http://rebind-endpoint.test:{inside}/", "retries": 0}
    options |= {"inside": True, "quoted": True}  # what it says of itself counts for nothing
    body = {"name": "reb", "kind": "http", "options": options}
    made = home.api("POST", "/submissions/endpoint", token="Blue", body=body)
    assert made.status == 201, made.text
    run = tried_run(home, "reb")
    assert "is not on a public address" in run["reason"]
    assert Inside.asked == []
    assert SECRET not in json.dumps(run)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/a.jsonl",
        "http://2130706433:{port}/a.jsonl",
        "http://[::1]:{port}/a.jsonl",
        "http://[::ffff:127.0.0.1]:{port}/a.jsonl",
        "http://[64:ff9b::7f00:1]:{port}/a.jsonl",
        "http://[2002:7f00:1::]:{port}/a.jsonl",
        "http://localhost:{port}/a.jsonl",
        "http://both.test:{port}/a.jsonl",
        "http://rebind-data.test:{port}/a.jsonl",
        "http://data.test@127.0.0.1:{port}/a.jsonl",
        # The host is allowed; where it sends us is not.
        "http://data.test:{port}/away/a.jsonl",
    ],
)
def test_a_data_set_is_not_fetched_from_inside(home: ServedHome, inside: int, url: str) -> None:
    body = {"url": url.format(port=inside)}
    answer = home.api("POST", "/tasks/mine/datasets/stolen/fetch", token="ruth", body=body)
    assert (answer.status, "is not on a public address" in answer.text) == (422, True), answer.text
    assert SECRET not in answer.text
    assert [path for path in Inside.asked if not path.startswith("/away")] == []


def test_an_editors_model_is_looked_at_when_it_is_asked(home: ServedHome, inside: int) -> None:
    options = {"url": f"http://rebind-editor.test:{inside}/", "retries": 0, "inside": True}
    body = {"name": "mole", "kind": "http", "options": options}
    made = home.api("POST", "/tasks/nli/models", token="ruth", body=body)
    assert made.status == 201, made.text
    runs = home.rows("/runs?task=nli", "runs")
    key = next(each["key"] for each in runs if each["model"] == "mole")
    reason = tried(lambda: home.api("GET", f"/runs/{key}").value)["reason"]
    assert "is not on a public address" in reason
    assert Inside.asked == []


def test_what_a_strangers_endpoint_sent_is_not_quoted(home: ServedHome, inside: int) -> None:
    """Even from a host that may lie inside: it may not read aloud what is there."""
    options = {"url": f"http://data.test:{inside}/", "retries": 0, "quoted": True}
    body = {"name": "reader", "kind": "http", "options": options}
    assert home.api("POST", "/submissions/endpoint", token="Blue", body=body).status == 201
    run = tried_run(home, "reader")
    assert "sent something that is not an answer" in run["reason"]
    assert SECRET not in json.dumps(run)
    assert Inside.asked != []


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.0.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:10.0.0.1",
        "::ffff:0:10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::a00:1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:a00:1::",
        "3fff::1",
        "fc00::1",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "not-an-address",
    ],
)
def test_no_disguise_of_the_inside_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["9.9.9.9", "::ffff:9.9.9.9", "2620:fe::fe"])
def test_what_is_public_is(address: str) -> None:
    assert is_public(address)


def tried_run(home: ServedHome, model: str) -> dict[str, str]:
    """The first run of a team's model once it says why it failed."""

    def first() -> dict[str, str]:
        found = home.api("GET", f"/submissions/models/{model}", token="Blue")
        assert found.status == 200, found.text
        run: dict[str, str] = found.value["runs"][0]
        return run

    return tried(first)


def tried(read: Callable[[], dict[str, str]]) -> dict[str, str]:
    """What `read` gives once it says why a run failed."""
    deadline = time.monotonic() + 60
    while not (run := read())["reason"]:
        assert time.monotonic() < deadline, run
        time.sleep(0.02)
    return run
