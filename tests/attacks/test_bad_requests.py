"""Requests that nobody means: every operation and every page, asked with what breaks naive readers.

Nothing may answer 5xx or write more than a line to the log, with a token, a session or neither.
"""

import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from starlette.routing import BaseRoute, Route

from palaver.web.app import BOARDS, DESK, TASKS
from palaver.web.participant.arrival import routes as arrival
from palaver.web.participant.rating.routes import routes as rating
from palaver.web.participant.routes import routes as visits
from support.attacked import ask, attacked_home, connect, read_answer
from support.lengths import short_and_long
from support.made_home import TOKENS
from support.served_home import ServedHome
from support.serving import Server

HUGE = "9" * 20
# What stands for a name in an address, and for a value in its query.
NAMES = [HUGE, "-1", "9" * 5000, "%00", "%ff%fe", "%ED%A0%80", "a" * 3000, "%2e%2e%2f", "٣", "nli"]
QUERIES = ["", *(f"page={x}&page={x}&limit={x}&after={x}&offset={x}&raters={x}" for x in NAMES[:7])]
QUERIES += ["%", "&&==&", "a[b]=c&limit[]=1", f"screen={HUGE}&step={HUGE}&format={'z' * 500}"]
# What the home has, by what it is called in an address.
HELD = {
    "study": "judging",
    "name": "judging",
    "task": "nli",
    "dataset": "test",
    "model": "rules",
    "format": "csv",
    "folder": "tables",
    "metric": "accuracy",
    "question": "knowledge",
}
FORM = "application/x-www-form-urlencoded"
VALUES = [HUGE, "-1", "a\0b", "\ud7ff" * 2000, "=1+1", "1e999", ""]
FIELDS = [
    "name",
    "password",
    "next",
    "role",
    "days",
    "count",
    "label",
    "weight",
    "weights",
    "hours",
    "most_submissions",
    "terms",
    "public",
    "access",
    "about",
    "link",
    "tags",
    "team",
    "token",
    "url",
    "kind",
    "options",
    "format",
    "mask",
    "reason",
    "rater",
    "excluded",
    "state",
    "sort",
    "page",
    "after",
    "screen",
    "work",
    "kept",
    "shown",
    "pastes",
    "consent",
    "code",
    "comment",
    "email",
    "note",
]
DEEP = b"[" * 100_000 + b"]" * 100_000
BODIES: list[tuple[str, bytes]] = [
    ("application/json", b""),
    ("application/json", b"\xff\xfe\x00"),
    ("application/json", DEEP),
    ("application/json", b'{"a":' * 40_000),
    ("application/json", b"[]"),
    ("application/json", b'"text"'),
    ("application/json", b"1e999"),
    ("application/json", HUGE.encode()),
    ("text/plain; charset=nonsense", b"a"),
    ("application/x-www-form-urlencoded", b"csrf=%00&name=%ff&count=" + HUGE.encode()),
    ("application/x-www-form-urlencoded", b"&".join([b"a=1"] * 2000)),
    ("multipart/form-data", b"no boundary"),
    (
        "multipart/form-data; boundary=x",
        b'--x\r\ncontent-disposition: form-data; name="a\0"\r\n\r\n',
    ),
    ("multipart/form-data; boundary=" + "y" * 300, b"--y--"),
    ("application/yaml", b"a: &a [*a]"),
    ("application/yaml", b"a: " + b"[" * 100_000),
]
# What would end the session that the others need.
ENDS = ("/desk/sign-out", "/desk/settings/password")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("bad")
    with attacked_home(folder) as served:
        yield served


@pytest.fixture(scope="module")
def operations(server: Server) -> list[tuple[str, str]]:
    """Every method and path of the API."""
    document = ServedHome(server.base).api("GET", "/openapi.json").value
    return [
        (method.upper(), f"/api/v1{path}")
        for path, methods in document["paths"].items()
        for method in methods
    ]


def pages() -> list[tuple[str, str]]:
    """Every method and path of the pages."""
    lazy = [*DESK.module().routes, *TASKS.module().routes, *BOARDS.module().routes]
    routes: list[BaseRoute] = [*arrival, *rating, *visits, *lazy]
    return [
        (method, route.path)
        for route in routes
        if isinstance(route, Route)
        for method in sorted((route.methods or {"GET"}) & {"GET", "POST", "PUT", "PATCH", "DELETE"})
    ]


def bad_requests(
    method: str, template: str, *, count: int, csrf: str = ""
) -> Iterator[tuple[str, str, bytes]]:
    """Targets with their content types and bodies, drawn once for all."""
    draw = random.Random(f"{method} {template}")
    forms = [
        (FORM, urlencode({"csrf": csrf, **dict.fromkeys(FIELDS, value)}).encode())
        for value in VALUES
    ]
    bodies = [("", b"")] if method == "GET" else [*BODIES, *forms]
    every = list(itertools.product(NAMES, QUERIES, bodies))
    for name, query, (kind, body) in draw.sample(every, min(count, len(every))):
        # Often everything but the last name is right, so that what is wrong is met far inside.
        parts = re.split(r"\{(\w+)(?::\w+)?\}", template)
        names = [HELD.get(part, name) for part in parts[1::2]]
        if names and draw.random() < 0.5:
            names[-1] = name
        filled = [quote(each, safe="%") for each in names]
        path = "".join(itertools.chain(*itertools.zip_longest(parts[::2], filled, fillvalue="")))
        yield f"{path}?{query}", kind, body


def attack(
    server: Server, method: str, template: str, count: int, csrf: str = "", **headers: str
) -> list[str]:
    """What of the bad requests to one route ended in a server error."""
    failed = []
    for target, kind, body in bad_requests(method, template, count=count, csrf=csrf):
        sent = {**headers, **({"content_type": kind} if kind else {})}
        if method != "GET" and not body:
            sent["content_length"] = "0"
        status, text = ask(server, target, method=method, body=body, **sent)
        if status >= 500:
            failed.append(f"{method} {target[:120]} ({kind}, {body[:20]!r}): {status} {text[:200]}")
    return failed


@pytest.mark.parametrize("token", ["", "olga", "Blue"])
@short_and_long("requests", 1, 60)
def test_no_operation_of_the_api_fails(
    server: Server, operations: list[tuple[str, str]], token: str, requests: int
) -> None:
    secret = TOKENS["teams"].get(token) or TOKENS.get(token)
    headers = {"authorization": f"Bearer {secret}"} if secret else {}
    failed: list[str] = []
    for method, path in operations:
        failed += attack(server, method, path, requests, **headers)
    assert failed == []


@pytest.mark.parametrize("name", ["", "olga"])
@short_and_long("requests", 1, 60)
def test_no_page_fails(server: Server, name: str, requests: int) -> None:
    browser = ServedHome(server.base).browser(name)
    form = re.search(r'name="csrf" value="([0-9a-f]+)"', browser.get("/desk/settings").text)
    headers = {"cookie": browser.cookie()} if name else {}
    failed: list[str] = []
    for method, path in pages():
        if path not in ENDS:
            failed += attack(server, method, path, requests, form[1] if form else "", **headers)
    assert failed == []


def test_a_number_of_twenty_digits_is_a_name_like_any_other(server: Server) -> None:
    for path in (f"/api/v1/tasks/{HUGE}/board", f"/tasks/{HUGE}", f"/desk/tasks/{HUGE}"):
        assert ask(server, path)[0] in {303, 401, 403, 404, 422}, path


@pytest.mark.parametrize("body", [DEEP, b'{"labels":' * 20_000, b"\0", b'{"labels":"\\ud800"}'])
def test_json_that_is_none_is_refused(server: Server, body: bytes) -> None:
    status, _ = ask(
        server,
        "/api/v1/studies/judging/labels",
        method="POST",
        body=body,
        content_type="application/json",
        authorization=f"Bearer {TOKENS['olga']}",
    )
    assert status in {400, 413, 422}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/tasks", b'name: "a\\0b"\n'),
        ("PATCH", "/tasks/nli/datasets/test", b'{"about": "a\\u0000b"}'),
        (
            "POST",
            "/tasks/nli/models",
            b'{"name":"x","kind":"http","options":{"url":"http://a\\u0000"}}',
        ),
        ("POST", "/studies/chatting/links", b'{"label": "a\\u0000b"}'),
    ],
)
def test_a_null_character_is_refused_in_plain_words(
    server: Server, method: str, path: str, body: bytes
) -> None:
    found = ServedHome(server.base).api(method, path, body=body)
    assert found.status in {400, 422}, found.text


def test_nested_yaml_does_not_hold_up_others(server: Server) -> None:
    """A quarter of a megabyte of it is refused, and somebody else is served while it is read."""
    bombs = [b"a: " + b"[" * 250_000, b"a:\n" + b"- x\n" * 8_000]
    opened = []
    for bomb in bombs:
        waiting = connect(server)
        head = (
            "POST /api/v1/tasks HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
            f"authorization: Bearer {TOKENS['olga']}\r\ncontent-type: application/yaml\r\n"
            f"content-length: {len(bomb)}\r\n\r\n"
        )
        waiting.sendall(head.encode() + bomb)
        opened.append(waiting)
    assert ask(server, "/health")[0] == 200
    for waiting in opened:
        with waiting:
            assert read_answer(waiting)[0] in {400, 422}


@pytest.mark.parametrize("study", ["pairs", "comparing", "crowd"])
def test_boards_of_annotation_studies_answer(server: Server, study: str) -> None:
    """Pairs that came from a file have no systems that we ran."""
    found = ServedHome(server.base).api("GET", f"/studies/{study}/board?raters=all")
    assert found.status == 200, found.text
    assert ServedHome(server.base).browser("olga").get(f"/boards/{study}").status == 200


@pytest.mark.parametrize("head", [b"GET /\xff HTTP/1.1", b"\0\0\0", b"GET / HTTP/9.9", b"PRI *"])
def test_what_is_not_http_is_refused(server: Server, head: bytes) -> None:
    status, _ = ask(server, "/health", method=f"{head.decode('latin-1')}\r\n\r\nGET")
    assert status in {0, 400, 404, 405}


def test_the_log_stays_short(server: Server) -> None:
    """The last of these tests: nothing of the above is worth a traceback."""
    output = server.output()
    assert "Traceback" not in output
    assert len(json.dumps(output)) < 200_000
