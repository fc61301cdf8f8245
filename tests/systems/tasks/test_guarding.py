"""Patience: what is tried again and what is not, batches taken apart, and what failures say."""

import asyncio
from typing import Any

import pytest
from aiohttp import web

from palaver.core.errors import SystemFailureError
from palaver.systems.predictor import BatchFailureError

pytestmark = pytest.mark.asyncio

QUESTION = {"uid": "q-7", "statement": "fine"}


def scripted(*responses: Any) -> Any:
    """A handler that gives these responses in turn, the last one for ever; it counts its calls."""

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        handle.calls.append(body)  # type: ignore[attr-defined]
        response = responses[min(len(handle.calls), len(responses)) - 1]  # type: ignore[attr-defined]
        made = response(body) if callable(response) else response
        if isinstance(made, web.StreamResponse):
            return made
        return web.json_response(made)

    handle.calls = []  # type: ignore[attr-defined]
    return handle


def status(code: int, text: str = "", **headers: str) -> Any:
    return lambda body: web.Response(status=code, text=text, headers=headers)


async def failure(predictor: Any, *questions: dict[str, Any]) -> SystemFailureError:
    with pytest.raises(SystemFailureError) as caught:
        await predictor.predict(list(questions) or [QUESTION])
    return caught.value


@pytest.mark.parametrize("code", [500, 502, 503, 504, 408, 429])
async def test_what_may_pass_is_tried_again(serve: Any, build: Any, code: int) -> None:
    handler = scripted(status(code), status(code), {"id": "q-7", "label": "positive"})
    predictor = build("torchserve", url=await serve(handler), retries=2)

    replies = await predictor.predict([QUESTION])

    assert replies[0].record == {"id": "q-7", "label": "positive"}
    assert len(handler.calls) == 3


@pytest.mark.parametrize("code", [301, 400, 401, 403, 404, 413, 422])
async def test_what_may_not_is_refused_at_once(serve: Any, build: Any, code: int) -> None:
    handler = scripted(status(code, "the reason"))
    predictor = build("torchserve", url=await serve(handler), retries=5)

    error = await failure(predictor)

    assert len(handler.calls) == 1
    assert (error.kind, error.attempts) == ("refused", 1)
    assert "Question 'q-7'" in str(error)
    assert f"answered {code} " in str(error)
    assert "the reason" in str(error)


async def test_the_last_failure_is_told_with_status_body_and_attempts(
    serve: Any, build: Any
) -> None:
    handler = scripted(status(500, "x" * 500))
    predictor = build("torchserve", url=await serve(handler), retries=2)

    error = await failure(predictor)

    assert (error.kind, error.attempts, len(handler.calls)) == ("error", 3, 3)
    assert "x" * 200 + "…" in str(error)
    assert "x" * 201 not in str(error)
    assert "(3 attempts)" in str(error)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<html><h1>Sign in</h1></html>", "The answer is HTML"),
        ('{"id": "q-7", "label": "posi', "not JSON"),
        ("", "The answer is empty"),
        ("  \n", "The answer is empty"),
    ],
)
async def test_a_good_status_with_a_bad_body(serve: Any, build: Any, body: str, words: str) -> None:
    handler = scripted(status(200, body))
    predictor = build("torchserve", url=await serve(handler), retries=1)

    error = await failure(predictor)

    assert error.kind == "garbage"
    assert words in str(error)
    assert body.strip()[:20] in str(error)
    assert len(handler.calls) == 2


async def test_pretty_printed_json_is_json(serve: Any, build: Any) -> None:
    handler = scripted(status(200, '{\n  "id": "q-7",\n  "label": "positive"\n}\n'))
    predictor = build("torchserve", url=await serve(handler))

    assert (await predictor.predict([QUESTION]))[0].record["label"] == "positive"


async def test_a_model_that_hangs_runs_into_the_time_limit(serve: Any, build: Any) -> None:
    async def hang(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        raise AssertionError

    predictor = build("torchserve", url=await serve(hang), timeout=0.05, retries=1)

    error = await failure(predictor)

    assert (error.kind, error.attempts) == ("timeout", 2)
    assert "No answer within 0.05 s (option 'timeout')" in str(error)


async def test_a_reset_is_tried_again(raw: Any, build: Any, good: Any) -> None:
    async def talk(request: bytes, writer: asyncio.StreamWriter) -> None:
        if len(server.requests) < 3:
            writer.transport.abort()
        else:
            writer.write(good(b'{"id": "q-7"}'))

    server = await raw(talk)
    predictor = build("torchserve", url=server.url, retries=2)

    assert (await predictor.predict([QUESTION]))[0].record == {"id": "q-7"}


async def test_a_service_that_asks_for_a_pause_gets_it(
    serve: Any, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await real(0)

    handler = scripted(status(429, **{"Retry-After": "7"}), {"id": "q-7"})
    predictor = build("torchserve", url=await serve(handler))
    predictor._patience._pace._sleep = sleep
    monkeypatch.setattr("palaver.systems.patience.asyncio.sleep", sleep)

    await predictor.predict([QUESTION])

    assert slept[0] == 7.0


async def test_a_service_that_asks_for_too_long_a_pause_is_not_asked_again(
    serve: Any, build: Any
) -> None:
    handler = scripted(status(429, **{"Retry-After": "3600"}))
    predictor = build("torchserve", url=await serve(handler))

    assert "429" in str(await failure(predictor))
    assert len(handler.calls) == 1


async def test_secrets_are_in_no_failure(
    serve: Any, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "sesame-open")
    handler = scripted(lambda body: web.Response(status=401, text="bad key sesame-open"))
    url = await serve(handler)

    predictor = build(
        "torchserve",
        url=f"{url.replace('http://', 'http://me:passw0rd@')}/x?key=${{MODEL_KEY}}",
        headers={"Authorization": "Bearer ${MODEL_KEY}"},
    )
    told = str(await failure(predictor))

    assert "bad key ***" in told
    assert "sesame" not in told
    assert "passw0rd" not in told


async def test_a_bad_question_does_not_cost_its_neighbours(serve: Any, build: Any) -> None:
    def answer(body: Any) -> Any:
        samples = body["dataset_samples"]
        if any(sample["uid"] == "3" for sample in samples):
            return web.Response(status=422, text="sample 3 is beyond me")
        return [{"id": sample["uid"], "label": "a"} for sample in samples]

    handler = scripted(answer)
    predictor = build("dynabench", url=await serve(handler))

    error = await failure(predictor, *({"uid": str(n)} for n in range(6)))

    assert isinstance(error, BatchFailureError)
    assert error.uids == ("3",)
    assert sorted(error.answered) == [0, 1, 2, 4, 5]
    assert error.answered[4].record == {"id": "4", "label": "a"}
    assert "Question '3'" in str(error)
    assert "beyond me" in str(error)
    assert "5 of the 6 questions of the batch were answered" in str(error)


async def test_a_batch_that_fails_only_as_a_batch_is_answered(serve: Any, build: Any) -> None:
    def answer(body: Any) -> Any:
        samples = body["dataset_samples"]
        if len(samples) > 1:
            return web.Response(status=413, text="too much")
        return [{"label": samples[0]["uid"] + "!"}]

    predictor = build("dynabench", url=await serve(scripted(answer)))

    replies = await predictor.predict([{"uid": "a"}, {"uid": "b"}])

    assert [reply.record for reply in replies] == [
        {"label": "a!", "id": "a"},
        {"label": "b!", "id": "b"},
    ]


async def test_a_model_that_fails_every_question_is_soon_left_alone(serve: Any, build: Any) -> None:
    handler = scripted(status(401, "who are you?"))
    predictor = build("dynabench", url=await serve(handler))

    error = await failure(predictor, *({"uid": str(n)} for n in range(64)))

    assert len(handler.calls) == 3  # the batch and two single ones
    assert "who are you?" in str(error)


async def test_an_endpoint_that_is_away_is_not_asked_one_by_one(build: Any) -> None:
    predictor = build("dynabench", url="http://127.0.0.1:1", retries=0)

    error = await failure(predictor, {"uid": "a"}, {"uid": "b"}, {"uid": "c"}, {"uid": "d"})

    assert error.kind == "unreachable"
    assert str(error).startswith("4 questions, 'a' to 'd': http://127.0.0.1:1/model/")


async def test_no_more_calls_at_a_time_than_allowed(serve: Any, build: Any) -> None:
    now, most = 0, 0
    full = asyncio.Event()

    async def handle(request: web.Request) -> web.StreamResponse:
        nonlocal now, most
        now += 1
        most = max(most, now)
        if now == 3:
            full.set()
        await asyncio.wait_for(full.wait(), 60)
        await asyncio.sleep(0.01)  # a fourth call would come in
        now -= 1
        return web.json_response({"id": (await request.json())["uid"]})

    predictor = build("torchserve", url=await serve(handle), concurrency=3)

    await asyncio.gather(*(predictor.predict([{"uid": str(n)}]) for n in range(12)))

    assert most == 3


async def test_every_attempt_takes_its_turn(serve: Any, build: Any) -> None:
    turns = 0

    class Counted:
        async def turn(self) -> None:
            nonlocal turns
            turns += 1

    predictor = build("torchserve", url=await serve(scripted(status(500), {"id": "q-7"})))
    predictor._patience._pace = Counted()

    await predictor.predict([QUESTION])

    assert turns == 2


async def test_calls_at_a_time_share_one_rate(serve: Any, build: Any) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    predictor = build("torchserve", url=await serve(scripted({"id": "q-7"})), requests_per_second=4)
    predictor._patience._pace._clock, predictor._patience._pace._sleep = (lambda: 100.0), sleep

    await asyncio.gather(*(predictor.predict([QUESTION]) for _ in range(5)))

    assert waits == [0.25, 0.5, 0.75, 1.0]


async def test_the_seconds_of_a_batch_are_shared_out(serve: Any, build: Any) -> None:
    def answer(body: Any) -> Any:
        return [{"label": "a"} for _ in body["dataset_samples"]]

    predictor = build("dynabench", url=await serve(scripted(answer)))

    replies = await predictor.predict([{"uid": "a"}, {"uid": "b"}])

    assert replies[0].seconds == replies[1].seconds > 0


async def test_nothing_asked_is_nothing_answered(build: Any) -> None:
    assert await build("dynabench", url="http://127.0.0.1:1").predict([]) == []
