"""Checkpoints: the heads of chains at a moment, joined to the checkpoint before, and signed.

Whoever keeps a copy of one elsewhere can tell later whether anything before it was changed. The key is
a file of the home; see docs/audit.md for what somebody with the database and the key can still do.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, insert, select, text, update

from palaver.core.errors import InputError
from palaver.core.logs import get_log
from palaver.storage.audit.reading import linked
from palaver.storage.engine.chain import NUMBER_BITS, book_of, new_hasher
from palaver.storage.schema import chains, checkpoints

log = get_log(__name__)

KEY_FILE = "palaver.key"
# A chain that began so long ago and is still open was left behind.
OVER_SECONDS = 86400.0
_encode = msgspec.json.Encoder().encode


class ChainHead(msgspec.Struct, frozen=True, array_like=True):
    """A chain up to a link, and the hash of its digests up to there."""

    chain: int
    link: int
    head: str


class AuditCheckpoint(msgspec.Struct, frozen=True):
    """What a checkpoint says; `previous` is the digest of the one before."""

    number: int
    time: float
    previous: str
    key: str
    heads: list[ChainHead]


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A checkpoint as it is stored: its text, what it says, and its signature."""

    text: str
    content: AuditCheckpoint
    signature: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def is_signed_with(self, key: bytes) -> bool:
        """Whether this key signed it."""
        return hmac.compare_digest(self.signature, _signature(key, self.text))


def read_key(folder: Path) -> bytes | None:
    """The key of a home; None if it has none."""
    try:
        return bytes.fromhex((folder / KEY_FILE).read_text(encoding="ascii").strip())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(
            f"{folder / KEY_FILE} is not a key of a home ({error}). Put its copy back; without it "
            "checkpoints cannot be told from forged ones."
        ) from error


def ensure_key(folder: Path) -> bytes | None:
    """The key of a home, made if it has none; None where nothing can be written."""
    known = read_key(folder)
    if known is not None:
        return known
    made = secrets.token_bytes(32)
    # Written whole before it gets its name: two processes may start at once.
    draft = folder / f"{KEY_FILE}.{secrets.token_hex(4)}"
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(made.hex() + "\n")
        os.link(draft, folder / KEY_FILE)
    except FileExistsError:
        return read_key(folder)
    except OSError as error:
        log.warning("no_checkpoints", folder=str(folder), error=str(error))
        return None
    finally:
        draft.unlink(missing_ok=True)
    return made


def key_name(key: bytes) -> str:
    """What a key is called: it can be told to anybody."""
    return hashlib.sha256(b"palaver checkpoint key" + key).hexdigest()[:16]


def make_checkpoint(
    connection: Connection, key: bytes, *, now: float, ending: bool = False
) -> SignedCheckpoint | None:
    """Sign the heads of the chains that have grown; None if none has.

    Run by the writer, to which its own chains are known. `ending` says that it adds no more links.
    """
    _one_at_a_time(connection)
    previous = last_checkpoint(connection)
    book = book_of(connection)
    mine = [ChainHead(chain.id, chain.link, head.hex()) for chain, head in book.heads()]
    signed = signed_links(connection, [head.chain for head in mine])
    grown = [head for head in mine if head.link > signed.get(head.chain, 0)]
    if ending and mine:
        _end(connection, mine)
        book.end()
    return _keep(connection, key, grown, previous, now=now) if grown else None


def chains_left_behind(connection: Connection) -> list[Row[Any]]:
    """The chains of other processes of which no checkpoint says that they have ended.

    Run by the writer, which knows its own.
    """
    own = [chain.id for chain, _ in book_of(connection).heads()]
    unended = select(chains).where(chains.c.ended.is_(None), chains.c.id.not_in(own))
    return list(connection.execute(unended.order_by(chains.c.id)))


def sign_heads(
    connection: Connection, key: bytes, heads: Sequence[ChainHead], *, now: float
) -> SignedCheckpoint | None:
    """Sign heads that `computed_heads` gave, where they go further than those signed before."""
    _one_at_a_time(connection)
    signed = signed_links(connection, [head.chain for head in heads])
    grown = [head for head in heads if head.link > signed.get(head.chain, 0)]
    # Whoever wrote these a day ago is gone: they are not looked at again.
    old = select(chains.c.id).where(chains.c.started < now - OVER_SECONDS)
    over = set(connection.execute(old).scalars())
    _end(connection, [head for head in heads if head.chain in over])
    previous = last_checkpoint(connection)
    return _keep(connection, key, grown, previous, now=now) if grown else None


def last_checkpoint(connection: Connection) -> SignedCheckpoint | None:
    """The newest checkpoint; None before the first one."""
    row = connection.execute(
        select(checkpoints).order_by(checkpoints.c.id.desc()).limit(1)
    ).one_or_none()
    return None if row is None else _read(row)


def all_checkpoints(connection: Connection) -> Iterable[tuple[int, SignedCheckpoint]]:
    """Every checkpoint with its number, oldest first."""
    for row in connection.execute(select(checkpoints).order_by(checkpoints.c.id)):
        yield row.id, _read(row)


def parse_checkpoint(given: str) -> SignedCheckpoint:
    """A checkpoint as `palaver verify --print-checkpoint` writes it; InputError if it is not one."""
    try:
        outer = msgspec.json.decode(given, type=dict[str, str])
        content = msgspec.json.decode(outer["checkpoint"], type=AuditCheckpoint)
        return SignedCheckpoint(outer["checkpoint"], content, outer["signature"])
    except (msgspec.DecodeError, KeyError) as error:
        raise InputError(
            "This is not a checkpoint. Give a file that 'palaver verify --print-checkpoint' wrote."
        ) from error


def printed_checkpoint(checkpoint: SignedCheckpoint) -> str:
    """A checkpoint as a line to be kept elsewhere."""
    return _encode({"checkpoint": checkpoint.text, "signature": checkpoint.signature}).decode()


def signed_links(connection: Connection, wanted: Sequence[int]) -> dict[int, int]:
    """The last link of each of these chains that a checkpoint holds."""
    missing, found = set(wanted), dict[int, int]()
    if not missing:
        return found
    newest_first = select(checkpoints).order_by(checkpoints.c.id.desc())
    for row in connection.execute(newest_first):
        for head in _read(row).content.heads:
            if head.chain in missing:
                found[head.chain] = head.link
                missing.discard(head.chain)
        if not missing:
            break
    return found


def computed_heads(connection: Connection, wanted: Sequence[Row[Any]]) -> list[ChainHead]:
    """The heads of chains as their rows give them."""
    hashers = {row.id: new_hasher(row.id, row.study_id, row.writer, row.started) for row in wanted}
    last = {row.id: row.id << NUMBER_BITS for row in wanted}
    if not wanted:
        return []
    for link, digest in _digests(connection, min(hashers), max(hashers)):
        chain = link >> NUMBER_BITS
        if chain in hashers:
            hashers[chain].update(digest)
            last[chain] = link
    return [
        ChainHead(chain, last[chain], hasher.digest().hex())
        for chain, hasher in hashers.items()
        if last[chain] > chain << NUMBER_BITS
    ]


def _digests(connection: Connection, first: int, last: int) -> Iterable[tuple[int, bytes]]:
    low, high = first << NUMBER_BITS, (last + 1) << NUMBER_BITS
    for row in linked(connection, between=(low, high)):
        yield row.link, row.digest


def _one_at_a_time(connection: Connection) -> None:
    """Let checkpoints of several processes follow on each other."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(7205760)"))


def _end(connection: Connection, heads: Sequence[ChainHead]) -> None:
    for head in heads:
        connection.execute(update(chains).where(chains.c.id == head.chain).values(ended=head.link))


def _keep(
    connection: Connection,
    key: bytes,
    heads: Sequence[ChainHead],
    previous: SignedCheckpoint | None,
    *,
    now: float,
) -> SignedCheckpoint:
    number = 1 if previous is None else previous.content.number + 1
    content = AuditCheckpoint(
        number=number,
        time=now,
        previous="" if previous is None else previous.digest,
        key=key_name(key),
        heads=list(heads),
    )
    written = _encode(content).decode()
    signature = _signature(key, written)
    connection.execute(insert(checkpoints).values(id=number, content=written, signature=signature))
    return SignedCheckpoint(written, content, signature)


def _read(row: Row[Any]) -> SignedCheckpoint:
    content = msgspec.json.decode(row.content, type=AuditCheckpoint)
    return SignedCheckpoint(row.content, content, row.signature)


def _signature(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
