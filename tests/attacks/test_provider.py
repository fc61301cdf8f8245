"""Sign-in at a provider under attack: forged, stale, replayed and borrowed answers open nothing."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.accounts import register
from palaver.storage import Store
from palaver.storage.people.accounts import find_account
from support.attackers import Attacker, Got, served_accounts
from support.provider import CLIENT, SECRET, Provider, serve_provider
from support.serving import Server

NOW = int(time.time())
CALLBACK = "/desk/sign-in/callback"


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with serve_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: Provider) -> Provider:
    running.honest()
    return running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, running: Provider) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("provider")
    with served_accounts(
        folder,
        PALAVER_OIDC_ISSUER=running.base,
        PALAVER_OIDC_CLIENT_ID=CLIENT,
        PALAVER_OIDC_CLIENT_SECRET=SECRET,
        PALAVER_OIDC_ROLE="member",
        PALAVER_OIDC_NAME="Lab <b>&",
    ) as started:
        yield started


@pytest.fixture(scope="module")
def store(server: Server) -> Iterator[Store]:
    opened = Store(f"sqlite:///{server.home / 'palaver.db'}")
    yield opened
    opened.close()


def begin(browser: Attacker, **asked: str) -> str:
    """Where the button leads."""
    query = f"?next={asked['next']}" if asked else ""
    sent = browser.get(f"/desk/sign-in/provider{query}")
    assert sent.status == 303, sent.text
    return sent.location


def come_back(browser: Attacker, provider: Provider) -> Got:
    """Sign in at the provider and come back."""
    answer = provider.authorize(begin(browser))
    return browser.get(f"{CALLBACK}?{answer}", sec_fetch_site="cross-site")


def test_whoever_the_provider_vouches_for_gets_in_with_the_role_of_the_settings(
    server: Server, provider: Provider, store: Store
) -> None:
    browser = Attacker(server.base)
    page = browser.get("/desk/sign-in").text
    assert "Sign in with Lab &lt;b&gt;&amp;" in page
    url = begin(browser, next="/desk/settings")
    assert url.startswith(f"{provider.base}/authorize?")
    entered = browser.get(f"{CALLBACK}?{provider.authorize(url)}", sec_fetch_site="cross-site")
    assert (entered.status, entered.location) == (303, "/desk/settings")
    assert "mara@lab.org" in browser.get("/desk/settings").text
    made = store.read_now(lambda c: find_account(c, "mara@lab.org"))
    assert made is not None
    assert (made.role, made.one_time) == ("member", False)
    # Again, under a new address: it is the same person and the same account.
    provider.person["email"] = "mara.new@lab.org"
    other = Attacker(server.base)
    assert come_back(other, provider).status == 303
    assert "mara@lab.org" in other.get("/desk/settings").text


@pytest.mark.parametrize(
    ("claims", "signature"),
    [
        ({"nonce": "of another attempt"}, ""),
        ({"nonce": None}, ""),
        ({"aud": "another-client"}, ""),
        ({"aud": [CLIENT, "another-client"], "azp": "another-client"}, ""),
        ({"iss": "https://evil.example"}, ""),
        pytest.param({"exp": NOW - 3600, "iat": NOW - 7200}, "", id="expired"),
        pytest.param({"iat": NOW + 3600}, "", id="from the future"),
        ({"exp": None}, ""),
        ({"sub": None}, ""),
        ({}, "none"),
        ({}, "hmac"),
        ({}, "other"),
        ({"email_verified": False}, ""),
        ({"email_verified": "true"}, ""),
        ({"email": None}, ""),
    ],
    ids=str,
)
def test_an_answer_that_is_not_right_in_every_part_opens_nothing(
    server: Server, provider: Provider, claims: dict[str, Any], signature: str
) -> None:
    provider.claims, provider.signature = claims, signature
    browser = Attacker(server.base)
    refused = come_back(browser, provider)
    assert refused.status == 403
    assert not browser.is_in()
    assert "Traceback" not in server.output()


def test_an_answer_works_once_and_only_in_the_browser_that_asked(
    server: Server, provider: Provider
) -> None:
    victim, thief = Attacker(server.base), Attacker(server.base)
    answer = provider.authorize(begin(victim))
    before = victim.steal()
    # Somebody else's answer, without and with an attempt of one's own: nobody is signed in as them.
    assert thief.get(f"{CALLBACK}?{answer}").status == 403
    begin(thief)
    assert thief.get(f"{CALLBACK}?{answer}").status == 403
    assert not thief.is_in()
    assert victim.get(f"{CALLBACK}?{answer}").status == 303
    # The same address again, with the cookies as they were before.
    assert before.get(f"{CALLBACK}?{answer}").status == 403
    assert not before.is_in()


def test_a_nonce_that_was_used_opens_no_second_session_even_with_a_new_code(
    server: Server, provider: Provider
) -> None:
    browser = Attacker(server.base)
    url = begin(browser)
    before = browser.steal()
    first, second = provider.authorize(url), provider.authorize(url)
    assert browser.get(f"{CALLBACK}?{first}").status == 303
    refused = before.get(f"{CALLBACK}?{second}")
    assert (refused.status, "used before" in refused.text) == (403, True)
    assert not before.is_in()


@pytest.mark.parametrize(
    "query", ["", "code=x", "state=x", "code=x&state=x", "error=access_denied"]
)
def test_a_callback_that_nobody_asked_for_is_refused(server: Server, query: str) -> None:
    browser = Attacker(server.base)
    begin(browser)
    assert browser.get(f"{CALLBACK}?{query}").status == 403
    assert Attacker(server.base).get(f"{CALLBACK}?{query}").status == 403


def test_another_person_with_the_same_name_does_not_get_the_account(
    server: Server, provider: Provider, store: Store
) -> None:
    provider.person = {"sub": "p-2", "email": "nils@lab.org", "email_verified": True}
    assert come_back(Attacker(server.base), provider).status == 303
    provider.person = {"sub": "p-3", "email": "nils@lab.org", "email_verified": True}
    refused = come_back(Attacker(server.base), provider)
    assert refused.status == 403
    assert "belongs to somebody else" in refused.text
    # Nor does a removed account come back.
    store.write_now(lambda c: register.remove_account(c, "nils@lab.org", now=time.time()))
    provider.person["sub"] = "p-2"
    again = come_back(Attacker(server.base), provider)
    assert (again.status, "was removed" in again.text) == (403, True)


def test_a_disabled_account_stays_out(server: Server, provider: Provider, store: Store) -> None:
    provider.person = {"sub": "p-4", "email": "otto@lab.org", "email_verified": True}
    browser = Attacker(server.base)
    assert come_back(browser, provider).status == 303
    store.write_now(lambda c: register.disable_account(c, "otto@lab.org", now=time.time()))
    assert not browser.is_in()
    assert come_back(browser, provider).status == 403


def test_nothing_but_the_issuer_is_asked_and_its_secret_is_never_told(
    server: Server, provider: Provider
) -> None:
    url = begin(Attacker(server.base))
    assert SECRET not in url
    assert SECRET not in server.output()
    assert re.search(r"code_challenge=[\w-]{43}&", url)
    known = {"/.well-known/openid-configuration", "/keys", "/token"}
    assert set(provider.asked) <= known
