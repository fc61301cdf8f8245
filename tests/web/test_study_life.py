"""Pausing, closing and changing a study at the desk and over the API: who may, and what is said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.desks import Desk, open_desk

STUDY = "/desk/studies/pilot-2"
API = "/api/v1/studies/pilot-2"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as opened:
        yield opened


def ask(desk: Desk, who: str, method: str, path: str, **options: Any) -> Any:
    header = {"authorization": f"Bearer {desk.token(who)}"}
    return desk.client.request(method, API + path, headers=header, **options)


def file_of(desk: Desk) -> str:
    return desk.deployment.studies["pilot-2"].definition.file.read_text()


def test_the_desk_pauses_and_says_so_everywhere(desk: Desk) -> None:
    desk.sign_in("ruth")
    page = desk.client.get(STUDY).text
    assert "whoever comes may begin" in page
    assert "Those inside finish and are paid" in page

    answer = desk.post(f"{STUDY}/state", on=STUDY, move="pause", reason="budget <b>")
    assert (answer.status_code, answer.headers["location"]) == (303, STUDY)

    page = desk.client.get(STUDY).text
    assert "Nobody new begins" not in page
    assert "it is paused, so nobody new begins" in page
    assert "budget &lt;b&gt;" in page
    assert "paused since" in desk.client.get("/desk").text
    assert "paused since" in desk.client.get(f"{STUDY}/progress.json").json()["study"]["state"]
    again = desk.post(f"{STUDY}/state", on=STUDY, move="pause")
    assert again.status_code == 409
    assert "The study is paused since" in again.text
    assert desk.post(f"{STUDY}/state", on=STUDY, move="fly").status_code == 404


def test_viewers_and_strangers_change_nothing(desk: Desk) -> None:
    assert desk.client.get(f"{STUDY}/running", follow_redirects=False).status_code == 303
    desk.sign_in("vera")
    assert desk.client.get(f"{STUDY}/versions").status_code == 403
    assert desk.post(f"{STUDY}/state", on="/desk/settings", move="pause").status_code == 403
    assert "Who may begin" not in desk.client.get(STUDY).text
    desk.client.cookies.clear()
    assert desk.client.get(f"{API}/state").status_code == 401
    assert ask(desk, "vera", "GET", "/state").json()["state"] == "open"
    for method, path, body in (
        ("POST", "/state", {"move": "pause"}),
        ("GET", "/versions", None),
        ("PATCH", "/definition", {}),
        ("PUT", "/definition", {"text": ""}),
    ):
        assert ask(desk, "vera", method, path, json=body).status_code == 403, path
    desk.sign_in("ruth")
    back = desk.post(f"{STUDY}/versions/back", on=f"{STUDY}/versions", number="1")
    assert back.status_code == 403
    assert desk.deployment.studies["pilot-2"].version == 1


def test_places_and_dates_are_set_at_the_desk(desk: Desk) -> None:
    desk.sign_in("ruth")
    page = desk.client.get(f"{STUDY}/running").text
    assert 'name="places-0-0" type="number" min="1" max="1000000000" value="60"' in page
    fields = {"base": "1", "places-0-0": "75", "opens": "", "closes": "2027-01-05T18:00"}
    saved = desk.post(
        f"{STUDY}/places", on=f"{STUDY}/running", zone="Europe/Berlin", note="more", **fields
    )
    assert saved.status_code == 303
    assert "needed: 75" in file_of(desk)
    assert "dates: {closes: 2027-01-05 18:00, zone: Europe/Berlin}" in file_of(desk)

    late = desk.post(f"{STUDY}/places", on=f"{STUDY}/running", zone="UTC", **fields)
    assert late.status_code == 409
    assert "made of version 1, and version 2" in late.text
    fields["base"] = "2"
    wrong = desk.post(f"{STUDY}/places", on=f"{STUDY}/running", zone="Europe/Berlyn", **fields)
    assert wrong.status_code == 409
    assert "There is no zone &#39;Europe/Berlyn&#39;. Near: &#39;Europe/Berlin&#39;" in wrong.text
    few = desk.post(
        f"{STUDY}/places", on=f"{STUDY}/running", zone="", **{**fields, "places-0-0": "-3"}
    )
    assert "1 or more; got &#39;-3&#39;" in few.text


def test_versions_are_listed_compared_and_brought_back(desk: Desk) -> None:
    first = file_of(desk)
    made = ask(
        desk,
        "olga",
        "PUT",
        "/definition",
        json={"text": first.replace("needed: 60", "needed: 61"), "note": "one more", "base": 1},
    )
    assert (made.status_code, made.json()["number"], made.json()["via"]) == (200, 2, "api")
    desk.sign_in("olga")
    page = desk.client.get(f"{STUDY}/versions?old=1&new=2").text
    assert "stages › 1 › chat › conditions › 1 › needed: 60 → 61" in page
    assert "one more" in page
    for query in ("old=1&new=9", "old=99999999999999999999&new=1", "old=x&new=y"):
        assert desk.client.get(f"{STUDY}/versions?{query}").status_code in (200, 404)
    back = desk.post(f"{STUDY}/versions/back", on=f"{STUDY}/versions", number="1", base="2")
    assert back.headers["location"] == f"{STUDY}/versions?old=2&new=3"
    assert file_of(desk) == first

    listed = ask(desk, "ruth", "GET", "/versions").json()["versions"]
    assert [(each["number"], each["account"], each["note"]) for each in listed] == [
        (1, "", ""),
        (2, "olga", "one more"),
        (3, "olga", "back to version 1"),
    ]
    assert ask(desk, "ruth", "GET", "/versions/1").json()["definition"] == first
    assert ask(desk, "ruth", "GET", "/diff?old=1&new=3").json()["lines"] == ""
    assert ask(desk, "ruth", "GET", "/versions/7").status_code == 404


def test_the_api_foresees_refuses_and_edits(desk: Desk) -> None:
    text = file_of(desk)
    wrong = ask(desk, "olga", "POST", "/definition/check", json={"text": "title: 3"}).json()
    assert not wrong["possible"]
    assert wrong["problems"][0]["line"] == 1
    program = text.replace('kind: scripted, lines: ["I see."]', "kind: python, class: os.system")
    refused = ask(desk, "olga", "PUT", "/definition", json={"text": program})
    assert refused.status_code == 422
    assert "runs programs on this server" in refused.json()["error"]["message"]

    places = [{"stage": 0, "condition": "terse|chatty", "needed": 90}]
    edited = ask(desk, "ruth", "PATCH", "/definition", json={"places": places, "note": "n"})
    assert edited.json()["number"] == 2
    stale = ask(desk, "ruth", "PATCH", "/definition", json={"places": places, "base": 1})
    assert stale.status_code == 409
    paused = ask(desk, "ruth", "POST", "/state", json={"move": "pause", "reason": "why"})
    assert paused.json()["state"] == "paused"
    assert ask(desk, "ruth", "GET", "/state/history").json()["changes"][0]["reason"] == "why"
    assert ask(desk, "vera", "GET", "").json()["life"]["state"] == "paused"
    for body in ({"move": "fly"}, {}, {"move": "pause", "more": 1}, {"move": "close", "reason": 7}):
        assert ask(desk, "ruth", "POST", "/state", json=body).status_code == 422
