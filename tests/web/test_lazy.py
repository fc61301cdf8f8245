"""Parts that are imported on their first request: beside the event loop, and once."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message

from palaver.web.lazy import LazyApp, LazyRoutes, WholeMount

# What is imported waits until the test lets it: on the event loop nobody could.
PART = """\
import part_gate
from starlette.responses import PlainTextResponse
from starlette.routing import Route

part_gate.began.set()
opened = part_gate.opened.wait(20)
part_gate.opened.set()
assert opened, "nobody else was served while this was imported"

async def answer(scope, receive, send):
    await PlainTextResponse("from the part")(scope, receive, send)

def create(argument):
    part_gate.made.append(argument)
    return answer

async def show(request):
    return PlainTextResponse(f"page {request.path_params['name']}")

routes = [Route("/pages/{name}", show)]
"""


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A module `held_part` whose import ends when `opened` is set."""
    (tmp_path / "held_part.py").write_text(PART, encoding="utf-8")
    found = SimpleNamespace(began=threading.Event(), opened=threading.Event(), made=[])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "part_gate", found)
    yield found
    sys.modules.pop("held_part", None)


async def elsewhere(request: Request) -> Response:
    return PlainTextResponse("elsewhere")


def application() -> Starlette:
    return Starlette(
        routes=[
            Route("/elsewhere", elsewhere),
            WholeMount("/api", LazyApp("held_part:create", "the deployment")),
            LazyRoutes("/pages", "held_part"),
        ]
    )


async def get(app: Starlette, path: str, method: str = "GET") -> tuple[int, str]:
    """The status and the text of an answer."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [],
        "server": ("test", 80),
    }
    await app(scope, receive, send)
    text = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], text.decode()


@pytest.mark.parametrize(
    ("path", "text"), [("/api/anything", "from the part"), ("/pages/first", "page first")]
)
@pytest.mark.asyncio
async def test_others_are_served_while_a_part_is_imported(
    path: str, text: str, gate: SimpleNamespace
) -> None:
    app = application()
    first = asyncio.create_task(get(app, path))
    assert await asyncio.to_thread(gate.began.wait, 20)
    assert await get(app, "/elsewhere") == (200, "elsewhere")
    assert not first.done()
    gate.opened.set()
    assert await first == (200, text)


@pytest.mark.asyncio
async def test_requests_that_come_together_build_one_application(gate: SimpleNamespace) -> None:
    app = application()
    asked = [asyncio.create_task(get(app, f"/api/{number}")) for number in range(50)]
    assert await asyncio.to_thread(gate.began.wait, 20)
    # They wait without a thread each: there are some left for the store.
    await asyncio.to_thread(gate.opened.set)
    assert set(await asyncio.gather(*asked)) == {(200, "from the part")}
    assert gate.made == ["the deployment"]


@pytest.mark.asyncio
async def test_the_first_request_gets_what_any_other_gets(gate: SimpleNamespace) -> None:
    gate.opened.set()
    for path, method, status in [
        ("/pages", "GET", 404),
        ("/pages/a/b", "GET", 404),
        ("/pages/a/", "GET", 307),
        ("/pages/a", "POST", 405),
        ("/pagesandmore", "GET", 404),
    ]:
        app = application()
        assert [(await get(app, path, method))[0] for _ in range(2)] == [status, status], path
