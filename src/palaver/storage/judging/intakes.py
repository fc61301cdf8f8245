"""Intakes: which files have been taken into the store, by content, and how far.

An intake goes on where it stopped: its row is brought forward in the transaction that stores the
sheets. A file that changed is taken in anew; what nobody has begun to judge follows it, what somebody
has begun stays as it was.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, insert, select, update

from palaver.core.errors import ConflictError
from palaver.storage.schema import intakes, sheet_people, sheets, slots, studies

T = TypeVar("T")

# How many names or ids one statement takes.
SOME = 500


@dataclass(frozen=True, slots=True)
class Intake:
    """How far one file of one stage has been taken in; `sheets` counts from its beginning."""

    study_id: int
    stage: int
    purpose: str
    digest: str
    sheets: int = 0
    complete: bool = False


@dataclass(frozen=True, slots=True)
class KnownSheet:
    """A sheet of that name which is stored already; `begun` if a rater has been handed it."""

    id: int
    group: str
    position: int
    content: str
    truth: str | None
    begun: bool


def open_intake(
    connection: Connection, study_id: int, stage: int, purpose: str, digest: str
) -> Intake:
    """How far the file with this digest has been taken in; from its beginning if it is another.

    The row stays locked until the commit; ConflictError while another process holds it.
    """
    row = lock_intake(connection, study_id, stage, purpose)
    fresh = Intake(study_id, stage, purpose, digest)
    if row is None:
        values = {"digest": digest, "sheets": 0, "complete": False}
        connection.execute(
            insert(intakes).values(study_id=study_id, stage=stage, purpose=purpose, **values)
        )
        return fresh
    if row.digest != digest:
        advance_intake(connection, fresh)
        return fresh
    return row


def intake_of(connection: Connection, study_id: int, stage: int, purpose: str) -> Intake | None:
    """How far the newest file of a stage has been taken in; None where none was."""
    row = connection.execute(select(intakes).where(_of(study_id, stage, purpose))).one_or_none()
    return None if row is None else Intake(**row._mapping)


def lock_intake(connection: Connection, study_id: int, stage: int, purpose: str) -> Intake | None:
    """How far the intake is, whatever its file; locked until the commit.

    ConflictError while another process holds it.
    """
    wanted = select(intakes).where(_of(study_id, stage, purpose))
    if connection.execute(wanted).one_or_none() is None:
        return None
    # Not waited for: a group commit that waits for another process's could wait for ever.
    row = connection.execute(wanted.with_for_update(skip_locked=True)).one_or_none()
    if row is None:
        raise ConflictError("Another process is importing this file right now. Try again.")
    return Intake(**row._mapping)


def advance_intake(connection: Connection, intake: Intake) -> None:
    """Record how far an intake is now."""
    connection.execute(
        update(intakes)
        .where(_of(intake.study_id, intake.stage, intake.purpose))
        .values(digest=intake.digest, sheets=intake.sheets, complete=intake.complete)
    )


def complete_digests(connection: Connection, study: str) -> frozenset[str]:
    """The digests of the files of a study that are wholly in the store."""
    rows = connection.execute(
        select(intakes.c.digest)
        .join(studies, studies.c.id == intakes.c.study_id)
        .where(studies.c.name == study, intakes.c.complete)
    )
    return frozenset(rows.scalars())


def known_sheets(
    connection: Connection, intake: Intake, names: Sequence[str]
) -> dict[str, KnownSheet]:
    """The stored sheets among those named."""
    found: dict[str, KnownSheet] = {}
    for some in _some(names):
        rows = connection.execute(
            select(
                sheets.c.name,
                sheets.c.id,
                sheets.c.group_key,
                sheets.c.position,
                sheets.c.content,
                sheets.c.truth,
                _begun().label("begun"),
            ).where(_sheets_of(intake), sheets.c.name.in_(some))
        )
        for name, *columns in rows:
            found[name] = KnownSheet(*columns)
    return found


def correct_truth(connection: Connection, sheet_id: int, truth: str) -> None:
    """Put other right answers behind a sheet; what was graded before stays graded."""
    connection.execute(update(sheets).where(sheets.c.id == sheet_id).values(truth=truth))


def set_people(connection: Connection, people: Mapping[int, Sequence[str]]) -> None:
    """Say anew who must not judge some sheets, by the sheets' ids."""
    for some in _some(list(people)):
        connection.execute(delete(sheet_people).where(sheet_people.c.sheet_id.in_(some)))
    rows = [
        {"sheet_id": sheet_id, "person": person}
        for sheet_id, named in people.items()
        for person in dict.fromkeys(named)
    ]
    if rows:
        connection.execute(insert(sheet_people), rows)


def drop_sheets(connection: Connection, ids: Sequence[int]) -> None:
    """Remove sheets that nobody has begun, with their free slots.

    One that is handed out this very moment is kept by its slot: that is a ConflictError.
    """
    for some in _some(ids):
        free = slots.c.state == "free"
        connection.execute(delete(slots).where(slots.c.sheet_id.in_(some), free))
        connection.execute(delete(sheet_people).where(sheet_people.c.sheet_id.in_(some)))
        connection.execute(delete(sheets).where(sheets.c.id.in_(some)))


def drop_absent(connection: Connection, intake: Intake, names: Collection[str]) -> int:
    """Remove the sheets that nobody has begun and the file no longer names; how many."""
    rows = connection.execute(
        select(sheets.c.id, sheets.c.name).where(_sheets_of(intake), ~_begun())
    ).all()
    absent = [id for id, name in rows if name not in names]
    drop_sheets(connection, absent)
    return len(absent)


def _of(study_id: int, stage: int, purpose: str) -> ColumnElement[bool]:
    return and_(
        intakes.c.study_id == study_id, intakes.c.stage == stage, intakes.c.purpose == purpose
    )


def _sheets_of(intake: Intake) -> ColumnElement[bool]:
    return and_(
        sheets.c.study_id == intake.study_id,
        sheets.c.stage == intake.stage,
        sheets.c.purpose == intake.purpose,
    )


def _begun() -> ColumnElement[bool]:
    return exists().where(slots.c.sheet_id == sheets.c.id, slots.c.state != "free")


def _some(many: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(many), SOME):
        yield many[start : start + SOME]
