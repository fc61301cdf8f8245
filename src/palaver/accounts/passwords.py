"""Passwords: made, chosen, hashed and verified, without a database.

A password is kept as an argon2 hash. Hashing takes tens of milliseconds on purpose: call these in a
worker thread, outside of the store's transaction, and pass the hash in.
"""

import secrets
import unicodedata
from dataclasses import dataclass, field
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from palaver.core.accounts import Account
from palaver.core.errors import InputError, StoreError

MIN_PASSWORD, MAX_PASSWORD = 10, 1024
# Nothing that looks like something else: a one-time password is read from a terminal and typed.
LETTERS = "23456789bcdfghjkmnpqrstvwxz"
_hasher = PasswordHasher()


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether a password is right, and whether its hash was made with settings of the past."""

    ok: bool
    rehash: bool = False


@dataclass(frozen=True, slots=True)
class OneTimePassword:
    """A password that somebody is told, and the hash of it that is stored."""

    text: str = field(repr=False)
    hash: str = field(repr=False)


def one_time_password() -> OneTimePassword:
    """A new one-time password of 76 random bits that is easy to read and type."""
    text = "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(4))
    return OneTimePassword(text, hash_password(text))


def choose_password(
    account: Account | None, *, password: str, again: str, present: str | None = None
) -> str:
    """The hash of the password that somebody chose for their account.

    InputError if it will not do, or if `present`, where it is asked for, is not the present one.
    """
    if account is None:
        raise InputError("Nobody is signed in here, so there is no password to change.")
    if present is not None and not verify_password(account.password_hash, present).ok:
        raise InputError("The current password is wrong. Nothing was changed.")
    if password != again:
        raise InputError("The two passwords differ. Type the same one twice.")
    if len(password) < MIN_PASSWORD:
        raise InputError(
            f"A password has at least {MIN_PASSWORD} characters; this one has {len(password)}."
        )
    if len(password) > MAX_PASSWORD:
        raise InputError(
            f"A password has at most {MAX_PASSWORD:,} characters; this one has {len(password):,}."
        )
    if verify_password(account.password_hash, password).ok:
        raise InputError("This is your current password. Choose another one.")
    return hash_password(password)


def hash_password(password: str) -> str:
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
