"""Teams on the pages of a challenge: registering, terms, checking, handing in, choosing, leaving."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.evaluation.challenges.entries import list_entries
from palaver.evaluation.challenges.teams import list_teams
from support.held_challenges import PRACTICE_ENDS, HeldChallenge, answers, hold_challenge

TEAM = {
    "team": "Owls of Ghent",
    "contact": "owls@ghent.example",
    "affiliation": "Ghent",
    "link": "https://owls.example",
    "members": "Ada\n\n  Bob \n",
}


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldChallenge]:
    with hold_challenge(tmp_path) as made:
        yield made


def known(held: HeldChallenge) -> list[tuple[str, str]]:
    return [
        (team.team, team.state)
        for team in held.home.store.read_now(lambda c: list_teams(c, held.row))
    ]


def entries(held: HeldChallenge) -> list[Any]:
    return held.home.store.read_now(
        lambda c: list_entries(c, held.row, now=held.now, audience="organisers")
    )


def accept(held: HeldChallenge, **fields: str) -> Any:
    digest = re.search(r'name="terms" value="([0-9a-f]+)"', held.get("/submit").text)
    assert digest is not None
    return held.post("/terms", **{"terms": digest.group(1), "accept": "yes", **fields})


def test_a_team_registers_and_sees_its_token_once(held: HeldChallenge) -> None:
    shown = held.post("/register", on="/register", **TEAM)
    assert shown.status_code == 200
    token = re.search(r"ps_[A-Za-z0-9_-]{43}", shown.text)
    assert token is not None
    assert known(held) == [("Owls of Ghent", "waiting")]
    # The browser acts for the team now, and the forms of that very page work.
    page = held.get("/register").text
    assert "Your team" in page
    assert token.group() not in page
    assert "Ada\nBob" in page
    csrf = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
    assert csrf is not None
    assert f'value="{csrf.group(1)}"' not in shown.text or "sign-out" in shown.text


def test_what_was_typed_stays_where_something_is_wrong(held: HeldChallenge) -> None:
    refused = held.post("/register", on="/register", **{**TEAM, "contact": "nobody"})
    assert refused.status_code == 422
    assert "got &#39;nobody&#39;" in refused.text
    assert 'value="Owls of Ghent"' in refused.text
    held.post("/register", on="/register", **TEAM)
    held.client.cookies.clear()
    again = held.post("/register", on="/register", **{**TEAM, "team": "owls OF ghent"})
    assert again.status_code == 422
    assert "There is a team" in again.text
    assert len(known(held)) == 1


def test_nobody_registers_out_of_time(held: HeldChallenge) -> None:
    held.at(held.now + 30 * 86_400)
    assert "Registration closed" in held.get("/register").text
    sent = held.desk.post(f"{held.url}/register", on="/challenges", **TEAM)
    assert sent.status_code == 422
    assert known(held) == []


def test_a_team_accepts_the_terms_it_read(held: HeldChallenge) -> None:
    held.team("Terns", accept=False)
    held.enter("Terns")
    assert "<em>this challenge</em>" in held.get("/submit").text
    assert held.send(answers("practice-en")).status_code == 422
    assert accept(held, accept="").status_code == 422
    assert accept(held, terms="0" * 64).status_code == 422
    assert accept(held).status_code == 303
    assert "Hand in a run" in held.get("/submit").text


def test_a_file_is_checked_and_nothing_is_counted(held: HeldChallenge) -> None:
    held.team("Terns")
    held.enter("Terns")
    valid = held.send(answers("practice-en"), act="check")
    assert valid.status_code == 200
    assert "is valid" in valid.text
    assert "24 items" in valid.text
    lines = answers("practice-en").splitlines(keepends=True)
    lines[0] = b'{"uid": "practice-en-u0", "label": "perhaps"}\n'
    wrong = held.send(b"".join(lines), act="check")
    assert wrong.status_code == 422
    assert "answers.jsonl:1" in wrong.text
    assert entries(held) == []
    assert "5 of 5 left" in held.get("/submit").text


def test_a_run_is_handed_in_replaced_chosen_and_withdrawn(held: HeldChallenge) -> None:
    held.team("Terns")
    held.enter("Terns")
    held.at(PRACTICE_ENDS + 100)
    for wrong in ((1,), (1, 2)):
        assert held.send(answers("test-en", wrong=wrong), run="2").status_code == 303
    page = held.get("/submit").text
    assert page.count("Run 2</th>") == 2
    assert ">replaced<" in page
    assert "1 of 3 left" in page
    key = entries(held)[-1].key
    assert held.post(f"/entries/{key}/final", final="yes").status_code == 303
    assert "No longer final" in held.get("/submit").text
    assert held.post(f"/entries/{key}/withdraw").status_code == 303
    assert ">withdrawn<" in held.get("/submit").text
    refused = held.post(f"/entries/{key}/final", final="yes")
    assert refused.status_code == 422
    assert "cannot be final" in refused.text


def test_faults_are_listed_with_their_place_and_nothing_is_stored(held: HeldChallenge) -> None:
    held.team("Terns")
    held.enter("Terns")
    lines = answers("practice-en").splitlines(keepends=True)
    refused = held.send(b"".join(lines[2:]), run="1")
    assert refused.status_code == 422
    assert "practice-en-u0" in html.unescape(refused.text)
    for sent, words in ((b"", "none was sent"), (b"not json\n", "answers.jsonl:1")):
        refused = held.send(sent)
        assert refused.status_code == 422
        assert words in refused.text
    assert held.send(answers("practice-en"), run="99").status_code == 422
    assert held.send(answers("practice-en"), run="one").status_code == 422
    assert held.send(answers("practice-en"), track="klingon").status_code in (404, 422)
    assert entries(held) == []


def test_a_file_that_is_too_large_is_refused_before_it_is_read(held: HeldChallenge) -> None:
    held.team("Terns")
    held.enter("Terns")
    headers = {
        "content-type": "multipart/form-data; boundary=b",
        "content-length": str(2 * 1024**3),
    }
    refused = held.client.post(f"{held.url}/submit", content=b"x", headers=headers)
    assert refused.status_code == 413
    assert "larger than 1,024 MiB" in refused.text
    assert entries(held) == []


def test_a_waiting_team_hands_in_nothing(held: HeldChallenge) -> None:
    held.team("Newcomers", approve=False)
    held.enter("Newcomers")
    assert "have not approved your team yet" in held.get("/submit").text
    for act in ("check", "submit"):
        refused = held.send(answers("practice-en"), act=act)
        assert refused.status_code == 422
        assert "waits for the organisers" in refused.text
    assert entries(held) == []


def test_a_team_changes_what_it_says_renews_its_token_and_leaves(held: HeldChallenge) -> None:
    held.team("Terns")
    held.enter("Terns")
    told = {"contact": "new@terns.example", "affiliation": "", "link": "", "members": "Cy"}
    assert held.post("/team/change", on="/register", **told).status_code == 303
    assert held.found("Terns").members == ("Cy",)
    renewed = held.post("/team/renew", on="/register")
    assert "no longer works" in renewed.text
    assert held.get("/register").status_code == 200
    assert ">Your team<" in held.get().text
    assert held.post("/team/leave", on="/register").status_code == 422
    assert held.post("/team/leave", on="/register", sure="yes").status_code == 303
    assert ">Your team<" not in held.get().text
    assert known(held) == [("Terns", "left")]


def test_a_wrong_token_opens_nothing(held: HeldChallenge) -> None:
    for token in ("ps_" + "x" * 43, "", "pv_whatever"):
        refused = held.post("/team", token=token)
        assert refused.status_code == 403
        assert "not a valid token" in refused.text
