"""The pages of the evaluation server, as a researcher reads them."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from palaver.evaluation.tasks import ensure_task
from palaver.storage import Store
from palaver.web.app import create_app
from support.desks import PATIENT, open_desk
from support.endpoints import LABELS
from support.runs import NOW, records
from support.seeding import deploy
from support.task_desks import ITEMS, TaskDesk, fill, open_task_desk


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TaskDesk]:
    """A desk for tests that only look."""
    with open_task_desk(tmp_path_factory.mktemp("filled")) as opened:
        fill(opened)
        yield opened


def words(page: str) -> str:
    """The text of a page, blanks folded."""
    text = re.sub(r"<(script|style|template|svg)\b.*?</\1>", " ", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def read(found: TaskDesk, path: str, status: int = 200) -> str:
    answer = found.desk.client.get(path)
    assert answer.status_code == status, answer.text
    return words(answer.text)


def test_without_tasks_the_list_says_the_first_commands(tmp_path: Path) -> None:
    with open_desk(tmp_path, studies=False) as desk:
        desk.sign_in("vera")
        page = words(desk.client.get("/desk/tasks").text)
    assert "No tasks yet" in page
    assert "palaver dataset add nli dev dev.jsonl palaver model add nli my-model --url" in page
    assert "palaver task init" in page


def test_the_list_counts_models_data_sets_and_runs(filled: TaskDesk) -> None:
    page = read(filled, "/desk/tasks")
    assert "Natural language inference nli 4 2 3 done 2 waiting 3 failed researchers" in page


def test_the_matrix_says_how_far_every_model_is(filled: TaskDesk) -> None:
    page = read(filled, "/desk/tasks/nli")
    assert "Natural language inference : 3 of 8 runs done, 2 waiting, 3 failed" in page
    matrix = page[page.index("Every model") : page.index("What failed")]
    assert "stub http, version 1 100.0 % 91.2 to 100.0" in matrix
    assert "odd http, version 1 failed 2 of 40 answers were refused; first: Answer to u3" in matrix
    assert "broken http, version 1 failed" in matrix
    assert "later http, version 1 waiting" in matrix
    assert "robustness-dev" not in matrix
    everything = read(filled, "/desk/tasks/nli?sets=all")
    matrix = everything[everything.index("Every model") : everything.index("What failed")]
    assert "dev robustness-dev robustness" in matrix
    assert read(filled, "/desk/tasks/nli?sets=nonsense") == page


def test_what_failed_is_told_per_model_in_full(filled: TaskDesk) -> None:
    page = read(filled, "/desk/tasks/nli")
    failed = page[page.index("What failed") : page.index("Data sets Data set")]
    assert "odd × dev 2 of 40 answers were refused" in failed
    assert re.search(r"broken × (dev|robustness-dev) Also on (dev|robustness-dev)\.", failed)
    assert "500" in failed
    # What a broken server says is shown as text.
    assert "<h1>Oops" not in filled.desk.client.get("/desk/tasks/nli").text


def test_a_task_says_what_it_asks_and_how_it_is_measured(filled: TaskDesk) -> None:
    page = read(filled, "/desk/tasks/nli")
    assert "label output, with gold multiclass one of: entailed, neutral, contradictory" in page
    assert "Accuracy accuracy label ranks the models; higher is better" in page
    assert "Robustness robustness label how often answers to variants agree" in page
    sets = page[page.index("Data sets Data set") : page.index("Models Model")]
    assert "dev The first items. – scoring 40 1" in sets
    assert "robustness-dev robustness scoring 10 1" in sets


def test_the_runs_as_json_say_the_same_and_only_their_mark_when_nothing_changed(
    filled: TaskDesk,
) -> None:
    live = filled.desk.client.get("/desk/tasks/nli/runs.json").json()
    assert live["state"] == "3 of 8 runs done, 2 waiting, 3 failed"
    assert sorted(cell["state"] for cell in live["cells"]) == [
        "done",
        "failed",
        "failed",
        "waiting",
    ]
    page = filled.desk.client.get("/desk/tasks/nli").text
    assert f'data-mark="{live["mark"]}" data-shape="{live["shape"]}"' in page
    for cell in live["cells"]:
        assert f'data-cell="{cell["cell"]}"' in page
    again = filled.desk.client.get(f"/desk/tasks/nli/runs.json?mark={live['mark']}")
    assert again.json() == {"mark": live["mark"]}


def test_a_run_that_is_done_shows_scores_tags_variants_and_answers(filled: TaskDesk) -> None:
    page = read(filled, filled.path("stub", "dev"))
    assert "stub × dev : done" in page
    assert "Answered 40 of 40" in page
    assert "Accuracy 100.0 % 91.2 to 100.0 40" in page
    assert "Memory – – 0 undefined: the memory of this model cannot be measured here" in page
    assert "even 100.0 % 83.9 to 100.0 20" in page
    # The stub answers by the uid, so it says something else of every variant.
    assert "Robustness: 0.0 %" in page
    assert "Compared: 10 variants in robustness-dev with the 10 items of dev" in page
    assert "30 items without a variant" in page
    assert "Accuracy on the variants: 0.0 %" in page
    assert "1 u0 right" in page
    assert "Asked context Item 0 is here. hypothesis There is an item 0." in page
    assert "Gold label entailed Answered label entailed" in page
    assert "Items 1 to 10 of 40." in page


def test_tags_are_sorted_by_the_address_and_all_in_a_file(filled: TaskDesk) -> None:
    path = filled.path("stub", "dev")
    page = filled.desk.client.get(f"{path}?sort=tag&order=falling").text
    tags = page[page.index('id="tags"') : page.index('id="answers"')]
    assert words(tags).index("odd 100.0") < words(tags).index("even 100.0")
    assert 'aria-sort="descending"' in tags
    lines = filled.desk.client.get(f"{path}/tags.csv").text.splitlines()
    assert lines[0] == "tag,value,low,high,n,reason"
    assert [line.split(",")[0] for line in lines[1:]] == ["even", "odd"]
    scores = filled.desk.client.get(f"{path}/scores.csv").text.splitlines()
    assert scores[1].startswith("accuracy,1-")


def test_refused_answers_stand_beside_what_was_asked(filled: TaskDesk) -> None:
    path = filled.path("odd", "dev")
    page = read(filled, path)
    assert "odd × dev : failed" in page
    refused = page[page.index("Refused answers: 2") : page.index("Answers and gold")]
    assert "4 u3 refused" in refused
    assert "hypothesis There is an item 3." in refused
    assert "got 'perhaps <b>not</b>'" in refused
    assert "<b>not" not in filled.desk.client.get(path).text
    assert "No scores yet. A run is scored once every item has an answer." in page
    assert "Asks only the 2 items without a valid answer." in page
    wrong = read(filled, f"{path}?answers=wrong")
    assert "Wrong answers among items 4 to 8 of 40." in wrong
    assert "right" not in wrong[wrong.index("Wrong answers among") :]


def test_every_failed_attempt_keeps_its_reason(filled: TaskDesk) -> None:
    page = read(filled, filled.path("broken", "dev"))
    attempts = page[page.index("Failed attempts") :]
    assert attempts.count("asking the model") == 1
    assert "500" in attempts
    assert "the other 37 items were not asked" in attempts


def test_predictions_are_downloaded_as_lines(filled: TaskDesk) -> None:
    answer = filled.desk.client.get(f"{filled.path('odd', 'dev')}/predictions.jsonl")
    assert answer.headers["content-disposition"] == 'attachment; filename="odd-dev.jsonl"'
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [line["id"] for line in lines] == [f"u{n}" for n in range(ITEMS)]
    assert lines[0]["label"] == LABELS[0]
    assert "label" not in lines[3]
    assert lines[3]["problem"].startswith("Answer to u3")


def test_a_model_shows_its_runs_and_hides_keys(filled: TaskDesk) -> None:
    page = read(filled, "/desk/tasks/nli/models/stub")
    assert "stub unpublished" in page
    assert "dev model 1, data 1 done 100.0 91.2 to 100.0" in page
    assert "Memory: undefined, the memory of this model cannot be measured here." in page
    later = read(filled, "/desk/tasks/nli/models/later")
    assert '"Authorization": "…"' in later
    assert "s3cr3t" not in later


def test_a_data_set_shows_labels_tags_items_and_runs(filled: TaskDesk) -> None:
    page = read(filled, "/desk/tasks/nli/data/dev")
    assert "Gold: label Label Items Share of the largest entailed 14 neutral 13" in page
    assert "Tags: 2" in page
    assert "even 20" in page
    assert "1 u0 Asked context Item 0 is here." in page
    assert "Made from it: robustness-dev (robustness)" in page
    variants = read(filled, "/desk/tasks/nli/data/robustness-dev")
    assert "Made from dev Kind of variants robustness" in variants


@pytest.mark.parametrize(
    "path",
    [
        "/desk/tasks/nlx",
        "/desk/tasks/99999999999999999999999",
        "/desk/tasks/nli/runs/r_none",
        "/desk/tasks/nli/models/nobody",
        "/desk/tasks/nli/data/nothing",
        "/desk/tasks/nli/data/%00",
    ],
)
def test_what_is_not_there_is_said(filled: TaskDesk, path: str) -> None:
    assert "There is nothing at this address" in read(filled, path, status=404)


def test_a_run_of_another_task_is_not_shown_below_this_one(filled: TaskDesk) -> None:
    filled.desk.store.write_now(lambda c: ensure_task(c, "hs", now=NOW))
    key = filled.run("stub", "dev").key
    assert "There is nothing at this address" in read(filled, f"/desk/tasks/hs/runs/{key}", 404)
    assert "No models yet" in read(filled, "/desk/tasks/hs")


def test_a_viewer_looks_and_changes_nothing(tmp_path: Path) -> None:
    with open_task_desk(tmp_path, name="vera") as found:
        found.bench.dataset("dev", 3)
        found.bench.model("later", "http://127.0.0.1:9/")
        path = found.path("later", "dev")
        assert "Cancel" not in read(found, path)
        assert "How it is reached" not in read(found, "/desk/tasks/nli/models/later")
        page = found.desk.client.get("/desk/tasks/nli").text
        assert 'href="/desk/tasks/nli/settings"' not in page
        for address in (f"{path}/predictions.jsonl", "/desk/tasks/nli/settings"):
            assert found.desk.client.get(address).status_code == 403
        answer = found.desk.post(f"{path}/cancel", on="/desk/settings")
        assert answer.status_code == 403
        assert found.run("later", "dev").state == "waiting"


def test_nobody_looks_without_signing_in(tmp_path: Path) -> None:
    with open_desk(tmp_path, studies=False) as desk:
        answer = desk.client.get("/desk/tasks/nli", follow_redirects=False)
        assert answer.headers["location"].endswith("/desk/sign-in?next=%2Fdesk%2Ftasks%2Fnli")


def test_items_that_cannot_be_read_leave_the_rest_of_the_page(tmp_path: Path) -> None:
    with open_task_desk(tmp_path) as found:
        added = found.bench.dataset("dev", records(3))
        found.bench.model("later", "http://127.0.0.1:9/")
        found.change_run("later", "dev", answered=1)
        (found.bench.home.folder / "objects" / added.path).unlink()
        assert "The items cannot be shown" in read(found, found.path("later", "dev"))
        assert "The items cannot be shown" in read(found, "/desk/tasks/nli/data/dev")


def test_a_read_only_copy_shows_everything_and_changes_nothing(tmp_path: Path) -> None:
    with open_task_desk(tmp_path) as found:
        found.bench.dataset("dev", 3)
        found.bench.model("later", "http://127.0.0.1:9/")
        path = found.path("later", "dev")
    copy = Store(f"sqlite:///{tmp_path / 'palaver.db'}", read_only=True)
    deployment = deploy(copy, None)
    deployment.folder = tmp_path / "home"
    try:
        with TestClient(create_app(deployment, PATIENT)) as client:
            assert "Cancel" not in words(client.get(path).text)
            assert client.get("/desk/tasks/nli").status_code == 200
            model = words(client.get("/desk/tasks/nli/models/later").text)
            assert "Retire" not in model
    finally:
        copy.close()
