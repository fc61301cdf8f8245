"""Data sets, models, variants and scores that are added to a task at the desk."""

import asyncio
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.evaluation.datasets import Dataset
from palaver.evaluation.datasets import find_dataset, list_datasets
from palaver.storage.evaluation.models import find_model, list_models
from palaver.web.desk.tasks.adding.making import PerturbTask, RescoreTask
from palaver.web.desk.works import works_of
from support.endpoints import LABELS, serving
from support.runs import records
from support.task_desks import TaskDesk, open_task_desk

TASK = "/desk/tasks/nli"
DATA = f"{TASK}/add-data"
MODEL = f"{TASK}/add-model"
ANSWERS = f"{MODEL}/predictions"


@pytest.fixture
def found(tmp_path: Path) -> Iterator[TaskDesk]:
    """An owner at the desk of the task nli, without data or models."""
    with open_task_desk(tmp_path) as opened:
        yield opened


def words(page: Any) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


def lines(items: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in items).encode()


def send(found: TaskDesk, path: str, files: dict[str, Any], *, on: str = DATA, **form: str) -> Any:
    """Send a form with files, as a browser does."""
    data = {"csrf": found.desk.csrf(on), **form}
    return found.desk.client.post(path, data=data, files=files, follow_redirects=False)


def add(found: TaskDesk, content: bytes, **form: str) -> Any:
    """Send the form of a data set."""
    told = {"name": "dev", "access": "scoring", **form}
    return send(found, DATA, {"file": ("my items.jsonl", content)}, **told)


def rows(found: TaskDesk) -> list[Dataset]:
    return found.desk.store.read_now(lambda c: list_datasets(c, found.bench.row.id))


def names(found: TaskDesk) -> list[str]:
    return [each.name for each in rows(found)]


def models(found: TaskDesk) -> list[str]:
    rows = found.desk.store.read_now(lambda c: list_models(c, found.bench.row.id))
    return [each.name for each in rows]


def finish(found: TaskDesk, kind: type[PerturbTask | RescoreTask]) -> None:
    """Wait for what was begun beside the server."""
    work = works_of(found.desk.deployment).find((kind.__name__, found.bench.row.id))
    assert work is not None
    task = work.task
    assert task is not None

    async def wait() -> None:
        await asyncio.wait({task})

    assert found.desk.client.portal is not None
    found.desk.client.portal.call(wait)


class TestDataSets:
    def test_one_is_checked_stored_and_evaluated(self, found: TaskDesk) -> None:
        found.bench.model("later", "http://127.0.0.1:9/")
        told = words(add(found, lines(records(6)), about="The first items."))
        assert "dev , version 1, was added: 6 items checked, read as palaver." in told
        assert "1 run is planned" in told
        dataset = found.desk.store.read_now(lambda c: find_dataset(c, found.bench.row.id, "dev"))
        assert (dataset.items, dataset.access, dataset.about) == (6, "scoring", "The first items.")
        assert dataset.source == "my items.jsonl"
        assert found.bench.states() == {("later", "dev"): "waiting"}
        assert "nothing new was stored" in words(add(found, lines(records(6))))
        other = words(add(found, lines(records(3, start=20)), name="Second résumé", round="2"))
        assert "The name 'Second résumé' became 'Second-resume'." in other
        second = next(each for each in rows(found) if each.name == "Second-resume")
        assert (second.round, second.items) == (2, 3)

    def test_every_bad_line_is_named_as_the_command_line_does(self, found: TaskDesk) -> None:
        items = records(6)
        items[1]["label"], items[4]["uid"] = "maybe", "u3"
        answer = add(found, lines(items), about="Kept in the form.")
        assert answer.status_code == 422
        told = words(answer)
        assert "my items.jsonl:2: Item u1: 'label': expected one of entailed" in told
        assert "my items.jsonl:5: Item u3: this uid is already used in my items.jsonl:4." in told
        assert "Nothing was stored." in told
        assert "Kept in the form." in told
        assert "palaver-upload" not in answer.text
        assert names(found) == []

    def test_other_keys_and_formats_are_told(self, found: TaskDesk) -> None:
        other = [{"uid": "a", "text1": "It rains.", "text2": "It is wet.", "gold": "yes"}]
        mapped = {
            "map": "context=text1\nhypothesis=text2\n\nlabel=gold",
            "value": "label.yes=entailed",
        }
        assert "1 item checked" in words(add(found, lines(other), **mapped))
        wrong = add(found, lines(other), name="again", map="context")
        assert "Expected FIELD=KEY; got 'context'." in words(wrong)
        snli = [
            {
                "pairID": "p1",
                "sentence1": "A.",
                "sentence2": "B.",
                "gold_label": "neutral",
            }
        ]
        told = words(add(found, lines(snli), name="snli", reader="snli", access="hidden"))
        assert "read as snli" in told

    def test_nothing_is_stored_of_what_may_not_be(self, found: TaskDesk) -> None:
        assert "Choose the file" in words(add(found, b""))
        assert "A round is a whole number" in words(add(found, lines(records(2)), round="x"))
        assert "Choose what the data set is for" in words(
            add(found, lines(records(2)), access="open")
        )
        form = {"name": "dev", "access": "scoring", "csrf": "0" * 64}
        files = {"file": ("d.jsonl", lines(records(2)))}
        assert found.desk.client.post(DATA, data=form, files=files).status_code == 403
        assert names(found) == []


@pytest.mark.parametrize("path", [DATA, MODEL, f"{TASK}/perturb", f"{TASK}/rescore"])
def test_a_viewer_finds_no_form_and_may_send_none(tmp_path: Path, path: str) -> None:
    with open_task_desk(tmp_path, name="vera") as opened:
        page = opened.desk.client.get(TASK)
        assert path not in page.text
        assert opened.desk.client.get(path).status_code == 403
        sent = opened.desk.post(path, on="/desk", name="dev", act="add", url="http://x/")
        assert sent.status_code == 403


class TestModels:
    def test_one_that_answers_is_tested_and_added(self, found: TaskDesk) -> None:
        found.bench.dataset("dev", 4)
        with serving() as endpoint:
            form = {"url": endpoint.url, "kind": "http", "name": "heron", "key": "s3cret-key"}
            tested = found.desk.post(MODEL, on=MODEL, act="test", **form)
            assert "It answers: two made-up questions" in words(tested)
            assert "It is raining in Lisbon." in words(tested)
            assert models(found) == []
            added = found.desk.post(MODEL, on=MODEL, act="add", published="yes", **form)
            assert endpoint.asked == {"probe-1": 2, "probe-2": 2}
            found.bench.work()
        assert "heron , version 1, was added. 1 run is planned" in words(added)
        assert "Covers the only scoring data set: dev." in words(added)
        assert "s3cret-key" not in tested.text + added.text
        model = found.desk.store.read_now(lambda c: find_model(c, found.bench.row.id, "heron"))
        assert model.published
        assert found.bench.states() == {("heron", "dev"): "done"}

    def test_one_that_does_not_is_added_only_where_somebody_insists(self, found: TaskDesk) -> None:
        with serving(lambda question: {"id": question["uid"], "class": 1}) as endpoint:
            form = {"url": endpoint.url, "kind": "http", "name": "snipe", "act": "add"}
            refused = found.desk.post(MODEL, on=MODEL, **form)
            assert refused.status_code == 422
            told = words(refused)
            assert "The model was not added, because it does not answer" in told
            assert "Put 'label' into every answer" in told
            assert 'It has no \'label\'. It sent: {"id":"probe-1","class":1}' in told
            assert models(found) == []
            endpoint.asked.clear()
            found.desk.post(MODEL, on=MODEL, unprobed="yes", **form)
            assert not endpoint.asked
        assert models(found) == ["snipe"]

    @pytest.mark.parametrize(
        ("form", "problem"),
        [
            ({"url": ""}, "Give the address of the model"),
            ({"url": "http://127.0.0.1:9/"}, "Start the model and check its address"),
            ({"options": "{"}, "The further options are not valid JSON"),
            ({"options": '{"url": "http://y/"}'}, "name 'url', which has a field of its own"),
            ({"options": '{"timeout": -1}'}, "Option 'timeout'"),
            ({"kind": "handler"}, "got 'handler'"),
            ({"kind": "checkpoint", "options": '{"checkpoint": "/srv/model"}'}, "got 'checkpoint'"),
            ({"kind": "command", "options": '{"run": ["ls"]}'}, "got 'command'"),
            ({"name": "No name", "unprobed": "yes"}, "name"),
        ],
    )
    def test_what_is_wrong_is_told(
        self, found: TaskDesk, form: dict[str, str], problem: str
    ) -> None:
        given = {"url": "http://127.0.0.1:9/", "kind": "http", "name": "heron", "act": "add"}
        answer = found.desk.post(MODEL, on=MODEL, **{**given, **form})
        assert answer.status_code == 422
        assert problem in words(answer)
        assert models(found) == []

    def test_addresses_of_this_network_and_variables_are_for_owners(self, tmp_path: Path) -> None:
        with open_task_desk(tmp_path, name="ruth") as opened:
            form = {"kind": "http", "name": "heron", "act": "add", "unprobed": "yes"}
            inside = opened.desk.post(MODEL, on=MODEL, url="http://127.0.0.1:9/", **form)
            assert "not on a public address" in words(inside)
            secret = opened.desk.post(
                MODEL, on=MODEL, url="https://192.0.2.7/", key="${PATH}", **form
            )
            assert "cannot name variables of the server" in words(secret)
            assert models(opened) == []

    def test_answers_are_checked_and_scored(self, found: TaskDesk) -> None:
        found.bench.dataset("dev", 6)
        good = [{"uid": f"u{n}", "label": LABELS[n % 3]} for n in range(6)]
        answer = send(
            found,
            ANSWERS,
            {"file:dev": ("mine.jsonl", lines([{**good[0], "label": "x"}, *good[1:5]]))},
            on=MODEL,
            name="given",
        )
        assert answer.status_code == 422
        told = words(answer)
        assert "mine.jsonl:1: Answer to u0: 'label': expected one of" in told
        assert "mine.jsonl: no answer to 'u5'." in told
        assert models(found) == []
        none = send(found, ANSWERS, {"file:dev": ("", b"")}, on=MODEL, name="given")
        assert "Choose a file with answers for each data set." in words(none)
        added = send(
            found, ANSWERS, {"file:dev": ("mine.jsonl", lines(good))}, on=MODEL, name="given"
        )
        assert "given , version 1, was added." in words(added)
        assert found.bench.scores("given", "dev")["accuracy"].value == 1


def test_variants_are_made_beside_the_server(found: TaskDesk) -> None:
    page = f"{TASK}/perturb"
    assert "No data set to perturb yet" in words(found.desk.client.get(page))
    found.bench.dataset("dev", 8)
    form = {"dataset": "dev", "kind": "robustness", "seed": "3"}
    for wrong, problem in {
        ("seed", "x"): "The seed is a whole number",
        ("dataset", "none"): "No data set 'none'",
        ("kind", "odd"): "Choose what the variants test",
        ("only", "os:system"): "can only be added on the server",
        ("field", "label"): "has no text or dialogue 'label'",
    }.items():
        refused = found.desk.post(page, on=page, **{**form, wrong[0]: wrong[1]})
        assert refused.status_code == 422
        assert problem in words(refused)
    begun = found.desk.post(page, on=page, **form, only="casing")
    assert begun.headers["location"] == page
    assert "Variants are being made" in words(found.desk.client.get(page))
    finish(found, PerturbTask)
    told = words(found.desk.client.get(page))
    assert "8 variants of 8 items were made" in told
    assert "They are the data set robustness-dev , version 1." in told
    assert "casing 8 0 0" in told
    assert "typos" not in told[: told.index("What the variants test")]
    assert names(found) == ["dev", "robustness-dev"]


def test_old_answers_are_scored_again_beside_the_server(found: TaskDesk) -> None:
    page = f"{TASK}/rescore"
    assert "No finished run yet" in words(found.desk.client.get(page))
    found.bench.dataset("dev", 6)
    with serving() as endpoint:
        found.bench.model("stub", endpoint.url)
        found.bench.work()
    for form, problem in (
        ({}, "Choose at least one metric."),
        ({"metric": "bleurt"}, "No metric 'bleurt'"),
        ({"metric": "os:system"}, "can only be added on the server"),
        ({"metric": "mcc", "model": "none"}, "No finished run has the model 'none'."),
        ({"metric": "mcc", "field": "none"}, "has no output 'none'"),
    ):
        refused = found.desk.post(page, on=page, **form)
        assert refused.status_code == 422
        assert problem in words(refused)
    assert found.desk.post(page, on=page, metric="mcc").headers["location"] == page
    finish(found, RescoreTask)
    told = words(found.desk.client.get(page))
    assert "mcc: 1 run scored" in told
    kept = found.bench.scores("stub", "dev")["mcc"]
    assert kept.n == 6
    assert kept.value is not None


def test_a_built_in_task_is_begun(found: TaskDesk) -> None:
    begun = found.desk.post("/desk/tasks", on="/desk/tasks", name="sentiment")
    assert begun.headers["location"] == "/desk/tasks/sentiment"
    page = words(found.desk.client.get("/desk/tasks/sentiment"))
    assert "No models yet" in page
    assert "Add a model" in page
    assert found.desk.post("/desk/tasks", on="/desk/tasks", name="none").status_code == 404


def test_files_larger_than_the_home_takes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "palaver.yaml").write_text("upload_megabytes: 1\n", encoding="utf-8")
    with open_task_desk(tmp_path) as found:
        large = lines(records(4)) + b" " * (1 << 20)
        assert "This is larger than 1 MiB; nothing was stored." in words(add(found, large))
        assert names(found) == []
