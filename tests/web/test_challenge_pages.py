"""The public pages of a challenge: what strangers, teams and organisers find there, and when."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.audit import COMMAND
from palaver.evaluation.challenges.announcements import announce
from support.held_challenges import (
    DAY,
    OWN_FROM,
    PRACTICE_ENDS,
    TEST_ENDS,
    HeldChallenge,
    hold_challenge,
)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldChallenge]:
    with hold_challenge(tmp_path) as made:
        yield made


def test_the_pages_say_what_it_is_about(held: HeldChallenge) -> None:
    listed = held.client.get("/challenges").text
    assert "1 challenge" in listed
    assert "The Owl Cup" in listed
    assert "/challenges" in held.client.get("/tasks").text
    about = held.get().text
    assert "<em>owls</em>" in about
    assert "<script>alert" not in about
    assert "mailto:chairs@owls.example" in about
    assert "One account per team." in held.get("/rules").text
    assert "@misc{owl}" in held.get("/citation").text
    assert held.get("/organisers").status_code == 404
    assert ">Organisers<" not in about


def test_the_schedule_says_what_is_open_in_both_zones(held: HeldChallenge) -> None:
    page = held.get("/schedule").text
    assert "<bdi>Practice</bdi> is open" in page
    assert "2026-10-01 14:13:20 UTC" in page
    assert "2026-10-01 02:13:20 AoE" in page
    assert "Each team sees its own scores from" in page
    assert "the public part, 50 % of the items" in page

    held.at(TEST_ENDS + 1)
    assert "<bdi>Test</bdi> is over, late entries are taken" in held.get("/schedule").text
    held.at(TEST_ENDS + 2 * DAY)
    assert "All phases are over" in held.get("/schedule").text


def test_the_last_second_of_a_phase_is_in_time(held: HeldChallenge) -> None:
    held.at(PRACTICE_ENDS + 0.9)
    assert "<bdi>Practice</bdi> is open" in held.get("/schedule").text
    held.at(PRACTICE_ENDS + 1)
    assert "<bdi>Test</bdi> is open" in held.get("/schedule").text


def test_what_is_not_public_is_to_strangers_as_if_there_were_none(held: HeldChallenge) -> None:
    token = held.team("Terns")
    held.public(False)
    assert "The Owl Cup" not in held.client.get("/challenges").text
    for path in ("", "/schedule", "/data", "/board", "/board.json", "/register", "/submit"):
        refused, unknown = held.get(path), held.client.get(f"/challenges/owl-cub{path}")
        assert refused.status_code == unknown.status_code == 404
        assert refused.text == unknown.text.replace("owl-cub", "owl-cup")

    # A team finds it with its token, organisers by signing in.
    sent = held.desk.post("/challenges/team", on="/challenges", token=token)
    assert (sent.status_code, sent.headers["location"]) == (303, "/challenges/owl-cup/submit")
    assert "Not public" in held.get("/submit").text
    held.client.cookies.clear()
    assert held.get().status_code == 404
    held.desk.sign_in("vera")
    assert "Not public" in held.get().text
    assert "The Owl Cup" in held.client.get("/challenges").text


def test_data_are_for_approved_teams_that_accepted_the_terms(held: HeldChallenge) -> None:
    paths = ("/files/training", "/questions/english")
    held.team("Newcomers", approve=False)
    held.team("Hasty", accept=False)
    held.team("Terns")
    assert [held.get(path).status_code for path in paths] == [403, 403]
    assert "registered teams" in held.get("/data").text
    for team, words in (("Newcomers", "waits for"), ("Hasty", "has not accepted the terms")):
        held.enter(team)
        assert [held.get(path).status_code for path in paths] == [403, 403]
        page = held.get("/data").text
        assert words in page
        assert 'href="/challenges/owl-cup/files' not in page
    held.enter("Terns")
    assert 'href="/challenges/owl-cup/files/training"' in held.get("/data").text
    assert held.get("/files/training").content == b'{"uid": "t1"}\n'
    questions = held.get("/questions/english").text
    assert questions.count("\n") == 24
    assert "label" not in questions
    assert held.get("/questions/french").status_code == 403  # its phase is not open yet
    assert held.get("/files/challenge.yaml").status_code == 404


def test_announcements_stand_on_the_page_of_those_they_are_for(held: HeldChallenge) -> None:
    held.team("Terns")

    def tell(connection: object) -> None:
        for subject, public in (("Come all", True), ("Among us", False)):
            announce(
                connection,  # type: ignore[arg-type]
                held.row,
                subject=subject,
                text="Some *news*.",
                public=public,
                by=COMMAND,
                now=held.now,
            )

    held.home.store.write_now(tell)
    assert "Come all" in held.get().text
    assert "Among us" not in held.get().text
    held.enter("Terns")
    assert "Among us" in held.get().text


def test_scores_show_from_their_dates_on(held: HeldChallenge) -> None:
    held.team("Terns")
    held.enter("Terns")
    held.at(PRACTICE_ENDS + DAY)
    held.hand_in("Terns", "english", wrong=range(6), run=1)
    page = held.get("/submit").text
    assert "Scores of &#39;Test&#39; are shown from 2026-10-03" in page
    assert "accuracy" not in page
    held.at(OWN_FROM)
    assert "private part" in held.get("/submit").text
