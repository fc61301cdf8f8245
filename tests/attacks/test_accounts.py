"""Accounts under attack: forms of other sites, stolen cookies, guessed passwords and codes."""

import time
from collections.abc import Iterator

import pytest

from palaver.accounts import register, second_factor
from palaver.accounts import tokens as account_tokens
from palaver.accounts.one_time_codes import code_of
from palaver.core.accounts import Account
from palaver.storage import Store
from palaver.storage.people.accounts import find_account
from support.attackers import Attacker, served_accounts
from support.desks import PASSWORD
from support.serving import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served_accounts(tmp_path_factory.mktemp("accounts")) as started:
        yield started


@pytest.fixture(scope="module")
def store(server: Server) -> Iterator[Store]:
    opened = Store(f"sqlite:///{server.home / 'palaver.db'}")
    yield opened
    opened.close()


def account(store: Store, name: str) -> Account:
    found = store.read_now(lambda c: find_account(c, name))
    assert found is not None
    return found


def new_account(store: Store, name: str, role: str = "viewer") -> Account:
    """An account of one test alone, so that the limits of one do not meet another."""
    store.write_now(
        lambda c: register.add_account(
            c, name=name, role=role, password_hash=account(store, "olga").password_hash, now=1.0
        )
    )
    hashed = account(store, "olga").password_hash
    return store.write_now(
        lambda c: register.replace_password(c, find_account(c, name), password_hash=hashed, now=1.0)  # type: ignore[arg-type]
    )


FOREIGN = [
    {"sec_fetch_site": "cross-site"},
    {"sec_fetch_site": "same-site"},
    {"sec_fetch_site": "cross-site", "origin": "SELF"},
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:1"},
]
OWN: list[dict[str, str]] = [
    {"sec_fetch_site": "same-origin"},
    {"origin": "SELF"},
    {"sec_fetch_site": "same-origin", "origin": "SELF"},
    {},
]


def said(headers: dict[str, str], base: str) -> dict[str, str]:
    return {name: base if value == "SELF" else value for name, value in headers.items()}


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_form_of_another_site_does_nothing_even_with_its_token(
    server: Server, headers: dict[str, str]
) -> None:
    stranger, olga = Attacker(server.base), Attacker(server.base)
    told = said(headers, server.base)
    refused = stranger.sign_in("olga", **told)
    assert (refused.status, "another site" in refused.text) == (403, True)
    assert not stranger.is_in()
    # Nor is somebody who is signed in signed out, or given an account.
    assert olga.sign_in("olga").status == 303
    csrf = olga.csrf("/desk/settings")
    for path, form in {
        "/desk/sign-out": {},
        "/desk/settings/accounts": {"name": "eve", "role": "owner"},
        "/desk/studies/pilot-2/links": {"count": "1"},
        "/s/pilot-2": {},
    }.items():
        assert olga.post(path, {"csrf": csrf, **form}, **told).status == 403, path
    assert olga.is_in()
    assert "accounts/eve" not in olga.get("/desk/settings").text


@pytest.mark.parametrize("headers", OWN)
def test_a_form_of_our_own_pages_and_of_a_program_goes_through(
    server: Server, headers: dict[str, str]
) -> None:
    olga = Attacker(server.base)
    assert olga.sign_in("olga", **said(headers, server.base)).status == 303
    assert olga.is_in()


def test_links_of_a_panel_and_calls_with_a_token_are_no_forms(server: Server, store: Store) -> None:
    anybody = Attacker(server.base)
    for page in ("/s/pilot-2", "/desk/sign-in"):
        assert anybody.get(page, sec_fetch_site="cross-site").status == 200
    olga = account(store, "olga")
    secret = store.write_now(
        lambda c: account_tokens.make_token(c, olga, name="ci", role="owner", now=time.time())
    ).secret
    told = {"authorization": f"Bearer {secret}", "content_type": "application/json"}
    called = anybody.post("/api/v1/dynascore", {}, origin="https://notebook.example", **told)
    assert called.status == 422
    assert anybody.get("/api/v1/me", origin="https://notebook.example", **told).status == 200


def test_a_cookie_that_was_stolen_opens_nothing_after_sign_out(server: Server) -> None:
    olga = Attacker(server.base)
    olga.sign_in("olga")
    thief = olga.steal()
    assert thief.is_in()
    assert olga.post("/desk/sign-out", {"csrf": olga.csrf("/desk/settings")}).status == 303
    assert not thief.is_in()
    assert not olga.is_in()


def test_a_new_password_or_ending_the_others_ends_what_a_thief_has(
    server: Server, store: Store
) -> None:
    new_account(store, "pia")
    pia, thief = Attacker(server.base), Attacker(server.base)
    pia.sign_in("pia")
    thief.sign_in("pia")
    page = "/desk/settings"
    ended = pia.post(f"{page}/sessions/end", {"csrf": pia.csrf(page), "id": "others"})
    assert (ended.status, pia.is_in(), thief.is_in()) == (303, True, False)

    thief.sign_in("pia")
    form = {"old": PASSWORD, "password": "a new password", "again": "a new password"}
    stolen = pia.steal()
    assert pia.post(f"{page}/password", {"csrf": pia.csrf(page), **form}).status == 303
    assert (pia.is_in(), thief.is_in(), stolen.is_in()) == (True, False, False)


def test_nobody_ends_somebody_elses_session(server: Server, store: Store) -> None:
    new_account(store, "quin")
    olga, quin = Attacker(server.base), Attacker(server.base)
    olga.sign_in("olga")
    quin.sign_in("quin")
    csrf = quin.csrf("/desk/settings")
    for number in range(1, 40):
        quin.post("/desk/settings/sessions/end", {"csrf": csrf, "id": str(number)})
    assert olga.is_in()


def test_a_session_cannot_change_the_password_without_the_old_one(
    server: Server, store: Store
) -> None:
    new_account(store, "rosa")
    thief = Attacker(server.base)
    thief.sign_in("rosa")
    form = {"password": "of the thief's own", "again": "of the thief's own"}
    csrf = thief.csrf("/desk/settings")
    for path in ("/desk/new-password", "/desk/settings/password"):
        assert thief.post(path, {"csrf": csrf, **form}).status == 422
    assert (
        thief.post(
            "/desk/settings/second-factor/set-up", {"csrf": csrf, "password": "guess"}
        ).status
        == 422
    )
    assert Attacker(server.base).sign_in("rosa").status == 303


def test_guessing_is_slowed_alike_for_names_that_exist_and_for_others(
    server: Server, store: Store
) -> None:
    new_account(store, "sven")
    answers = {}
    for name in ("sven", "nobody-at-all"):
        thief = Attacker(server.base)
        csrf = thief.csrf()
        found = [
            thief.post("/desk/sign-in", {"csrf": csrf, "name": name, "password": f"guess {n}"})
            for n in range(10)
        ]
        answers[name] = [(got.status, got.text.replace(name, "NAME")) for got in found]
    statuses = [status for status, _ in answers["sven"]]
    assert statuses[0] == 403
    assert statuses[-1] == 429
    assert answers["sven"] == answers["nobody-at-all"]


def test_whoever_signed_in_before_is_not_locked_out_by_somebody_who_guesses(
    server: Server, store: Store
) -> None:
    new_account(store, "tove")
    tove, thief = Attacker(server.base), Attacker(server.base)
    tove.sign_in("tove")
    tove.post("/desk/sign-out", {"csrf": tove.csrf("/desk/settings")})
    for n in range(10):
        last = thief.sign_in("tove", f"guess {n}")
    assert last.status == 429
    # Not even with the right password, from a browser that nobody knows; but from one that is known.
    assert thief.sign_in("tove").status == 429
    assert tove.sign_in("tove").status == 303
    # A browser that is known for one account is a stranger to another.
    tove.post("/desk/sign-out", {"csrf": tove.csrf("/desk/settings")})
    new_account(store, "ulla")
    for n in range(10):
        thief.sign_in("ulla", f"guess {n}")
    assert tove.sign_in("ulla", "guess").status == 429


def test_a_password_alone_is_not_enough_with_a_second_factor_and_a_code_works_once(
    server: Server, store: Store
) -> None:
    vito = new_account(store, "vito")
    secret = store.write_now(lambda c: second_factor.begin_factor(c, vito, now=time.time()))
    step = int(time.time() // 30)
    codes = store.write_now(
        lambda c: second_factor.confirm_factor(c, vito, code_of(secret, step - 1), now=step * 30.0)
    )
    thief, owner = Attacker(server.base), Attacker(server.base)
    half = thief.sign_in("vito")
    assert half.location == "/desk/sign-in/code"
    assert not thief.is_in()
    form = {"csrf": thief.csrf("/desk/sign-in/code")}
    guesses = [
        thief.post("/desk/sign-in/code", {**form, "code": f"{n:06}"}).status for n in range(10)
    ]
    assert set(guesses) <= {403, 429}
    assert guesses[-1] == 429
    # A password given again does not let one guess again.
    thief.sign_in("vito")
    form = {"csrf": thief.csrf("/desk/sign-in/code")}
    assert thief.post("/desk/sign-in/code", {**form, "code": "000000"}).status == 429
    assert not thief.is_in()

    # A recovery code, once. The bucket of strangers is empty, so the thief's tries are undone first.
    store.write_now(lambda c: second_factor.reset_factor(c, "vito", now=1.0))
    assert owner.sign_in("vito").location == "/desk"
    again = store.write_now(lambda c: second_factor.begin_factor(c, vito, now=time.time()))
    codes = store.write_now(
        lambda c: second_factor.confirm_factor(c, vito, code_of(again, step - 1), now=step * 30.0)
    )
    owner.post("/desk/sign-out", {"csrf": owner.csrf("/desk/settings")})
    for code, status in ((codes[0], 303), (codes[0], 403), (codes[1], 303)):
        owner.sign_in("vito")
        form = {"csrf": owner.csrf("/desk/sign-in/code"), "code": code}
        assert owner.post("/desk/sign-in/code", form).status == status
        assert owner.is_in() is (status == 303)
        if owner.is_in():
            owner.post("/desk/sign-out", {"csrf": owner.csrf("/desk/settings")})


def test_half_a_sign_in_ends_with_the_account(server: Server, store: Store) -> None:
    wim = new_account(store, "wim")
    secret = store.write_now(lambda c: second_factor.begin_factor(c, wim, now=time.time()))
    step = int(time.time() // 30)
    store.write_now(
        lambda c: second_factor.confirm_factor(c, wim, code_of(secret, step - 1), now=step * 30.0)
    )
    browser = Attacker(server.base)
    browser.sign_in("wim")
    assert browser.get("/desk/sign-in/code").status == 200
    store.write_now(lambda c: register.disable_account(c, "wim", now=time.time()))
    assert browser.get("/desk/sign-in/code").location == "/desk/sign-in"
    wrong = Attacker(server.base).sign_in("wim")
    assert (wrong.status, "The name or the password is wrong" in wrong.text) == (403, True)


def test_what_was_disabled_or_removed_ends_at_once(server: Server, store: Store) -> None:
    olga = Attacker(server.base)
    olga.sign_in("olga")
    for act, form in (("disable", {}), ("remove", {"sure": "yara-remove"})):
        name = f"yara-{act}"
        yara = new_account(store, name)
        secret = store.write_now(
            lambda c, yara=yara: account_tokens.make_token(
                c, yara, name="ci", role="viewer", now=time.time()
            )
        ).secret
        browser, told = Attacker(server.base), {"authorization": f"Bearer {secret}"}
        browser.sign_in(name)
        assert (browser.is_in(), browser.get("/api/v1/me", **told).status) == (True, 200)
        page = f"/desk/settings/accounts/{name}"
        assert olga.post(f"{page}/{act}", {"csrf": olga.csrf(page), **form}).status == 303
        assert (browser.is_in(), browser.get("/api/v1/me", **told).status) == (False, 401)
        assert browser.sign_in(name).status == 403


def test_only_owners_manage_accounts_and_no_owner_their_own(server: Server) -> None:
    vera, olga = Attacker(server.base), Attacker(server.base)
    vera.sign_in("vera")
    olga.sign_in("olga")
    csrf = vera.csrf("/desk/settings")
    assert vera.get("/desk/settings/accounts/olga").status == 403
    for act in ("disable", "enable", "remove", "reset-factor", "grant", "revoke"):
        path = f"/desk/settings/accounts/mia/{act}"
        form = {"csrf": csrf, "study": "pilot-2", "role": "reviewer", "sure": "mia"}
        assert vera.post(path, form).status == 403
        own = f"/desk/settings/accounts/olga/{act}"
        form = {**form, "csrf": olga.csrf("/desk/settings"), "sure": "olga"}
        assert olga.post(own, form).status == 422
    assert olga.is_in()
