"""The OpenAI-compatible connector against a real server that behaves well, badly and worse."""

import asyncio
import gzip
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from palaver.core.errors import InputError, SystemFailureError
from palaver.systems.connectors.openai import completions_url
from palaver.systems.web.endpoint import retry_after

KEY = "sk-very-secret-key-123"


def chunk(text: str | None, **more: Any) -> bytes:
    body = {"choices": [{"index": 0, "delta": {"content": text}, **more}]}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def streaming(*pieces: bytes, cut: bool = False) -> Any:
    """A handler that streams `pieces`, and breaks the connection off if `cut`."""

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(0)
        if cut and request.transport is not None:
            await asyncio.sleep(0.01)
            request.transport.abort()
        return response

    return handler


class Recorder:
    """A handler that gives one answer after the other and keeps the requests."""

    def __init__(self, *handlers: Any) -> None:
        self.handlers = list(handlers)
        self.requests: list[Any] = []
        self.paths: list[str] = []
        self.headers: list[Any] = []

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        self.paths.append(request.path)
        self.headers.append(request.headers)
        handler = self.handlers[min(len(self.requests), len(self.handlers)) - 1]
        result: web.StreamResponse = await handler(request)
        return result


def status(code: int, text: str = "", **headers: str) -> Any:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(status=code, text=text, headers=headers)

    return handler


GOOD = streaming(chunk("Hello"), chunk(" there"), chunk(None, finish_reason="stop"))


async def fail(table: Any, system: Any) -> SystemFailureError:
    with pytest.raises(SystemFailureError) as failure:
        await table.answer(system, "hi")
    return failure.value


@pytest.mark.asyncio
async def test_streams_drafts_and_sends_roles_persona_and_options(serve: Any, table: Any) -> None:
    recorder = Recorder(
        streaming(
            b": keep-alive\r\n\r\n",
            chunk(None, role="assistant"),
            chunk(" Hel"),
            chunk("lo"),
            chunk(None, finish_reason="stop"),
            b'data: {"choices": [], "usage": {"total_tokens": 9}}\r\n\r\n',
            b"data: [DONE]\r\n\r\n",
        )
    )
    system = table.build(
        kind="openai",
        base_url=await serve(recorder),
        model="m",
        system_prompt="Be kind.",
        temperature=0.3,
        max_tokens=20,
        extra={"top_p": 0.9},
    )
    session = table.session(system, "hi", "hello", "again", persona=("I am a baker.",))
    session.receive(table.event(4, 0, "and again"))
    drafts: list[str] = []
    assert (await session.send(drafts.append))[0].data == {"text": "Hello"}
    assert drafts[-1] == "Hello"
    assert recorder.paths == ["/v1/chat/completions"]
    assert recorder.requests == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be kind.\nI am a baker."},
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "hello"},
                {"role": "user", "content": "again\nand again"},
            ],
            "stream": True,
            "temperature": 0.3,
            "max_tokens": 20,
            "top_p": 0.9,
        }
    ]


@pytest.mark.asyncio
async def test_opening_sends_the_opening_prompt_now_and_later(serve: Any, table: Any) -> None:
    recorder = Recorder(GOOD)
    system = table.build(
        kind="openai", base_url=await serve(recorder), model="m", opening_prompt="Begin."
    )
    await table.answer(system, seat=0)
    await table.answer(system, "own words", "hi", seat=0)
    assert [request["messages"] for request in recorder.requests] == [
        [{"role": "user", "content": "Begin."}],
        [
            {"role": "user", "content": "Begin."},
            {"role": "assistant", "content": "own words"},
            {"role": "user", "content": "hi"},
        ],
    ]


@pytest.mark.asyncio
async def test_a_whole_answer_is_read_too(serve: Any, table: Any) -> None:
    async def handler(request: web.Request) -> web.Response:
        content = [{"type": "text", "text": "Whole "}, {"type": "text", "text": "answer"}]
        return web.json_response({"choices": [{"message": {"content": content}}]})

    for stream in (True, False):
        system = table.build(kind="openai", base_url=await serve(handler), model="m", stream=stream)
        assert await table.answer(system, "hi") == "Whole answer"


@pytest.mark.asyncio
async def test_500_then_success(serve: Any, table: Any) -> None:
    recorder = Recorder(status(500), status(429, **{"Retry-After": "0"}), GOOD)
    system = table.build(kind="openai", base_url=await serve(recorder), model="m")
    assert await table.answer(system, "hi") == "Hello there"
    assert len(recorder.requests) == 3


@pytest.mark.parametrize(
    ("handler", "kind", "attempts"),
    [
        (status(401, f"bad key {KEY}"), "refused", 1),
        (status(404, "no such model"), "refused", 1),
        (status(307, Location="http://127.0.0.1:1/elsewhere"), "refused", 1),
        (status(429, "slow down", **{"Retry-After": "999"}), "refused", 1),
        (status(503, f"overloaded {KEY}"), "error", 2),
        (status(504), "timeout", 2),
        (status(200, "<html>not json</html>"), "garbage", 2),
        (streaming(b"data: {not json\n\n"), "garbage", 2),
        (streaming(b"data: [1, 2]\n\n"), "garbage", 2),
        (streaming(b'data: {"choices": "x"}\n\n'), "garbage", 2),
        (streaming(b'data: {"choices": [{"delta": {"content": 5}}]}\n\n'), "garbage", 2),
        (streaming(b"\x00\xff binary \r\n\r\n"), "garbage", 2),
        (streaming(chunk("half an ans")), "garbage", 2),
        (streaming(chunk("half"), cut=True), "unreachable", 2),
        (streaming(chunk("  "), b"data: [DONE]\n\n"), "garbage", 2),
        (
            streaming(b'data: {"error": {"message": "out of memory %s"}}\n\n' % KEY.encode()),
            "error",
            2,
        ),
    ],
)
@pytest.mark.asyncio
async def test_failures_and_no_key_in_their_text(
    handler: Any,
    kind: str,
    attempts: int,
    serve: Any,
    table: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    recorder = Recorder(handler)
    system = table.build(
        kind="openai",
        base_url=await serve(recorder),
        model="m",
        api_key_env="TEST_KEY",
        retries=1,
    )
    failure = await fail(table, system)
    assert (failure.kind, failure.attempts) == (kind, attempts)
    assert recorder.headers[0]["Authorization"] == f"Bearer {KEY}"
    error: BaseException | None = failure
    while error is not None:
        assert KEY not in f"{error!s} {error!r}"
        error = error.__cause__


@pytest.mark.asyncio
async def test_a_draft_that_was_cut_off_is_taken_back(serve: Any, table: Any) -> None:
    recorder = Recorder(streaming(chunk("half"), cut=True), GOOD)
    system = table.build(kind="openai", base_url=await serve(recorder), model="m")
    drafts: list[str] = []
    moves = await table.session(system, "hi").send(drafts.append)
    assert moves[0].data == {"text": "Hello there"}
    assert drafts[:2] == ["half", ""]
    assert drafts[-1] == "Hello there"


@pytest.mark.asyncio
async def test_a_hanging_endpoint_and_one_that_is_not_there(serve: Any, table: Any) -> None:
    async def hang(request: web.Request) -> web.Response:
        await asyncio.sleep(60)
        return web.Response()

    options = {"kind": "openai", "model": "m", "timeout": 0.1, "retries": 1}
    hanging = await fail(table, table.build(base_url=await serve(hang), **options))
    assert (hanging.kind, hanging.attempts) == ("timeout", 2)
    missing = await fail(table, table.build(base_url="http://127.0.0.1:9", **options))
    assert (missing.kind, missing.attempts) == ("unreachable", 2)


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("http://h:1", "http://h:1/v1/chat/completions"),
        ("http://h:1/", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
        ("http://h/api/v1beta/openai/", "http://h/api/v1beta/openai/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/proxy", "http://h/proxy/v1/chat/completions"),
    ],
)
def test_base_url_with_or_without_v1(base: str, expected: str) -> None:
    assert completions_url(base) == expected


def test_a_key_that_is_named_must_be_set(table: Any) -> None:
    with pytest.raises(InputError, match="NOT_SET_ANYWHERE, which is not set"):
        table.build(kind="openai", base_url="http://h", model="m", api_key_env="NOT_SET_ANYWHERE")


def test_retry_after_is_seconds_or_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert retry_after("2") == 2.0
    assert 55 < (retry_after(later) or 0) <= 61
    assert retry_after("soon") is None
    assert retry_after("") is None


@pytest.mark.asyncio
async def test_a_stream_that_was_packed_is_read_all_the_same(serve: Any, table: Any) -> None:
    async def handler(request: web.Request) -> web.Response:
        assert "gzip" not in request.headers.get("Accept-Encoding", "")
        body = gzip.compress(chunk("Hello") + b"data: [DONE]\n\n")
        headers = {"Content-Type": "text/event-stream", "Content-Encoding": "gzip"}
        return web.Response(body=body, headers=headers)

    system = table.build(kind="openai", base_url=await serve(handler), model="m")
    assert await table.answer(system, "hi") == "Hello"
