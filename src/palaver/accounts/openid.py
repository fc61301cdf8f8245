"""Signing in at an OpenID Connect provider: the code flow with PKCE, state and nonce.

Only the issuer of the settings is asked, and what its own description names; nothing that a browser
or a token says leads anywhere else. What it answers counts only with a signature of one of its keys,
for this client, in time, and with the nonce of this very attempt.
"""

import asyncio
import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from palaver.core.accounts import Role
from palaver.core.errors import AccessError, InputError, MissingExtraError
from palaver.core.logs import get_log
from palaver.systems.attempt import AttemptError
from palaver.systems.web.addresses import target_of
from palaver.systems.web.client import open_client

log = get_log(__name__)

# Signatures with a key pair. With a shared secret, or none, anybody who knows the client could sign.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
SCOPE = "openid profile email"
SECONDS = 15.0
LONGEST = 512 * 1024
# How far the clocks of provider and server may differ, in seconds.
LEEWAY = 60
# How long what a provider says of itself and its keys is believed.
FRESH_SECONDS = 3600.0
UNREACHABLE = (
    "The sign-in provider does not answer as it should. Try again, or sign in by password."
)
REFUSED = "The sign-in was not accepted. Begin again from the sign-in page."


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """Which provider people sign in at, as whom, and what becomes of those who are not known."""

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    # The claim that names the account.
    claim: str = "email"
    # The role of accounts that are made for people who have none; None makes none.
    role: Role | None = None
    # What the button is called.
    name: str = "your organisation"


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """One attempt to sign in; it stays with the browser that began it."""

    state: str
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProvedIdentity:
    """Who a provider says somebody is; `subject` never changes, `name` is what the claim says."""

    issuer: str
    subject: str
    name: str
    # What cannot prove anything a second time.
    nonce: str = field(repr=False)


def check_installed() -> None:
    """MissingExtraError unless what checks signatures is installed."""
    if find_spec("jwt") is None or find_spec("cryptography") is None:
        raise MissingExtraError("Signing in at an OpenID Connect provider", "oidc")


def new_attempt() -> SignInAttempt:
    return SignInAttempt(*(secrets.token_urlsafe(32) for _ in range(3)))


class Provider:
    """An OpenID Connect provider, and what it said of itself."""

    def __init__(self, settings: ProviderSettings) -> None:
        check_installed()
        self.settings = settings
        self._described: dict[str, Any] = {}
        self._keys: list[dict[str, Any]] = []
        self._since = float("-inf")

    async def sign_in_url(self, attempt: SignInAttempt, *, back: str, now: float) -> str:
        """Where to send a browser that wants to sign in."""
        described = await self._description(now)
        digest = hashlib.sha256(attempt.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": back,
            "scope": SCOPE,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        address = str(described["authorization_endpoint"])
        return f"{address}{'&' if '?' in address else '?'}{urlencode(asked, quote_via=quote)}"

    async def identify(
        self, attempt: SignInAttempt, *, state: str, code: str, back: str, now: float
    ) -> ProvedIdentity:
        """Who came back with this code; AccessError unless everything fits this attempt."""
        if not hmac.compare_digest(attempt.state.encode(), state.encode()) or not code:
            raise AccessError(REFUSED)
        described = await self._description(now)
        answer = await self._ask(
            "POST",
            str(described["token_endpoint"]),
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": back,
                "client_id": self.settings.client_id,
                "code_verifier": attempt.verifier,
            },
        )
        claims = await self._claims(str(answer.get("id_token", "")), now)
        nonce = claims.get("nonce")
        if not isinstance(nonce, str) or not hmac.compare_digest(
            nonce.encode(), attempt.nonce.encode()
        ):
            raise _refusal("the nonce is not that of this attempt")
        return ProvedIdentity(
            self.settings.issuer, str(claims["sub"]), self._name(claims), attempt.nonce
        )

    def _name(self, claims: dict[str, Any]) -> str:
        """What the account is called; an address that nobody has checked names nobody."""
        claim = self.settings.claim
        name = claims.get(claim)
        if not isinstance(name, str) or not name:
            raise AccessError(
                f"The sign-in provider did not say your '{claim}', by which accounts are found "
                "here. Ask an owner of this deployment."
            )
        if claim == "email" and claims.get("email_verified") is not True:
            raise AccessError(
                "The sign-in provider has not verified your e-mail address, so it does not say who "
                "you are. Verify it there, then sign in again."
            )
        return name

    async def _claims(self, token: str, now: float) -> dict[str, Any]:
        """What a token says, once it is shown to be the issuer's, for us, and in time."""
        import jwt

        try:
            header = jwt.get_unverified_header(token)
            key = await self._key(str(header.get("kid", "")), str(header.get("alg", "")), now)
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[header["alg"]],
                audience=self.settings.client_id,
                issuer=self.settings.issuer,
                leeway=LEEWAY,
                options={"require": ["iss", "aud", "exp", "iat", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise _refusal(f"{type(error).__name__}: {error}") from error
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if (several or "azp" in claims) and claims.get("azp") != self.settings.client_id:
            raise _refusal("the token was made for another client")
        return claims

    async def _key(self, name: str, algorithm: str, now: float) -> Any:
        """The issuer's key of this name; its keys are read anew where it has a new one."""
        import jwt

        if algorithm not in ALGORITHMS:
            raise _refusal(f"the algorithm '{algorithm[:20]}' is not accepted")
        for is_last in (False, True):
            for each in self._keys:
                if name and each.get("kid") != name:
                    continue
                if each.get("use", "sig") != "sig" or each.get("kty") == "oct":
                    continue
                try:
                    return jwt.PyJWK.from_dict(each, algorithm=algorithm).key
                except jwt.PyJWTError:
                    continue  # a key of another kind
            if not is_last:
                await self._read_keys(now)
        raise _refusal("no key of the issuer has signed the token")

    async def _description(self, now: float) -> dict[str, Any]:
        """What the issuer says of itself, read anew every hour."""
        if self._since <= now < self._since + FRESH_SECONDS and self._described:
            return self._described
        issuer = self.settings.issuer
        address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        described = await self._ask("GET", address)
        if described.get("issuer") != issuer:
            log.error("provider_refused", why="it says that it is another issuer", issuer=issuer)
            raise AccessError(UNREACHABLE)
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            _check_address(str(described.get(name, "")), issuer)
        self._described, self._since, self._keys = described, now, []
        return described

    async def _read_keys(self, now: float) -> None:
        described = await self._description(now)
        keys = (await self._ask("GET", str(described["jwks_uri"]))).get("keys")
        self._keys = [each for each in keys or () if isinstance(each, dict)]

    async def _ask(
        self, method: str, address: str, form: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """What an address of the provider answers, as JSON; redirects are not followed."""
        headers = {"Accept": "application/json"}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            if self.settings.client_secret:
                headers["Authorization"] = _basic(
                    self.settings.client_id, self.settings.client_secret
                )
        caller = open_client(address, headers=headers, limit=1, longest=LONGEST)
        body = None if form is None else urlencode(form).encode()
        try:
            async with asyncio.timeout(SECONDS):
                response = await caller.call(method, target_of(address), body)
            found = msgspec.json.decode(response.body) if response.status == 200 else None
        except (AttemptError, TimeoutError, msgspec.DecodeError) as error:
            log.error("provider_failed", error=f"{type(error).__name__}: {error}")
            raise AccessError(UNREACHABLE) from error
        finally:
            await caller.close()
        if not isinstance(found, dict):
            log.error("provider_failed", address=address.partition("?")[0], status=response.status)
            raise AccessError(REFUSED if form is not None else UNREACHABLE)
        return found


def check_issuer(issuer: str) -> str:
    """An issuer's address; InputError unless what is sent to it stays between the two."""
    parts = urlsplit(issuer)
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_here(parts.hostname)):
        raise InputError(
            f"PALAVER_OIDC_ISSUER takes an address with https://; got '{issuer}'. "
            "Only a provider on this machine may do without."
        )
    return issuer


def _check_address(address: str, issuer: str) -> None:
    parts = urlsplit(address)
    same = parts.scheme == urlsplit(issuer).scheme
    if not parts.hostname or not (parts.scheme == "https" or (same and _is_here(parts.hostname))):
        log.error("provider_refused", why="an address of it is not https", address=address[:200])
        raise AccessError(UNREACHABLE)


def _is_here(host: str | None) -> bool:
    return host in ("localhost", "127.0.0.1", "::1")


def _basic(client: str, secret: str) -> str:
    # Both are encoded as in a form before they are put together (RFC 6749, 2.3.1).
    pair = f"{quote(client, safe='')}:{quote(secret, safe='')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _refusal(why: str) -> AccessError:
    log.error("provider_answer_refused", why=why)
    return AccessError(REFUSED)
