"""A service is asked a few items before all the others: dead ones fail at once, busy ones do not."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from palaver.engines.registry import open_engine
from palaver.evaluation.jobs.worker import Worker
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.runs.outcomes import retry_run
from palaver.storage.evaluation.jobs import failures_of
from support.endpoints import Question, right_or_wrong, serving
from support.runs import NOW, QUICK, Bench

ITEMS = 120
DEAD: dict[str, tuple[Callable[[Question], Any], str, str]] = {
    "no key": (
        lambda question: web.Response(status=401, text="who are you?"),
        "answered 401 Unauthorized: who are you?",
        "the key may be wrong",
    ),
    "crash": (
        lambda question: web.Response(status=500, text="oops"),
        "answered 500 Internal Server Error: oops",
        "Look into the log of the model",
    ),
    "a page": (
        lambda question: web.Response(text="<html>Sign in</html>", content_type="text/html"),
        "The answer is HTML; expected JSON",
        "Answer with JSON and nothing else",
    ),
    "another shape": (
        lambda question: {"id": question["uid"], "class": 1},
        "Answer to u0: it has no 'label'",
        "Put 'label' into every answer",
    ),
    "another label": (
        lambda question: {"id": question["uid"], "label": "perhaps"},
        "expected one of entailed, neutral, contradictory; got 'perhaps'",
        "translate before answering",
    ),
}


def attempts(bench: Bench, model: str) -> int:
    """How many attempts at a run failed."""
    (job,) = (each for each in bench.jobs(model, "dev") if each.kind == "answer")
    return len(bench.home.store.read_now(lambda c: failures_of(c, [job.id])))


@pytest.mark.parametrize("name", DEAD)
def test_one_that_answers_nothing_well_fails_at_once(local_bench: Bench, name: str) -> None:
    answers, problem, mend = DEAD[name]
    local_bench.dataset("dev", ITEMS)
    with serving(answers) as dead, serving() as good:
        local_bench.model("dead", dead.url, retries=2)
        local_bench.model("good", good.url)
        local_bench.work()
    run = local_bench.runs()["dead", "dev"]
    # The first, one from the middle and the last: neighbours are often alike.
    assert dead.asked == {"u0": 1, "u60": 1, "u119": 1}
    assert (run.state, attempts(local_bench, "dead")) == ("failed", 1)
    assert problem in run.reason
    assert "the other 117 items were not asked" in run.reason
    assert mend in run.reason
    assert run.reason.endswith("Then retry the run.")
    assert local_bench.runs()["good", "dev"].state == "done"


def test_an_address_where_nobody_listens_fails_at_once(local_bench: Bench) -> None:
    local_bench.dataset("dev", ITEMS)
    with serving() as gone:
        url = gone.url
    local_bench.model("gone", url)
    local_bench.work()
    run = local_bench.runs()["gone", "dev"]
    assert (run.state, attempts(local_bench, "gone")) == ("failed", 1)
    assert "no connection" in run.reason
    assert "So the other 119 items were not asked. Start the model" in run.reason


def test_one_that_hangs_is_waited_for_once(local_bench: Bench) -> None:
    local_bench.dataset("dev", ITEMS)
    with serving() as hanging:
        hanging.left = 0
        local_bench.model("hanging", hanging.url, timeout=0.3, retries=2)
        local_bench.work()
        hanging.left = None
    run = local_bench.runs()["hanging", "dev"]
    assert hanging.asked == {"u0": 1}
    assert (run.state, attempts(local_bench, "hanging")) == ("failed", 1)
    assert "No answer within 0.3 s" in run.reason
    assert "If it must load first, ask it once yourself" in run.reason


def test_one_that_is_busy_is_asked_again_as_patiently_as_ever(local_bench: Bench) -> None:
    refusals = iter([503, 429, 502])

    def answers(question: Question) -> Any:
        status = next(refusals, None)
        return right_or_wrong(question) if status is None else web.Response(status=status)

    local_bench.dataset("dev", ITEMS)
    with serving(answers) as busy:
        local_bench.model("busy", busy.url)
        local_bench.work()
    assert local_bench.runs()["busy", "dev"].state == "done"
    assert attempts(local_bench, "busy") == 3
    assert {uid for uid, count in busy.asked.items() if count > 1} == {"u0"}


def test_one_item_that_it_does_not_take_is_no_sign_of_death(local_bench: Bench) -> None:
    def answers(question: Question) -> Any:
        if question["uid"] == "u0":
            return {"id": "u0", "label": "perhaps"}
        return right_or_wrong(question)

    local_bench.dataset("dev", 20)
    with serving(answers) as endpoint:
        local_bench.model("odd", endpoint.url)
        local_bench.work()
    run = local_bench.runs()["odd", "dev"]
    assert (run.state, run.answered, run.refused) == ("failed", 19, 1)
    assert endpoint.asked == {f"u{n}": 1 for n in range(20)}


def test_one_that_has_answered_before_may_go_away_for_a_while(local_bench: Bench) -> None:
    # Forty good answers, then twelve crashes, then good answers again.
    crashes = iter([False] * 40 + [True] * 12)

    def answers(question: Question) -> Any:
        if next(crashes, False):
            return web.Response(status=500, text="restarting")
        return right_or_wrong(question)

    local_bench.dataset("dev", ITEMS)
    with serving(answers) as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.work()
    assert local_bench.runs()["stub", "dev"].state == "done"
    assert attempts(local_bench, "stub") > 1


def test_one_that_is_mended_goes_on_from_a_retry(local_bench: Bench) -> None:
    local_bench.dataset("dev", 20)
    with serving(lambda question: {"id": question["uid"]}) as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.work()
        run = local_bench.runs()["stub", "dev"]
        assert (run.state, run.refused) == ("failed", 3)
        endpoint.answers = right_or_wrong
        local_bench.home.store.write_now(lambda c: retry_run(c, run))
        local_bench.work()
    assert local_bench.states() == {("stub", "dev"): "done"}


def test_through_an_engine_it_is_the_same(local_bench: Bench) -> None:
    async def work() -> None:
        engine = open_engine("local://2")
        try:
            await Worker(local_bench.home, engine=engine, backoff=QUICK).work_through()
        finally:
            await engine.close()

    local_bench.dataset("dev", ITEMS)
    with serving(lambda question: {"id": question["uid"], "class": 1}) as dead:
        local_bench.model("dead", dead.url)
        asyncio.run(work())
    run = local_bench.runs()["dead", "dev"]
    assert dead.asked == {"u0": 1, "u60": 1, "u119": 1}
    assert (run.state, run.refused, attempts(local_bench, "dead")) == ("failed", 3, 1)
    assert "the other 117 items were not asked; first: Answer to u0" in run.reason


@pytest.mark.parametrize(("status", "tries"), [(200, 5), (500, 1)], ids=["loading", "broken"])
def test_a_server_that_says_how_it_is(local_bench: Bench, status: int, tries: int) -> None:
    local_bench.dataset("dev", ITEMS)
    with serving() as endpoint:
        endpoint.ping = '{"status": "Partial Healthy"}', status
        options = {"url": endpoint.url, "model": "m", "retries": 0}
        add_model(
            local_bench.home,
            local_bench.row,
            local_bench.task,
            name="served",
            kind="torchserve",
            options=options,
            now=NOW,
        )
        local_bench.work()
    assert not endpoint.asked
    assert local_bench.runs()["served", "dev"].state == "failed"
    assert attempts(local_bench, "served") == tries
