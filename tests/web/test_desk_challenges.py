"""Challenges at the desk: teams approved and refused, entries, announcements, rights."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.evaluation.challenges.announcements import list_announcements
from palaver.evaluation.challenges.teams import holder_of
from support.held_challenges import HeldChallenge, hold_challenge

DESK = "/desk/challenges/owl-cup"


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldChallenge]:
    with hold_challenge(tmp_path) as made:
        yield made


def test_the_overview_says_what_needs_its_organisers(held: HeldChallenge) -> None:
    held.desk.sign_in("olga")
    empty = held.client.get(DESK).text
    assert "Nothing at the moment." in empty
    held.team("Newcomers", approve=False)
    held.team("Terns")
    held.hand_in("Terns", "english", wrong=range(3))
    page = held.client.get(DESK).text
    assert "1 team</a> waits for your approval" in page
    listed = held.client.get("/desk/challenges").text
    assert "The Owl Cup" in listed
    assert 'href="/desk/challenges"' in held.client.get("/desk/tasks").text
    entries = held.client.get(f"{DESK}/entries?track=english").text
    assert "Terns" in entries
    assert "1 entry" in entries
    assert "Nothing handed in yet" in held.client.get(f"{DESK}/entries?track=french").text


def test_a_team_is_approved_refused_and_given_a_new_token(held: HeldChallenge) -> None:
    old = held.team("Newcomers", approve=False)
    held.desk.sign_in("olga")
    page = f"{DESK}/teams"
    assert "newcomers@team.example" in held.client.get(page).text
    for act, state in (("approve", "approved"), ("refuse", "refused"), ("approve", "approved")):
        assert held.desk.post(f"{page}/{act}", on=page, team="Newcomers").status_code == 303
        assert held.found("Newcomers").state == state
    shown = held.desk.post(f"{page}/renew", on=page, team="Newcomers").text
    assert "The token of Newcomers" in shown
    assert held.home.store.read_now(lambda c: holder_of(c, old)) is None


def test_a_baseline_is_added_with_its_token(held: HeldChallenge) -> None:
    held.desk.sign_in("olga")
    page = f"{DESK}/teams"
    made = held.desk.post(page, on=page, team="Uniform", baseline="yes")
    assert "The token of Uniform" in made.text
    assert held.found("Uniform").is_baseline
    again = held.desk.post(page, on=page, team="uniform")
    assert again.status_code == 422
    assert "There is a team" in again.text


def test_announcements_are_made_and_kept(held: HeldChallenge) -> None:
    held.desk.sign_in("olga")
    page = f"{DESK}/announcements"
    refused = held.desk.post(page, on=page, subject="", text="News")
    assert refused.status_code == 422
    assert ">News</textarea>" in refused.text
    sent = held.desk.post(page, on=page, subject="Dates", text="All *new*.", public="yes")
    assert sent.status_code == 303
    made = held.home.store.read_now(lambda c: list_announcements(c, held.row))
    assert [(each.subject, each.public, each.created_by) for each in made] == [
        ("Dates", True, "olga")
    ]
    assert "<em>new</em>" in held.client.get(page).text


def test_it_is_made_private_and_public(held: HeldChallenge) -> None:
    held.desk.sign_in("olga")
    for public in ("no", "yes"):
        assert held.desk.post(f"{DESK}/public", on=DESK, public=public).status_code == 303
        assert held.row.public == (public == "yes")


def test_viewers_look_and_change_nothing(held: HeldChallenge) -> None:
    held.team("Newcomers", approve=False, members=("Ada Lovelace",))
    held.desk.sign_in("vera")
    for path in ("", "/teams", "/entries", "/announcements"):
        page = held.client.get(DESK + path)
        assert page.status_code == 200
        assert "newcomers@team.example" not in page.text
        assert "Ada Lovelace" not in page.text
        assert "ps_" not in page.text
    csrf = held.desk.csrf(DESK)
    for path in ("/teams", "/teams/approve", "/teams/renew", "/announcements", "/public"):
        sent = held.client.post(DESK + path, data={"csrf": csrf, "team": "Newcomers"})
        assert sent.status_code == 403
    assert held.client.get(f"{DESK}/close").status_code == 403
    assert held.found("Newcomers").state == "waiting"
