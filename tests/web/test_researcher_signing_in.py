"""Signing in: who gets in, with what, for how long, and who may do what."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.storage.people.accounts import create_account, set_role
from palaver.web.desk.accounts import safe_target
from support.desks import PASSWORD, Desk, hashed, open_desk
from support.seeding import NOW


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as opened:
        yield opened


def test_a_stranger_is_sent_to_sign_in_and_back(desk: Desk) -> None:
    asked = desk.client.get("/desk/dialogues?study=pilot-2", follow_redirects=False)
    assert asked.status_code == 303
    assert asked.headers["location"] == "/desk/sign-in?next=%2Fdesk%2Fdialogues%3Fstudy%3Dpilot-2"
    entered = desk.sign_in("olga", next="/desk/dialogues?study=pilot-2")
    assert entered.headers["location"] == "/desk/dialogues?study=pilot-2"


def test_the_cookie_is_kept_from_scripts_and_other_sites(desk: Desk) -> None:
    cookie = desk.sign_in("olga").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Max-Age=43200" in cookie
    assert "Secure" not in cookie


@pytest.mark.parametrize(("name", "password"), [("olga", "wrong"), ("nobody", PASSWORD), ("", "")])
def test_a_wrong_name_or_password_is_told_alike(desk: Desk, name: str, password: str) -> None:
    refused = desk.sign_in(name, password)
    assert refused.status_code == 403
    assert "The name or the password is wrong" in refused.text
    assert desk.client.get("/desk", follow_redirects=False).status_code == 303


def test_sign_in_without_the_forms_token_is_refused(desk: Desk) -> None:
    data = {"name": "olga", "password": PASSWORD}
    assert desk.client.post("/desk/sign-in", data=data, follow_redirects=False).status_code == 403


def test_signing_out_ends_it(desk: Desk) -> None:
    desk.sign_in("olga")
    assert desk.post("/desk/sign-out", on="/desk").status_code == 303
    assert desk.client.get("/desk", follow_redirects=False).status_code == 303


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ("/desk/settings", "/desk/settings"),
        ("/boards/pilot-2", "/boards/pilot-2"),
        ("https://elsewhere.example", "/desk"),
        ("//elsewhere.example", "/desk"),
        ("/desk\\@elsewhere.example", "/desk"),
        ("/deskelsewhere", "/desk"),
    ],
)
def test_after_signing_in_nobody_is_sent_elsewhere(given: str, target: str) -> None:
    assert safe_target(given) == target


def test_a_one_time_password_must_be_replaced_first(desk: Desk) -> None:
    desk.store.write_now(
        lambda c: create_account(
            c,
            name="newbie",
            role="viewer",
            password_hash=hashed("one-time-password"),
            one_time=True,
            now=NOW,
        )
    )
    assert desk.sign_in("newbie", "one-time-password").headers["location"] == "/desk/new-password"
    elsewhere = desk.client.get("/desk/dialogues", follow_redirects=False)
    assert elsewhere.headers["location"] == "/desk/new-password?next=%2Fdesk%2Fdialogues"
    page = "/desk/new-password"
    short = desk.post(page, on=page, password="too short", again="too short")
    assert short.status_code == 422
    assert "at least 10 characters" in short.text
    same = desk.post(page, on=page, password="one-time-password", again="one-time-password")
    assert same.status_code == 422
    good = desk.post(page, on=page, password="a better password", again="a better password")
    assert good.headers["location"] == "/desk"
    assert desk.client.get("/desk").status_code == 200


def test_whoever_replaces_a_one_time_password_comes_to_the_page_that_they_asked_for(
    desk: Desk,
) -> None:
    desk.store.write_now(
        lambda c: create_account(
            c,
            name="newbie",
            role="viewer",
            password_hash=hashed("one-time-password"),
            one_time=True,
            now=NOW,
        )
    )
    refused = desk.client.get("/boards/pilot-2?raters=people")
    way = re.search(r'href="(/desk/sign-in[^"]+)">Sign in<', refused.text)
    assert (refused.status_code, way is not None) == (403, True)
    board = "/boards/pilot-2?raters=people"

    entered = desk.sign_in("newbie", "one-time-password", next=board)
    page = entered.headers["location"]
    assert page == "/desk/new-password?next=%2Fboards%2Fpilot-2%3Fraters%3Dpeople"
    # Whoever follows the link of the refusal again is not sent in a circle.
    again = desk.client.get(html.unescape(way[1]), follow_redirects=False)  # type: ignore[index]
    assert again.headers["location"] == page
    assert f'name="next" value="{board}"' in desk.client.get(page).text

    form = {"password": "a better password", "again": "a better password"}
    chosen = desk.post("/desk/new-password", on=page, next=board, **form)
    assert chosen.headers["location"] == board
    assert desk.client.get(board).status_code == 200


def test_a_form_of_a_stranger_sends_nobody_elsewhere(desk: Desk) -> None:
    sent = desk.sign_in("vera", next="https://elsewhere.example")
    assert sent.headers["location"] == "/desk"
    known = desk.client.get("/desk/sign-in?next=//elsewhere.example", follow_redirects=False)
    assert known.headers["location"] == "/desk"


def test_a_changed_role_signs_older_cookies_out(desk: Desk) -> None:
    desk.sign_in("ruth")
    assert desk.client.get("/desk", follow_redirects=False).status_code == 200
    desk.store.write_now(lambda c: set_role(c, "ruth", "viewer"))
    assert desk.client.get("/desk", follow_redirects=False).status_code == 303


def test_a_forged_cookie_opens_nothing(desk: Desk) -> None:
    desk.client.cookies.set("palaver_desk", "WzEsMV0.forged.signature")
    assert desk.client.get("/desk", follow_redirects=False).status_code == 303


def test_a_poll_is_told_in_json_that_nobody_is_signed_in(desk: Desk) -> None:
    address = "/desk/studies/pilot-2/progress.json"
    answer = desk.client.get(address, headers={"accept": "application/json"})
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "sign_in"


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("vera", set()), ("ruth", {"export", "links"}), ("olga", {"export", "links", "accounts"})],
)
def test_roles_open_what_they_should(desk: Desk, name: str, allowed: set[str]) -> None:
    desk.sign_in(name)
    study = "/desk/studies/pilot-2"
    opened = {
        "export": desk.client.get("/desk/exports/pilot-2?format=messages").status_code,
        "links": desk.post(f"{study}/links", on="/desk", count="1").status_code,
        "accounts": desk.post(
            "/desk/settings/accounts", on="/desk", name="new", role="viewer"
        ).status_code,
    }
    assert {what for what, status in opened.items() if status == 200} == allowed
    assert {status for status in opened.values() if status != 200} <= {403}


@pytest.mark.parametrize(
    "path",
    [
        "/desk/sign-out",
        "/desk/settings/password",
        "/desk/settings/accounts",
        "/desk/settings/accounts/change",
        "/desk/settings/tokens",
        "/desk/settings/tokens/revoke",
        "/desk/studies/pilot-2/links",
    ],
)
def test_nothing_changes_without_the_forms_token(desk: Desk, path: str) -> None:
    desk.sign_in("olga")
    assert desk.client.post(path, data={}, follow_redirects=False).status_code == 403
