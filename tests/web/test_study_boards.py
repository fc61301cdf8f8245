"""Which studies have a board, and what is at the address of one that there is not."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from palaver.storage import Store
from palaver.studies.file.reader import load_study
from palaver.studies.run.deployment import Deployment
from palaver.web.app import create_app
from support.desks import PATIENT
from support.houses import write_study

SYSTEMS = {
    "tern": {"kind": "scripted", "lines": ["Hello."]},
    "plover": {"kind": "scripted", "lines": ["No."]},
}
BETTER = {"better": {"kind": "comparative", "text": "Which was better?"}}
NICE = {"nice": {"kind": "likert", "text": "Was it nice?", "points": [1, 5]}}
ALONE = {"chat": {"conditions": [{"systems": ["tern"], "needed": 3}], "turns": {"exactly": 2}}}
PAIRED = {
    "chat": {
        "arrangement": "paired",
        "conditions": [{"systems": ["tern", "plover"], "needed": 4}],
        "turns": {"exactly": 2},
    }
}
PAIRS = {"rate": {"data": "pairs.jsonl", "ask": ["better"], "raters": 2}}
SHAPES: dict[str, dict[str, Any]] = {
    "chats-alone": {"systems": SYSTEMS, "stages": [ALONE]},
    "chats-rated": {
        "systems": SYSTEMS,
        "questions": NICE,
        "stages": [ALONE, {"rate": {"ask": ["nice"]}}],
    },
    "dialogues-of-a-file": {
        "questions": NICE,
        "stages": [{"rate": {"data": "dialogues.jsonl", "ask": ["nice"]}}],
    },
    "pairs-of-a-file": {"questions": BETTER, "stages": [PAIRS]},
    "chats-then-a-file": {"systems": SYSTEMS, "questions": BETTER, "stages": [ALONE, PAIRS]},
    "own-pairs": {
        "systems": SYSTEMS,
        "questions": BETTER,
        "stages": [PAIRED, {"rate": {"ask": ["better"]}}],
    },
    "own-pairs-and-a-crowd": {
        "systems": SYSTEMS,
        "questions": BETTER,
        "stages": [PAIRED, {"rate": {"ask": ["better"]}}],
        "simulated": {"visitors": 2, "strengths": {"tern": 1.0}},
    },
    "private": {
        "systems": SYSTEMS,
        "questions": BETTER,
        "stages": [PAIRED, {"rate": {"ask": ["better"]}}],
        "board": {"public": False},
    },
}
# How many comparisons each board waits for.
NEEDED = {
    "pairs-of-a-file": 2,
    "chats-then-a-file": 2,
    "own-pairs": 4,
    "own-pairs-and-a-crowd": 4,
}


def dialogue(name: str, system: str) -> dict[str, Any]:
    return {"id": name, "turns": [["user", "Hi."], ["system", "Hello."]], "system": system}


@pytest.fixture
def visitor(store: Store, tmp_path: Path) -> Iterator[TestClient]:
    """A stranger at a server with studies of all shapes."""
    studies = []
    for name, given in SHAPES.items():
        folder = tmp_path / name
        pair = [dialogue("d1", "tern"), dialogue("d2", "plover")]
        folder.mkdir()
        (folder / "pairs.jsonl").write_text(json.dumps({"id": "p1", "pair": pair}))
        (folder / "dialogues.jsonl").write_text(json.dumps(pair[0]))
        write_study(folder, {"title": name, "name": name, "board": {"public": True}, **given})
        studies.append(load_study(folder))
    app = create_app(Deployment(store, studies), PATIENT)
    with TestClient(app, raise_server_exceptions=False) as client:
        assert client.portal is not None
        for study in app.state.deployment.studies.values():
            client.portal.call(study.taken_in.wait)
        yield client


def test_every_study_that_compares_has_a_board(visitor: TestClient) -> None:
    deployment = visitor.app.state.deployment  # type: ignore[attr-defined]
    boards = {study.name for study in deployment.definitions if study.board_path is not None}
    assert boards == {*NEEDED, "private"}
    for name, needed in NEEDED.items():
        page = visitor.get(f"/boards/{name}")
        assert (page.status_code, "No comparisons yet" in page.text) == (200, True), name
        board = visitor.get(f"/boards/{name}.json").json()
        assert (board["state"], board["needed"]) == ("provisional", needed), name


def test_the_others_say_that_they_have_none(visitor: TestClient) -> None:
    for name in SHAPES.keys() - NEEDED.keys() - {"private"}:
        page = visitor.get(f"/boards/{name}")
        assert page.status_code == 404
        assert "<h1>This study has no board</h1>" in page.text
        assert "does not ask which of two conversations is better" in page.text
        answer = visitor.get(f"/boards/{name}.json")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "missing")


@pytest.mark.parametrize(
    "address", ["nobody", "own-pairs?raters=dogs", "%00", "own-pairs%0a", "<b>", "a" * 3000]
)
def test_what_is_no_address_of_a_board(visitor: TestClient, address: str) -> None:
    page = visitor.get(f"/boards/{address}")
    assert page.status_code == 404
    assert "There is nothing at this address" in page.text
    assert "<b>" not in page.text


def test_a_board_that_is_not_public_says_where_to_sign_in(visitor: TestClient) -> None:
    page = visitor.get("/boards/private?raters=people")
    assert page.status_code == 403
    way = "/desk/sign-in?next=%2Fboards%2Fprivate%3Fraters%3Dpeople"
    assert f'href="{way}">Sign in</a>' in page.text
    form = visitor.get(way)
    assert 'name="next" value="/boards/private?raters=people"' in form.text
    assert visitor.get("/boards/private.json").status_code == 403


def test_a_crowd_says_whom_it_does_not_judge(visitor: TestClient) -> None:
    assert "plover is judged by people only" in visitor.get("/boards/own-pairs-and-a-crowd").text
    assert "judged by people only" not in visitor.get("/boards/own-pairs").text


def test_all_boards_are_at_the_desk(visitor: TestClient) -> None:
    sent = visitor.get("/boards", follow_redirects=False)
    assert (sent.status_code, sent.headers["location"]) == (303, "/desk/boards")
