"""The API: the same numbers as the desk, for programs."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.storage.people.erasure import erase_assignment
from support.desks import Desk, open_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as opened:
        yield opened


class Caller:
    """Calls the API as one account."""

    def __init__(self, desk: Desk, name: str) -> None:
        self.client = desk.client
        self.headers = {"authorization": f"Bearer {desk.token(name)}"}

    def get(self, path: str, status: int = 200) -> Any:
        answer = self.client.get(f"/api/v1{path}", headers=self.headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    def post(self, path: str, body: Any, status: int) -> Any:
        answer = self.client.post(f"/api/v1{path}", headers=self.headers, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.mark.parametrize(
    "header", [{}, {"authorization": "Bearer pv_nothing"}, {"authorization": "Basic b2xnYTp4"}]
)
def test_without_a_token_that_stands_nothing_is_told(desk: Desk, header: dict[str, str]) -> None:
    answer = desk.client.get("/api/v1/studies", headers=header)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["code"] == "unauthorized"


def test_a_cookie_opens_the_desk_and_not_the_api(desk: Desk) -> None:
    desk.sign_in("olga")
    assert desk.client.get("/api/v1/studies").status_code == 401


def test_a_study_and_its_progress(desk: Desk) -> None:
    caller = Caller(desk, "vera")
    desk.study.place("g")
    (listed,) = caller.get("/studies")["studies"]
    assert listed == caller.get("/studies/pilot-2")
    assert listed["state"] == "1 of 60 pairs done"
    assert listed["conditions"] == [
        {
            "condition": "terse|chatty",
            "needed": 60,
            "held": 0,
            "done": 1,
            "scenarios": None,
            "scenarios_done": None,
            "free": 59,
        }
    ]


def test_dialogues_come_oldest_first_a_page_at_a_time(desk: Desk) -> None:
    caller = Caller(desk, "vera")
    ann = desk.study.visit("ann")
    keys = [desk.study.dialogue(ann, f"message {n}")[1] for n in range(5)]
    found: list[str] = []
    after = ""
    while True:
        page = caller.get(f"/studies/pilot-2/dialogues?limit=2{after}")
        found += [dialogue["id"] for dialogue in page["dialogues"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert found == keys


def test_a_dialogue_has_its_events_and_what_was_erased_is_null(desk: Desk) -> None:
    caller = Caller(desk, "vera")
    ann = desk.study.visit("ann")
    _, key = desk.study.dialogue(ann, "my secret", "I see.")
    desk.store.write_now(lambda c: erase_assignment(c, ann.id, now=desk.study.now))
    dialogue = caller.get(f"/dialogues/{key}")
    assert dialogue["reason"] == "complete"
    assert [event["action"] for event in dialogue["events"]] == [
        *("join", "message", "message", "end", "erase")
    ]
    assert dialogue["events"][1]["data"] is None
    assert dialogue["events"][2]["data"] == {"text": "I see."}


def test_labels_are_paged_by_id(desk: Desk) -> None:
    caller = Caller(desk, "vera")
    ann = desk.study.visit("ann")
    for n in range(3):
        _, one = desk.study.dialogue(ann, "a", group=f"g{n}")
        _, other = desk.study.dialogue(ann, "b", group=f"g{n}", position=1)
        desk.study.preference(one, other, "tie", rater=f"sim:{n}")
    first = caller.get("/studies/pilot-2/labels?limit=2")
    rest = caller.get(f"/studies/pilot-2/labels?after={first['next']}")
    assert [label["rater"] for label in first["labels"] + rest["labels"]] == [
        *("sim:0", "sim:1", "sim:2")
    ]
    assert rest["next"] is None


def test_labels_of_a_section(desk: Desk) -> None:
    caller, study = Caller(desk, "vera"), desk.study
    ann = study.visit("ann")
    _, one = study.dialogue(ann, "a", group="g")
    _, other = study.dialogue(ann, "b", group="g", position=1)
    study.preference(one, other, "tie", rater="sim:0", section="dialogue_collection")
    study.preference(one, other, "tie", rater="sim:1")
    found = caller.get("/studies/pilot-2/labels?section=dialogue_collection")["labels"]
    assert [(label["rater"], label["section"]) for label in found] == [
        ("sim:0", "dialogue_collection")
    ]
    problem = caller.get("/studies/pilot-2/labels?section=dialogue_colection", 422)
    assert "Near: 'dialogue_collection'." in problem["error"]["message"]


def test_the_board_is_the_one_of_the_page(desk: Desk) -> None:
    board = Caller(desk, "vera").get("/studies/pilot-2/board?raters=people")
    assert (board["votes"], board["needed"], board["state"]) == (0, 60, "provisional")
    assert {row["system"] for row in board["systems"]} == {"terse", "chatty"}


def test_reviewers_export_and_make_links_and_viewers_do_not(desk: Desk) -> None:
    reviewer, viewer = Caller(desk, "ruth"), Caller(desk, "vera")
    made = reviewer.post("/studies/pilot-2/links", {"count": 2}, 201)
    assert len(set(made["links"])) == 2
    assert all(link.startswith("http://testserver/s/pilot-2?link=") for link in made["links"])
    viewer.post("/studies/pilot-2/links", {"count": 2}, 403)
    file = desk.client.get(
        "/api/v1/studies/pilot-2/export?format=messages", headers=reviewer.headers
    )
    assert file.headers["content-type"] == "application/x-ndjson"
    assert viewer.get("/studies/pilot-2/export", 403)["error"]["code"] == "forbidden"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/studies/nope", 404, "not_found"),
        ("/studies/nope/board", 404, "not_found"),
        ("/dialogues/d_nope", 404, "not_found"),
        ("/nowhere", 404, "not_found"),
        ("/studies/NOT-A-NAME", 422, "invalid"),
        ("/studies/pilot-2/dialogues?limit=0", 422, "invalid"),
        ("/studies/pilot-2/labels?after=x", 422, "invalid"),
        ("/studies/pilot-2/board?raters=cats", 422, "invalid"),
        ("/studies/pilot-2/export?format=nope", 422, "unknown_name"),
    ],
)
def test_every_error_has_one_shape(desk: Desk, path: str, status: int, code: str) -> None:
    error = Caller(desk, "ruth").get(path, status)["error"]
    assert error["code"] == code
    assert error["message"]


def test_a_body_that_is_not_understood_has_the_same_shape(desk: Desk) -> None:
    caller = Caller(desk, "ruth")
    for body in ({"count": 0}, {"count": "2"}, {"number": 2}, [], None):
        error = caller.post("/studies/pilot-2/links", body, 422)["error"]
        assert error["code"] == "invalid"
    answer = desk.client.delete("/api/v1/studies", headers=caller.headers)
    assert answer.status_code == 405
    assert answer.json()["error"]["code"] == "method_not_allowed"


def test_no_page_loads_anything_from_elsewhere(desk: Desk) -> None:
    document = desk.client.get("/api/v1/openapi.json").json()
    assert document["servers"] == [{"url": "/api/v1"}]
    page = desk.client.get("/api/v1/docs").text
    loaded = re.findall(r'<(?:link|script|img)\b[^>]*(?:src|href)="([^"]*)"', page)
    assert loaded
    assert all(each.startswith("/static/") for each in loaded)
    assert not re.findall(r'href="\w+://', page)
    assert desk.client.get("/api/v1/redoc").status_code == 404
