"""A served handler: every protocol, signatures, and errors that say what is wrong."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from palaver.cli.main import palaver
from palaver.core.errors import InputError, SystemFailureError
from palaver.core.protocols import Reply
from palaver.core.tasks import Task
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import open_evaluation
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.models.probes import make_probes
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.models.starter import write_starter
from palaver.evaluation.models.trial import try_model
from palaver.evaluation.runs.results import with_performance
from palaver.evaluation.tasks import builtin_task, ensure_task
from palaver.systems.build import build_predictor
from palaver.systems.signatures import sign
from palaver.web.model_server import ServedModel, model_app
from support.databases import new_sqlite
from support.serving import free_port

NLI = builtin_task("nli")
QUESTION = {"uid": "7", "context": "It is raining", "hypothesis": "It is wet"}
PROB = {"entailed": 0.5, "neutral": 0.25, "contradictory": 0.25}
ANSWER = {"label": "entailed", "prob": PROB}
# As `palaver` itself does: whoever stops it politely gets a clean end.
SERVE = (
    "import signal; signal.signal(signal.SIGTERM, signal.default_int_handler); "
    "from palaver.cli.evaluation.model_command import serve; serve()"
)


class Echoing:
    """A predictor that knows one answer."""

    batch = 2
    concurrency = 1

    async def start(self) -> None:
        return None

    async def predict(self, questions: Sequence[Mapping[str, Any]]) -> Sequence[Reply]:
        if any(each.get("context") == "fail" for each in questions):
            raise SystemFailureError("error", "handler.py, line 7: it broke.")
        return [Reply(dict(ANSWER), 0.0) for _ in questions]

    def memory(self) -> float | None:
        return None

    async def close(self) -> None:
        return None


def client(*, task: Task | None = NLI, secret: str = "") -> TestClient:
    return TestClient(model_app(ServedModel("mine", Echoing(), task, secret)))


def test_one_object_in_and_one_out() -> None:
    response = client().post("/predictions/mine", content=json.dumps(QUESTION, indent=2))

    assert response.status_code == 200
    assert response.json() == {"id": "7", **ANSWER}


def test_objects_on_lines_in_and_out() -> None:
    lines = [json.dumps({**QUESTION, "uid": str(n)}) for n in range(5)]

    response = client().post("/predictions/mine", content="\n".join(lines))

    answers = [json.loads(line) for line in response.text.splitlines()]
    assert [each["id"] for each in answers] == ["0", "1", "2", "3", "4"]


def test_the_newer_pair() -> None:
    server = client()

    single = server.post("/model/single_evaluation", json=QUESTION)
    batch = server.post(
        "/model/batch_evaluation", json={"dataset_samples": [QUESTION, {**QUESTION, "uid": "8"}]}
    )

    assert single.json() == {"id": "7", **ANSWER}
    assert [each["id"] for each in batch.json()] == ["7", "8"]


def test_health() -> None:
    assert client().get("/ping").json() == {"status": "Healthy"}


def test_answers_are_signed_where_there_is_a_secret() -> None:
    answer = client(secret="s3cr3t").post("/predictions/mine", json=QUESTION).json()

    # The published test vector of the protocol.
    assert answer["signature"] == "292c6e0795b77b685de82a82228d3c47c9baa089"
    inputs = {key: QUESTION[key] for key in ("context", "hypothesis")}
    assert answer["signed"] == sign("s3cr3t", "nli", inputs, {"label": "entailed"})


@pytest.mark.parametrize(
    ("path", "body", "status", "told"),
    [
        ("/predictions/yours", "{}", 404, "This server has /predictions/mine"),
        ("/predictions/mine", "{", 400, "Expected one JSON object"),
        ("/predictions/mine", "", 400, "Expected one JSON object"),
        ("/predictions/mine", '{"uid": "1"}\n{"uid"', 400, "Line 2 of 2 is not a JSON object"),
        ("/predictions/mine", "[1]", 400, "Expected one JSON object"),
        ("/model/batch_evaluation", "[]", 400, "dataset_samples"),
        ("/predictions/mine", '{"uid": "1", "context": "fail"}', 500, "line 7: it broke"),
        ("/elsewhere", "{}", 404, "Not Found"),
    ],
)
def test_what_goes_wrong_is_said_in_json(path: str, body: str, status: int, told: str) -> None:
    response = client().post(path, content=body)

    assert response.status_code == status
    assert response.json()["code"] == status
    assert told in response.json()["message"]


def test_a_question_that_cannot_be_signed() -> None:
    response = client(secret="s").post("/predictions/mine", json={"uid": "1", "context": "x"})

    assert response.status_code == 400
    assert "has no 'hypothesis'" in response.json()["message"]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """A starter's handler behind `palaver model serve`, signing, in a process of its own."""
    write_starter("mine", NLI, tmp_path / "mine")
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "mine", "--port", str(port)],
        cwd=tmp_path,
        env={**os.environ, "MY_SECRET": "s3cr3t", "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    base = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{base}/ping", process)
        yield base
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, said
    assert f"POST {base}/predictions/mine" in said
    assert "Answers are signed with MY_SECRET for the task nli." in said


def _wait_for(url: str, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise AssertionError(f"{url} does not answer")


def test_a_served_handler_answers_every_protocol_over_http(served: str, tmp_path: Path) -> None:
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("torchserve", {"model": "mine"}),
        ("torchserve", {"model": "mine", "joined": True}),
        ("dynabench", {}),
        ("dynabench", {"batch": 1}),
    ]
    for kind, options in kinds:
        predictor = build_predictor(kind, {"url": served, **options}, folder=tmp_path)

        trial = asyncio.run(try_model(predictor, NLI, make_probes(NLI), secret="s3cr3t"))

        assert trial.violations == (), (kind, options)
        assert all(each.answer is not None for each in trial.tried)


def test_a_served_handler_is_evaluated_as_the_handler_itself_is(
    served: str, tmp_path: Path
) -> None:
    items = [{**QUESTION, "uid": str(n), "label": label} for n, label in enumerate(PROB)]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    ways: dict[str, tuple[str, dict[str, Any], Path | None]] = {
        "itself": ("handler", {"handler": "handler:Handler"}, tmp_path / "mine"),
        "torchserve": ("torchserve", {"url": served, "model": "mine"}, None),
        "dynabench": ("dynabench", {"url": served}, None),
    }
    with open_evaluation(tmp_path, new_sqlite(tmp_path / "palaver.db")) as home:
        row = home.store.write_now(lambda c: ensure_task(c, "nli", now=1.0))
        add_dataset(home, row, NLI, name="s", source=str(tmp_path / "items.jsonl"), now=1.0)
        for name, (kind, options, folder) in ways.items():
            add_model(home, row, NLI, name=name, kind=kind, options=options, folder=folder, now=2.0)
        done = work_through(home)
        results = home.store.read_now(lambda c: with_performance(c, done))

    assert {each.model: each.state for each in results} == dict.fromkeys(ways, "done")
    values = [each.performance.value for each in results if each.performance is not None]
    assert values == [pytest.approx(1 / 3)] * 3


def test_a_port_that_is_taken(served: str, tmp_path: Path) -> None:
    port = served.rpartition(":")[2]
    write_starter("other", NLI, tmp_path / "other")

    said = CliRunner().invoke(palaver, ["model", "serve", str(tmp_path / "other"), "--port", port])

    assert isinstance(said.exception, InputError)
    assert str(said.exception) == (
        f"Port {port} on 127.0.0.1 cannot be used: another program uses it. Choose another with "
        "--port, or stop that one."
    )
