"""Runs from planned to scored: resumed, refused, failed, cancelled, tried again."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from palaver.core.errors import InputError
from palaver.evaluation.jobs import worker as worker_module
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.jobs.worker import Worker
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.runs.outcomes import cancel_run, retry_run
from palaver.storage.evaluation.jobs import failures_of
from palaver.systems.signatures import sign
from support.endpoints import LABELS, Question, right_or_wrong, serving
from support.runs import NOW, QUICK, Bench


def test_a_model_is_asked_once_about_each_item_and_scored(bench: Bench) -> None:
    bench.dataset("dev", 40)
    with serving() as endpoint:
        bench.model("stub", endpoint.url)
        bench.work()
    run = bench.runs()["stub", "dev"]
    assert (run.state, run.answered, run.refused) == ("done", 40, 0)
    assert endpoint.asked == {f"u{n}": 1 for n in range(40)}
    assert endpoint.most_in_flight <= 4
    answers = bench.predictions("stub", "dev")
    assert [each.position for each in answers] == list(range(40))
    expected = [right_or_wrong({"uid": f"u{n}"})["label"] for n in range(40)]
    assert [each.answer["label"] for each in answers if each.answer] == expected
    right = sum(label == LABELS[n % 3] for n, label in enumerate(expected))
    accuracy = bench.scores("stub", "dev")["accuracy"]
    assert accuracy.n == 40
    assert accuracy.value == pytest.approx(right / 40)
    assert run.busy_seconds > 0
    assert run.started is not None
    assert run.finished is not None


def test_the_model_is_sent_no_gold_and_no_tags(local_bench: Bench) -> None:
    seen: list[Question] = []

    def answers(question: Question) -> Any:
        seen.append(question)
        return right_or_wrong(question)

    local_bench.dataset("dev", 3)
    with serving(answers) as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.work()
    assert {tuple(sorted(each)) for each in seen} == {("context", "hypothesis", "uid")}


def test_refused_answers_fail_the_run_with_their_reason_and_no_score(local_bench: Bench) -> None:
    def answers(question: Question) -> Any:
        if question["uid"] in ("u3", "u7"):
            return {"id": question["uid"], "label": "perhaps"}
        return right_or_wrong(question)

    local_bench.dataset("dev", 10)
    with serving(answers) as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.work()
        run = local_bench.runs()["stub", "dev"]
        assert (run.state, run.answered, run.refused) == ("failed", 8, 2)
        assert run.reason.startswith("2 of 10 answers were refused; first: Answer to u3: 'label'")
        assert local_bench.scores("stub", "dev") == {}
        # Tried again, only the two that were refused are asked.
        endpoint.answers = right_or_wrong
        endpoint.asked.clear()
        local_bench.home.store.write_now(lambda c: retry_run(c, run))
        local_bench.work()
    assert endpoint.asked == {"u3": 1, "u7": 1}
    assert local_bench.states() == {("stub", "dev"): "done"}
    assert local_bench.scores("stub", "dev")["accuracy"].n == 10


def test_signatures_are_checked_where_the_model_has_a_secret(
    local_bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "s3cr3t")

    def signed(question: Question, secret: str) -> Any:
        answer = right_or_wrong(question)
        inputs = {name: question[name] for name in ("context", "hypothesis")}
        signature = sign(secret, "nli", inputs, {"label": answer["label"]})
        return {**answer, "signature": signature}

    def answers(question: Question) -> Any:
        if question["uid"] == "u3":
            return signed(question, "another")
        return right_or_wrong(question) if question["uid"] == "u7" else signed(question, "s3cr3t")

    local_bench.dataset("dev", 10)
    with serving(answers) as endpoint:
        local_bench.model("stub", endpoint.url, secret="${A_SECRET}")
        local_bench.work()
    run = local_bench.runs()["stub", "dev"]
    assert (run.state, run.answered, run.refused) == ("failed", 8, 2)
    problems = [each.problem for each in local_bench.predictions("stub", "dev") if each.problem]
    assert "its signature is not valid" in problems[0]
    assert "it has no signature" in problems[1]


def test_code_that_never_answers_well_is_not_asked_to_the_end(
    local_bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "handler.py").write_text(
        "def answer(question): return {'label': 'maybe'}", encoding="utf-8"
    )
    local_bench.dataset("dev", 500)
    add_model(
        local_bench.home,
        local_bench.row,
        local_bench.task,
        name="own",
        kind="handler",
        options={"handler": "handler:answer", "concurrency": 4},
        folder=tmp_path / "own",
        now=NOW,
    )
    local_bench.work()
    run = local_bench.runs()["own", "dev"]
    assert run.state == "failed"
    assert 50 <= run.refused < 60
    assert "so the rest were not asked for" in run.reason


def test_a_model_that_fails_for_a_while_is_resumed_without_asking_twice(bench: Bench) -> None:
    failing = threading.Event()
    failing.set()

    def answers(question: Question) -> Any:
        if question["uid"] == "u20" and failing.is_set():
            return web.Response(status=500, text="out of memory")
        return right_or_wrong(question)

    def listen(run_id: int) -> None:
        if bench.runs()["stub", "dev"].reason:
            failing.clear()

    bench.dataset("dev", 60)
    with serving(answers) as endpoint:
        bench.model("stub", endpoint.url)
        bench.work(listener=listen)
    run = bench.runs()["stub", "dev"]
    assert (run.state, run.answered, run.reason) == ("done", 60, "")
    again = {uid: count for uid, count in endpoint.asked.items() if count > 1}
    assert set(again) == {"u20"}


def test_a_model_that_fails_all_the_time_keeps_every_reason(local_bench: Bench) -> None:
    local_bench.dataset("dev", 5)
    with serving(lambda question: web.Response(status=503, text="later")) as busy:
        local_bench.model("busy", busy.url, concurrency=1)
        with serving() as other:
            local_bench.model("good", other.url)
            local_bench.work()
    run = local_bench.runs()["busy", "dev"]
    assert local_bench.states() == {("busy", "dev"): "failed", ("good", "dev"): "done"}
    (job,) = local_bench.jobs("busy", "dev")
    assert (job.state, job.attempts) == ("dead", 5)
    told = local_bench.home.store.read_now(lambda c: failures_of(c, [job.id]))
    assert [each.attempt for each in told] == [1, 2, 3, 4, 5]
    assert all("u0" in each.reason for each in told)
    assert run.reason == told[-1].reason


@pytest.mark.parametrize(
    "response",
    [
        web.Response,
        lambda: web.Response(text="<html>Sign in</html>", content_type="text/html"),
        lambda: web.Response(text='{"id": "u0", "lab', content_type="application/json"),
    ],
    ids=["empty", "html", "truncated"],
)
def test_garbage_is_a_failure_with_a_reason_and_no_score(local_bench: Bench, response: Any) -> None:
    local_bench.dataset("dev", 4)
    with serving(lambda question: response()) as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.work()
    run = local_bench.runs()["stub", "dev"]
    assert (run.state, run.answered) == ("failed", 0)
    assert run.reason
    assert local_bench.scores("stub", "dev") == {}


def test_whatever_a_job_raises_becomes_its_reason(
    local_bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*args: object, **options: object) -> None:
        raise ZeroDivisionError("nothing to divide by")

    monkeypatch.setattr(worker_module, "score_run", explode)
    local_bench.dataset("dev", 3)
    with serving() as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.work()
        run = local_bench.runs()["stub", "dev"]
        assert run.state == "failed"
        assert run.reason == "ZeroDivisionError: nothing to divide by"
        # Its answers are kept: tried again, it is only scored.
        monkeypatch.undo()
        endpoint.asked.clear()
        local_bench.home.store.write_now(lambda c: retry_run(c, run))
        assert local_bench.states() == {("stub", "dev"): "scoring"}
        local_bench.work()
    assert not endpoint.asked
    assert local_bench.states() == {("stub", "dev"): "done"}


def test_a_lost_data_set_fails_at_once_and_stops_nobody(local_bench: Bench) -> None:
    lost = local_bench.dataset("lost", 3)
    with serving() as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.dataset("dev", 4)
        (local_bench.home.folder / "objects" / lost.path).unlink()
        local_bench.work()
    states = local_bench.states()
    assert states == {("stub", "lost"): "failed", ("stub", "dev"): "done"}
    assert "not in the object store" in local_bench.runs()["stub", "lost"].reason
    (job,) = local_bench.jobs("stub", "lost")
    assert job.attempts == 1


def test_cancelling_takes_effect_while_the_model_is_asked(bench: Bench) -> None:
    bench.dataset("dev", 100)
    with serving() as endpoint:
        endpoint.left = 50
        bench.model("slow", endpoint.url, concurrency=2)
        key = ("slow", "dev")

        def cancel_soon() -> None:
            while bench.runs()[key].answered < 10:
                time.sleep(0.01)
            run = bench.runs()[key]
            bench.home.store.write_now(lambda c: cancel_run(c, run, now=NOW))

        canceller = threading.Thread(target=cancel_soon)
        canceller.start()
        bench.work()
        canceller.join(timeout=60)
        run = bench.runs()[key]
        assert run.state == "cancelled"
        assert 10 <= run.answered < 100
        stored = len(bench.predictions(*key))
        assert stored == run.answered
        # It goes on where it was; what was stored is not asked again.
        endpoint.left = None
        kept = {each.uid for each in bench.predictions(*key)}
        endpoint.asked.clear()
        bench.home.store.write_now(lambda c: retry_run(c, run))
        bench.work()
    assert bench.states() == {key: "done"}
    assert not kept & set(endpoint.asked)


def test_a_run_that_is_over_cannot_be_cancelled_or_retried(local_bench: Bench) -> None:
    local_bench.dataset("dev", 3)
    with serving() as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.work()
    run = local_bench.runs()["stub", "dev"]
    for work in (lambda c: cancel_run(c, run, now=NOW), lambda c: retry_run(c, run)):
        with pytest.raises(InputError, match="done"):
            local_bench.home.store.write_now(work)


def test_a_worker_that_is_stopped_gives_its_jobs_back(local_bench: Bench) -> None:
    local_bench.dataset("dev", 100)
    with serving() as endpoint:
        endpoint.left = 50
        local_bench.model("slow", endpoint.url, concurrency=2)

        async def begin_and_stop() -> None:
            working = asyncio.create_task(Worker(local_bench.home, backoff=QUICK).run())
            while local_bench.runs()["slow", "dev"].answered < 5:
                await asyncio.sleep(0.01)
            working.cancel()
            await asyncio.wait([working])

        asyncio.run(begin_and_stop())
        (job,) = local_bench.jobs("slow", "dev")
        assert (job.state, job.holder) == ("waiting", None)
        kept = {each.uid for each in local_bench.predictions("slow", "dev")}
        assert len(kept) == local_bench.runs()["slow", "dev"].answered >= 5
        endpoint.left = None
        endpoint.asked.clear()
        local_bench.work()
    assert local_bench.states() == {("slow", "dev"): "done"}
    assert not kept & set(endpoint.asked)


def test_a_models_runs_follow_each_other_and_models_go_side_by_side(local_bench: Bench) -> None:
    local_bench.dataset("one", 20)
    local_bench.dataset("two", 20)
    with serving(delay=0.01) as first, serving(delay=0.01) as second:
        local_bench.model("a", first.url, concurrency=3)
        local_bench.model("b", second.url, concurrency=3)
        local_bench.work()
    assert set(local_bench.states().values()) == {"done"}
    assert (first.most_in_flight, second.most_in_flight) == (3, 3)


def test_two_workers_share_the_jobs(bench: Bench) -> None:
    for n in range(3):
        bench.dataset(f"d{n}", 15)
    with serving(delay=0.002) as endpoint:
        for n in range(3):
            bench.model(f"m{n}", endpoint.url)

        async def both() -> None:
            workers = [Worker(bench.home, at_once=2, backoff=QUICK) for _ in range(2)]
            await asyncio.gather(*(each.work_through() for each in workers))

        asyncio.run(both())
    assert set(bench.states().values()) == {"done"}
    assert len(bench.states()) == 9
    assert set(endpoint.asked.values()) == {9}


def test_fairness_is_measured_whichever_run_ends_last(bench: Bench) -> None:
    bench.dataset("dev", 12)
    bench.variants("dev", "fairness", 12)
    with serving(
        lambda q: right_or_wrong({"uid": q["uid"].removesuffix("_x")}) | {"id": q["uid"]}
    ) as (endpoint):
        bench.model("stub", endpoint.url)
        bench.work()
    assert set(bench.states().values()) == {"done"}
    assert bench.scores("stub", "dev")["fairness"].value == pytest.approx(1.0)


def test_a_run_takes_its_kin_along_and_nobody_else(bench: Bench) -> None:
    bench.dataset("dev", 4)
    bench.dataset("other", 4)
    bench.variants("dev", "fairness", 4)
    with serving() as endpoint:
        bench.model("m", endpoint.url)
        bench.model("n", endpoint.url)
        runs = [bench.runs()["m", "fairness-dev"]]
        listed = work_through(bench.home, runs=runs)
    assert {(each.model, each.dataset) for each in listed} == {
        ("m", "dev"),
        ("m", "fairness-dev"),
    }
    done = {names for names, state in bench.states().items() if state == "done"}
    assert done == {("m", "dev"), ("m", "fairness-dev")}
    assert "fairness" in bench.scores("m", "dev")


def test_a_worker_that_is_woken_and_stopped_at_once_stops(local_bench: Bench) -> None:
    async def stopped() -> bool:
        worker = Worker(local_bench.home)
        pausing = asyncio.create_task(worker._pause())
        await asyncio.sleep(0)
        worker.wake()
        pausing.cancel()
        await asyncio.wait([pausing])
        return pausing.cancelled()

    assert asyncio.run(stopped())
