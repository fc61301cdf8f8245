"""The stand-in's pages: somebody takes part, comes home, and what is shown cannot be turned round."""

import pytest
from starlette.testclient import TestClient

from palaver.crowds.prolific.bodies import study_body
from palaver.crowds.prolific.stand_in.app import stand_in_app
from palaver.crowds.prolific.stand_in.service import StandIn
from support.prolific import TurnedClock, drafted

HEAD = {"Authorization": "Token stand-in"}


@pytest.fixture
def stand_in() -> StandIn:
    return StandIn(clock=TurnedClock(), base="http://testserver")


@pytest.fixture
def browser(stand_in: StandIn) -> TestClient:
    return TestClient(stand_in_app(stand_in), follow_redirects=False)


def published(browser: TestClient, title: str = "Talk") -> str:
    body = study_body(drafted(title=title))
    made = browser.post("/api/v1/studies/", json=body, headers=HEAD).json()["id"]
    move = {"action": "PUBLISH"}
    browser.post(f"/api/v1/studies/{made}/transition/", json=move, headers=HEAD)
    return str(made)


def test_somebody_takes_part_and_comes_home(stand_in: StandIn, browser: TestClient) -> None:
    study = published(browser)
    shown = browser.get(f"/studies/{study}").text
    assert "1.50 GBP for about 10 minutes" in shown
    gone = browser.post(f"/studies/{study}/take")
    (one,) = stand_in.submissions
    assert gone.status_code == 303
    assert f"SESSION_ID={one.id}" in gone.headers["location"]

    home = browser.get("/submissions/complete?cc=DONE")

    assert "Your submission was approved" in home.text
    assert stand_in.submission(one.id).status == "APPROVED"
    assert "Nobody is at work" in browser.get("/submissions/complete?cc=DONE").text


def test_a_browser_that_is_not_known_is_asked_who_it_is(
    stand_in: StandIn, browser: TestClient
) -> None:
    published(browser)
    (one,) = stand_in.arrive()
    asked = browser.get("/submissions/complete?cc=LO%22OK")
    assert one.participant in asked.text
    assert 'cc=LO%22OK"' in asked.text

    browser.post(f"/submissions/{one.id}/complete?cc=LOOK")

    assert stand_in.submission(one.id).status == "AWAITING REVIEW"


def test_places_are_given_back_from_the_list(stand_in: StandIn, browser: TestClient) -> None:
    published(browser)
    one, two = stand_in.arrive(2)
    assert browser.post(f"/submissions/{one.id}/return").status_code == 303
    assert browser.post(f"/submissions/{two.id}/time-out").status_code == 303
    page = browser.get("/").text
    assert "RETURNED" in page
    assert "TIMED-OUT" in page
    assert browser.post(f"/submissions/{two.id}/return").status_code == 400


def test_titles_and_codes_are_shown_as_they_are_and_do_nothing(browser: TestClient) -> None:
    study = published(browser, title="<script>alert(1)</script>")
    for address in ("/", f"/studies/{study}", "/submissions/complete?cc=<script>"):
        assert "<script>" not in browser.get(address).text


def test_an_empty_stand_in_says_what_to_do(browser: TestClient) -> None:
    assert "There is no study yet" in browser.get("/").text
    assert browser.get("/studies/none").status_code == 404
    assert browser.get("/look.css").headers["content-type"].startswith("text/css")


def test_the_door_to_the_switches(stand_in: StandIn, browser: TestClient) -> None:
    study = published(browser)
    told = {
        "failures": [{"how": "busy", "left": 1, "retry_after": "3"}],
        "hooks": "twice",
        "processing_seconds": 4,
        "currency": "USD",
        "delete_study": study,
    }
    assert browser.post("/control", json=told).json()["switches"]["hooks"] == "twice"
    busy = browser.get("/api/v1/users/me", headers=HEAD)
    assert (busy.status_code, busy.headers["Retry-After"]) == (429, "3")
    assert browser.get("/api/v1/users/me", headers=HEAD).json()["currency_code"] == "USD"
    assert stand_in.studies == []
    assert browser.post("/control", json={"hooks": "sometimes"}).status_code == 400
    assert browser.post("/control", json={"currency": "pounds"}).status_code == 400


@pytest.mark.parametrize("token", ["", "Token ", "Token other", "Bearer stand-in"])
def test_a_call_needs_the_token(browser: TestClient, token: str) -> None:
    answer = browser.get("/api/v1/users/me", headers={"Authorization": token})
    assert (answer.status_code, answer.json()["error"]["status"]) == (401, 401)


@pytest.mark.parametrize("body", [b"{", b"[1]", b"\xff"])
def test_bodies_that_are_no_objects_are_refused(browser: TestClient, body: bytes) -> None:
    assert browser.post("/api/v1/studies/", content=body, headers=HEAD).status_code == 400
