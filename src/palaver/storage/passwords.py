"""Passwords: made, hashed and verified, without a database.

A password is kept as an argon2 hash. Hashing takes tens of milliseconds on purpose: call these in a
worker thread, outside of the store's transaction, and pass the hash in.
"""

import secrets
import unicodedata
from dataclasses import dataclass
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from palaver.core.errors import InputError, StoreError

MIN_PASSWORD, MAX_PASSWORD = 8, 1024
# Nothing that looks like something else: a one-time password is read from a terminal and typed.
_LETTERS = "23456789bcdfghjkmnpqrstvwxz"
_hasher = PasswordHasher()


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether a password is right, and whether its hash was made with settings of the past."""

    ok: bool
    rehash: bool = False


def new_password() -> str:
    """A one-time password of 76 random bits that is easy to read and type."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(4))


def hash_password(password: str) -> str:
    """The hash to store for a password; InputError if it is too short or too long."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise InputError(
            f"A password has {MIN_PASSWORD} to {MAX_PASSWORD} characters; got {len(password)}."
        )
    return _hasher.hash(_prepared(password))


def verify_password(password_hash: str | None, password: str) -> Verified:
    """Whether a password is the one behind a hash.

    Without a hash (nobody has that name) it takes as long as a wrong password does, so that the
    time does not tell which names exist.
    """
    try:
        _hasher.verify(password_hash or _decoy(), _prepared(password[: MAX_PASSWORD + 1]))
    except VerifyMismatchError:
        return Verified(False)
    except InvalidHashError as error:
        raise StoreError(
            "The password of this account is stored in a form that cannot be read. "
            "Set a new one with: palaver account password"
        ) from error
    if password_hash is None:
        return Verified(False)
    return Verified(True, rehash=_hasher.check_needs_rehash(password_hash))


@cache
def _decoy() -> str:
    return _hasher.hash(secrets.token_urlsafe(16))


def _prepared(password: str) -> str:
    # The same letters typed on another system may arrive composed differently.
    return unicodedata.normalize("NFKC", password)
