"""Slots of gold sheets: one is made for everybody who is handed such a sheet."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select

from palaver.storage.engine.prepared import Prepared
from palaver.storage.judging.slots import PERSON, hold_again, is_in, may_have
from palaver.storage.schema import sheets, slots

# The rank of a slot that is made for one rater and never handed out by rank.
EXTRA = -1


def unseen_gold(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    people: Collection[str],
) -> list[int]:
    """The gold sheets that this person may still be handed, by position."""
    rows = _UNSEEN.all(
        connection, study=study_id, stage=stage, participant=participant_id, people=list(people)
    )
    return [sheet_id for (sheet_id,) in rows]


def count_gold(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    people: Collection[str],
) -> int:
    """How many gold sheets this person may still be handed, with those they had abandoned."""
    person = {"study": study_id, "stage": stage, "participant": participant_id}
    unseen = _UNSEEN.all(connection, **person, people=list(people))
    return len(unseen) + len(_GOLD_ABANDONED.all(connection, **person))


def hold_gold(
    connection: Connection, sheet_id: int, *, participant_id: int, assignment_id: int, now: float
) -> int:
    """Make this person a slot of a gold sheet, held; its id."""
    # Numbered by the person, of whom a sheet has one slot at most: no two raters want one number.
    row = select(
        sheets.c.id,
        sheets.c.study_id,
        sheets.c.stage,
        sheets.c.group_key,
        *_literals(participant_id, EXTRA, "held", participant_id, assignment_id, now, now),
    ).where(sheets.c.id == sheet_id)
    columns = (
        *("sheet_id", "study_id", "stage", "group_key", "number", "rank", "state"),
        *("participant_id", "assignment_id", "since", "seen"),
    )
    return int(
        connection.execute(
            insert(slots).from_select(columns, row).returning(slots.c.id)
        ).scalar_one()
    )


def abandoned_gold(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    assignment_id: int,
    now: float,
) -> int | None:
    """Hold again a gold sheet that this person had abandoned; the id of its slot."""
    slot_id: int | None = _GOLD_AGAIN.scalar(
        connection, study=study_id, stage=stage, participant=participant_id
    )
    if slot_id is not None:
        hold_again(connection, slot_id, assignment_id=assignment_id, now=now)
    return slot_id


def _literals(*values: Any) -> tuple[ColumnElement[Any], ...]:
    return tuple(bindparam(None, value, unique=True) for value in values)


_UNSEEN = Prepared(
    select(sheets.c.id)
    .where(
        sheets.c.study_id == bindparam("study"),
        sheets.c.stage == bindparam("stage"),
        sheets.c.purpose == "gold",
        may_have(sheets.c.group_key, sheets.c.id),
    )
    .order_by(sheets.c.position, sheets.c.id)
)
_ABANDONED = (
    select(slots.c.id)
    .where(*PERSON, is_in("abandoned"), slots.c.rank < 0, slots.c.skipped.is_(None))
    .order_by(slots.c.id)
)
_GOLD_ABANDONED = Prepared(_ABANDONED)
_GOLD_AGAIN = Prepared(_ABANDONED.limit(1))
