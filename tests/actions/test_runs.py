"""What is done to runs comes to the same through every door, and is refused in the same words."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from palaver.core.evaluation.runs import Run
from support.doors import Doors, Refused
from support.endpoints import Endpoint, Question, right_or_wrong, serving

Act = Callable[[Doors, str], None]
Evaluate = Callable[..., None]
Rescore = Callable[..., list[dict[str, Any]]]


def cancel_by_command(doors: Doors, key: str) -> None:
    doors.command("runs", "cancel", key)


def cancel_by_api(doors: Doors, key: str) -> None:
    doors.ask("POST", f"/runs/{key}/cancel", None)


def cancel_by_desk(doors: Doors, key: str) -> None:
    doors.send(f"/desk/tasks/nli/runs/{key}/cancel", on="/desk/settings")


def retry_by_command(doors: Doors, key: str) -> None:
    doors.command("runs", "retry", key)


def retry_by_api(doors: Doors, key: str) -> None:
    doors.ask("POST", f"/runs/{key}/retry", None)


def retry_by_desk(doors: Doors, key: str) -> None:
    doors.send(f"/desk/tasks/nli/runs/{key}/retry", on="/desk/settings")


def evaluate_by_command(doors: Doors, **named: str) -> None:
    words = [word for name, value in named.items() for word in (f"--{name}", value)]
    doors.command("evaluate", "nli", *words)


def evaluate_by_api(doors: Doors, **named: str) -> None:
    doors.ask("POST", "/tasks/nli/evaluate", named)


def rescore_by_command(doors: Doors, metric: str, **named: str) -> list[dict[str, Any]]:
    words = [word for name, value in named.items() for word in (f"--{name}", value)]
    found = doors.document("rescore", "nli", "--metric", metric, *words)
    return list(found["scores"])


def rescore_by_api(doors: Doors, metric: str, **named: str) -> list[dict[str, Any]]:
    wanted = {f"{name}s": [value] for name, value in named.items()}
    return list(doors.ask("POST", "/tasks/nli/rescore", {"metric": metric, **wanted})["runs"])


cancelling = pytest.mark.parametrize("cancel", [cancel_by_command, cancel_by_api, cancel_by_desk])
retrying = pytest.mark.parametrize("retry", [retry_by_command, retry_by_api, retry_by_desk])
evaluating = pytest.mark.parametrize("evaluate", [evaluate_by_command, evaluate_by_api])
rescoring = pytest.mark.parametrize("rescore", [rescore_by_command, rescore_by_api])


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as served:
        yield served


def run(doors: Doors, dataset: str = "dev") -> Run:
    return doors.bench.runs()["mod", dataset]


def waiting_run(doors: Doors) -> Run:
    doors.bench.dataset("dev", 4)
    doors.bench.model("mod", "http://127.0.0.1:9/")
    return run(doors)


def refused_run(doors: Doors) -> Run:
    """One that failed: an answer of four is none."""

    def answers(question: Question) -> Any:
        return {"label": "?"} if question["uid"] == "u1" else right_or_wrong(question)

    doors.bench.dataset("dev", 4)
    with serving(answers) as odd:
        doors.bench.model("mod", odd.url)
        doors.bench.work()
    return run(doors)


def done_run(doors: Doors, endpoint: Endpoint) -> Run:
    doors.bench.dataset("dev", 4)
    doors.bench.model("mod", endpoint.url)
    doors.bench.work()
    return run(doors)


@cancelling
def test_a_run_that_waits_is_cancelled_with_its_job(doors: Doors, cancel: Act) -> None:
    cancel(doors, waiting_run(doors).key)
    assert (run(doors).state, run(doors).reason) == ("cancelled", "Cancelled after 0 answers of 4.")
    assert [job.state for job in doors.bench.jobs("mod", "dev")] == ["cancelled"]


@cancelling
def test_a_run_that_is_over_is_not_cancelled(doors: Doors, cancel: Act) -> None:
    key = refused_run(doors).key
    with pytest.raises(Refused) as refused:
        cancel(doors, key)
    assert str(refused.value) == f"Run {key} is already failed; there is nothing to cancel."
    assert run(doors).state == "failed"


@retrying
def test_a_run_that_failed_goes_on_with_what_has_no_answer(doors: Doors, retry: Act) -> None:
    key = refused_run(doors).key
    assert (run(doors).answered, run(doors).refused) == (3, 1)
    retry(doors, key)
    again = run(doors)
    assert (again.state, again.reason, again.answered, again.refused) == ("waiting", "", 3, 0)
    assert [each.uid for each in doors.bench.predictions("mod", "dev")] == ["u0", "u2", "u3"]


@retrying
def test_a_run_that_waits_is_not_tried_again(doors: Doors, retry: Act) -> None:
    key = waiting_run(doors).key
    with pytest.raises(Refused) as refused:
        retry(doors, key)
    told = f"Run {key} is waiting; only one that failed or was cancelled can be retried."
    assert str(refused.value) == told


@pytest.mark.parametrize(
    "act",
    [
        *(cancel_by_command, cancel_by_api, cancel_by_desk),
        *(retry_by_command, retry_by_api, retry_by_desk),
    ],
)
def test_a_run_that_is_not_there(doors: Doors, act: Act) -> None:
    with pytest.raises(Refused, match=r"No run 'r_none' is stored here\. See: palaver runs\."):
        act(doors, "r_none")


@evaluating
def test_what_is_named_is_evaluated_though_it_does_not_count(
    doors: Doors, evaluate: Evaluate, endpoint: Endpoint
) -> None:
    doors.bench.dataset("own", 3, access="standard")
    done_run(doors, endpoint)
    assert set(doors.bench.runs()) == {("mod", "dev")}
    evaluate(doors, dataset="own")
    doors.bench.work()
    assert doors.bench.states() == {("mod", "dev"): "done", ("mod", "own"): "done"}
    # What was answered before is not asked again.
    evaluate(doors)
    assert set(endpoint.asked.values()) == {1, 2}
    assert sum(endpoint.asked.values()) == 7


@evaluating
@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"model": "mot"}, "No model 'mot'"),
        ({"dataset": "def"}, "No data set 'def'"),
    ],
)
def test_what_is_not_there_is_not_evaluated(
    doors: Doors, evaluate: Evaluate, named: dict[str, str], words: str
) -> None:
    waiting_run(doors)
    with pytest.raises(Refused) as refused:
        evaluate(doors, **named)
    assert str(refused.value).startswith(words)


@rescoring
def test_a_metric_is_computed_on_what_was_answered(
    doors: Doors, rescore: Rescore, endpoint: Endpoint
) -> None:
    key = done_run(doors, endpoint).key
    asked = sum(endpoint.asked.values())
    (found,) = rescore(doors, "micro_f1")
    kept = doors.bench.scores("mod", "dev")["micro_f1"]
    assert (found["run"], found["value"], found["n"]) == (key, kept.value, 4)
    assert (found["low"], found["high"]) == (kept.low, kept.high)
    assert (found["task"], found["model"], found["dataset"]) == ("nli", "mod", "dev")
    assert (found["metric"], found["version"]) == ("micro_f1", kept.version)
    assert found["problem"] == ""
    assert sum(endpoint.asked.values()) == asked


@rescoring
@pytest.mark.parametrize(
    ("metric", "named", "words"),
    [
        ("micro_f1", {"field": "lable"}, "Task 'nli' has no output 'lable'. Near: 'label'."),
        ("micro_f2", {}, "No metric 'micro_f2'. Near: "),
        ("micro_f1", {"model": "mot"}, "No finished run has the model 'mot'. Near: 'mod'."),
        ("micro_f1", {"dataset": "def"}, "No finished run has the data set 'def'. Near: 'dev'."),
    ],
)
def test_a_metric_that_cannot_be_computed(
    doors: Doors,
    rescore: Rescore,
    endpoint: Endpoint,
    metric: str,
    named: dict[str, str],
    words: str,
) -> None:
    done_run(doors, endpoint)
    with pytest.raises(Refused) as refused:
        rescore(doors, metric, **named)
    assert str(refused.value).startswith(words)
