"""Models behind askbatch: what they are sent, and the ways in which known servers fail."""

import asyncio
from typing import Any

import msgspec
import pytest
from aiohttp import web

from palaver.core.errors import SystemFailureError
from palaver.systems.predictor import BatchFailureError

pytestmark = pytest.mark.asyncio


class Server:
    """Answers as `answer` says, and keeps how many situations each call brought."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.paths: list[str] = []
        self.bodies: list[dict[str, Any]] = []

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(f"{request.method} {request.path_qs}")
        self.bodies.append(msgspec.json.decode(await request.text()))
        made = self.answer(self.bodies[-1]["instances"])
        return made if isinstance(made, web.StreamResponse) else web.json_response(made)

    @property
    def sizes(self) -> list[int]:
        return [len(each["instances"]) for each in self.bodies]


def questions(count: int) -> list[dict[str, Any]]:
    return [
        {"uid": f"q{n}", "title": f"t{n}", "situation": "s", "subreddit": "love"}
        for n in range(count)
    ]


def echo(instances: list[dict[str, Any]]) -> dict[str, Any]:
    return {"gens": [f"About {each['title']}" for each in instances]}


async def failure(predictor: Any, count: int = 4) -> SystemFailureError:
    with pytest.raises(SystemFailureError) as caught:
        await predictor.predict(questions(count))
    return caught.value


async def test_title_details_subreddit_and_target_go_out(serve: Any, build: Any) -> None:
    server = Server(echo)
    predictor = build("askbatch", url=await serve(server))

    replies = await predictor.predict(
        [
            {"uid": "1", "title": "cats", "situation": "one"},
            {"uid": "2", "title": "dogs", "selftext": "two", "subreddit": "love"},
        ]
    )

    assert [each.record for each in replies] == [
        {"advice": "About cats", "id": "1"},
        {"advice": "About dogs", "id": "2"},
    ]
    assert server.paths == ["POST /api/askbatch"]
    assert server.bodies == [
        {
            "instances": [
                {"title": "cats", "selftext": "one", "subreddit": "Advice"},
                {"title": "dogs", "selftext": "two", "subreddit": "love"},
            ],
            "target": "advice",
        }
    ]
    assert (predictor.batch, predictor.concurrency) == (200, 1)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"gens": "error"}, "answered 200 with an error inside: 'gens' is one text"),
        (
            {"instance": {}, "gen": "Error"},
            "as if one situation had been asked: 'gen' and no 'gens'",
        ),
        ({"gens": ["one"] * 3}, "4 situations went out and 3 texts came back"),
        ({"gens": ["one"] * 6}, "4 situations went out and 6 texts came back"),
        ({"gens": []}, "4 situations went out and 0 texts came back"),
        ({"gens": None}, "a list of texts. It sent {'gens': None}."),
        (["one"] * 4, "a list of texts. It sent ['one'"),
        ("busy", "a list of texts. It sent 'busy'."),
    ],
)
async def test_an_answer_that_is_none_is_asked_for_once_and_said(
    serve: Any, build: Any, answer: Any, words: str
) -> None:
    server = Server(lambda instances: web.json_response(answer))
    error = await failure(build("askbatch", url=await serve(server)))

    assert words in str(error)
    assert server.sizes == [4]


async def test_of_a_strangers_server_nothing_is_quoted_and_yet_it_is_said(
    serve: Any, build: Any
) -> None:
    server = Server(lambda instances: {"gens": "<script>"})
    error = await failure(build("askbatch", url=await serve(server), quoted=False))

    assert "'gens' is one text" in str(error)
    assert "script" not in str(error)


async def test_what_is_no_text_is_the_answer_of_its_own_situation(serve: Any, build: Any) -> None:
    server = Server(lambda instances: {"gens": ["good", None, "", {"text": "x"}]})
    predictor = build("askbatch", url=await serve(server))

    replies = await predictor.predict(questions(4))

    assert [each.record["advice"] for each in replies] == ["good", None, "", {"text": "x"}]


async def test_a_page_instead_of_an_answer(serve: Any, build: Any) -> None:
    page = "<html><h1>Welcome</h1></html>"
    server = Server(lambda instances: web.Response(text=page, content_type="text/html"))
    error = await failure(build("askbatch", url=await serve(server), retries=1))

    assert "The answer is HTML; expected JSON" in str(error)
    assert server.sizes == [4, 4, 1, 1, 1, 1]


async def test_a_server_that_is_late_is_not_asked_again_while_it_works(
    serve: Any, build: Any
) -> None:
    over = asyncio.Event()
    calls = 0

    async def handle(request: web.Request) -> web.StreamResponse:
        nonlocal calls
        calls += 1
        await over.wait()
        return web.json_response({"gens": []})

    predictor = build("askbatch", url=await serve(handle), timeout=0.05, retries=3)
    error = await failure(predictor, 200)
    over.set()

    assert (error.kind, calls) == ("timeout", 1)
    assert "200 questions, 'q0' to 'q199': No answer within 0.05 s" in str(error)


async def test_twelve_hours_are_the_most(build: Any) -> None:
    assert build("askbatch", url="http://127.0.0.1:1", timeout=43_200).options.timeout == 43_200


async def test_one_situation_that_breaks_the_server_is_found_in_few_calls(
    serve: Any, build: Any
) -> None:
    def answer(instances: list[dict[str, Any]]) -> Any:
        if any(each["title"] == "t77" for each in instances):
            return web.Response(status=500, text="KeyError")
        return echo(instances)

    server = Server(answer)
    error = await failure(build("askbatch", url=await serve(server), retries=0), 200)

    assert isinstance(error, BatchFailureError)
    assert error.uids == ("q77",)
    assert len(error.answered) == 199
    assert all(reply.record["advice"] == f"About t{n}" for n, reply in error.answered.items())
    assert len(server.sizes) < 20


async def test_a_server_that_takes_one_situation_at_a_time_answers(serve: Any, build: Any) -> None:
    def answer(instances: list[dict[str, Any]]) -> Any:
        return echo(instances) if len(instances) == 1 else web.Response(status=500)

    server = Server(answer)
    predictor = build("askbatch", url=await serve(server), retries=0)

    replies = await predictor.predict(questions(40))

    assert [each.record["advice"] for each in replies] == [f"About t{n}" for n in range(40)]
    assert len(server.sizes) < 50


async def test_a_connection_that_is_cut_in_the_middle(raw: Any, build: Any) -> None:
    async def talk(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"gens": ["half of')
        await writer.drain()
        writer.transport.abort()

    server = await raw(talk)
    error = await failure(build("askbatch", url=server.url, retries=1))

    assert error.attempts == 2
    assert len(server.requests) == 2
    assert "4 questions, 'q0' to 'q3'" in str(error)
