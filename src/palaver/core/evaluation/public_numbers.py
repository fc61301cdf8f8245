"""Numbers and codes for strangers, in the place of those that the rows of the store have.

A row's number tells how many came before it: how many models were submitted, to this task and others,
and when. Clients of the dynaboard API want whole numbers all the same. Those that strangers get are
made of names that they know anyway.
"""

from base64 import b32encode
from hashlib import blake2b

# Fifteen digits, which JavaScript still reads exactly.
LEAST, DIGITS = 10**14, 15
CODE_LETTERS = 6


def public_number(kind: str, name: str) -> int:
    """The number under which strangers know something of a name; of fifteen digits, always.

    >>> public_number("task", "nli") == public_number("task", "nli")
    True
    >>> len(str(public_number("task", "nli")))
    15
    """
    return LEAST + int.from_bytes(_digest(kind, name)) % (9 * LEAST)


def nameless(key: str) -> str:
    """What strangers call the model with this key while its name is not public.

    >>> nameless("m_GyIbJxwEwgADkxOf0MJk")
    'unpublished model cl7oto'
    """
    code = b32encode(_digest("name", key)).decode().lower()[:CODE_LETTERS]
    return f"unpublished model {code}"


def _digest(kind: str, name: str) -> bytes:
    return blake2b(f"{kind}\n{name}".encode(), digest_size=10).digest()
