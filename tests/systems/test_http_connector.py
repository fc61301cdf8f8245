"""The connector for JSON web services: templates out, a path in."""

from typing import Any

import pytest
from aiohttp import web

from palaver.core.errors import InputError, SystemFailureError
from palaver.systems.template import fill, follow


def answering(body: Any, seen: list[Any]) -> Any:
    async def handler(request: web.Request) -> web.Response:
        sent = await request.json() if request.can_read_body else dict(request.query)
        seen.append((request.method, sent, dict(request.headers)))
        return body if isinstance(body, web.Response) else web.json_response(body)

    return handler


@pytest.mark.asyncio
async def test_fills_the_request_and_follows_the_path(
    serve: Any, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_TEST_TOKEN", "token-12345")
    seen: list[Any] = []
    system = table.build(
        kind="http",
        url=await serve(answering({"choices": [{"text": " Yes. "}]}, seen)) + "/talk",
        headers={"X-Token": "t ${HTTP_TEST_TOKEN}"},
        request={
            "input": {"text": "{{last}}", "all": "{{messages}}"},
            "context": ["{{history}}", "{{ persona }}"],
            "who": "seat {{seat}} of {{dialogue}}, {{persona}}",
            "limit": 5,
        },
        response="choices.0.text",
    )
    assert await table.answer(system, "a", "b", "c", persona=("I sing.",)) == "Yes."
    method, sent, headers = seen[0]
    assert method == "POST"
    assert headers["X-Token"] == "t token-12345"
    assert sent == {
        "input": {
            "text": "c",
            "all": [
                {"role": "user", "content": "a"},
                {"role": "assistant", "content": "b"},
                {"role": "user", "content": "c"},
            ],
        },
        "context": [["a", "b", "c"], ["I sing."]],
        "who": 'seat 1 of d1, ["I sing."]',
        "limit": 5,
    }


@pytest.mark.asyncio
async def test_get_puts_the_request_into_the_query(serve: Any, table: Any) -> None:
    seen: list[Any] = []
    plain = web.Response(text="plain words", content_type="text/plain")
    system = table.build(
        kind="http",
        url=await serve(answering(plain, seen)),
        method="GET",
        request={"q": "{{last}}", "seat": "{{seat}}"},
        response="",
    )
    assert await table.answer(system, "a & b") == "plain words"
    assert seen[0][:2] == ("GET", {"q": "a & b", "seat": "1"})


@pytest.mark.parametrize("body", [{"other": 1}, {"text": 7}, {"text": " "}, [], "x"])
@pytest.mark.asyncio
async def test_a_missing_or_odd_answer_is_garbage(body: Any, serve: Any, table: Any) -> None:
    seen: list[Any] = []
    system = table.build(kind="http", url=await serve(answering(body, seen)), retries=1)
    with pytest.raises(SystemFailureError) as failure:
        await table.answer(system, "hi")
    assert (failure.value.kind, len(seen)) == ("garbage", 2)


@pytest.mark.asyncio
async def test_a_missing_path_shows_the_response(serve: Any, table: Any) -> None:
    url = await serve(answering({"reply": "x" * 500}, []))
    system = table.build(kind="http", url=url, retries=0, response="data.text")
    with pytest.raises(SystemFailureError, match=r"No 'data' on the path 'data\.text'") as failure:
        await table.answer(system, "hi")
    assert '{"reply":"xxx' in str(failure.value)
    assert "x" * 201 not in str(failure.value)


@pytest.mark.asyncio
async def test_a_key_in_the_address_is_never_shown(
    serve: Any, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_TEST_TOKEN", "s3cret/with slash")
    url = await serve(answering(web.Response(status=403, text="s3cret/with slash"), []))
    for address in (url + "/a?key=${HTTP_TEST_TOKEN}", "http://127.0.0.1:9/${HTTP_TEST_TOKEN}"):
        system = table.build(kind="http", url=address, retries=0)
        with pytest.raises(SystemFailureError) as failure:
            await table.answer(system, "hi")
        assert "s3cret" not in str(failure.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"request": {"x": "{{lst}}"}}, "no placeholder '{{lst}}'. Near: 'last'"),
        ({"headers": {"K": "${NOT_SET_ANYWHERE}"}}, "NOT_SET_ANYWHERE, which is not set"),
        ({"method": "GET", "request": {"x": ["{{last}}"]}}, "Use POST"),
        ({"url": "ftp://h"}, "Option 'url': expected an address like"),
    ],
)
def test_wrong_options_are_found_when_building(
    options: dict[str, Any], message: str, table: Any
) -> None:
    with pytest.raises(InputError) as error:
        table.build(kind="http", **{"url": "http://h", **options})
    assert message in str(error.value)


def test_templates() -> None:
    assert fill({"a": ["{{x}}", "<{{x}}>", 3, None]}, {"x": [1]}) == {"a": [[1], "<[1]>", 3, None]}
    assert fill("{{x}}", {"x": "{{y}}"}) == "{{y}}"  # what somebody says is not a template
    assert follow({"a": [{"b": "c"}]}, "a.-1.b") == "c"
    for path in ("a.1", "a.b", "b", "a.0.b.c"):
        with pytest.raises(KeyError):
            follow({"a": [{"b": "c"}]}, path)
