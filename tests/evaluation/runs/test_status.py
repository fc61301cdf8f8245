"""How far a task is, and one run in full."""

import json

from palaver.core.serial import plain
from palaver.evaluation.runs.results import run_sheet, task_status
from support.endpoints import right_or_wrong, serving
from support.runs import Bench


def test_every_model_on_every_data_set(local_bench: Bench) -> None:
    local_bench.dataset("dev", 6)
    local_bench.dataset("own", 3, access="standard")
    with serving() as good, serving(lambda q: {"id": q["uid"], "label": "?"}) as bad:
        local_bench.model("good", good.url)
        local_bench.model("bad", bad.url)
        local_bench.work()
    status = local_bench.home.store.read_now(lambda c: task_status(c, local_bench.row))
    assert status.counts == {"done": 1, "failed": 1}
    done, failed = status.run("good", "dev"), status.run("bad", "dev")
    assert done is not None
    assert failed is not None
    assert (done.state, done.answered, done.share, done.reason) == ("done", 6, 1.0, "")
    assert (failed.state, failed.refused) == ("failed", 3)
    assert failed.reason.startswith("All of the first 3 answers were refused")
    # Nobody asked for it: it does not count for the board.
    assert status.run("good", "own") is None
    assert json.loads(json.dumps(plain(status)))["datasets"] == ["dev", "own"]


def test_a_run_in_full_names_refused_answers_and_attempts(local_bench: Bench) -> None:
    def answers(question: dict[str, str]) -> dict[str, str]:
        return right_or_wrong(question) if question["uid"] != "u1" else {"id": "u1"}

    local_bench.dataset("dev", 3)
    with serving(answers) as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.work()
    run = local_bench.runs()["stub", "dev"]
    sheet = local_bench.home.store.read_now(lambda c: run_sheet(c, run.key))
    found = json.loads(json.dumps(plain(sheet)))
    assert [each["uid"] for each in found["refused_answers"]] == ["u1"]
    assert found["performance"] is None
    assert [each["attempt"] for each in found["failures"]] == [1]
    assert found["jobs"][0]["state"] == "dead"
