"""Panels that sign what they append: who came is then proven, and not only claimed.

Any panel can be given a secret and append `signature`, the hexadecimal HMAC-SHA256 of study, person
and piece of work, one per line; with `expires` (seconds since the epoch) as a fourth line it ends.
Prolific signs a token (RS256) with keys that it publishes, and appends it as `prolific_token`.
"""

import base64
import binascii
import hashlib
import hmac
import json
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from palaver.core.errors import InputError, LinkError
from palaver.core.timed import SKEW_SECONDS
from palaver.crowds.links import Visitor

SIGNATURE, EXPIRES, TOKEN = "signature", "expires", "prolific_token"
PROLIFIC_KEYS = "https://api.prolific.com/.well-known/study/jwks.json"
# Prolific asks for a new look at its keys once a day.
KEPT_SECONDS = 86_400.0
# An unknown key may be a new one; whoever invents keys makes us look again no more often than this.
LOOK_AGAIN_SECONDS = 60.0
FETCH_SECONDS = 10.0
MOST_BYTES = 1_000_000
# What stands before a SHA-256 digest in a PKCS #1 v1.5 signature (RFC 8017, 9.2).
_SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")

FORGED = "This address is not signed as it should be. Open the study again from your panel."


def sign_parameters(
    secret: str, *, study: str, person: str, assignment: str, expires: str = ""
) -> str:
    """The signature that a panel appends."""
    lines = [study, person, assignment, *([expires] if expires else [])]
    return hmac.new(secret.encode(), "\n".join(lines).encode(), hashlib.sha256).hexdigest()


def check_signature(
    secret: str, visitor: Visitor, parameters: Mapping[str, str], *, study: str, now: float
) -> Visitor:
    """The same visitor, proven; LinkError if the signature is missing, wrong or over."""
    expires = parameters.get(EXPIRES, "")
    expected = sign_parameters(
        secret,
        study=study,
        person=visitor.person,
        assignment=visitor.assignment,
        expires=expires,
    )
    given = parameters.get(SIGNATURE, "").lower()
    if not hmac.compare_digest(given.encode(), expected.encode()):
        raise LinkError(FORGED)
    if expires and not (expires.isdecimal() and now <= int(expires[:15]) + SKEW_SECONDS):
        raise LinkError("This address has expired. Open the study again from your panel.")
    return replace(visitor, proven=True)


@dataclass(frozen=True, slots=True)
class _Kept:
    keys: Mapping[str, tuple[int, int]]
    read: float


class ProlificKeys:
    """The keys that Prolific signs with: from a file, or fetched from Prolific and kept for a day."""

    def __init__(self, file: Path | None = None, *, address: str = PROLIFIC_KEYS) -> None:
        self._file = file
        self._address = address
        self._kept: _Kept | None = None
        self._lock = Lock()

    def key(self, name: str, *, now: float) -> tuple[int, int] | None:
        """Modulus and exponent of a key; None if there is none of this name. This may wait."""
        with self._lock:
            kept = self._kept
            age = None if kept is None else now - kept.read
            if (
                kept is None
                or age is None
                or age > KEPT_SECONDS
                or (name not in kept.keys and age > LOOK_AGAIN_SECONDS)
            ):
                kept = self._kept = _Kept(_read_keys(self._content()), now)
            return kept.keys.get(name)

    def _content(self) -> bytes:
        try:
            if self._file is not None:
                return self._file.read_bytes()
            with urllib.request.urlopen(self._address, timeout=FETCH_SECONDS) as answer:
                content: bytes = answer.read(MOST_BYTES)
                return content
        except (OSError, urllib.error.URLError) as error:
            raise InputError(
                "This study cannot be joined right now: the keys of the panel cannot be read. "
                "Try again in a few minutes."
            ) from error


def read_prolific_token(
    keys: ProlificKeys,
    token: str,
    *,
    study: str,
    hosts: Collection[str],
    now: float | None = None,
) -> Visitor:
    """Who a token of Prolific lets in; LinkError if it is forged, over, or for another place.

    `hosts` are the names under which this server is reached.
    """
    now = time.time() if now is None else now
    try:
        head, body, signature = token.split(".")
        header, claims = _json(head), _json(body)
        if header.get("alg") != "RS256":
            raise LinkError(FORGED)
        key = keys.key(str(header.get("kid", "")), now=now)
        signed = f"{head}.{body}".encode("ascii")
        if key is None or not _verifies(key, signed, _bytes(signature)):
            raise LinkError(FORGED)
        if now > float(claims["exp"]) + SKEW_SECONDS:
            raise LinkError("This address has expired. Open the study again from Prolific.")
        named = claims["prolific"]
        visitor = Visitor(str(named["PROLIFIC_PID"]), str(named["SESSION_ID"]), proven=True)
        if not _is_for(claims["aud"], study, hosts):
            raise LinkError(
                "This address was signed for another study. Open it from Prolific again."
            )
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error) as error:
        raise LinkError(FORGED) from error
    return visitor


def _is_for(audience: Any, study: str, hosts: Collection[str]) -> bool:
    """Whether a token is for this study on this server: Prolific names the host or the address."""
    for each in audience if isinstance(audience, list) else [audience]:
        place = urlsplit(each if "//" in each else f"//{each}")
        path = place.path.rstrip("/")
        if place.hostname in hosts and (not path or path.endswith(f"/s/{study}")):
            return True
    return False


def _verifies(key: tuple[int, int], signed: bytes, signature: bytes) -> bool:
    """Whether an RSA signature with SHA-256 (PKCS #1 v1.5) is that of these bytes."""
    modulus, exponent = key
    length = (modulus.bit_length() + 7) // 8
    value = int.from_bytes(signature, "big")
    if len(signature) != length or value >= modulus or length < 128:
        return False
    digest = _SHA256_PREFIX + hashlib.sha256(signed).digest()
    expected = b"\x00\x01" + b"\xff" * (length - len(digest) - 3) + b"\x00" + digest
    return hmac.compare_digest(pow(value, exponent, modulus).to_bytes(length, "big"), expected)


def _read_keys(content: bytes) -> dict[str, tuple[int, int]]:
    try:
        return {
            str(key["kid"]): (_number(key["n"]), _number(key["e"]))
            for key in json.loads(content)["keys"]
            if key.get("kty") == "RSA"
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            "This study cannot be joined right now: the keys of the panel are not a key set (JWKS)."
        ) from error


def _number(text: str) -> int:
    return int.from_bytes(_bytes(text), "big")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _json(text: str) -> dict[str, Any]:
    found = json.loads(_bytes(text))
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found
