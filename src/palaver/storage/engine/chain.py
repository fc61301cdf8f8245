"""The hash chain: how rows become links, in the transaction that stores them.

A link is the salted digest of a row. The head of a chain is the hash of all its digests in order:
whoever changes a link changes every head after it, and signed checkpoints hold heads. Beside a row
stands its `proof`, the salt and the first bytes of the digest, by which a changed row is found. An
erasure deletes words and salt and leaves the whole digest instead; a second link then covers what is
left of the row.

One process writes one chain for each study, so that nobody waits for anybody. A chain is not taken up
again by another process, nor after a commit of which nobody knows whether it happened.
See docs/design/hash-chain.md.
"""

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, Float, Table, bindparam, event, insert, select

from palaver.storage.engine.prepared import Prepared, PreparedInsert
from palaver.storage.schema import (
    audit_entries,
    chain_links,
    chains,
    dialogues,
    erasures,
    events,
    exclusions,
    labels,
    raters,
    seats,
    stops,
    units,
)

SALT = 12
# How much of a digest stands beside its row.
CHECK = 4
DIGEST = 32
# A link is known by one number: its chain, and behind it its place in the chain.
NUMBER_BITS = 32
# How many dialogues the study of which is remembered.
KNOWN = 50_000

_encode = msgspec.json.Encoder().encode
_sha256 = hashlib.sha256


@dataclass(frozen=True, slots=True)
class Covered:
    """A table whose rows are covered: its columns, and which of them an erasure takes away.

    The links of most are rows of `chain_links`; `inside` says that a row holds its own link. What is
    in `later` came with a later version: it is covered where it is set, so that older links hold.
    """

    kind: str
    table: Table
    columns: tuple[str, ...]
    erasable: tuple[str, ...] = ()
    inside: bool = False
    later: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[str, ...]:
        """All the columns that a digest may need."""
        return (*self.columns, *self.later)

    def digest(self, row: Mapping[str, Any], salt: bytes) -> bytes:
        """What a chain holds of a row."""
        values = [_plain(self.table, name, row[name]) for name in self.columns]
        for name in self.later:
            if row[name] is not None:
                values += (name, _plain(self.table, name, row[name]))
        return _sha256(salt + _encode([self.kind, *values])).digest()

    @property
    def rest(self) -> "Covered":
        """The same rows, once what an erasure takes away is gone."""
        lasting = tuple(name for name in self.columns if name not in self.erasable)
        return Covered(f"erased {self.kind}", self.table, lasting, later=self.later)


def proof_of(salt: bytes, digest: bytes) -> bytes:
    """What stands beside a row."""
    return salt + digest[:CHECK]


def _plain(table: Table, name: str, value: Any) -> Any:
    """A value as both databases give it back."""
    return float(value) if value is not None and isinstance(table.c[name].type, Float) else value


EVENT = Covered(
    "event",
    events,
    ("dialogue_id", "seq", "seat", "action", "data", "time", "audience", "client_id", "reply_to"),
    ("data",),
    inside=True,
)
LABEL = Covered(
    "label",
    labels,
    (
        "study_id",
        "unit_id",
        "question",
        "question_version",
        "purpose",
        "rater_id",
        "assignment_id",
        "abstained",
        "seconds",
        "time",
        "client_id",
        "supersedes",
        "slot_id",
        "section",
        "value",
        "label",
        "shown_order",
        "pastes",
        "pasted",
    ),
    ("value", "label", "shown_order", "pastes", "pasted"),
    inside=True,
    later=("active", "version"),
)
DIALOGUE = Covered(
    "dialogue",
    dialogues,
    ("id", "key", "study_id", "stage", "condition", "group_key", "position", "created", "purpose"),
)
SEAT = Covered(
    "seat", seats, ("dialogue_id", "seat", "from_seq", "kind", "assignment_id", "system")
)
UNIT = Covered(
    "unit",
    units,
    (
        "id",
        "study_id",
        "key",
        "kind",
        "dialogue_id",
        "first_seq",
        "last_seq",
        "seat",
        "first_unit_id",
        "second_unit_id",
        "item",
    ),
)
RATER = Covered("rater", raters, ("id", "key", "kind", "participant_id"))
EXCLUSION = Covered(
    "exclusion",
    exclusions,
    ("id", "study_id", "rater_id", "excluded", "account", "reason", "time"),
)
STOP = Covered(
    "stop",
    stops,
    ("id", "study_id", "time", "reason", "votes", "raters", "answer", "pairs", "rule"),
)
ERASURE = Covered(
    "erasure", erasures, ("id", "participant_id", "study_id", "events", "labels", "by", "time")
)
AUDIT = Covered(
    "audit",
    audit_entries,
    ("id", "time", "act", "account", "via", "study_id", "subject", "detail", "address"),
    ("address",),
)
COVERED = (EVENT, LABEL, DIALOGUE, SEAT, UNIT, RATER, EXCLUSION, STOP, ERASURE, AUDIT)


class Chain:
    """A chain that this process writes: its last link, and the hash of all of them."""

    __slots__ = ("hasher", "id", "link", "study_id")

    def __init__(self, id: int, study_id: int | None, hasher: Any) -> None:
        self.id = id
        self.study_id = study_id
        # The number of its last link, behind the chain's own.
        self.link = id << NUMBER_BITS
        self.hasher = hasher


def new_hasher(id: int, study_id: int | None, writer: str, started: float) -> Any:
    """The hash of a chain that has no links yet."""
    return _sha256(_encode(["chain", id, study_id, writer, float(started)]))


class Book:
    """The chains of one writer; what a transaction adds counts once it is committed."""

    def __init__(self, writer: str) -> None:
        self.writer = writer
        self.chains: dict[int | None, Chain] = {}
        self._studies: dict[int, int] = {}
        # The links of this transaction, in order; None stands for a chain that was begun.
        self.pending: list[tuple[Chain, bytes | None]] = []
        # Where each open savepoint began, the outermost first.
        self._marks: list[int] = []

    def chain(self, connection: Connection, study_id: int | None) -> Chain:
        """The chain of a study, begun if there is none."""
        found = self.chains.get(study_id)
        return self._begin(connection, study_id) if found is None else found

    def study_of(self, connection: Connection, dialogue_id: int) -> int | None:
        """The study that a dialogue belongs to; None if there is no such dialogue."""
        study_id = self._studies.get(dialogue_id)
        if study_id is None:
            study_id = _STUDY.scalar(connection, dialogue=dialogue_id)
            if study_id is not None:
                if len(self._studies) >= KNOWN:
                    self._studies.clear()
                self._studies[dialogue_id] = study_id
        return study_id

    def known_chain(self, dialogue_id: int) -> Chain | None:
        """The chain of a dialogue's study, if it can be told without asking the database."""
        study_id = self._studies.get(dialogue_id)
        return None if study_id is None else self.chains.get(study_id)

    def add(self, chain: Chain, digest: bytes) -> int:
        """Add a link; its number."""
        chain.link += 1
        self.pending.append((chain, digest))
        return chain.link

    def committed(self) -> None:
        """What was added since the last time is stored for good."""
        for chain, digest in self.pending:
            if digest is not None:
                chain.hasher.update(digest)
        self.pending.clear()
        self._marks.clear()

    def mark(self) -> int:
        """Where a transaction is, to come back to it with `undo`."""
        return len(self.pending)

    def undo(self, mark: int) -> None:
        """Forget what was added since a mark: it was rolled back."""
        while len(self.pending) > mark:
            chain, digest = self.pending.pop()
            if digest is None:
                self.chains.pop(chain.study_id, None)
                # Dialogues that were made with it may be gone, too.
                self._studies.clear()
            else:
                chain.link -= 1

    def abandon(self) -> None:
        """Take up no chain again: nobody knows whether the last commit happened."""
        self.chains.clear()
        self._studies.clear()
        self.pending.clear()

    def end(self) -> None:
        """Let whatever comes after begin new chains."""
        self.chains.clear()

    def begin_savepoint(self) -> None:
        """What follows may be rolled back by itself."""
        self._marks.append(self.mark())

    def roll_back_savepoint(self) -> None:
        """Forget what was added since the innermost savepoint began."""
        self.undo(self._marks.pop())

    def release_savepoint(self) -> None:
        """Keep what was added since the innermost savepoint began."""
        self._marks.pop()

    def heads(self) -> list[tuple[Chain, bytes]]:
        """Every chain, with the head that it will have after this transaction."""
        ahead = {chain.id: chain.hasher.copy() for chain in self.chains.values()}
        for chain, digest in self.pending:
            if digest is not None:
                ahead[chain.id].update(digest)
        return [(chain, ahead[chain.id].digest()) for chain in self.chains.values()]

    def _begin(self, connection: Connection, study_id: int | None) -> Chain:
        now = time.time()
        chain_id = connection.execute(
            insert(chains)
            .values(study_id=study_id, writer=self.writer, started=now)
            .returning(chains.c.id)
        ).scalar_one()
        chain = Chain(chain_id, study_id, new_hasher(chain_id, study_id, self.writer, now))
        self.chains[study_id] = chain
        self.pending.append((chain, None))
        return chain


def book_of(connection: Connection) -> Book:
    """The book of whoever writes with this connection."""
    found: Book | None = connection.info.get("book")
    if found is None:
        found = connection.info["book"] = Book(os.urandom(8).hex())
    return found


def study_of(connection: Connection, dialogue_id: int) -> int | None:
    """The study whose chain covers a dialogue."""
    return book_of(connection).study_of(connection, dialogue_id)


def watch_savepoints(engine: Engine) -> None:
    """Let books forget what is rolled back."""

    # Savepoints lie inside each other; SQLAlchemy names one only after it has told of it.
    @event.listens_for(engine, "savepoint")
    def _began(connection: Connection, name: str | None) -> None:
        book_of(connection).begin_savepoint()

    @event.listens_for(engine, "rollback_savepoint")
    def _rolled_back(connection: Connection, name: str, context: Any) -> None:
        book_of(connection).roll_back_savepoint()

    @event.listens_for(engine, "release_savepoint")
    def _released(connection: Connection, name: str, context: Any) -> None:
        book_of(connection).release_savepoint()


def linked_events(
    book: Book, rows: Sequence[tuple[Any, ...]], found: Mapping[int, Chain]
) -> list[tuple[Any, ...]]:
    """Event rows with their links behind their own columns; `found` are the dialogues' chains."""
    salts, pending = os.urandom(SALT * len(rows)), book.pending
    linked, start = [], 0
    for row in rows:
        salt = salts[start : start + SALT]
        start += SALT
        # The same bytes as `EVENT.digest` hashes, without its loop: this is the hottest place.
        digest = _sha256(salt + _encode(("event", *row))).digest()
        chain = found[row[0]]
        chain.link += 1
        pending.append((chain, digest))
        linked.append((*row, chain.link, salt + digest[:CHECK]))
    return linked


def linked_rows(
    connection: Connection, covered: Covered, rows: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Rows of a table that holds its own links, with their links; all have a `study_id`."""
    book = book_of(connection)
    linked = []
    for row, salt in zip(rows, _salts(len(rows)), strict=True):
        digest = covered.digest(row, salt)
        number = book.add(book.chain(connection, row["study_id"]), digest)
        linked.append({**row, "link": number, "proof": proof_of(salt, digest)})
    return linked


def link(
    connection: Connection,
    covered: Covered,
    rows: Sequence[Mapping[str, Any]],
    *,
    study_id: int | None,
) -> None:
    """Link rows that were just stored into the chain of a study, or of none."""
    book = book_of(connection)
    chain = book.chain(connection, study_id)
    links = []
    for row, salt in zip(rows, _salts(len(rows)), strict=True):
        digest = covered.digest(row, salt)
        subject, part = place_of(covered.table, row)
        links.append(
            {
                "link": book.add(chain, digest),
                "kind": covered.kind,
                "subject": subject,
                "part": part,
                "proof": proof_of(salt, digest),
            }
        )
    _NEW_LINKS.all(connection, links)


def _salts(count: int) -> list[bytes]:
    drawn = os.urandom(SALT * count)
    return [drawn[start : start + SALT] for start in range(0, len(drawn), SALT)]


# A seat of a dialogue is its part: from which event on, and which seat.
SEATS = 1000


def place_of(table: Table, row: Mapping[str, Any]) -> tuple[int, int]:
    """Under which subject and part a row is found in `chain_links`."""
    if table is seats:
        return row["dialogue_id"], row["from_seq"] * SEATS + row["seat"]
    if table is events:
        return row["dialogue_id"], row["seq"]
    return row["id"], 0


_STUDY = Prepared(select(dialogues.c.study_id).where(dialogues.c.id == bindparam("dialogue")))
_NEW_LINKS = PreparedInsert(
    chain_links,
    [column.name for column in chain_links.columns],
    [chain_links.c.link],
)
