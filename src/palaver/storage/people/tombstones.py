"""Tombstones: what stays of somebody whose id was erased, so that erasing is no way to start anew.

A tombstone is found by a keyed hash of the id and refers to nothing else: who has the id and the
key of the home learns that somebody completed a study, failed a practice or was barred, and no more.
The key stays the same for good, also where the key that signs links is replaced. Whoever comes back
gets their standing entered anew, under a new name.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from palaver.core.studies.raters import BARRED, FAILED, LIFTED, TRIED, WARNED, QualificationEntry
from palaver.storage.engine.signing import LASTING, ensure_key
from palaver.storage.judging.screenings import Attempt, attempts_of
from palaver.storage.people import rater_work
from palaver.storage.schema import participants, tombstones

COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One thing that is remembered: a study completed, or a standing under a qualification."""

    study_id: int
    name: str
    state: str
    count: int


def fingerprint(connection: Connection, crowd: str, person: str) -> str:
    """The keyed hash under which a person of a crowd is remembered."""
    text = f"tombstone\0{crowd}\0{person}".encode()
    return hmac.new(ensure_key(connection, LASTING).encode(), text, hashlib.sha256).hexdigest()


def tombstones_of(connection: Connection, crowd: str, person: str) -> list[Tombstone]:
    """What is remembered of a person, oldest first."""
    rows = connection.execute(
        select(tombstones.c.study_id, tombstones.c.name, tombstones.c.state, tombstones.c.count)
        .where(tombstones.c.fingerprint == fingerprint(connection, crowd, person))
        .order_by(tombstones.c.id)
    )
    return [Tombstone(*row) for row in rows]


def remember_completed(
    connection: Connection, crowd: str, person: str, *, study_id: int, now: float
) -> None:
    """Remember that a person has completed a study, or was paid for a part of it."""
    _replace(connection, crowd, person, study_id, "", COMPLETED, now=now)


def remember_standing(
    connection: Connection,
    participant_id: int,
    practised: Mapping[tuple[int, int], str],
    *,
    now: float,
) -> None:
    """Remember what speaks against a person who is about to lose their name.

    `practised` has the qualification of each practice by study and stage: attempts that were used up
    count there, too. What was lifted is forgotten.
    """
    crowd, person = connection.execute(
        select(participants.c.crowd, participants.c.external_id).where(
            participants.c.id == participant_id
        )
    ).one()
    if person is None:
        return
    entries = rater_work.entries_of(connection, participant_id)
    for name in dict.fromkeys(entry.name for entry in entries):
        held = rater_work.verdict(entries, name)
        _forget(connection, crowd, person, name)
        if held is not None and held.state in (BARRED, FAILED):
            _replace(connection, crowd, person, held.study_id, name, held.state, now=now)
    for (study_id, stage), name in practised.items():
        if rater_work.verdict(entries, name) is not None:
            continue
        attempts = attempts_of(
            connection, study_id=study_id, stage=stage, participant_id=participant_id
        )
        # Whoever leaves for good in the middle of an attempt has used it.
        begun = sum(attempt.finished is None and bool(attempt.mistakes) for attempt in attempts)
        used = used_attempts(entries, attempts, name) + begun
        if used:
            _replace(connection, crowd, person, study_id, name, TRIED, count=used, now=now)


def used_attempts(
    entries: Sequence[QualificationEntry], attempts: Sequence[Attempt], name: str
) -> int:
    """How many attempts at a practice were brought to an end since a failure was last lifted.

    Those of an earlier visit that was erased stand in the record.
    """
    mine = [entry for entry in entries if entry.name == name]
    lifted = max((e.time for e in mine if e.state == LIFTED), default=float("-inf"))
    before = [e for e in mine if (e.state, e.reason) == (WARNED, TRIED) and e.time > lifted]
    return len(before) + sum(a.finished is not None and a.finished > lifted for a in attempts)


def restore_standing(
    connection: Connection, participant_id: int, crowd: str, person: str, *, now: float
) -> None:
    """Enter what is remembered of a person into the record of their new self."""
    for stone in tombstones_of(connection, crowd, person):
        if stone.state == COMPLETED:
            continue
        tried = stone.state == TRIED
        for _ in range(stone.count):
            rater_work.record(
                connection,
                participant_id=participant_id,
                name=stone.name,
                state=WARNED if tried else stone.state,
                study_id=stone.study_id,
                reason=TRIED if tried else "before an erasure",
                now=now,
            )


def forget_tombstones(
    connection: Connection, crowd: str, person: str, *, study_id: int | None = None
) -> int:
    """Delete what is remembered of a person, in one study or at all; how many entries."""
    mine = tombstones.c.fingerprint == fingerprint(connection, crowd, person)
    chosen = mine if study_id is None else mine & (tombstones.c.study_id == study_id)
    return connection.execute(delete(tombstones).where(chosen)).rowcount


def count_tombstones(connection: Connection, study_id: int, *, before: float) -> int:
    """How many entries a study has that are older than a time."""
    return int(
        connection.execute(
            select(func.count()).where(
                tombstones.c.study_id == study_id, tombstones.c.time < before
            )
        ).scalar_one()
    )


def drop_tombstones(connection: Connection, study_id: int, *, before: float) -> int:
    """Delete the entries of a study that are older than a time; how many."""
    return connection.execute(
        delete(tombstones).where(tombstones.c.study_id == study_id, tombstones.c.time < before)
    ).rowcount


def _replace(
    connection: Connection,
    crowd: str,
    person: str,
    study_id: int,
    name: str,
    state: str,
    *,
    count: int = 1,
    now: float,
) -> None:
    if name:
        _forget(connection, crowd, person, name)
    else:
        connection.execute(
            delete(tombstones).where(
                tombstones.c.fingerprint == fingerprint(connection, crowd, person),
                tombstones.c.study_id == study_id,
                tombstones.c.name == "",
            )
        )
    connection.execute(
        insert(tombstones).values(
            fingerprint=fingerprint(connection, crowd, person),
            study_id=study_id,
            name=name,
            state=state,
            count=count,
            time=now,
        )
    )


def _forget(connection: Connection, crowd: str, person: str, name: str) -> None:
    connection.execute(
        delete(tombstones).where(
            tombstones.c.fingerprint == fingerprint(connection, crowd, person),
            tombstones.c.name == name,
        )
    )
