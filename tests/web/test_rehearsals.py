"""Rehearsals as the desk begins and ends them: who may, how many, for how long, and what is left."""

import asyncio
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from palaver.core.clock import VirtualClock
from palaver.storage import Store
from palaver.storage.people.accounts import create_account
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.rehearsals import IDLE_SECONDS, LAST_SECONDS, MOST, MOST_SEATS, Rehearsals
from palaver.web.app import create_app
from palaver.web.participant.rooms.routes import OUT_OF_DATE
from support.desks import PASSWORD, PATIENT, Desk, hashed, open_desk
from support.rehearsing import contents
from support.seeding import NOW

STUDY = "/desk/studies/pilot-2"
PAGE = f"{STUDY}/rehearsal"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with open_desk(tmp_path) as desk:
        yield desk


def begin(desk: Desk) -> str:
    """The address of the first visit of a new rehearsal."""
    answer = desk.post(PAGE, on=PAGE)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def send(desk: Desk, address: str, act: str, **fields: str) -> str:
    """Send a form of the bar on top; where it leads."""
    answer = desk.post(f"{address}/rehearsal/{act}", on=address, **fields)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def folders(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "temporary").glob("palaver-rehearsal-*"))


def test_a_rehearsal_begins_at_the_desk_and_leaves_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.sign_in("ruth")
    before = contents(desk.store)
    page = desk.client.get(PAGE).text
    assert "The systems are really asked" in page
    assert "terse" in page

    address = begin(desk)
    shown = desk.client.get(address).text
    assert "We keep what you write." in shown
    assert "Rehearsal:" in shown
    assert len(folders(tmp_path)) == 1
    assert send(desk, address, "end") == PAGE

    assert folders(tmp_path) == []
    assert contents(desk.store) == before


def test_who_may_rehearse(desk: Desk) -> None:
    assert desk.client.get(PAGE, follow_redirects=False).status_code == 303
    assert desk.client.post(PAGE, data={}, follow_redirects=False).status_code == 303
    desk.sign_in("vera")
    assert desk.client.get(PAGE).status_code == 403
    assert desk.client.post(PAGE, data={"csrf": desk.csrf("/desk")}).status_code == 403
    assert Rehearsals not in desk.deployment.kept
    assert '/rehearsal"' not in desk.client.get(STUDY).text


def test_a_form_of_another_page_begins_nothing(desk: Desk) -> None:
    desk.sign_in("ruth")
    assert desk.client.post(PAGE, data={"csrf": "0" * 64}).status_code == 403
    assert Rehearsals not in desk.deployment.kept


def test_a_key_alone_opens_nothing(desk: Desk) -> None:
    desk.sign_in("ruth")
    address = begin(desk)
    stranger = TestClient(desk.client.app)
    assert stranger.get(address).status_code == 403
    for act in ("again", "seat", "end"):
        assert stranger.post(f"{address}/rehearsal/{act}", data={}).status_code == 403
    assert stranger.post(f"{address}/consent", data={"consent": "agree"}).status_code == 403
    with stranger.websocket_connect(f"{address}/room/d_none") as socket:
        assert socket.receive()["code"] == OUT_OF_DATE
    assert desk.client.get(address).status_code == 200


def test_the_cookie_of_a_rehearsal_opens_no_visit(desk: Desk) -> None:
    visit = desk.study.visit("somebody", state=None)
    desk.sign_in("ruth")
    address = begin(desk)
    jar = [cookie for cookie in desk.client.cookies.jar if cookie.name == "palaver_visit"]
    assert [cookie.path for cookie in jar] == [address]
    stolen = TestClient(desk.client.app, cookies={"palaver_visit": jar[0].value or ""})
    assert stolen.get(f"/take/{visit.key}").status_code == 403


def test_one_person_has_one_rehearsal(desk: Desk, tmp_path: Path) -> None:
    desk.sign_in("ruth")
    first = begin(desk)
    second = begin(desk)
    assert desk.client.get(first).status_code == 410
    assert desk.client.get(second).status_code == 200
    assert len(folders(tmp_path)) == 1
    assert "Go on with the one that runs" in desk.client.get(PAGE).text
    assert desk.post(f"{PAGE}/end", on=PAGE).status_code == 303
    assert desk.client.get(second).status_code == 410


def _sign_in_as(desk: Desk, name: str) -> None:
    desk.store.write_now(
        lambda c: create_account(
            c, name=name, role="reviewer", password_hash=hashed(PASSWORD), one_time=False, now=NOW
        )
    )
    desk.client.cookies.clear()
    desk.sign_in(name)


def test_so_many_run_at_once_and_one_that_is_idle_makes_room(desk: Desk) -> None:
    addresses = []
    for n in range(MOST):
        _sign_in_as(desk, f"reviewer-{n}")
        addresses.append(begin(desk))
    _sign_in_as(desk, "late")
    refused = desk.post(PAGE, on=PAGE)
    assert refused.status_code == 422
    assert f"{MOST} rehearsals run at once here" in refused.text

    asyncio.run(desk.deployment.clock.sleep(IDLE_SECONDS + 1))
    begin(desk)
    rehearsals = Rehearsals.of(desk.deployment)
    keys = [address.removeprefix("/take/") for address in addresses]
    assert sum(rehearsals.over(key) is not None for key in keys) == 1


def test_a_rehearsal_ends_when_its_time_is_over(desk: Desk, tmp_path: Path) -> None:
    desk.sign_in("ruth")
    address = begin(desk)
    asyncio.run(desk.deployment.clock.sleep(LAST_SECONDS))
    ended = desk.client.get(address)
    assert ended.status_code == 410
    assert "The rehearsal is over" in ended.text
    assert desk.client.get(address).status_code == 410


def test_a_rehearsal_ends_with_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with open_desk(tmp_path) as desk:
        desk.sign_in("ruth")
        begin(desk)
        assert len(folders(tmp_path)) == 1
    assert folders(tmp_path) == []


def test_it_begins_anew_at_a_step_and_seats_more_people(desk: Desk) -> None:
    desk.sign_in("ruth")
    address = begin(desk)
    anew = send(desk, address, "again", step="done")
    assert "Thank you. You have finished." in desk.client.get(anew).text
    # A step that it cannot begin at is the beginning.
    anew = send(desk, anew, "again", step="stage:1")
    assert "We keep what you write." in desk.client.get(anew).text
    for _ in range(MOST_SEATS - 1):
        send(desk, anew, "seat")
    refused = desk.post(f"{anew}/rehearsal/seat", on=anew)
    assert refused.status_code == 404
    assert f"at most {MOST_SEATS} people" in refused.text


def test_systems_are_those_of_the_study_and_outlive_the_rehearsal(desk: Desk) -> None:
    desk.sign_in("ruth")
    address = begin(desk)
    rehearsal = Rehearsals.of(desk.deployment).find(address.removeprefix("/take/"))
    assert rehearsal is not None
    served = desk.deployment.studies["pilot-2"]
    assert dict(rehearsal.running.systems) == dict(served.systems)
    assert rehearsal.own_systems == ()
    assert rehearsal.deployment.store is not desk.store


def test_a_copy_is_not_rehearsed(tmp_path: Path) -> None:
    with open_desk(tmp_path) as desk:
        definitions = desk.deployment.definitions
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}", read_only=True)
    copy = Deployment(store, definitions, clock=VirtualClock(NOW))
    try:
        with TestClient(create_app(copy, replace(PATIENT))) as client:
            assert client.get(PAGE).status_code == 403
            assert client.post(PAGE, data={}).status_code == 403
            assert client.get(f"{STUDY}/edit").status_code == 403
            assert client.post(f"{STUDY}/edit", data={}).status_code == 403
            assert client.get("/desk/new-study").status_code == 403
            assert client.post("/desk/new-study", data={}).status_code == 403
            assert not re.search(r"/(rehearsal|edit|new-study)\"", client.get(STUDY).text)
    finally:
        store.close()
