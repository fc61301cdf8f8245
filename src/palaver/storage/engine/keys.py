"""Opaque names for rows that leave the store."""

import hashlib
import hmac
import secrets

# No vowels and nothing that looks like something else: codes are read aloud and typed.
_LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"
CODE_LENGTH = 10


def new_key(prefix: str) -> str:
    """A name nobody can guess: 120 random bits behind a letter that says what it names."""
    return f"{prefix}_{secrets.token_urlsafe(15)}"


def new_code() -> str:
    """A completion code that is easy to read and type."""
    return "".join(secrets.choice(_LETTERS) for _ in range(CODE_LENGTH))


def derived_code(secret: str, text: str) -> str:
    """The code that belongs to a text: the same each time, and not to be had without the secret."""
    rest = int.from_bytes(hmac.digest(secret.encode(), text.encode(), hashlib.sha256), "big")
    letters = []
    for _ in range(CODE_LENGTH):
        rest, letter = divmod(rest, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(letters)
