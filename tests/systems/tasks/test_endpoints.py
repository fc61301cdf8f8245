"""Each kind of endpoint against a server that speaks its protocol."""

from typing import Any

import msgspec
import pytest
from aiohttp import web

from palaver.core.errors import SystemFailureError

pytestmark = pytest.mark.asyncio


class Recorder:
    """A server that keeps what it was sent and answers with what a function makes of it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.paths: list[str] = []
        self.bodies: list[Any] = []
        self.headers: list[Any] = []

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        text = await request.text()
        self.paths.append(f"{request.method} {request.path_qs}")
        self.headers.append(request.headers)
        self.bodies.append(text)
        made = self.answer(text)
        if isinstance(made, web.HTTPException):
            raise made
        return made if isinstance(made, web.StreamResponse) else web.json_response(made)


async def records(predictor: Any, *questions: dict[str, Any]) -> list[Any]:
    return [reply.record for reply in await predictor.predict(list(questions))]


async def problem(predictor: Any, *questions: dict[str, Any]) -> str:
    with pytest.raises(SystemFailureError) as caught:
        await predictor.predict(list(questions))
    return str(caught.value)


# TorchServe


async def test_torchserve_posts_one_object(serve: Any, build: Any) -> None:
    server = Recorder(lambda text: {"id": msgspec.json.decode(text)["uid"], "label": "positive"})
    predictor = build(
        "torchserve", url=f"{await serve(server)}/", model="m1", extra={"insight": False}
    )

    assert await records(predictor, {"uid": "1", "statement": "größer"}) == [
        {"id": "1", "label": "positive"}
    ]
    assert server.paths == ["POST /predictions/m1"]
    assert msgspec.json.decode(server.bodies[0]) == {
        "uid": "1",
        "statement": "größer",
        "insight": False,
    }
    assert server.headers[0]["Content-Type"] == "application/json"


async def test_torchserve_without_a_model_posts_to_the_address_itself(
    serve: Any, build: Any
) -> None:
    server = Recorder(lambda text: [{"id": "1"}])
    predictor = build("torchserve", url=f"{await serve(server)}/predict?model=ts1-m")

    await predictor.start()

    assert await records(predictor, {"uid": "1"}) == [{"id": "1"}]
    assert server.paths == ["POST /predict?model=ts1-m"]


async def test_torchserve_sends_joined_lines_and_reads_any_layout(serve: Any, build: Any) -> None:
    def answer(text: str) -> Any:
        asked = [msgspec.json.decode(line)["uid"] for line in text.split("\n")]
        told = "\n".join(f'{{\n  "id": "{uid}",\n  "translatedText": "t"\n}}' for uid in asked)
        return web.Response(text=told)

    server = Recorder(answer)
    predictor = build("torchserve", url=await serve(server), model="m", joined=True)

    assert predictor.batch == 64
    assert [record["id"] for record in await records(predictor, {"uid": "a"}, {"uid": "b"})] == [
        "a",
        "b",
    ]
    assert len(server.bodies) == 1


async def test_torchserve_keeps_joined_bodies_below_a_megabyte(serve: Any, build: Any) -> None:
    def answer(text: str) -> Any:
        lines = [msgspec.json.decode(line)["uid"] for line in text.split("\n")]
        return web.Response(text="\n".join(f'{{"id": "{uid}"}}' for uid in lines))

    server = Recorder(answer)
    predictor = build("torchserve", url=await serve(server), model="m", joined=True)
    questions = [{"uid": str(n), "sourceText": "x" * 300_000} for n in range(7)]

    assert [record["id"] for record in await records(predictor, *questions)] == list("0123456")
    assert len(server.bodies) == 3
    assert max(map(len, server.bodies)) <= 1_000_000


async def test_torchserve_names_the_answer_that_is_cut(serve: Any, build: Any) -> None:
    server = Recorder(lambda text: web.Response(text='{"id": "a"}\n{"id": "b", "tr'))
    predictor = build("torchserve", url=await serve(server), joined=True, retries=0)

    told = await problem(predictor, {"uid": "a"}, {"uid": "b"})

    assert "answer 2: " in told


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": "Healthy"}, None),
        ({"status": "Unhealthy"}, "The model did not start: The server says it is 'Unhealthy'"),
        (web.HTTPInternalServerError, "answered 500"),
        (web.HTTPNotFound, None),
    ],
)
async def test_torchserve_is_pinged_at_the_start(
    serve: Any, build: Any, answer: Any, words: str | None
) -> None:
    server = Recorder(lambda text: answer() if isinstance(answer, type) else answer)
    predictor = build("torchserve", url=await serve(server), model="m", retries=1)

    if words is None:
        await predictor.start()
        assert server.paths == ["GET /ping"]
    else:
        with pytest.raises(SystemFailureError, match=words):
            await predictor.start()
        assert len(server.paths) == 2


# Dynabench


@pytest.mark.parametrize("key", [None, "predictions", "data"])
async def test_dynabench_asks_in_batches(serve: Any, build: Any, key: str | None) -> None:
    def answer(text: str) -> Any:
        samples = msgspec.json.decode(text)["dataset_samples"]
        found = [{"label": sample["statement"].upper()} for sample in samples]
        return found if key is None else {"n": len(found), key: found}

    server = Recorder(answer)
    predictor = build("dynabench", url=await serve(server), fields=["statement"])

    assert await records(
        predictor, {"uid": "1", "statement": "a"}, {"uid": "2", "statement": "b"}
    ) == [{"label": "A", "id": "1"}, {"label": "B", "id": "2"}]
    assert predictor.batch == 64
    assert server.paths == ["POST /model/batch_evaluation"]
    assert msgspec.json.decode(server.bodies[0]) == {
        "dataset_samples": [{"statement": "a"}, {"statement": "b"}]
    }


async def test_dynabench_asks_one_by_one(serve: Any, build: Any) -> None:
    server = Recorder(lambda text: {"label": "a"})
    predictor = build("dynabench", url=await serve(server), batch=1)

    assert await records(predictor, {"uid": "1", "statement": "x"}) == [{"label": "a", "id": "1"}]
    assert server.paths == ["POST /model/single_evaluation"]
    assert msgspec.json.decode(server.bodies[0]) == {"uid": "1", "statement": "x"}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([{"label": "a"}] * 3, "2 questions were asked, but 3 answers came"),
        ([{"id": "1"}, {"id": "1"}], "answered twice: '1'; not answered: '2'"),
        ({"detail": "no"}, "Expected a list of records"),
        ("text", "Expected a list of records"),
    ],
)
async def test_dynabench_answers_that_do_not_fit(
    serve: Any, build: Any, answer: Any, words: str
) -> None:
    predictor = build("dynabench", url=await serve(Recorder(lambda text: answer)))

    assert words in await problem(predictor, {"uid": "1"}, {"uid": "2"})


async def test_dynabench_names_a_field_that_is_not_there(serve: Any, build: Any) -> None:
    predictor = build("dynabench", url=await serve(Recorder(lambda text: [])), fields=["premise"])

    assert "names 'premise'; the question has uid, statement" in await problem(
        predictor, {"uid": "1", "statement": "x"}
    )


# OpenAI


def completion(text: Any) -> Any:
    return {
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]
    }


async def test_openai_fills_the_prompt_and_reads_the_label(
    serve: Any, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "sk-test-1")
    server = Recorder(lambda text: completion("**Entailed.** It rains."))
    predictor = build(
        "openai",
        base_url=await serve(server),
        model="gpt-x",
        api_key_env="KEY",
        system="Answer with one word.",
        prompt="{{context}} Does it follow that {{hypothesis}}?",
        output="label",
        labels=["entailed", "neutral", "contradictory"],
        seed=3,
        max_tokens=5,
    )

    assert await records(
        predictor, {"uid": "1", "context": "Rain.", "hypothesis": "it is wet"}
    ) == [{"id": "1", "label": "entailed"}]
    assert server.paths == ["POST /v1/chat/completions"]
    assert server.headers[0]["Authorization"] == "Bearer sk-test-1"
    assert msgspec.json.decode(server.bodies[0]) == {
        "model": "gpt-x",
        "messages": [
            {"role": "system", "content": "Answer with one word."},
            {"role": "user", "content": "Rain. Does it follow that it is wet?"},
        ],
        "temperature": 0.0,
        "seed": 3,
        "max_tokens": 5,
    }


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("not-hateful", "not-hateful"),
        ("Not-Hateful", "not-hateful"),
        (' "hateful". ', "hateful"),
        ("Hateful, because of the slur", "hateful"),
        ("hateful-ish", "hateful-ish"),
        ("I cannot say.", "I cannot say."),
        ("yes: it is", "hateful"),
    ],
)
async def test_openai_labels(serve: Any, build: Any, said: str, label: str) -> None:
    predictor = build(
        "openai",
        base_url=await serve(Recorder(lambda text: completion(said))),
        model="m",
        prompt="{{statement}}",
        output="label",
        labels={"hateful": "hateful", "not-hateful": "not-hateful", "yes": "hateful"},
    )

    assert (await records(predictor, {"uid": "1", "statement": "x"}))[0]["label"] == label


@pytest.mark.parametrize(
    "said", ['{"label": "a", "conf": 0.5}', '```json\n{"label": "a", "conf": 0.5}\n```']
)
async def test_openai_json_mode(serve: Any, build: Any, said: str) -> None:
    server = Recorder(lambda text: completion(said))
    predictor = build(
        "openai", base_url=await serve(server), model="m", prompt="{{turns}}", json=True
    )

    assert await records(predictor, {"uid": "1", "turns": [{"speaker": "A", "text": "hi"}]}) == [
        {"label": "a", "conf": 0.5, "id": "1"}
    ]
    sent = msgspec.json.decode(server.bodies[0])
    assert sent["response_format"] == {"type": "json_object"}
    assert sent["messages"][0]["content"] == '[{"speaker":"A","text":"hi"}]'


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (completion("  "), "The answer has no text"),
        ({"choices": []}, "The answer has no text"),
        ({"error": {"message": "overloaded"}}, "overloaded"),
        (completion("no json"), "not JSON"),
        (completion("[1]"), "Expected a JSON object"),
    ],
)
async def test_openai_answers_that_are_none(
    serve: Any, build: Any, answer: Any, words: str
) -> None:
    predictor = build(
        "openai",
        base_url=await serve(Recorder(lambda text: answer)),
        model="m",
        prompt="{{uid}}",
        json=True,
        retries=0,
    )

    assert words in await problem(predictor, {"uid": "1"})


async def test_openai_names_a_placeholder_that_no_field_fills(serve: Any, build: Any) -> None:
    predictor = build(
        "openai", base_url="http://127.0.0.1:1", model="m", prompt="{{premise}}", output="x"
    )

    assert "placeholder {{premise}}; the question has uid, context" in await problem(
        predictor, {"uid": "1", "context": "c"}
    )


# Own JSON templates


async def test_http_sends_the_template_and_follows_the_paths(serve: Any, build: Any) -> None:
    server = Recorder(lambda text: {"out": [{"cls": "pos", "p": {"pos": 0.9, "neg": 0.1}}]})
    predictor = build(
        "http",
        url=f"{await serve(server)}/classify",
        request={"text": "Say: {{statement}}", "all": "{{fields}}", "me": "{{uid}}"},
        response={"label": "out.0.cls", "prob": "out.0.p"},
    )

    assert await records(predictor, {"uid": "1", "statement": "x"}) == [
        {"label": "pos", "prob": {"pos": 0.9, "neg": 0.1}, "id": "1"}
    ]
    assert server.paths == ["POST /classify"]
    assert msgspec.json.decode(server.bodies[0]) == {
        "text": "Say: x",
        "all": {"statement": "x"},
        "me": "1",
    }


async def test_http_asks_in_batches_and_matches_by_id(serve: Any, build: Any) -> None:
    def answer(text: str) -> Any:
        asked = msgspec.json.decode(text)["items"]
        return {"results": [{"key": each["uid"], "y": each["x"] * 2} for each in reversed(asked)]}

    predictor = build(
        "http",
        url=await serve(Recorder(answer)),
        batch=8,
        request={"items": "{{questions}}"},
        answers="results",
        response={"double": "y"},
        id="key",
    )

    assert await records(predictor, {"uid": "a", "x": 1}, {"uid": "b", "x": 2}) == [
        {"double": 2, "id": "a"},
        {"double": 4, "id": "b"},
    ]


async def test_http_by_default_sends_the_question_and_takes_the_record(
    serve: Any, build: Any
) -> None:
    server = Recorder(lambda text: {"label": "a"})
    predictor = build("http", url=await serve(server))

    assert await records(predictor, {"uid": "1", "x": "y"}) == [{"label": "a", "id": "1"}]
    assert msgspec.json.decode(server.bodies[0]) == {"uid": "1", "x": "y"}


async def test_http_get_turns_the_template_into_a_query(serve: Any, build: Any) -> None:
    server = Recorder(lambda text: {"label": "a"})
    predictor = build(
        "http", url=f"{await serve(server)}/q?v=1", method="GET", request={"t": "{{x}}", "k": "a&b"}
    )

    assert await records(predictor, {"uid": "1", "x": "ü ?"}) == [{"label": "a", "id": "1"}]
    assert server.paths == ["GET /q?v=1&t=%C3%BC%20%3F&k=a%26b"]


async def test_http_names_the_step_that_is_missing(serve: Any, build: Any) -> None:
    predictor = build(
        "http", url=await serve(Recorder(lambda text: {"out": []})), response={"label": "out.0.cls"}
    )

    assert "No '0' on the path 'out.0.cls' (option 'response')" in await problem(
        predictor, {"uid": "1"}
    )
