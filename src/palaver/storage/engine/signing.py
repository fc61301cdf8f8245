"""The keys of a store: one that signs links and sessions and can be replaced, and one that lasts.

What is derived from the lasting key must come out the same for ever: the names of dialogues that files
bring, and pseudonyms. It signs nothing that leaves the server.
"""

import secrets

import msgspec
from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from palaver.storage.schema import meta

SIGNING = "secret"
LASTING = "lasting"
# Signing keys that were replaced and are still read until a moment: [[key, until], …].
REPLACED = "replaced_secrets"


def find_key(connection: Connection, name: str) -> str | None:
    return connection.execute(select(meta.c.value).where(meta.c.key == name)).scalar()


def ensure_key(connection: Connection, name: str) -> str:
    """The key of that name, made if there is none."""
    found = find_key(connection, name)
    if found is not None:
        return found
    made = secrets.token_hex(32)
    try:
        with connection.begin_nested():
            connection.execute(insert(meta).values(key=name, value=made))
    except IntegrityError:
        return find_key(connection, name) or made
    return made


def replace_signing_key(connection: Connection, *, keep_until: float | None, now: float) -> None:
    """Sign with a new key from now on; what the old one signed is read until a moment, or never."""
    old = find_key(connection, SIGNING)
    kept = [] if keep_until is None else list(_replaced(connection, now=now))
    if old is not None and keep_until is not None:
        kept.append((old, keep_until))
    connection.execute(delete(meta).where(meta.c.key.in_((SIGNING, REPLACED))))
    new = secrets.token_hex(32)
    connection.execute(insert(meta).values(key=SIGNING, value=new))
    if kept:
        text = msgspec.json.encode(kept).decode()
        connection.execute(insert(meta).values(key=REPLACED, value=text))


def readable_keys(connection: Connection, *, now: float) -> list[str]:
    """The keys whose signatures are read, the one that signs last."""
    current = find_key(connection, SIGNING)
    old = [key for key, _ in _replaced(connection, now=now)]
    return old if current is None else [*old, current]


def _replaced(connection: Connection, *, now: float) -> list[tuple[str, float]]:
    text = find_key(connection, REPLACED)
    found = [] if text is None else msgspec.json.decode(text, type=list[tuple[str, float]])
    return [(key, until) for key, until in found if until > now]
