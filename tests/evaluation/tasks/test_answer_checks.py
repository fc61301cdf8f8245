"""A task's own check of answers, at every door, told apart from a check that is broken."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.errors import AnswerError, BrokenCheckError, InputError, StudyError
from palaver.core.protocols import Reply
from palaver.core.tasks import Task
from palaver.evaluation.challenges.file_check import told_task
from palaver.evaluation.models.probes import make_probes
from palaver.evaluation.models.trial import Trial, try_model
from palaver.evaluation.models.uploads import PredictionsError, add_predictions, check_predictions
from palaver.evaluation.runs.outcomes import retry_run
from palaver.evaluation.tasks import add_task, builtin_task
from palaver.evaluation.tasks.definition import parse_task, task_data, task_from_data
from palaver.evaluation.tasks.samples import sample_question
from support.cases import every_case
from support.doors import Refused, open_doors
from support.endpoints import right_or_wrong, serving
from support.runs import NOW, Bench

FILE = """
name: sums
input:
  - {name: text, type: string}
  - {name: summary, type: string}
output: [summary, {name: sure, type: prob}]
perf_metric: {metric: squad_f1, fields: summary}
verify: rules:verify
probes:
  - {text: A short text of our own.}
"""
RULES = """
def verify(answer, item):
    if len(answer["summary"]) > len(item["text"]):
        return "the summary is longer than the text."
    assert "sure" not in answer or answer["sure"] > 0.1, "nobody is that unsure"
    assert (
        answer["summary"] != ""
        and answer["summary"] != "nothing"
    )
    if item["text"] == "trip over this":
        raise KeyError("sure")
    if item["text"] == "say yes to this":
        return True
    if "gold" in item or "summary" in item or "tags" in item:
        return "the check was shown more than the model"
"""


@pytest.fixture
def task(tmp_path: Path) -> Task:
    (tmp_path / "rules.py").write_text(RULES)
    return parse_task(FILE.encode(), folder=str(tmp_path), file="sums.yaml")


def read(task: Task, text: str, **answer: Any) -> dict[str, Any]:
    record = {"uid": "7", "text": text, "summary": "the gold one", "tags": ["x"]}
    return dict(task.read_answer({"id": "7", **answer}, task.read_example(record)).values)


def test_an_answer_is_taken_or_refused_with_the_reason_of_the_check(task: Task) -> None:
    assert read(task, "A long text.", summary="Short.", sure=0.5)["summary"] == "Short."
    for answer, reason in (
        ({"summary": "Far too long."}, "the summary is longer than the text"),
        ({"summary": "no", "sure": 0.0}, "nobody is that unsure"),
        (
            {"summary": "nothing"},
            "this does not hold: answer['summary'] != '' and answer['summary'] != 'nothing'",
        ),
    ):
        with pytest.raises(AnswerError) as refused:
            read(task, "A long t.", **answer)
        assert str(refused.value) == f"Answer to 7: {reason}."


def test_fields_are_checked_first(task: Task) -> None:
    with pytest.raises(AnswerError, match="Answer to 7: 'sure': "):
        read(task, "x", summary="longer than x", sure=3)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("trip over this", "it raised KeyError: 'sure'"),
        ("say yes to this", "it returned True; expected None for an answer that is right, or a"),
    ],
)
def test_a_check_that_fails_is_no_refusal(task: Task, text: str, what: str) -> None:
    with pytest.raises(BrokenCheckError) as broken:
        read(task, text, summary="x")
    said = str(broken.value)
    assert said.startswith(f"The task's own check 'rules:verify' failed on the answer to 7: {what}")
    assert said.endswith(
        "This is a fault of the check, not of the answer; whoever runs the task must mend it."
    )


def test_a_check_that_was_mended_is_read_anew(task: Task, tmp_path: Path) -> None:
    with pytest.raises(BrokenCheckError):
        read(task, "trip over this", summary="x")
    file = tmp_path / "rules.py"
    file.write_text("def verify(answer, item):\n    pass\n")
    os.utime(file, ns=(1, 1))
    assert read(task, "trip over this", summary="x") == {"summary": "x"}
    file.unlink()
    with pytest.raises(BrokenCheckError, match=r"There is no file .*rules\.py"):
        read(task, "trip over this", summary="x")


def test_a_task_with_a_check_is_written_as_it_was_read(task: Task) -> None:
    assert task_from_data(task_data(task), folder=task.folder, source="t") == task


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("rules:verify", "rules:verfy"), r"8:9: 'rules' has no function 'verfy'\. Near: 'verify'"),
        (("rules:verify", "rules"), r"8:9: 'verify' takes 'module:function'; got 'rules'"),
        (("rules:verify", "rules:RULE"), "'rules:RULE' is int; expected a function"),
        (("{text: A", "{txt: A"), "10:6: A probe holds what a model is sent, and 'txt' is not"),
        (("{text: A", "{txt: A"), "10:5: Probe 1: 'text': it is missing"),
        (("A short text of our own.", "3"), r"Probe 1: 'text': expected a text; got 3"),
        (("{text: A short text of our own.}", "3"), "10:5: "),
    ],
)
def test_what_is_wrong_with_a_check_or_a_probe_is_named_with_its_place(
    tmp_path: Path, change: tuple[str, str], problem: str
) -> None:
    (tmp_path / "rules.py").write_text(RULES + "RULE = 3\n")
    with pytest.raises(StudyError, match=problem):
        parse_task(FILE.replace(*change).encode(), folder=str(tmp_path), file="sums.yaml")


def test_uploads_name_line_item_and_reason_and_a_broken_check_stops_them(task: Task) -> None:
    texts = {"1": "A long text.", "2": "x", "3": "x"}
    examples = [
        task.read_example({"uid": uid, "text": text, "summary": "s"}) for uid, text in texts.items()
    ]
    lines = b'{"id":"1","summary":"fine"}\n{"id":"2","summary":"long"}\n{"id":"3","summary":"a"}'
    with pytest.raises(PredictionsError) as wrong:
        check_predictions(task, examples, lines, name="mine.jsonl")
    assert wrong.value.problems == (
        "mine.jsonl:2: Answer to 2: the summary is longer than the text.",
    )
    broken = [task.read_example({"uid": "1", "text": "trip over this", "summary": "s"})]
    with pytest.raises(BrokenCheckError, match="failed on the answer to 1"):
        check_predictions(task, broken, b'{"id": "1", "summary": "s"}', name="mine.jsonl")


class Scripted:
    """A predictor that gives every question the same summary."""

    batch = 1
    concurrency = 1

    def __init__(self, summary: str) -> None:
        self._summary = summary

    async def start(self) -> None: ...

    async def predict(self, questions: Sequence[Mapping[str, Any]]) -> Sequence[Reply]:
        return [Reply({"id": each["uid"], "summary": self._summary}, 0.001) for each in questions]

    def memory(self) -> float | None:
        return None

    async def close(self) -> None: ...


def tried(task: Task, summary: str) -> Trial:
    return asyncio.run(try_model(Scripted(summary), task, make_probes(task)))


def test_a_trial_begins_with_the_questions_of_the_task(task: Task) -> None:
    probes = make_probes(task)
    assert [each.name for each in probes][:2] == ["own-1", "short"]
    assert probes[0].example.values == {"text": "A short text of our own."}
    assert sample_question(task) == {"uid": "1", "text": "A short text of our own."}
    assert tried(task, "Short.").violations == ()


def test_a_trial_says_what_the_check_has_against_a_model(task: Task) -> None:
    (violation,) = [each for each in tried(task, "x" * 25).violations if each.probe == "own-1"]
    assert violation.problem == "Answer to probe-1: the summary is longer than the text."
    assert violation.mend == (
        "Its fields are right, but the task's own check refuses it: the summary is longer than the "
        "text."
    )


def test_a_trial_blames_no_model_for_a_broken_check(task: Task) -> None:
    broken = replace(task, probes=({"text": "trip over this"},))
    (violation,) = tried(broken, "x").violations
    assert violation.problem.startswith("The task's own check 'rules:verify' failed")
    assert violation.mend.endswith("the model is not at fault.")


CHECKED = """
def verify(answer, item):
    assert item["uid"] != "u3" or answer["label"] == "neutral", "u3 is neutral"
"""


def checked(bench: Bench, rule: str) -> Bench:
    """The bench, its task with a check."""
    (bench.folder / "own.py").write_text(rule)
    bench.task = replace(builtin_task("nli"), verify="own:verify", folder=str(bench.folder))
    bench.row = bench.home.store.write_now(partial(add_task, task=bench.task, now=NOW))
    return bench


def test_a_run_refuses_what_the_check_refuses(local_bench: Bench) -> None:
    bench = checked(local_bench, CHECKED)
    bench.dataset("dev", 6)
    with serving() as endpoint:
        bench.model("stub", endpoint.url)
        bench.work()
    run = bench.runs()["stub", "dev"]
    assert right_or_wrong({"uid": "u3"})["label"] != "neutral"
    assert (run.state, run.answered, run.refused) == ("failed", 5, 1)
    assert run.reason.startswith(
        "1 of 6 answers was refused; first: Answer to u3: u3 is neutral."
    ), run.reason


def test_a_run_whose_check_is_broken_fails_at_once_and_goes_on_when_it_is_mended(
    local_bench: Bench,
) -> None:
    bench = checked(local_bench, "def verify(answer, item):\n    return 1 / 0\n")
    bench.dataset("dev", 6)
    with serving() as endpoint:
        bench.model("stub", endpoint.url)
        bench.work()
        run = bench.runs()["stub", "dev"]
        assert (run.state, run.refused) == ("failed", 0)
        assert "The task's own check 'own:verify' failed on the answer to u" in run.reason
        assert "ZeroDivisionError" in run.reason
        file = bench.folder / "own.py"
        file.write_text("def verify(answer, item):\n    pass\n")
        os.utime(file, ns=(1, 1))
        bench.home.store.write_now(lambda c: retry_run(c, run))
        bench.work()
    assert bench.states() == {("stub", "dev"): "done"}


def test_a_check_cannot_be_added_to_a_task_that_was_evaluated(local_bench: Bench) -> None:
    local_bench.dataset("dev", 3)
    with serving() as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.work()
    with pytest.raises(InputError, match="so verify can no longer change"):
        checked(local_bench, CHECKED)


def test_uploaded_answers_of_a_model_are_checked(local_bench: Bench) -> None:
    bench = checked(local_bench, CHECKED)
    bench.dataset("dev", 4)
    lines = b"\n".join(b'{"id": "u%d", "label": "entailed"}' % n for n in range(4))
    with pytest.raises(PredictionsError, match=r"Answer to u3: u3 is neutral\."):
        add_predictions(
            bench.home, bench.row, bench.task, name="mine", files={"dev": lines}, now=NOW
        )


PYTHON = (
    "verify: os:system",
    "function: os:system",
    "answers: subprocess:run",
    "metrics: [{metric: os:system}]",
)


def test_no_token_lets_python_in(tmp_path: Path) -> None:
    own = "\n".join(line for line in FILE.splitlines() if not line.startswith("verify"))
    with open_doors(tmp_path) as doors, every_case() as case:
        headers = {**doors.api.headers, "content-type": "application/yaml"}
        for line in PYTHON:
            with case(line):
                answer = doors.api.client.post(
                    "/api/v1/tasks", headers=headers, content=f"{own}\n{line}\n"
                )
                message = answer.json()["error"]["message"]
                assert answer.status_code == 422
                assert "is your own Python, which can only be added on the server" in message
        with case("nothing is stored"), pytest.raises(Refused, match="No task 'sums'"):
            doors.ask("GET", "/tasks/sums")


def test_a_participant_leaves_a_check_to_the_server(task: Task) -> None:
    with pytest.raises(InputError, match=r"own \(rules:verify\), which is not here"):
        told_task(task_data(task))


def test_a_task_tells_of_its_check_and_its_probes(task: Task, tmp_path: Path) -> None:
    file = tmp_path / "sums.yaml"
    file.write_text(FILE)
    said = CliRunner().invoke(palaver, ["task", "show", str(file)]).output
    assert (
        f"Every answer is checked by\n  rules:verify       its own check, from {tmp_path}" in said
    )
    assert "Models are also tried with 1 question of its own" in said
