"""The settings of a provider, and what is refused before anybody is asked."""

import asyncio
import importlib.util

import pytest

from palaver.accounts.openid import Provider, ProviderSettings, new_attempt
from palaver.core.errors import AccessError, InputError, MissingExtraError
from palaver.web.settings import Settings
from support.provider import CLIENT, serve_provider


def test_a_provider_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().provider is None
    monkeypatch.setenv("PALAVER_OIDC_ISSUER", "https://login.example.org")
    with pytest.raises(InputError, match="PALAVER_OIDC_CLIENT_ID must be, too"):
        Settings()
    monkeypatch.setenv("PALAVER_OIDC_CLIENT_ID", "palaver")
    monkeypatch.setenv("PALAVER_OIDC_CLIENT_SECRET", "hush")
    found = Settings().provider
    assert found == ProviderSettings(
        issuer="https://login.example.org", client_id="palaver", client_secret="hush"
    )
    assert found.role is None
    assert "hush" not in repr(Settings())
    for role, words in (("owner", "cannot be 'owner'"), ("boss", "got 'boss'")):
        monkeypatch.setenv("PALAVER_OIDC_ROLE", role)
        with pytest.raises(InputError, match=words):
            Settings()


@pytest.mark.parametrize("issuer", ["http://login.example.org", "login.example.org", "ftp://x"])
def test_an_issuer_is_asked_over_https(monkeypatch: pytest.MonkeyPatch, issuer: str) -> None:
    monkeypatch.setenv("PALAVER_OIDC_ISSUER", issuer)
    monkeypatch.setenv("PALAVER_OIDC_CLIENT_ID", "palaver")
    with pytest.raises(InputError, match="takes an address with https://"):
        Settings()


def test_without_the_extra_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PALAVER_OIDC_ISSUER", "https://login.example.org")
    monkeypatch.setenv("PALAVER_OIDC_CLIENT_ID", "palaver")
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "palaver.accounts.openid.find_spec", lambda name: None if name == "jwt" else found(name)
    )
    with pytest.raises(MissingExtraError, match=r"needs the extra 'oidc': pip install"):
        Settings()


@pytest.mark.parametrize(
    "said",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://evil.example/token"},
        {"jwks_uri": "file:///etc/passwd"},
        {"authorization_endpoint": None},
    ],
    ids=str,
)
def test_a_description_that_leads_elsewhere_is_refused(said: dict[str, str | None]) -> None:
    with serve_provider() as running:
        running.discovery = dict(said)
        provider = Provider(ProviderSettings(issuer=running.base, client_id=CLIENT))
        with pytest.raises(AccessError, match="does not answer as it should"):
            asyncio.run(provider.sign_in_url(new_attempt(), back="http://here/back", now=1.0))


def test_an_issuer_that_does_not_answer_is_said_so() -> None:
    provider = Provider(ProviderSettings(issuer="http://127.0.0.1:9", client_id=CLIENT))
    with pytest.raises(AccessError, match="does not answer as it should"):
        asyncio.run(provider.sign_in_url(new_attempt(), back="http://here/back", now=1.0))
