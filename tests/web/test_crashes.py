"""What nobody meant: one line for each, a traceback once for each place, and a reference."""

import logging
import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from palaver.web.crashes import Crashes


async def fails(request: Request) -> Response:
    raise KeyError(request.query_params.get("key", "none"))


async def fails_elsewhere(request: Request) -> Response:
    raise ValueError("x" * 10_000)


async def leaves(request: Request) -> Response:
    raise ClientDisconnect


async def sorry(request: Request, reference: str) -> Response:
    if "page" in request.query_params:
        raise RuntimeError("the page that apologises fails as well")
    return PlainTextResponse(f"sorry {reference}", status_code=500)


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/a", fails), Route("/b", fails_elsewhere), Route("/gone", leaves)]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(Crashes, answer=sorry)]),
        raise_server_exceptions=True,
    )


def test_a_traceback_is_logged_once_for_each_place(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        answers = [client.get(path) for path in ("/a?key=1", "/a?key=2", "/b", "/b")]
    assert [each.status_code for each in answers] == [500] * 4
    assert [bool(record.exc_info) for record in caplog.records] == [True, False, True, False]
    references = [re.fullmatch(r"sorry ([0-9a-f]{8})", each.text) for each in answers]
    for found, record in zip(references, caplog.records, strict=True):
        assert found is not None
        assert found[1] in record.getMessage()
        assert len(record.getMessage()) < 600


def test_an_apology_that_fails_is_still_an_answer(client: TestClient) -> None:
    answer = client.get("/a?page=1")
    assert (answer.status_code, answer.text[:20]) == (500, "Something went wrong")


def test_whoever_leaves_is_no_news(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(AssertionError):
        client.get("/gone")
    assert caplog.records == []
