"""The public pages of the evaluation server, as readers and as researchers see them."""

import csv
import html
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from palaver.core.evaluation.public_numbers import public_number
from palaver.evaluation.datasets import change_dataset
from palaver.evaluation.dynaboards import read_board
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import find_model, set_model
from palaver.storage.evaluation.submitters import add_submitter
from palaver.studies.run.deployment import Deployment
from support.desks import Desk, open_desk
from support.public_boards import SKILLS, PublicBoard, home_folder
from support.seeding import NOW


@dataclass
class Pages:
    """A desk whose home has a task, and a stranger's client beside it."""

    desk: Desk
    board: PublicBoard
    stranger: TestClient
    keys: dict[str, str] = field(default_factory=dict)

    def read(self, path: str, status: int = 200, client: TestClient | None = None) -> str:
        """The words of a page, blanks folded; a stranger's unless a client is given."""
        answer = (client or self.stranger).get(path)
        assert answer.status_code == status, answer.text
        text = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", answer.text, flags=re.S)
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())

    def own(self, path: str, status: int = 200) -> str:
        """The words of a page as the researcher sees it who is signed in."""
        return self.read(path, status, self.desk.client)


@contextmanager
def _opened(parent: Path) -> Iterator[Pages]:
    folder = home_folder(parent)
    with open_desk(folder, studies=False) as desk:
        deployment: Deployment = desk.deployment
        deployment.folder = folder
        board = PublicBoard(deployment.evaluation)
        stranger = TestClient(desk.client.app, base_url="http://testserver")
        yield Pages(desk, board, stranger)


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    """Pages of a home in which a test may change what it likes."""
    with _opened(tmp_path) as pages:
        yield pages


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """Pages of a home with the usual models, for tests that read and change nothing."""
    with _opened(tmp_path_factory.mktemp("filled")) as pages:
        pages.keys = pages.board.fill()
        yield pages


def test_the_list_says_what_the_board_says_and_names_no_leader_on_a_tie(filled: Pages) -> None:
    words = filled.read("/tasks")
    assert "1 task" in words
    board = filled.desk.store.read_now(lambda c: read_board(c, filled.board.row, filled.board.task))
    assert board.answer.startswith("No model leads")
    # Its models and its data sets follow.
    assert f"{board.answer} 6 3" in words


def test_the_list_names_the_leader_with_its_interval(pages: Pages) -> None:
    pages.board.fill({"deberta-large": 0.95, "fasttext": 0.4})
    words = pages.read("/tasks")
    board = pages.desk.store.read_now(lambda c: read_board(c, pages.board.row, pages.board.task))
    first = board.models[0]
    assert first.dynascore.interval is not None
    low, high = first.dynascore.interval
    # Its models and its data sets follow.
    assert f"{first.name} {first.dynascore.value:.2f} {low:.2f} to {high:.2f} 2 3" in words


def test_a_private_task_is_for_people_who_sign_in(pages: Pages) -> None:
    pages.board.fill()
    pages.board.policy(public=False)
    assert "1 task is not public" in pages.read("/tasks")
    assert "deberta" not in pages.read("/tasks")
    for path in ("", "/data", "/submit", "/board.csv", "/models/x"):
        assert "No public task has this name" in pages.read(f"/tasks/nli{path}", 404)
    # Nor is a stranger told which names there are.
    near, there = pages.read("/tasks/nl", 404), pages.read("/tasks/nli", 404)
    assert near == there.replace("/tasks/nli", "/tasks/nl")
    refused = pages.stranger.get("/tasks/nli/board.json")
    assert refused.status_code == 404
    assert refused.json()["error"]["code"] == "missing"
    pages.desk.sign_in("vera")
    assert "deberta-large" in pages.own("/tasks/nli")


def test_a_task_that_is_not_there_is_said_to_be_missing(pages: Pages) -> None:
    assert "Near: 'nli'" in pages.read("/tasks/nly", 404)
    assert pages.stranger.get("/tasks/" + "9" * 40).status_code == 404
    assert "Sign in" in pages.read("/tasks/nothing", 404)
    pages.desk.sign_in("vera")
    assert "Sign in" not in pages.own("/tasks/nothing", 404)


@pytest.mark.parametrize("models", [0, 1, 2])
def test_a_board_with_few_models_says_what_it_can(pages: Pages, models: int) -> None:
    skills = dict(list(SKILLS.items())[:models])
    pages.board.fill(skills)
    words = pages.read("/tasks/nli")
    if models == 0:
        assert "There are no models on this board yet" in words
        assert "Submit the first model" in words
    if models == 1:
        assert "deberta-large is the only model" in words
        assert "set aside, because there is only one model" in words
    if models == 2:
        assert "1 pair counted here" in words


def test_a_task_without_data_says_so(tmp_path: Path) -> None:
    with open_desk(tmp_path, studies=False) as desk:
        desk.deployment.folder = tmp_path
        PublicBoard(desk.deployment.evaluation, sets={})
        answer = desk.client.get("/tasks/nli")
        assert "no scoring data set yet" in answer.text
        assert "There are no data sets to show yet" in desk.client.get("/tasks/nli/data").text


def test_the_board_is_in_the_order_of_the_scores(filled: Pages) -> None:
    document = filled.stranger.get("/tasks/nli/board.json").json()
    page = filled.stranger.get("/tasks/nli").text
    shown = re.findall(r'data-model="([^"]+)"', page)
    assert shown == [each["key"] for each in document["models"]]
    assert set(shown) == set(filled.keys.values())
    first = document["models"][0]
    assert f"{first['dynascore']['value']:.2f}" in page
    low, high = first["dynascore"]["interval"]
    assert f"{low:.2f} to {high:.2f}" in page


def test_weights_come_joined_or_one_by_one(filled: Pages) -> None:
    joined = filled.stranger.get("/tasks/nli/board.json?m=1|0|0|0|0&d=1|0|0").json()
    plain = "&".join(["m=1", *["m=0"] * 4, "d=1", "d=0", "d=0"])
    single = filled.stranger.get(f"/tasks/nli/board.json?{plain}").json()
    assert joined == single
    for each in joined["models"]:
        alone = each["scores"]["snli-test"]["accuracy"]["value"]
        assert each["dynascore"]["value"] == pytest.approx(alone)
    assert 'value="0"' in filled.stranger.get(f"/tasks/nli?{plain}").text


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("m=4|1", "m takes 5 numbers"),
        ("d=a|1|1", "the weight of 'snli-test' must be a number of 0 or more; got 'a'"),
        ("m=0|0|0|0|0", "All metrics have weight 0"),
        ("d=1e999|1|1", "must be a number of 0 or more"),
    ],
)
def test_weights_that_do_not_fit_are_told(filled: Pages, query: str, reason: str) -> None:
    words = filled.read(f"/tasks/nli?{query}")
    assert "The weights in the address were not used" in words
    assert reason in words
    answer = filled.stranger.get(f"/tasks/nli/board.json?{query}")
    assert answer.status_code == 400
    assert reason in answer.json()["error"]["message"]


def test_the_brief_json_leaves_out_single_data_sets(filled: Pages) -> None:
    brief = filled.stranger.get("/tasks/nli/board.json?brief=1").json()
    whole = filled.stranger.get("/tasks/nli/board.json").json()
    assert "scores" in whole["models"][0]
    assert "scores" not in brief["models"][0]
    assert brief["models"][0]["dynascore"] == whole["models"][0]["dynascore"]


def test_an_unpublished_model_has_no_name_for_strangers(pages: Pages) -> None:
    team = pages.desk.store.write_now(
        lambda c: add_submitter(c, task_id=pages.board.row.id, team="Owls of Ghent", now=NOW)
    )
    pages.board.fill()
    secret = pages.board.model(
        "secret-sauce", 0.8, published=False, about="brewed", link="https://example.org/secret",
        submitter_id=team.id,
    )  # fmt: skip
    anonymous = pages.board.model("masked", 0.8, anonymous=True, submitter_id=team.id)
    weights = "ordered_metric_weights=4|1|1|1|1&ordered_scoring_dataset_weights=5|5|5&limit=50"
    paths = ["/tasks", "/tasks/nli", f"/tasks/nli/models/{secret}", "/tasks/nli/board.json",
             "/tasks/nli/board.csv", "/tasks/nli/board.tex", f"/tasks/nli/models/{anonymous}",
             f"/tasks/nli/models/dynaboard?{weights}", "/tasks/nli/models/secret-sauc"]  # fmt: skip
    for path in paths:
        told = pages.stranger.get(path).text
        for word in ("secret-sauce", "Owls of Ghent", "brewed", "example.org/secret"):
            assert word not in told, path
    assert pages.stranger.get("/tasks/nli/models/secret-sauce").status_code == 404
    assert "unpublished model" in pages.read("/tasks/nli")
    pages.desk.sign_in("vera")
    assert "secret-sauce unpublished Owls of Ghent" in pages.own("/tasks/nli")
    assert "brewed" in pages.own(f"/tasks/nli/models/{secret}")


def test_why_a_run_failed_is_not_told_to_strangers(pages: Pages) -> None:
    pages.board.fill()
    pages.board.model("broken", 0.5, only=["hans"])
    found = pages.desk.store.read_now(lambda c: find_model(c, pages.board.row.id, "broken"))
    reason = "http://10.0.0.7/ask answered 500"
    pages.board.run(found.version_id, "snli-test", state="failed", reason=reason)
    words = pages.read("/tasks/nli")
    assert "Not ranked: snli-test failed; anli-r3 has not been evaluated." in words
    assert "10.0.0.7" not in pages.stranger.get("/tasks/nli/board.json").text
    assert "10.0.0.7" not in pages.read(f"/tasks/nli/models/{found.key}")
    pages.desk.sign_in("vera")
    assert reason in pages.own("/tasks/nli")


def test_tags_leave_out_models_and_keep_ranks(pages: Pages) -> None:
    pages.board.fill()
    pages.board.model("tiny", 0.3, tags=["small & quick"])
    page = pages.stranger.get("/tasks/nli?tag=small+%26+quick")
    assert page.text.count("data-model=") == 1
    assert "small &amp; quick" in page.text
    assert re.search(r'data-field="rank">7<', page.text)
    assert pages.stranger.get("/tasks/nli?tag=nothing").text.count("data-model=") == 7


def test_downloads_hold_what_is_shown(filled: Pages) -> None:
    query = "m=1|0|0|0|0&d=1|1|1"
    document = filled.stranger.get(f"/tasks/nli/board.json?{query}").json()
    answer = filled.stranger.get(f"/tasks/nli/board.csv?{query}")
    assert answer.headers["content-disposition"].startswith("attachment")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["model"] for row in rows] == [each["name"] for each in document["models"]]
    assert float(rows[0]["Dynascore"]) == document["models"][0]["dynascore"]["value"]
    latex = filled.stranger.get(f"/tasks/nli/board.tex?{query}").text
    assert "deberta-large" in latex
    assert r"\begin{tabular}" in latex
    assert filled.stranger.get("/tasks/nli/board.xls").status_code == 404


def test_a_fork_keeps_weights_and_a_snapshot_keeps_everything(pages: Pages) -> None:
    pages.board.fill()
    pages.board.model("secret-sauce", 0.8, published=False)
    pages.desk.sign_in("ruth")
    given = {"name": "Speed first", "about": "for phones", "m": "1|5|0|0|0", "d": "5|5|0"}
    forked = pages.desk.post("/tasks/nli/forks", on="/tasks/nli", **given)
    assert forked.status_code == 303
    frozen = pages.desk.post(
        "/tasks/nli/snapshots", on="/tasks/nli", **{**given, "name": "As of today"}
    )
    fork, snapshot = forked.headers["location"], frozen.headers["location"]
    before = pages.read(snapshot)
    content = pages.stranger.get(f"{snapshot}.json").json()
    assert "It never changes" in before
    assert "secret-sauce" not in before
    assert [each["weight"] for each in content["metrics"]] == [1, 5, 0, 0, 0]
    for path in ("csv", "tex"):
        assert "deberta-large" in pages.stranger.get(f"{snapshot}.{path}").text
    assert "Speed first" in pages.read(fork)
    pages.board.model("newcomer", 0.9)
    assert "newcomer" in pages.read(fork)
    assert pages.read(snapshot) == before
    assert pages.stranger.get(f"{snapshot}.json").json() == content
    listed = pages.read("/tasks/nli")
    assert "Speed first fork" in listed
    assert "As of today snapshot" in listed
    again = pages.desk.post("/tasks/nli/forks", on="/tasks/nli", **given)
    assert again.status_code == 422
    assert "has a fork called" in again.text
    assert 'value="for phones"' in again.text
    assert pages.stranger.get(fork.replace("/forks/", "/snapshots/")).status_code == 404


def test_only_reviewers_save_boards(pages: Pages) -> None:
    pages.board.fill()
    assert "Save this board" not in pages.read("/tasks/nli")
    sent = pages.stranger.post("/tasks/nli/forks", data={"name": "x"}, follow_redirects=False)
    assert sent.headers["location"].startswith("/desk/sign-in")
    pages.desk.sign_in("vera")
    assert "Save this board" not in pages.own("/tasks/nli")
    refused = pages.desk.client.post("/tasks/nli/forks", data={"name": "x"})
    assert refused.status_code == 403
    pages.desk.sign_in("ruth")
    forged = pages.desk.client.post("/tasks/nli/forks", data={"name": "x", "csrf": "0"})
    assert forged.status_code == 403


def test_a_card_shows_scores_per_data_set_and_tag(filled: Pages) -> None:
    key = filled.keys["bert-base"]
    document = filled.stranger.get("/tasks/nli/board.json").json()
    model = next(each for each in document["models"] if each["key"] == key)
    words = filled.read(f"/tasks/nli/models/{key}")
    cell = model["scores"]["hans"]["accuracy"]
    assert f"{cell['value']:.2f} {cell['interval'][0]:.2f} to" in words
    assert "n = 90" in words
    assert "Genre:fiction 70.00 65.00 to 75.00 40" in words
    assert "all items are of one class, and Accuracy needs two" in words
    assert f"{model['rank']} of 6" in words
    assert "Version 1, shown here reached by http" in words


def test_a_retired_model_says_so(pages: Pages) -> None:
    keys = pages.board.fill()
    row = pages.board.row
    found = pages.desk.store.read_now(lambda c: find_model(c, row.id, "t5-base"))
    pages.desk.store.write_now(lambda c: set_model(c, found.id, retired=NOW))
    words = pages.read(f"/tasks/nli/models/{keys['t5-base']}")
    assert "taken off the board" in words
    assert "t5-base" not in pages.read("/tasks/nli")


def test_the_data_page_tells_no_gold_and_nothing_hidden(pages: Pages) -> None:
    records = pages.board.records("extra", 20)
    pages.board.add("extra", records, access="standard")
    pages.board.add("vault", [{**each, "uid": f"v{each['uid']}"} for each in records],
                    access="hidden")  # fmt: skip
    words = pages.read("/tasks/nli/data")
    assert "4 data sets" in words
    assert "snli-test scoring" in words
    assert "120 items" in words
    assert "Genre:fiction 40" in words
    assert "It does not count" in words
    for hidden in ("vault", "robustness-hans", "contradictory", "Premise", str(pages.board.home)):
        assert hidden not in pages.stranger.get("/tasks/nli/data").text
    assert str(pages.board.home.folder) not in words


def test_the_dynaboard_api_answers_in_its_own_shape(filled: Pages) -> None:
    row, number = filled.board.row, public_number("task", "nli")
    query = "ordered_metric_weights=4|1|1|1|1&ordered_scoring_dataset_weights=5|5|5"
    by_name = filled.stranger.get(f"/tasks/nli/models/dynaboard?{query}")
    by_number = filled.stranger.get(f"/tasks/{number}/models/dynaboard?{query}&limit=2&offset=1")
    assert by_name.json()["count"] == 6
    assert len(by_name.json()["data"]) == 5
    assert by_number.json()["data"] == by_name.json()["data"][1:3]
    first = by_name.json()["data"][0]
    assert set(first) == {
        "model_id", "model_name", "uid", "username", "averaged_scores", "averaged_variances",
        "dynascore", "dynavariance", "datasets",
    }  # fmt: skip
    sets = filled.desk.store.read_now(lambda c: list_datasets(c, row.id))
    assert [each["id"] for each in first["datasets"]] == [
        public_number("data set", each.name) for each in sets if each.parent_id is None
    ]
    for wrong in ("", "ordered_metric_weights=4", f"{query}&limit=x", f"{query}&sort_by=beauty"):
        refused = filled.stranger.get(f"/tasks/nli/models/dynaboard?{wrong}")
        assert refused.status_code == 400, wrong
        assert refused.json()["error"]["message"]


def test_a_page_holds_nothing_that_the_content_policy_forbids(pages: Pages) -> None:
    evil = '<img src=x onerror="alert(1)">'
    pages.board.fill()
    key = pages.board.model("evil", 0.5, tags=[evil], about=evil, link="javascript:alert(1)")
    pages.board.policy(terms=evil)
    paths = ("", f"/models/{key}", "/data", "/submit", "?m=1")
    for page in (pages.stranger.get(f"/tasks/nli{path}").text for path in paths):
        assert "<img src=x" not in page
        assert not re.search(r"<script(?![^>]* src=)", page)
        assert not re.search(r"<style|<[^>]* style=|<[^>]* on[a-z]+=\"|=\"javascript:", page)
        ids = re.findall(r'\sid="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'\sfor="([^"]+)"', page)) <= set(ids)


def test_the_cells_of_the_script_are_those_of_the_board(pages: Pages) -> None:
    pages.board.fill()
    pages.board.model("uploaded", 0.6, timed=False)
    found = re.search(r'data-cells="([^"]+)"', pages.stranger.get("/tasks/nli").text)
    assert found is not None
    cells = json.loads(html.unescape(found.group(1)))
    document: dict[str, Any] = pages.stranger.get("/tasks/nli/board.json").json()
    by_key = {e["key"]: e for e in [*document["models"], *document["not_ranked"]]}
    assert cells["metrics"] == [[e["direction"], e["offset"], None] for e in document["metrics"]]
    for key, rows in zip(cells["keys"], cells["cells"], strict=True):
        for one, row in zip(document["datasets"], rows, strict=True):
            scores = by_key[key]["scores"][one["name"]]
            assert row == [scores[e["key"]]["value"] for e in document["metrics"]]


def test_nothing_of_the_pages_is_loaded_before_they_are_asked_for() -> None:
    code = (
        "import sys, palaver.web.app; "
        "print([name for name in sys.modules if name.startswith('palaver.web.tasks') "
        "or name.startswith('palaver.evaluation.dynaboards')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_board_and_a_model_are_seen_by_round(pages: Pages) -> None:
    board, row = pages.board, pages.board.row
    nowhere = pages.read("/tasks/nli")
    assert "Round 1" not in nowhere
    assert pages.stranger.get("/tasks/nli/board.json?round=1").status_code == 400
    for name, number in {"hans": 1, "anli-r3": 3}.items():
        board.home.store.write_now(
            lambda c, name=name, number=number: change_dataset(c, row, name, round=number, now=NOW)
        )
    keys = board.fill({"deberta-large": 0.86, "bert-base": 0.7})
    words = pages.read("/tasks/nli")
    assert "All data sets Round 1 Round 3" in words
    third = pages.read("/tasks/nli?round=3")
    assert "Round 3: 2 models, 1 data set, 60 items." in third
    text = pages.stranger.get("/tasks/nli?round=3").text
    assert 'data-round="3"' in text
    assert "/tasks/nli/board.csv?m=4%7C0%7C0%7C1%7C1&amp;d=5&amp;round=3" in text
    shown = pages.stranger.get("/tasks/nli/board.json?round=3").json()
    assert [each["name"] for each in shown["datasets"]] == ["anli-r3"]
    assert (shown["round"], shown["rounds"]) == (3, [1, 3])
    table = pages.stranger.get("/tasks/nli/board.csv?round=3").text
    assert "anli-r3: Accuracy" in table
    assert "hans" not in table
    assert pages.stranger.get("/tasks/nli/board.csv?round=x").status_code == 400
    for given in ("2", "x", "0"):
        odd = pages.read(f"/tasks/nli?round={given}")
        assert "This is the board of all data sets. " in odd
        assert "2 models, 3 data sets, 270 items." in odd
    card = pages.read(f"/tasks/nli/models/{keys['bert-base']}")
    assert "Accuracy by round" in card
    (first,) = [each for each in shown["models"] if each["key"] == keys["bert-base"]]
    average = first["averages"]["accuracy"]
    assert f"Round 3 anli-r3 (60 items) {average['value']:.2f}" in card
    assert "hans round 1" in card
    assert "Round 3" in pages.read("/tasks/nli/data")
    pages.desk.sign_in("olga")
    page = "/tasks/nli?round=3"
    made = pages.desk.post(
        "/tasks/nli/forks", on=page, name="third", m="1|0|0|0|0", d="5", round="3"
    )
    saved = pages.own(made.headers["location"])
    assert "1 data set, 60 items." in saved
    assert "All data sets Round 1" not in saved
