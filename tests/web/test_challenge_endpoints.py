"""Endpoints of a challenge on its pages, at the desk and over the API: tested, registered, refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from palaver.core.audit import COMMAND
from palaver.evaluation.challenges.stored import add_challenge
from palaver.web.challenges import probe_places
from support.endpoints import Endpoint, serving
from support.evaluation_desk import ApiCaller
from support.held_challenges import (
    EVERYBODY_FROM,
    HeldChallenge,
    asking_tracks,
    hold_challenge,
)
from support.runs import Bench

DESK = "/desk/challenges/owl-cup"


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldChallenge]:
    with hold_challenge(
        tmp_path, settings="private_endpoints: true\n", tracks=asking_tracks()
    ) as made:
        made.team("Terns")
        made.enter("Terns")
        yield made


@pytest.fixture
def served() -> Iterator[Endpoint]:
    with serving() as endpoint:
        yield endpoint


def send(held: HeldChallenge, url: str, act: str = "register", **fields: str) -> Any:
    given = {"act": act, "track": "english", "kind": "http", "url": url, **fields}
    return held.post("/endpoint", **given)


def entries(held: HeldChallenge) -> list[dict[str, Any]]:
    caller = ApiCaller(held.desk, held.tokens["Terns"])
    found: list[dict[str, Any]] = caller.get("/challenges/owl-cup/entries")["entries"]
    return found


def test_a_team_tests_its_endpoint_and_registers_it(held: HeldChallenge, served: Endpoint) -> None:
    page = held.get("/submit").text
    assert "Test it now" in page
    assert "asked at once" in page
    assert "Asked as soon as the data are there" in page
    tested = send(held, served.url, act="test", key="s3cret")
    assert tested.status_code == 200
    assert "The endpoint answers" in tested.text
    assert "It is raining in Lisbon." in tested.text
    assert "s3cret" not in tested.text
    assert entries(held) == []
    made = send(held, served.url, title="Tern 1B", parameters="1B")
    assert made.status_code == 303
    assert made.headers["location"].endswith("submit?done=registered#entries-head")
    listed = held.get("/submit").text
    assert "being asked" in listed
    assert "0 of 24 asked" in listed
    Bench(held.home, held.folder).work()
    assert "answered" in held.get("/submit").text


def test_what_is_wrong_is_told_plainly(held: HeldChallenge, served: Endpoint) -> None:
    served.answers = lambda question: web.Response(text="<script>inner</script>" * 100_000)
    said = send(held, served.url)
    assert said.status_code == 422
    assert "was not registered" in said.text
    assert "sent something that is not an answer" in said.text
    assert "inner" not in said.text
    for fields, words in (
        ({"url": "ftp://example.org"}, "must be an http or https one"),
        ({"parameters": "many"}, "a number such as 350M"),
        ({"options": "{"}, "not valid JSON"),
        ({"options": '{"url": "http://x"}'}, "name 'url', which has a field of its own"),
        ({"options": '{"api_key_env": "HOME"}'}, "names a variable of the server"),
        ({"kind": "command"}, "an endpoint of kind"),
        ({"track": "nowhere"}, "has no track"),
        ({"run": "99"}, "Runs are numbered 1 to 4"),
    ):
        found = send(held, **{"url": served.url, **fields})
        assert found.status_code == 422, fields
        assert words in found.text.replace("&#39;", "'"), fields
    assert entries(held) == []


def test_strangers_and_forged_forms_ask_nobody(held: HeldChallenge, served: Endpoint) -> None:
    data = {"act": "test", "track": "english", "kind": "http", "url": served.url}
    assert held.client.post(f"{held.url}/endpoint", data=data).status_code == 403
    held.post("/team/forget")
    assert send(held, served.url, act="test").status_code == 403
    held.team("Waiting", approve=False)
    held.enter("Waiting")
    assert "waits for the organisers" in send(held, served.url, act="test").text
    assert not served.asked


def test_a_team_tests_so_often_and_no_more(
    held: HeldChallenge, served: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe_places, "MOST", 2)
    for _ in range(2):
        assert send(held, served.url, act="test").status_code == 200
    assert "has tested 2 times" in send(held, served.url, act="test").text


def test_another_team_cannot_touch_an_endpoint(held: HeldChallenge, served: Endpoint) -> None:
    send(held, served.url)
    key = entries(held)[0]["key"]
    held.team("Gulls")
    held.enter("Gulls")
    assert served.url not in held.get("/submit").text
    assert held.post(f"/entries/{key}/withdraw").status_code in (404, 422)
    assert entries(held)[0]["state"] == "running"


def test_organisers_see_endpoints_and_ask_again(held: HeldChallenge, served: Endpoint) -> None:
    send(held, served.url)
    served.answers = lambda question: {"id": question["uid"], "label": "nonsense"}
    Bench(held.home, held.folder).work()
    key = entries(held)[0]["key"]
    held.desk.sign_in("vera")
    assert "Ask again" not in held.client.get(f"{DESK}/entries").text
    held.client.cookies.clear()
    held.desk.sign_in("olga")
    assert "Ask again" in held.client.get(f"{DESK}/entries").text
    again = held.desk.post(f"{DESK}/entries/{key}/retry", on=f"{DESK}/entries")
    assert again.status_code == 303
    assert entries(held)[0]["state"] == "running"
    twice = held.desk.post(f"{DESK}/entries/{key}/retry", on=f"{DESK}/entries")
    assert twice.status_code == 422


def test_nothing_of_a_study_is_shown_before_its_date(held: HeldChallenge) -> None:
    held.at(EVERYBODY_FROM - 10)
    early = held.get("/board?track=advice&phase=test")
    assert "/boards/" not in early.text
    assert "round-2" not in early.text
    assert "round-2" not in held.get("/board.json?track=advice&phase=test").text
    shown = ApiCaller(held.desk, held.tokens["Terns"]).get("/challenges/owl-cup")
    assert "round-" not in repr(shown)
    held.at(EVERYBODY_FROM + 10)
    # Neither round is served or closed here, so there is no board to lead to.
    for phase in ("test", "practice"):
        late = held.get(f"/board?track=advice&phase={phase}").text
        assert "not made the board of this round public" in late
        assert "/boards/" not in late


def test_the_questions_of_asked_tracks_are_not_handed_out(held: HeldChallenge) -> None:
    assert "/questions/advice" not in held.get("/data").text
    assert held.get("/questions/advice").status_code == 403
    assert held.get("/board?track=advice&phase=practice").status_code == 200


def test_the_api_tests_registers_and_is_told_why_not(held: HeldChallenge, served: Endpoint) -> None:
    team = ApiCaller(held.desk, held.tokens["Terns"])
    place = "/challenges/owl-cup/tracks/english"
    how = {"kind": "http", "options": {"url": served.url}}
    probed = team.post(f"{place}/probe", how)
    assert probed["answers"]
    entry = team.post(f"{place}/endpoint", {**how, "title": "Tern", "parameters": 1e9}, 201)
    assert (entry["kind"], entry["run"]) == ("http", 1)
    held.at(held.now + 1)
    assert team.post(f"{place}/endpoint", how, 200)["key"] == entry["key"]
    served.answers = lambda question: {}
    other = {"kind": "http", "options": {"url": f"{served.url}other"}}
    said = team.post(f"{place}/endpoint", other, 422)
    assert "not as the task asks" in said["error"]["message"]
    team.post(f"/challenges/owl-cup/entries/{entry['key']}/retry", None, 401)


def test_a_challenge_of_an_earlier_version_is_the_same(held: HeldChallenge) -> None:
    added = add_challenge(held.home, held.folder / "challenge.yaml", by=COMMAND, now=held.now)
    assert added.state == "same"
