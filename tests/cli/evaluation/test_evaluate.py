"""`palaver evaluate` and `palaver runs` from the outside."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from click.testing import CliRunner, Result

from palaver.cli.evaluation import evaluate_command, runs_command
from palaver.core.errors import InputError, UnknownNameError
from palaver.evaluation.home import open_evaluation
from support.endpoints import Endpoint, right_or_wrong, serving
from support.runs import Bench


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as opened:
        yield opened


@pytest.fixture
def furnished(folder: Path, tmp_path: Path, endpoint: Endpoint) -> Path:
    """A home with two data sets, one of them hidden, and one model; nothing is evaluated yet."""
    with open_evaluation(folder, f"sqlite:///{folder / 'palaver.db'}") as home:
        bench = Bench(home, tmp_path)
        bench.dataset("dev", 6)
        bench.dataset("secret", 3, access="hidden")
        bench.model("stub", endpoint.url)
    return folder


def evaluate(home: Path, *arguments: str) -> Result:
    given = [*arguments, "--home", str(home)]
    return CliRunner().invoke(evaluate_command.command, given, catch_exceptions=False)


def runs(home: Path, *arguments: str) -> Result:
    given = [*arguments, "--home", str(home)]
    return CliRunner().invoke(runs_command.command, given, catch_exceptions=False)


def key_of(home: Path, dataset: str = "dev") -> str:
    listed = json.loads(runs(home, "--json").stdout)["runs"]
    return next(each["key"] for each in listed if each["dataset"] == dataset)


def test_what_is_due_is_done_and_shown_with_its_score(furnished: Path) -> None:
    result = evaluate(furnished, "nli")
    assert result.exit_code == 0
    head, row = result.stdout.splitlines()[:2]
    assert head.split()[:3] == ["model", "data", "set"]
    assert row.split()[:4] == ["stub", "dev", "done", "6/6"]
    assert "accuracy" in row
    assert "Nothing is due" in evaluate(furnished, "nli").stdout


def test_a_hidden_data_set_is_evaluated_where_it_is_named(
    furnished: Path, endpoint: Endpoint
) -> None:
    result = evaluate(furnished, "nli", "--dataset", "secret", "--model", "stub", "--json")
    (run,) = json.loads(result.stdout)["runs"]
    assert (run["dataset"], run["state"], run["performance"]["n"]) == ("secret", "done", 3)
    assert sum(endpoint.asked.values()) == 3


def test_the_local_engine_is_the_same_as_none(furnished: Path) -> None:
    result = evaluate(furnished, "nli", "--engine", "local", "--json")
    assert [run["state"] for run in json.loads(result.stdout)["runs"]] == ["done"]


def test_a_failed_run_says_why_and_is_tried_again(furnished: Path, endpoint: Endpoint) -> None:
    endpoint.answers = lambda question: {"id": question["uid"], "label": "?"}
    result = evaluate(furnished)
    assert result.exit_code == 1
    told = "stub × dev: failed. All of the first 3 answers were refused, so the other 3 items"
    assert told in result.stdout
    assert "1 run failed earlier" in evaluate(furnished).stdout
    assert "failed" in runs(furnished, "nli", "--state", "failed").stdout
    shown = runs(furnished, "show", key_of(furnished)).stdout
    assert "Refused answers, the first of 3:" in shown
    assert "1 attempt failed" in shown
    endpoint.answers = right_or_wrong
    assert "1 run will be tried again" in runs(furnished, "retry", "--failed").stdout
    assert evaluate(furnished).exit_code == 0
    shown = runs(furnished, "show", key_of(furnished)).stdout
    assert "state     done" in shown
    assert "accuracy" in shown
    assert "No run has failed" in runs(furnished, "retry", "--failed").stdout


def test_a_run_is_cancelled_and_goes_on_after_a_retry(furnished: Path) -> None:
    key = key_of(furnished)
    assert "palaver runs retry" in runs(furnished, "cancel", key).stdout
    assert "Nothing is due" in evaluate(furnished).stdout
    runs(furnished, "retry", key)
    assert "done" in evaluate(furnished).stdout


def test_bad_input_is_told_in_one_sentence(furnished: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"No model 'stab'.*Near: 'stub'"):
        evaluate(furnished, "nli", "--model", "stab")
    with pytest.raises(UnknownNameError, match="No run 'r_x'"):
        runs(furnished, "show", "r_x")
    with pytest.raises(InputError, match="Nothing is stored"):
        evaluate(tmp_path / "nowhere")
    with pytest.raises(UnknownNameError, match="No engine 'dusk'"):
        evaluate(furnished, "nli", "--engine", "dusk://x:1")


def test_usage_errors(furnished: Path) -> None:
    without_task = evaluate(furnished, "--model", "stub")
    assert without_task.exit_code == 2
    assert "Name the task" in without_task.output
    without_key = runs(furnished, "retry")
    assert without_key.exit_code == 2
    assert "or --failed" in without_key.output


def test_an_empty_list_says_when_runs_are_planned(folder: Path) -> None:
    with open_evaluation(folder, f"sqlite:///{folder / 'palaver.db'}"):
        pass
    assert "Runs are planned when" in runs(folder).stdout


def test_what_a_model_sent_is_shown_short_and_with_json_whole(
    furnished: Path, endpoint: Endpoint
) -> None:
    endpoint.answers = lambda question: {"id": question["uid"], "label": "\x1b[2J" + "x" * 900}
    assert evaluate(furnished, "nli").exit_code == 1
    shown = runs(furnished, "show", key_of(furnished)).stdout
    assert 'it sent (931 characters): {"id":"u0","label":"' in shown
    assert "x" * 200 in shown
    assert "x" * 400 not in shown
    assert "\x1b" not in shown
    told = json.loads(runs(furnished, "show", key_of(furnished), "--json").stdout)
    assert told["refused_answers"][0]["raw"]["length"] == 931
    assert "x" * 900 in told["refused_answers"][0]["raw"]["text"]


def test_html_is_shown_without_what_steers_a_terminal(
    furnished: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.answers = lambda question: web.Response(text="<p>\x1b]0;mine\x07Busy</p>", status=400)
    with open_evaluation(furnished, f"sqlite:///{furnished / 'palaver.db'}") as home:
        Bench(home, tmp_path).work()
    shown = runs(furnished, "show", key_of(furnished)).stdout
    assert "it sent (20 characters): <p> ]0;mine Busy</p>" in shown


def test_a_run_of_a_replaced_version_says_so_and_is_started_by_hand(
    furnished: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    old = key_of(furnished)
    with open_evaluation(furnished, f"sqlite:///{furnished / 'palaver.db'}") as home:
        Bench(home, tmp_path).model("stub", endpoint.url, timeout=5)
    listed = runs(furnished, "--state", "cancelled").stdout
    assert old in listed
    reason = "Version 2 of the model replaced this version before the run began."
    assert f"stub × dev: cancelled. {reason}" in listed
    assert evaluate(furnished, "nli").exit_code == 0
    assert json.loads(runs(furnished, "show", old, "--json").stdout)["state"] == "cancelled"
    assert "1 run will be tried again" in runs(furnished, "retry", old).stdout
    assert evaluate(furnished, "nli").exit_code == 0
    assert json.loads(runs(furnished, "show", old, "--json").stdout)["state"] == "done"
