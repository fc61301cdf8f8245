"""The outbox of letters: what is written to whom, and about what."""

import secrets

from sqlalchemy import Connection, select

from palaver.core.errors import UnknownNameError
from palaver.core.letters import Letter, checked_address, checked_subject, checked_text
from palaver.core.outbox import SendingState
from palaver.storage.outbox.box import Outbox, count_states, newest, put
from palaver.storage.schema import mails

LETTERS = Outbox(
    mails,
    select(*(column for column in mails.c if column.name != "lease")),
    lambda row: Letter(**row._mapping),
    lease_seconds=600.0,
)


def enqueue_mail(
    connection: Connection,
    *,
    recipient: str,
    subject: str,
    text: str,
    about: str,
    now: float,
    key: str | None = None,
) -> bool:
    """Put a letter into the outbox, due at once; False if there is one with this key already.

    InputError if it could not be sent: an address or a subject of several lines, an empty text.
    """
    return put(
        connection,
        mails,
        key=key or secrets.token_hex(16),
        now=now,
        recipient=checked_address(recipient),
        subject=checked_subject(subject),
        text=checked_text(text),
        about=about,
    )


def list_mails(
    connection: Connection,
    *,
    state: SendingState | None = None,
    about: str | None = None,
    most: int | None = None,
) -> list[Letter]:
    """The letters, newest first."""
    found = _about(about) if state is None else _about(about).in_state(state)
    return newest(connection, found, most=most)


def count_mails(connection: Connection, *, about: str | None = None) -> dict[SendingState, int]:
    """How many letters there are in each state."""
    return count_states(connection, _about(about))


def find_mail(connection: Connection, key: str) -> Letter:
    """A letter by its key; UnknownNameError if there is none."""
    row = connection.execute(LETTERS.rows.where(mails.c.key == key)).one_or_none()
    if row is None:
        raise UnknownNameError(f"There is no letter '{key[:80]}' in the outbox.")
    return LETTERS.read(row)


def _about(about: str | None) -> Outbox[Letter]:
    return LETTERS if about is None else LETTERS.where(mails.c.about == about)
