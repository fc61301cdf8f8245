"""The evaluation server's pages and API on PostgreSQL: each surface once, over real runs."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from support.databases import Postgres
from support.endpoints import serving
from support.evaluation_desk import ApiCaller, EvaluationDesk, open_evaluation_desk
from support.runs import records
from support.task_desks import TaskDesk, fill, open_task_desk

pytestmark = pytest.mark.postgres


def words(client: TestClient, path: str) -> str:
    """The text of a page, blanks folded."""
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    text = re.sub(r"<(script|style|template|svg)\b.*?</\1>", " ", answer.text, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


@pytest.fixture(scope="module")
def filled(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TaskDesk]:
    """A desk whose runs are done, refused, failed and waiting; tests of it only look."""
    folder = tmp_path_factory.mktemp("filled")
    with open_task_desk(folder, database=postgres.new_database()) as opened:
        fill(opened)
        headers = {"authorization": f"Bearer {opened.desk.token('olga')}"}
        policy = "/api/v1/tasks/nli/policy"
        answer = opened.desk.client.patch(policy, headers=headers, json={"public": True})
        assert answer.status_code == 200, answer.text
        yield opened


@pytest.fixture
def desk(postgres: Postgres, tmp_path: Path) -> Iterator[EvaluationDesk]:
    with open_evaluation_desk(tmp_path, database=postgres.new_database()) as opened:
        yield opened


def test_the_page_of_a_task_says_how_far_every_model_is(filled: TaskDesk) -> None:
    assert filled.desk.store.is_postgres
    page = words(filled.desk.client, "/desk/tasks/nli")
    assert "Natural language inference : 3 of 8 runs done, 2 waiting, 3 failed" in page
    assert "stub http, version 1 100.0 % 91.2 to 100.0" in page
    assert "odd × dev 2 of 40 answers were refused" in page
    live = filled.desk.client.get("/desk/tasks/nli/runs.json").json()
    assert live["state"] == "3 of 8 runs done, 2 waiting, 3 failed"


def test_the_page_of_a_run_shows_scores_attempts_and_refused_answers(filled: TaskDesk) -> None:
    done = words(filled.desk.client, filled.path("stub", "dev"))
    assert "Accuracy 100.0 % 91.2 to 100.0 40" in done
    assert "Robustness: 0.0 %" in done
    assert "even 100.0 % 83.9 to 100.0 20" in done
    refused = words(filled.desk.client, filled.path("odd", "dev"))
    assert "Refused answers: 2" in refused
    sent = '{"id":"u3","label":"perhaps <b>not</b>"}'
    assert f"What the model sent ({len(sent)} characters) {sent}" in refused
    failed = words(filled.desk.client, filled.path("broken", "dev"))
    assert "Failed attempts" in failed
    assert "What the model sent (13 characters) <h1>Oops</h1>" in failed


def test_a_run_is_cancelled_and_tried_again_at_its_page(postgres: Postgres, tmp_path: Path) -> None:
    with open_task_desk(tmp_path, database=postgres.new_database()) as found:
        found.bench.dataset("dev", 3)
        found.bench.model("later", "http://127.0.0.1:9/")
        path = found.path("later", "dev")
        assert found.desk.post(f"{path}/cancel", on=path).status_code == 303
        assert "later × dev : cancelled" in words(found.desk.client, path)
        assert found.desk.post(f"{path}/retry", on=path).status_code == 303
        assert "later × dev : waiting" in words(found.desk.client, path)


def test_a_stranger_reads_the_public_board(filled: TaskDesk) -> None:
    stranger = TestClient(filled.desk.client.app, base_url="http://testserver")
    assert "Natural language inference" in words(stranger, "/tasks")
    assert "4 unpublished models are not shown" in words(stranger, "/tasks/nli")
    headers = {"authorization": f"Bearer {filled.desk.token('olga')}"}
    for name in ("stub", "odd", "broken", "later"):
        model = f"/api/v1/tasks/nli/models/{name}"
        answer = filled.desk.client.patch(model, headers=headers, json={"published": True})
        assert answer.status_code == 200, answer.text
    page = words(stranger, "/tasks/nli")
    assert "100.0" in page
    document = stranger.get("/tasks/nli/board.json").json()
    assert len(document["models"]) == 1
    assert len(document["not_ranked"]) == 3
    key = document["models"][0]["key"]
    assert "dev" in words(stranger, f"/tasks/nli/models/{key}")


def send(caller: ApiCaller, name: str, count: int) -> list[str]:
    """Register a data set; the runs that are due for it."""
    body = "".join(json.dumps(each) + "\n" for each in records(count)).encode()
    answer = caller.send("POST", f"/tasks/nli/datasets/{name}", 201, content=body).json()
    return [str(key) for key in answer["runs"]]


def test_the_api_leads_from_a_data_set_to_the_board(desk: EvaluationDesk) -> None:
    ruth = desk.caller("ruth")
    with serving() as endpoint:
        assert send(ruth, "dev", 12) == []
        model = {"name": "mod", "kind": "http", "options": {"url": endpoint.url}}
        added = desk.caller("olga").send("POST", "/tasks/nli/models", 201, json=model).json()
        (key,) = added["runs"]
        assert ruth.get(f"/runs/{key}")["state"] == "waiting"
        # A newer version of the data set takes its place before anybody has begun.
        (newer,) = send(ruth, "dev", 9)
        desk.bench.work()
        assert len(endpoint.asked) == 9
    old = ruth.get(f"/runs/{key}")
    assert (old["state"], old["reason"]) == (
        "cancelled",
        "Version 2 of the data set replaced this version before the run began.",
    )
    sheet = ruth.get(f"/runs/{newer}")
    assert (sheet["state"], sheet["answered"]) == ("done", 9)
    assert ruth.get("/tasks/nli/status")["counts"] == {"done": 1}
    lines = ruth.send("GET", f"/runs/{newer}/predictions").text.splitlines()
    assert [json.loads(line)["uid"] for line in lines] == [f"u{n}" for n in range(9)]
    board = ruth.get("/tasks/nli/board")
    assert [each["key"] for each in board["models"]] == [added["key"]]
