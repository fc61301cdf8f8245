"""A small OpenID Connect provider: a real HTTP server that signs with a key pair, and can misbehave."""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "palaver-client", "s3cret/+ of: the client"
_KEYS = [rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)]


@dataclass
class Provider:
    """What the provider knows of the person at its door, and how its answers are falsified."""

    base: str = ""
    # Whoever signs in next.
    person: dict[str, Any] = field(
        default_factory=lambda: {"sub": "p-1", "email": "mara@lab.org", "email_verified": True}
    )
    # Claims that replace those of an honest answer; None leaves one out.
    claims: dict[str, Any] = field(default_factory=dict)
    # "": honestly; "none": no signature; "hmac": with the public key as a secret; "other": another key.
    signature: str = ""
    discovery: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def honest(self) -> None:
        """Behave again."""
        self.person = {"sub": "p-1", "email": "mara@lab.org", "email_verified": True}
        self.claims, self.signature, self.discovery = {}, "", {}

    def authorize(self, url: str) -> str:
        """What the person's browser is sent back with, as the query of the callback."""
        asked = dict(parse_qsl(urlsplit(url).query))
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(8)
        self._codes[code] = asked
        return f"code={code}&state={asked['state']}"

    def described(self) -> dict[str, Any]:
        """What it says of itself."""
        return {
            "issuer": self.base,
            "authorization_endpoint": f"{self.base}/authorize",
            "token_endpoint": f"{self.base}/token",
            "jwks_uri": f"{self.base}/keys",
            **self.discovery,
        }

    def keys(self) -> dict[str, Any]:
        """Its public key; never the other one."""
        public = jwt.algorithms.RSAAlgorithm.to_jwk(_KEYS[0].public_key(), as_dict=True)
        return {"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}

    def token(self, form: Mapping[str, str], authorization: str) -> dict[str, Any] | None:
        """The answer to a code; None where it is refused. A code works once."""
        asked = self._codes.pop(form.get("code", ""), None)
        pair = "palaver-client:s3cret%2F%2B%20of%3A%20the%20client"
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            asked is None
            or challenge != asked["code_challenge"]
            or form["redirect_uri"] != asked["redirect_uri"]
            or authorization != f"Basic {base64.b64encode(pair.encode()).decode()}"
        ):
            return None
        return {"token_type": "Bearer", "access_token": "x", "id_token": self._sign(asked)}

    def _sign(self, asked: Mapping[str, str]) -> str:
        now = int(time.time())
        honest = {"iss": self.base, "aud": CLIENT, "iat": now, "exp": now + 300}
        claims = {**honest, "nonce": asked["nonce"], **self.person, **self.claims}
        claims = {name: value for name, value in claims.items() if value is not None}
        if self.signature == "none":
            return jwt.encode(claims, "", algorithm="none", headers={"kid": "one"})
        if self.signature == "hmac":
            head = _part({"alg": "HS256", "typ": "JWT", "kid": "one"})
            public = json.dumps(self.keys()["keys"][0]).encode()
            signed = f"{head}.{_part(claims)}"
            made = hmac.new(public, signed.encode(), "sha256").digest()
            return f"{signed}.{base64.urlsafe_b64encode(made).decode().rstrip('=')}"
        key = _KEYS[1] if self.signature == "other" else _KEYS[0]
        return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "one"})


def _part(value: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@contextmanager
def serve_provider() -> Iterator[Provider]:
    """A provider that answers over HTTP."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            provider.asked.append(self.path)
            found = {
                "/.well-known/openid-configuration": provider.described,
                "/keys": provider.keys,
            }.get(self.path)
            self._answer(None if found is None else found())

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._answer(provider.token(form, self.headers.get("authorization", "")))

        def _answer(self, value: dict[str, Any] | None) -> None:
            body = json.dumps(value or {"error": "invalid_grant"}).encode()
            self.send_response(400 if value is None else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)
