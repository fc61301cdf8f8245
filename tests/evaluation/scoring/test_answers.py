"""What a model really sent is kept where it is no answer: bounded, and without the keys it was sent."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from palaver.core.evaluation.runs import RunSheet
from palaver.core.raw_answers import LONGEST, RawAnswer, raw_answer
from palaver.core.serial import plain
from palaver.engines.registry import open_engine
from palaver.evaluation.jobs.worker import Worker
from palaver.evaluation.runs.outcomes import retry_run
from palaver.evaluation.runs.results import run_sheet
from support.endpoints import Question, right_or_wrong, serving
from support.runs import QUICK, Bench

KEY = "k3y-that-nobody-may-see"


def looked_at(bench: Bench, model: str = "odd") -> RunSheet:
    run = bench.runs()[model, "dev"]
    return bench.home.store.read_now(lambda c: run_sheet(c, run.key))


def answering(
    bench: Bench, answers: Callable[[Question], Any], *, items: int = 2, **options: Any
) -> RunSheet:
    """A run of a model that answers so."""
    bench.dataset("dev", items)
    with serving(answers) as endpoint:
        bench.model("odd", endpoint.url, **options)
        bench.work()
    return looked_at(bench)


def test_a_refused_answer_is_kept_as_it_came(bench: Bench) -> None:
    """The zero byte is one that PostgreSQL takes in no text."""
    label = "perhaps\x00 " + "so " * 100

    def answers(question: Question) -> Any:
        odd = {"id": question["uid"], "label": label, "why": ["ü"]}
        return odd if question["uid"] == "u1" else right_or_wrong(question)

    detail = answering(bench, answers)

    (refused,) = detail.refused_answers
    assert refused.raw is not None
    assert refused.raw.text.startswith('{"id":"u1","label":"perhaps\\u0000 so so ')
    assert refused.raw.text.endswith(' so ","why":["ü"]}')
    assert (refused.raw.length, refused.raw.is_cut) == (len(refused.raw.text), False)
    assert refused.answer is None
    assert [each.answer is None for each in bench.predictions("odd", "dev")] == [False, True]
    # The reason stays short.
    assert len(detail.reason) < 250


def test_a_long_answer_is_cut_and_says_how_long_it_was(local_bench: Bench) -> None:
    detail = answering(local_bench, lambda question: {"label": "x" * 10_000})
    refused = detail.refused_answers[0].raw
    assert refused is not None
    assert len(refused.text) == LONGEST
    assert refused.length == len('{"label":"","id":"u0"}') + 10_000
    assert refused.is_cut
    told = plain(detail)["refused_answers"][0]["raw"]
    assert told == {"text": refused.text, "length": refused.length}


def page(question: Question) -> web.Response:
    text = f"<h1>Oops</h1>{'<br>' * 300}{KEY}"
    return web.Response(text=text, content_type="text/html")


def test_what_came_instead_of_json_is_kept_with_the_attempt(bench: Bench) -> None:
    detail = answering(bench, page, headers={"X-Api-Key": KEY})

    job = detail.jobs[0]
    assert detail.state == "failed"
    assert job.raw == RawAnswer(f"<h1>Oops</h1>{'<br>' * 300}***", 13 + 1200 + 3)
    assert plain(detail)["jobs"][0]["raw"]["length"] == 1216
    assert [each.attempt for each in detail.failures] == [1]


def test_a_later_attempt_forgets_what_came_before(local_bench: Bench) -> None:
    detail = answering(local_bench, page)
    assert detail.jobs[0].raw is not None
    local_bench.home.store.write_now(lambda c: retry_run(c, detail))
    assert looked_at(local_bench).jobs[0].raw is None
    local_bench.work()  # nobody serves it any more, so nothing comes
    again = looked_at(local_bench)
    assert (again.state, again.jobs[0].raw) == ("failed", None)


def test_an_echoed_key_is_not_kept(local_bench: Bench) -> None:
    def echo(question: Question) -> Any:
        return {"id": question["uid"], "label": "?", "headers": {"authorization": f"Bearer {KEY}"}}

    detail = answering(local_bench, echo, headers={"Authorization": f"Bearer {KEY}"})
    kept = detail.refused_answers[0].raw
    assert kept is not None
    assert KEY not in kept.text
    assert '"authorization":"***"' in kept.text


def test_the_text_of_a_bad_status_is_kept(local_bench: Bench) -> None:
    detail = answering(local_bench, lambda question: web.Response(status=500, text="out of memory"))
    assert detail.jobs[0].raw == RawAnswer("out of memory", 13)


def test_what_came_to_a_node_of_an_engine_is_kept(local_bench: Bench) -> None:
    async def work() -> None:
        engine = open_engine("local://2")
        try:
            await Worker(local_bench.home, engine=engine, backoff=QUICK).work_through()
        finally:
            await engine.close()

    local_bench.dataset("dev", 4)
    with serving(page) as endpoint:
        local_bench.model("odd", endpoint.url, headers={"X-Api-Key": KEY})
        asyncio.run(work())
    kept = looked_at(local_bench).jobs[0].raw
    assert kept is not None
    assert kept.text.startswith("<h1>Oops</h1>")
    assert KEY not in kept.text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("as it is", "as it is"),
        ([1, None], "[1,null]"),
        ({"a": "<b>"}, '{"a":"<b>"}'),
        ({("a", 1): 2}, "{('a', 1): 2}"),
        ("half \ud800", "half ?"),
        ({"half": "\ud800"}, '{"half":"?"}'),
    ],
)
def test_anything_becomes_text(given: Any, text: str) -> None:
    assert raw_answer(given) == RawAnswer(text, len(text))


def test_a_secret_at_the_edge_is_hidden_before_the_text_is_cut() -> None:
    given = "x" * (LONGEST - 3) + KEY
    kept = raw_answer(given, hide=lambda text: text.replace(KEY, "***"))
    assert kept == RawAnswer("x" * (LONGEST - 3) + "***", LONGEST)
