"""The results of a study on the desk: computed beside the server, shown, renewed, downloaded."""

import asyncio
import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from palaver.web.desk.beside import LIMIT
from palaver.web.desk.results.reading import results_shelf
from palaver.web.desk.results.shelf import FRAGMENT, HEAD, MODULE, REPORT, Head, ResultsTask
from palaver.web.desk.results.worker import compute
from support.desks import Desk, open_desk
from support.reviewing import STUDY, Judging
from support.seeding import NOW

ADDRESS = "/desk/studies/judged/results"
FILE = re.compile(rf'href="({ADDRESS}/(?:tables|figures)/[^"]+)"')


@contextmanager
def _opened(folder: Path) -> Iterator[Desk]:
    study = folder / "studies" / "judged"
    study.mkdir(parents=True)
    (study / "study.yaml").write_text(STUDY, encoding="utf-8")
    with open_desk(folder) as desk:
        desk.sign_in("olga")
        yield desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with _opened(tmp_path) as desk:
        yield desk


@pytest.fixture
def judging(desk: Desk) -> Judging:
    return _judged(desk)


@pytest.fixture(scope="module")
def judged_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk for tests that read: its results are computed once."""
    with _opened(tmp_path_factory.mktemp("judged")) as desk:
        _judged(desk)
        yield desk


@pytest.fixture
def computed(judged_desk: Desk) -> Desk:
    """The desk for reading, with its owner signed in."""
    judged_desk.client.cookies.clear()
    judged_desk.sign_in("olga")
    return judged_desk


@pytest.fixture
def computed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute on a thread of the server, where everything is imported already.

    The same task is read and the same files are written; other tests see that a process does it.
    """
    _compute_here(monkeypatch)


def _compute_here(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run_here(module: str, folder: Path, task: ResultsTask) -> None:
        assert module == MODULE
        sent = msgspec.json.decode(msgspec.json.encode(task), type=ResultsTask)
        await asyncio.to_thread(compute, sent, folder)

    monkeypatch.setattr("palaver.web.desk.results.shelf.run_beside", run_here)


def _judged(desk: Desk) -> Judging:
    """Two raters on eight dialogues of two systems, and their preferences."""
    judging = Judging(desk.store, desk.deployment.studies["judged"].id)
    for n in range(4):
        terse, chatty = (judging.dialogue(system=name) for name in ("terse", "chatty"))
        for rater in ("sim:ann", "sim:bob"):
            judging.say("quality", terse, rater, 1 + n % 2)
            judging.say("quality", chatty, rater, 4 + n % 2)
            judging.prefer(chatty if n else terse, terse, chatty, rater)
    return judging


def results(desk: Desk, address: str = ADDRESS) -> str:
    """The page once it is computed; what it says meanwhile is that it is being computed."""
    page = desk.client.get(address)
    if "<h2>Computing</h2>" in page.text:
        assert "<awaited-page" in page.text
        settle(desk)
        page = desk.client.get(address)
    assert page.status_code == 200, page.text
    assert "<h2>Computing</h2>" not in page.text
    return page.text


def settle(desk: Desk) -> None:
    """Wait until nothing is being computed; the process beside the server ends it by itself."""

    async def computed() -> None:
        places = results_shelf(desk.deployment)._places.values()
        under_way = [place.task for place in places if place.is_busy]
        if under_way:
            _, late = await asyncio.wait(under_way, timeout=LIMIT)
            assert not late, "The results were never computed."

    assert desk.client.portal is not None
    desk.client.portal.call(computed)


def test_the_figures_and_tables_of_the_report(computed: Desk) -> None:
    assert ADDRESS in computed.client.get("/desk/studies/judged").text
    page = results(computed)
    assert "provisional" in page
    assert "<h2>Methods</h2>" in page
    assert page.count("<svg") > 4
    # All questions in one table, which the figure draws; the systems have the same mark everywhere.
    assert "chatty is above terse in quality." in page
    assert "<b>Next:</b>" in page
    assert 'data-mark="1"' in page
    assert f'href="{ADDRESS.removesuffix("/results")}/questions/preference"' in page
    assert f'href="{ADDRESS.removesuffix("/results")}/questions/quality"' in page
    # A page of this server runs no script and no style that stands in it.
    assert "style=" not in page
    assert "<style" not in page


def test_tables_figures_and_the_whole_report_can_be_had(computed: Desk) -> None:
    files = set(FILE.findall(results(computed)))
    assert {Path(name).suffix for name in files} == {".csv", ".tex", ".svg", ".png"}
    for name in files:
        answer = computed.client.get(name)
        assert answer.status_code == 200
        assert answer.content
    # Single labels are a matter of exports, which need a reviewer; other files are nobody's.
    for name in (
        *("tables/labels.csv", "tables/votes-preference.csv", "tables/none.csv"),
        *("tables/..%2Fmanifest.json", "index.html", "figures/x.svg"),
    ):
        assert computed.client.get(f"{ADDRESS}/{name}").status_code == 404, name
    packed = zipfile.ZipFile(io.BytesIO(computed.client.get(f"{ADDRESS}/report.zip").content))
    names = packed.namelist()
    assert {"report/index.html", "report/manifest.json", "report/tables/labels.csv"} <= set(names)
    assert json.loads(packed.read("report/manifest.json"))["options"]["study"] == "judged"
    computed.client.cookies.clear()
    computed.sign_in("vera")
    assert "report.zip" not in results(computed)
    assert computed.client.get(f"{ADDRESS}/report.zip").status_code == 403


def test_a_viewer_reads_the_same_over_the_api(computed: Desk) -> None:
    results(computed)
    viewer = {"authorization": f"Bearer {computed.token('vera')}"}

    def read(path: str) -> Any:
        return computed.client.get(f"/api/v1/studies/judged/results{path}", headers=viewer)

    found = read("").json()
    assert (found["state"], found["current"]) == ("ready", True)
    assert found["headline"]["finding"] in computed.client.get(ADDRESS).text.replace("&#39;", "'")
    assert found["methods"]
    for table in found["tables"]:
        answer = read(f"/tables/{table}")
        assert (answer.status_code, answer.headers["content-type"]) == (
            200,
            "text/csv; charset=utf-8",
        )
        assert answer.text.count("\n") > 1, table
    # Rows of single labels are a matter of exports, as at the desk.
    assert "labels.csv" not in found["tables"]
    assert read("/tables/labels.csv").status_code == 404
    assert read("/tables/..%2Fmanifest.csv").status_code in (404, 422)


@pytest.mark.long
def test_new_answers_are_counted(desk: Desk, judging: Judging) -> None:
    before = results(desk)
    assert "8 votes" in before
    terse, chatty = (judging.dialogue(system=name) for name in ("terse", "chatty"))
    judging.prefer(chatty, terse, chatty, "sim:cem")
    # The earlier results are shown at once, and said to be earlier ones.
    assert "Answers have changed since" in results(desk)
    settle(desk)
    page = results(desk)
    assert "9 votes" in page
    assert "Answers have changed since" not in page


@pytest.mark.usefixtures("computed_here")
def test_the_page_of_a_study_says_of_the_leader_what_its_results_say(desk: Desk) -> None:
    """Votes of three who differ: many votes say that chatty leads, three raters do not."""
    judging = Judging(desk.store, desk.deployment.studies["judged"].id)
    won = {"sim:ann": (20, 0), "sim:bob": (14, 14), "sim:cem": (10, 12)}
    for n in range(28):
        terse, chatty = (judging.dialogue(system=name) for name in ("terse", "chatty"))
        for rater, (of, lost) in won.items():
            if n < of + lost:
                judging.prefer(chatty if n < of else terse, terse, chatty, rater)
    overview = "/desk/studies/judged"
    finding = "No system leads; chatty and terse cannot be distinguished"
    assert desk.client.get("/boards/judged.json").json()["answer"] == finding
    before = desk.client.get(overview).text
    assert "70 comparisons are in; 10 were planned" in before
    assert finding in before
    assert f"{finding}." in results(desk)
    assert finding in desk.client.get(overview).text
    # Another process of the server, or the same after a restart, reads what is kept.
    results_shelf(desk.deployment)._places.clear()
    assert finding in desk.client.get(overview).text
    assert "chatty leads" not in desk.client.get(overview).text


@pytest.mark.usefixtures("computed_here")
def test_one_kind_of_rater(desk: Desk, judging: Judging) -> None:
    key = judging.dialogue(system="terse")
    judging.say("quality", key, "gpt", 3, kind="model")
    page = results(desk, f"{ADDRESS}?raters=model")
    assert "Only answers of model judges" in page
    assert f"{ADDRESS}/report.zip?raters=model" in page


@pytest.mark.usefixtures("computed_here")
def test_nothing_was_judged(desk: Desk) -> None:
    page = results(desk)
    assert page.count("There are no answers yet") == 1
    assert "report.zip" not in page


def test_what_could_not_be_computed_is_said(
    desk: Desk, judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk.store, "url", "sqlite:////nowhere/palaver.db")
    page = results(desk)
    assert "No results could be computed" in page
    monkeypatch.undo()
    _compute_here(monkeypatch)
    again = re.search(rf'href="({ADDRESS}\?again=1)"', page)
    assert again is not None
    desk.client.get(again[1])
    assert "<h2>Methods</h2>" in results(desk)


def test_the_worker_reads_either_database(database_url: str, tmp_path: Path) -> None:
    store = Store(database_url)
    study_id = store.write_now(
        lambda c: register_study(
            c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
        )
    )
    judging = Judging(store, study_id)
    judging.say("quality", judging.dialogue(system="terse"), "ann", 3)
    store.close()
    task = ResultsTask(
        database=database_url, study="judged", raters="all", file="", root="", address="/desk/x"
    )
    compute(task, tmp_path)
    head = msgspec.json.decode((tmp_path / HEAD).read_bytes(), type=Head)
    assert "1 rater, 1 rating" in head.facts
    assert (tmp_path / REPORT / "index.html").is_file()
    assert "/desk/x/questions/quality" in (tmp_path / FRAGMENT).read_text(encoding="utf-8")


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    folder = tmp_path / "studies" / "judged"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    with open_desk(tmp_path) as desk:
        desk.sign_in("olga")
        desk.client.get(ADDRESS)
        assert list((tmp_path / "temporary").glob("palaver-results-*"))
    assert not list((tmp_path / "temporary").glob("palaver-results-*"))
