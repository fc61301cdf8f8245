"""A run spread over an engine: the same answers and scores as asked from here, limits kept."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.tasks import Example
from palaver.engines.local import LocalEngine
from palaver.engines.registry import open_engine
from palaver.evaluation.jobs.calls import Manner
from palaver.evaluation.jobs.fan_out import SpreadModel, TimeSpans
from palaver.evaluation.jobs.run_piece import RunPiece, answer_piece
from palaver.evaluation.jobs.worker import Worker
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.runs.outcomes import retry_run
from palaver.evaluation.tasks import builtin_task
from support.endpoints import Question, right_or_wrong, serving
from support.runs import NOW, QUICK, Bench

HANDLER = """
class Handler:
    def answer(self, question):
        return {"id": question["uid"], "label": "neutral"}
"""


def spread(bench: Bench) -> None:
    """Work through everything on the local engine, as on a cluster."""

    async def work() -> None:
        engine = open_engine("local://3")
        try:
            await Worker(bench.home, engine=engine, backoff=QUICK).work_through()
        finally:
            await engine.close()

    asyncio.run(work())


def test_answers_and_metrics_both_go_through_the_engine(local_bench: Bench) -> None:
    given: list[str] = []

    class Noting(LocalEngine):
        def map(self, work: Any, pieces: Any, **options: Any) -> Any:
            given.append(work.__name__)
            return super().map(work, pieces, **options)

    async def work() -> None:
        engine = Noting("2")
        try:
            await Worker(local_bench.home, engine=engine, backoff=QUICK).work_through()
        finally:
            await engine.close()

    local_bench.dataset("dev", 20)
    with serving() as endpoint:
        local_bench.model("stub", endpoint.url)
        asyncio.run(work())
    # A look at the service first, then the rest.
    assert given == ["answer_piece", "answer_piece", "score_piece"]
    assert local_bench.scores("stub", "dev")["accuracy"].n == 20


def test_answers_and_scores_are_those_of_a_run_from_here(local_bench: Bench) -> None:
    local_bench.dataset("dev", 200)
    with serving(delay=0.001) as here, serving(delay=0.001) as there:
        local_bench.model("here", here.url, concurrency=6)
        local_bench.work()
        local_bench.model("there", there.url, concurrency=6)
        spread(local_bench)
    assert there.asked == {f"u{n}": 1 for n in range(200)}
    assert there.most_in_flight <= 6
    assert local_bench.states()["there", "dev"] == "done"

    def answers(model: str) -> list[Any]:
        return [each.answer for each in local_bench.predictions(model, "dev")]

    assert answers("there") == answers("here")
    mine, theirs = (local_bench.scores(model, "dev") for model in ("here", "there"))
    for metric in ("accuracy", "macro_f1"):
        assert (mine[metric].value, mine[metric].low) == (theirs[metric].value, theirs[metric].low)
    run = local_bench.runs()["there", "dev"]
    assert 0 < run.busy_seconds < 60


def test_what_was_answered_is_kept_when_a_piece_fails(local_bench: Bench) -> None:
    failing = threading.Event()
    failing.set()

    def answers(question: Question) -> Any:
        if question["uid"] == "u100" and failing.is_set():
            return web.Response(status=503, text="later")
        return right_or_wrong(question)

    local_bench.dataset("dev", 150)
    with serving(answers) as endpoint:
        local_bench.model("stub", endpoint.url, concurrency=2)
        spread(local_bench)
        run = local_bench.runs()["stub", "dev"]
        assert run.state == "failed"
        assert "u100" in run.reason
        assert 100 <= run.answered < 150
        kept = {each.uid for each in local_bench.predictions("stub", "dev")}
        assert {endpoint.asked[uid] for uid in kept} == {1}
        # Mended and tried again, only the rest is asked.
        failing.clear()
        endpoint.asked.clear()
        local_bench.home.store.write_now(lambda c: retry_run(c, run))
        spread(local_bench)
    assert local_bench.states() == {("stub", "dev"): "done"}
    assert not kept & set(endpoint.asked)


def test_a_handler_is_run_where_the_pieces_are(local_bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "handler.py").write_text(HANDLER, encoding="utf-8")
    local_bench.dataset("dev", 60)
    add_model(
        local_bench.home,
        local_bench.row,
        local_bench.task,
        name="own",
        kind="handler",
        options={"handler": "handler:Handler"},
        folder=folder,
        now=NOW,
    )
    spread(local_bench)
    assert local_bench.states() == {("own", "dev"): "done"}
    assert local_bench.scores("own", "dev")["accuracy"].value == pytest.approx(1 / 3)


def test_a_piece_tells_its_failure_beside_its_answers(tmp_path: Path) -> None:
    """Exceptions do not always survive the way back from another machine."""
    task = builtin_task("nli")
    items = [
        (n, Example(uid=f"u{n}", values={"context": "", "hypothesis": "", "label": "neutral"}))
        for n in range(3)
    ]

    def answers(question: Question) -> Any:
        if question["uid"] == "u2":
            return web.Response(status=400, text="no such question")
        return right_or_wrong(question)

    with serving(answers) as endpoint:
        piece = RunPiece(
            kind="http",
            options={"url": endpoint.url, "concurrency": 1, "retries": 0},
            folder=str(tmp_path),
            is_service=True,
            manner=Manner(task=task, folder=tmp_path),
            items=items,
        )
        result = answer_piece(piece)
    assert [each.uid for each in result.answers] == ["u0", "u1"]
    assert "u2" in result.failure
    assert not result.final
    assert result.ended >= result.began


def test_wrong_options_are_final(tmp_path: Path) -> None:
    manner = Manner(task=builtin_task("nli"), folder=tmp_path)
    piece = RunPiece(
        kind="http",
        options={},
        folder=str(tmp_path),
        is_service=True,
        manner=manner,
        items=[],
    )
    result = answer_piece(piece)
    assert result.final
    assert "url" in result.failure


def test_a_service_is_shared_out_and_code_is_not() -> None:
    options = {"url": "http://x", "concurrency": 200, "requests_per_second": 64}
    service = SpreadModel(
        kind="http", options=options, folder="", batch=1, concurrency=200, is_service=True
    )
    assert service.places == 32
    assert service.share()["concurrency"] * 32 <= 200
    assert service.share()["requests_per_second"] == 2
    code = SpreadModel(
        kind="handler", options={}, folder="", batch=1, concurrency=1, is_service=False
    )
    assert (code.places, code.share()) == (None, {})


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=20))
def test_the_union_of_spans_counts_every_moment_once(pairs: list[tuple[int, int]]) -> None:
    spans = TimeSpans()
    grown = 0.0
    moments: set[int] = set()
    for a, b in pairs:
        began, ended = min(a, b), max(a, b)
        spans.add(began, ended)
        grown += spans.take()
        moments |= set(range(began, ended))
    assert spans.seconds == len(moments)
    assert grown == len(moments)
