"""What a model sent in place of an answer: folded and escaped at the desk, nowhere in public."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from starlette.testclient import TestClient

from palaver.core.evaluation.models import Model
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.tasks import set_task_policy
from support.endpoints import Question, serving
from support.task_desks import TaskDesk, open_task_desk

SCRIPT = "<script>alert('mine')</script>"


def odd(question: Question) -> Any:
    return {"id": question["uid"], "label": f"{SCRIPT}{'x' * 5000}"}


def broken(question: Question) -> Any:
    return web.Response(text=f"<h1>Sorry</h1>{SCRIPT}", content_type="text/html")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TaskDesk]:
    with open_task_desk(tmp_path_factory.mktemp("sent")) as opened:
        opened.bench.dataset("dev", 2)
        with serving(odd) as refused, serving(broken) as failing:
            opened.bench.model("odd", refused.url)
            opened.bench.model("broken", failing.url)
            opened.bench.work()
        row = opened.bench.row
        opened.desk.store.write_now(lambda c: set_task_policy(c, row.id, public=True))
        yield opened


def test_a_refused_answer_is_folded_and_escaped(found: TaskDesk) -> None:
    page = found.desk.client.get(found.path("odd", "dev")).text
    assert SCRIPT not in page
    assert page.count('<details class="sent">') == 4  # twice among the refused, twice among all
    begin = page.index('<details class="sent">')
    block = page[begin : page.index("</details>", begin)]
    assert "What the model sent (the first 4,000 of 5,052 characters)" in block
    assert "&lt;script&gt;alert(" in block
    assert "x" * 3000 in block
    assert "x" * 4000 not in block


def test_what_came_instead_of_json_stands_below_the_attempts(found: TaskDesk) -> None:
    page = found.desk.client.get(found.path("broken", "dev")).text
    assert SCRIPT not in page
    block = page[page.index("Failed attempts") :]
    assert "What the model sent (44 characters)" in block
    assert "&lt;h1&gt;Sorry&lt;/h1&gt;&lt;script&gt;" in block


def test_files_hold_what_was_refused(found: TaskDesk) -> None:
    path = found.path("odd", "dev")
    lines = found.desk.client.get(f"{path}/predictions.jsonl").text.splitlines()
    row = json.loads(lines[0])
    assert row["raw"]["length"] == 5052
    assert row["raw"]["text"].startswith('{"id":"u0","label":"<script>')
    headers = {"authorization": f"Bearer {found.desk.token('ruth')}"}
    key = found.run("odd", "dev").key
    sheet = found.desk.client.get(f"/api/v1/runs/{key}", headers=headers).json()
    assert sheet["refused_answers"][0]["raw"] == row["raw"]
    assert sheet["jobs"][0]["raw"] is None
    rows = found.desk.client.get(f"/api/v1/runs/{key}/predictions", headers=headers).text
    assert json.loads(rows.splitlines()[0])["raw"] == row["raw"]


def test_no_public_page_shows_what_was_sent(found: TaskDesk) -> None:
    stranger = TestClient(found.desk.client.app, base_url="http://testserver")
    headers = {"authorization": f"Bearer {found.desk.token('olga')}"}
    for each in stored_models(found):
        model = f"/api/v1/tasks/nli/models/{each.name}"
        found.desk.client.patch(model, headers=headers, json={"published": True})
    keys = [each.key for each in stored_models(found)]
    pages = ["/tasks", "/tasks/nli", "/tasks/nli/board.json", "/api/v1/tasks/nli/board"]
    for path in [*pages, *(f"/tasks/nli/models/{key}" for key in keys)]:
        answer = stranger.get(path)
        assert answer.status_code == 200, path
        assert "x" * 100 not in answer.text, path
        assert "Sorry" not in answer.text, path
    for path in (found.path("odd", "dev"), f"{found.path('odd', 'dev')}/predictions.jsonl"):
        assert "x" * 100 not in stranger.get(path).text


def stored_models(found: TaskDesk) -> list[Model]:
    return found.desk.store.read_now(lambda c: list_models(c, found.bench.row.id))


def test_a_run_that_was_replaced_says_so_and_can_be_started(tmp_path: Path) -> None:
    with open_task_desk(tmp_path) as desk:
        desk.bench.dataset("dev", 2)
        desk.bench.model("later", "http://127.0.0.1:9/")
        path = desk.path("later", "dev")
        desk.bench.model("later", "http://127.0.0.1:10/")
        page = desk.desk.client.get(path).text
        assert "Version 2 of the model replaced this version before the run began." in page
        assert "Try again" in page
        model = desk.desk.client.get("/desk/tasks/nli/models/later").text
        assert "Version 2 of the model replaced this version" in model
        assert desk.desk.post(f"{path}/retry", on=path).status_code == 303
        again = desk.desk.client.get(path).text
        assert "replaced this version" not in again
