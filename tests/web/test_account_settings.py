"""One's own second factor and sessions at the desk, and the page of an account for owners."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.accounts.one_time_codes import code_of
from palaver.storage.people.accounts import find_account
from palaver.storage.people.second_factors import find_factor
from support.desks import PASSWORD, Desk, open_desk
from support.seeding import NOW

FACTOR = "/desk/settings/second-factor"
ACCOUNTS = "/desk/settings/accounts"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as opened:
        yield opened


def account_id(desk: Desk, name: str) -> int:
    found = desk.store.read_now(lambda c: find_account(c, name))
    assert found is not None
    return found.id


def shown_secret(page: str) -> str:
    found = re.search(r'<code class="secret">([A-Z2-7 ]+)</code>', page)
    assert found is not None
    return found[1].replace(" ", "")


def test_a_second_factor_is_set_up_asked_for_and_removed(desk: Desk) -> None:
    desk.sign_in("vera")
    assert "Set it up" in desk.client.get(FACTOR).text
    wrong = desk.post(f"{FACTOR}/set-up", on=FACTOR, password="guess")
    assert (wrong.status_code, "The password is wrong" in wrong.text) == (422, True)
    assert desk.post(f"{FACTOR}/set-up", on=FACTOR, password=PASSWORD).status_code == 303
    page = desk.client.get(FACTOR).text
    secret = shown_secret(page)
    picture = re.search(r"<svg[^>]*class=\"qr\".*?</svg>", page, re.S)
    assert picture is not None
    assert "<title>The code for your authenticator app</title>" in picture[0]
    assert "style=" not in picture[0]  # the page's policy would refuse it

    now = desk.deployment.clock.now()
    code = code_of(secret, int(now // 30))
    confirmed = desk.post(f"{FACTOR}/confirm", on=FACTOR, code=code)
    assert confirmed.status_code == 200
    codes = re.findall(r"\b(?:[2-9a-z]{4}-){3}[2-9a-z]{4}\b", confirmed.text)
    assert len(codes) == 10
    # They are not shown again, and neither is the secret.
    again = desk.client.get(FACTOR).text
    assert not set(codes) & set(re.findall(r"[\w-]+", again))
    assert secret not in again.replace(" ", "")

    desk.post("/desk/sign-out", on="/desk")
    entered = desk.sign_in("vera", next="/desk/dialogues")
    assert entered.headers["location"] == "/desk/sign-in/code"
    assert desk.client.get("/desk", follow_redirects=False).status_code == 303
    on = "/desk/sign-in/code"
    assert desk.post(on, on=on, code=code).status_code == 403
    good = desk.post(on, on=on, code=codes[3])
    assert (good.status_code, good.headers["location"]) == (303, "/desk/dialogues")
    assert "9 of your recovery codes" in desk.client.get(FACTOR).text

    assert desk.post(f"{FACTOR}/remove", on=FACTOR, password="guess").status_code == 422
    assert desk.post(f"{FACTOR}/remove", on=FACTOR, password=PASSWORD).status_code == 303
    assert desk.store.read_now(lambda c: find_factor(c, account_id(desk, "vera"))) is None


def test_the_code_page_is_for_those_who_gave_a_password(desk: Desk) -> None:
    page = desk.client.get("/desk/sign-in/code", follow_redirects=False)
    assert page.headers["location"] == "/desk/sign-in"


def test_settings_list_ones_own_sessions_and_end_them(desk: Desk) -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
    desk.client.headers["user-agent"] = agent
    desk.sign_in("vera")
    first = dict(desk.client.cookies)
    desk.client.cookies.clear()
    desk.sign_in("olga")
    desk.client.cookies.clear()
    desk.sign_in("vera")
    page = desk.client.get("/desk/settings").text
    assert page.count("Firefox on Linux") >= 2
    assert page.count("this browser") == 1
    ended = re.findall(r'name="id" value="(\d+)"', page)
    assert len(ended) == 1
    sent = desk.post("/desk/settings/sessions/end", on="/desk/settings", id=ended[0])
    assert sent.status_code == 303
    assert "End all others" not in desk.client.get("/desk/settings").text
    desk.client.cookies.clear()
    desk.client.cookies.update(first)
    assert desk.client.get("/desk", follow_redirects=False).status_code == 303


def test_an_owner_grants_disables_enables_resets_and_removes(desk: Desk) -> None:
    desk.sign_in("olga")
    desk.post(f"{ACCOUNTS}", on="/desk/settings", name="mia", role="member")
    page = f"{ACCOUNTS}/mia"
    assert "this account sees no study" in desk.client.get(page).text

    def act(what: str, **form: str) -> str:
        sent = desk.post(f"{page}/{what}", on=page, **form)
        if sent.status_code != 303:
            assert sent.status_code == 422
            found = re.search(r'id="account-error"[^>]*>.*?<span>(.*?)</span>', sent.text, re.S)
            assert found is not None
            return html.unescape(found[1])
        return html.unescape(desk.client.get(sent.headers["location"]).text)

    assert "Granted." in act("grant", study="pilot-2", role="viewer")
    assert 'value="pilot-2"' in desk.client.get(page).text
    assert act("grant", study="nowhere", role="viewer") == "There is no study 'nowhere' here."
    assert act("grant", study="pilot-2", role="owner") == (
        "In a study one is viewer or reviewer; got 'owner'."
    )
    assert "Taken back." in act("revoke", study="pilot-2")
    assert act("revoke", study="pilot-2") == "'mia' was granted nothing in 'pilot-2'."
    assert "The account is disabled." in act("disable")
    assert "disabled" in desk.client.get("/desk/settings").text
    assert "may sign in again" in act("enable")
    assert act("reset-factor") == "'mia' has no second factor."
    assert act("remove") == "To remove the account, type its name: mia. Nothing was done."
    assert "The account is removed." in act("remove", sure="mia")
    assert desk.client.get(page).status_code == 404
    assert desk.client.get(f"{ACCOUNTS}/olga").status_code == 200
    assert desk.post(f"{ACCOUNTS}/olga/promote", on="/desk/settings").status_code == 404


def test_a_public_task_page_shows_who_is_signed_in(desk: Desk) -> None:
    stranger = desk.client.get("/tasks").text
    assert "> Sign in</a>" in stranger
    for name in ("vera", "olga"):
        desk.sign_in(name)
        page = desk.client.get("/tasks").text
        assert f'<span class="signed-in-name">{name}</span>' in page
        assert "Sign in<" not in page
        assert "Sign out" in page
        desk.post("/desk/sign-out", on="/tasks")
    desk.sign_in("olga")
    desk.post(ACCOUNTS, on="/desk/settings", name="mia", role="member")
    made = desk.post(f"{ACCOUNTS}/change", on="/desk/settings", name="mia", reset="yes")
    found = re.search(r'<code class="secret">([^<]+)</code>', made.text)
    assert found is not None
    desk.client.cookies.clear()
    # Even before a one-time password is replaced it is known who this is.
    desk.sign_in("mia", found[1])
    assert '<span class="signed-in-name">mia</span>' in desk.client.get("/tasks").text


def test_over_the_api_a_viewer_gets_what_the_desk_gives_and_no_more(desk: Desk) -> None:
    desk.study.visit("PANEL-77", crowd="prolific")
    answers = {}
    for name in ("vera", "ruth"):
        headers = {"authorization": f"Bearer {desk.token(name)}"}
        got = desk.client.get("/api/v1/studies/pilot-2/participants", headers=headers)
        (answers[name],) = got.json()["participants"]
        desk.sign_in(name)
        page = desk.client.get("/desk/studies/pilot-2/participants").text
        assert ("PANEL-77" in page) == ("PANEL-77" in got.text) == (name == "ruth")
        predictions = desk.client.get("/api/v1/runs/r_x/predictions", headers=headers)
        assert predictions.status_code == (403 if name == "vera" else 404)
        desk.post("/desk/sign-out", on="/desk")
    assert answers["vera"] == {**answers["ruth"], "panel_id": None}
    assert answers["vera"]["created"] >= NOW - 1e6
