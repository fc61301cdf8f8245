"""Opaque names for rows that leave the store."""

import secrets

# No vowels and nothing that looks like something else: codes are read aloud and typed.
_LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"


def new_key(prefix: str) -> str:
    """A name nobody can guess: 120 random bits behind a letter that says what it names."""
    return f"{prefix}_{secrets.token_urlsafe(15)}"


def new_code() -> str:
    """A completion code that is easy to read and type."""
    return "".join(secrets.choice(_LETTERS) for _ in range(10))
