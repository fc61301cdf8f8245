"""Letters: what is sent by mail, and what an address and a subject may be.

A line break in an address or a subject would let its author write headers of their own, so both are
refused here, before anything is stored.
"""

import re
from dataclasses import dataclass

from palaver.core.errors import InputError
from palaver.core.outbox import SendingState
from palaver.core.serial import if_any, internal

MOST_ADDRESS = 254
MOST_SUBJECT = 300
MOST_TEXT = 100_000
_ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-][A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{0,63}"
    r"@(?!-)[\w-]{1,63}(\.[\w-]{1,63})+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A letter in the outbox; `reason` is why it was not sent yet, or never will be."""

    id: int = internal(0)
    key: str
    recipient: str
    subject: str
    text: str
    about: str = if_any("")
    state: SendingState
    attempts: int
    due: float
    reason: str = if_any("")
    created: float
    sent: float | None = None
    holder: str | None = internal(None)


def checked_address(address: str) -> str:
    """The address without space around it; InputError if it is none that mail can be sent to.

    >>> checked_address(" ada@example.org ")
    'ada@example.org'
    """
    given = address.strip()
    if not is_address(given):
        raise InputError(
            f"A mail address looks like name@example.org; got {_shown(given)}. Write the address "
            "alone, without a name and on one line."
        )
    return given


def is_address(text: str) -> bool:
    """Whether a text looks like one e-mail address: a name, '@' and a domain with a dot.

    >>> is_address("ada@example.org"), is_address("ada"), is_address("a@b.org\\nBcc: c@d.org")
    (True, False, False)
    """
    plausible = len(text) <= MOST_ADDRESS and _ADDRESS.fullmatch(text) is not None
    return plausible and ".." not in text and ".@" not in text


def checked_subject(subject: str, *, most: int = MOST_SUBJECT) -> str:
    """The subject without space around it; InputError if it is not one printable line.

    >>> checked_subject(" New data ")
    'New data'
    """
    given = subject.strip()
    if not given:
        raise InputError("A letter needs a subject.")
    if len(given) > most or not given.isprintable():
        raise InputError(
            f"A subject is one line of at most {most} characters; got {_shown(given)}."
        )
    return given


def checked_text(text: str) -> str:
    """The text of a letter, ending in one line break; InputError if it is empty or too long."""
    # PostgreSQL keeps no NUL in a text, and no mail should hold one.
    given = text.replace("\0", "").strip()
    if not given:
        raise InputError("A letter needs a text.")
    if len(given) > MOST_TEXT:
        raise InputError(f"A letter has at most {MOST_TEXT:,} characters; got {len(given):,}.")
    return given + "\n"


def _shown(text: str) -> str:
    return repr(text[:80]) + ("…" if len(text) > 80 else "")
