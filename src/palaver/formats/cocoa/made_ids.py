"""Ids for dialogues and scenarios that come without: the same content gets the same id again."""

from hashlib import sha256
from string import ascii_letters, digits

_LETTERS = ascii_letters + digits


def made_id(prefix: str, *parts: object) -> str:
    """An id as CoCoA makes them, sixteen letters and digits, drawn from the content.

    >>> made_id("FB", 1, "2 1 1 0 3 3") == made_id("FB", 1, "2 1 1 0 3 3")
    True
    """
    number = int.from_bytes(sha256(repr(parts).encode()).digest()[:16])
    letters = []
    for _ in range(16):
        number, rest = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[rest])
    return f"{prefix}_{''.join(letters)}"
