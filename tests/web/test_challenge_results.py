"""Closing a challenge at the desk, and its results for readers."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.audit import COMMAND
from palaver.reports.challenge_results import close_and_write
from palaver.web.desk.challenges import close_worker
from palaver.web.desk.challenges.closing import CloseTask
from support.held_challenges import DAY, PRACTICE_ENDS, TEST_ENDS, HeldChallenge, hold_challenge

DESK = "/desk/challenges/owl-cup"


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldChallenge]:
    """A challenge whose phases are over, with runs of two teams on both tracks."""
    with hold_challenge(tmp_path) as made:
        made.team("Owls of Ghent")
        made.team("Terns")
        made.at(PRACTICE_ENDS + 100)
        for track in ("english", "french"):
            made.hand_in("Terns", track, wrong=(1, 2, 3), run=1)
            made.hand_in("Owls of Ghent", track, wrong=(4,), run=1)
        made.at(TEST_ENDS + 2 * DAY)
        yield made


def close(held: HeldChallenge, *, publish: bool) -> None:
    """Close it, with fewer trials."""
    close_and_write(held.home, held.row, by=COMMAND, now=held.now, publish=publish, trials=200)


def test_closing_asks_first_and_is_done_beside_the_server(
    held: HeldChallenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    async def beside(module: str, folder: Path, task: Any) -> str | None:
        asked.append((module, task))
        return "No disk is left."

    monkeypatch.setattr("palaver.web.desk.works.run_beside", beside)
    held.desk.sign_in("olga")
    page = f"{DESK}/close"
    assert "4 runs of 2 teams make the results" in held.client.get(page).text
    assert held.desk.post(page, on=page, name="owl").status_code == 422
    assert asked == []
    begun = held.desk.post(page, on=page, name="owl-cup", publish="yes")
    assert (begun.status_code, begun.headers["location"]) == (303, page)
    assert "No disk is left." in held.client.get(page).text
    module, task = asked[0]
    assert module == "palaver.web.desk.challenges.close_worker"
    assert (task.challenge, task.publish, task.actor) == ("owl-cup", True, "olga")
    assert held.row.frozen is None


def test_results_are_for_organisers_until_they_are_published(held: HeldChallenge) -> None:
    assert held.get("/results/").status_code == 404
    close(held, publish=False)
    assert held.get("/results/").status_code == 404
    assert ">Results<" not in held.get().text
    assert "This challenge is closed." in held.get("/register").text
    held.desk.sign_in("olga")
    assert held.get("/results/").status_code == 200
    assert "Publish the results" in held.client.get(DESK).text
    assert held.desk.post(f"{DESK}/publish", on=DESK).status_code == 303
    held.client.cookies.clear()
    assert ">Results<" in held.get().text
    moved = held.get("/results")
    assert (moved.status_code, moved.headers["location"]) == (308, "/challenges/owl-cup/results/")


def test_results_are_served_as_they_were_kept(held: HeldChallenge) -> None:
    # What the process beside the server does.
    close_worker.close(
        CloseTask(
            database=held.home.store.url,
            home=str(held.home.folder),
            challenge="owl-cup",
            publish=True,
            actor="olga",
            via="desk",
            address=None,
            now=held.now,
        )
    )
    page = held.get("/results/")
    assert "Owls of Ghent-run1" in page.text
    assert "script-src" not in page.headers["content-security-policy"]
    assert "default-src 'none'" in page.headers["content-security-policy"]
    track = held.get("/results/english")
    assert (track.status_code, track.headers["location"]) == (
        308,
        "/challenges/owl-cup/results/english/",
    )
    assert "English" in held.get("/results/english/").text
    assert held.get("/results/klingon").status_code == 404
    assert held.get("/results/../challenge.yaml").status_code == 404
    packed = held.get("/results/tables.zip")
    assert packed.headers["content-type"] == "application/zip"
    names = zipfile.ZipFile(io.BytesIO(packed.content)).namelist()
    assert any(name.endswith(".tex") for name in names)
    tex = next(name for name in names if name.endswith(".tex"))
    assert held.get(f"/results/{tex}").headers["content-type"].startswith("text/plain")
    # The whole is the same whenever it is asked for.
    held.at(held.now + 100 * DAY)
    assert held.get("/results/").content == page.content
    for text in (page.text, *(held.get(f"/results/{name}").text for name in names)):
        assert held.row.salt not in text
        assert "@team.example" not in text


def test_runs_are_downloaded_as_the_folder_of_a_shared_task(held: HeldChallenge) -> None:
    held.desk.sign_in("vera")
    assert held.client.get(f"{DESK}/runs.zip").status_code == 403
    held.desk.sign_in("ruth")
    sent = held.client.get(f"{DESK}/runs.zip")
    names = zipfile.ZipFile(io.BytesIO(sent.content)).namelist()
    assert "Owls of Ghent/run1/english_en.jsonl" in names
    assert "teams.yaml" in names
