"""Slots: the places of raters at sheets, as rows, so that quotas hold under concurrency.

A real sheet has one slot for each rater it needs: free, held by a rater, or done. A slot that was
held for too long is kept as abandoned, and a free one takes its place; so is one that its rater
skipped, which is marked and never handed to them again. A gold sheet has a slot for
everybody who is handed it; such a slot has a negative rank and is never free.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    and_,
    bindparam,
    delete,
    literal_column,
    select,
    update,
)

from palaver.storage.engine.prepared import Prepared
from palaver.storage.judging.sheets import SHEET, StoredSheet, stored_sheet
from palaver.storage.schema import drafts, sheet_people, sheets, slots

PERSON = (
    slots.c.participant_id == bindparam("participant"),
    slots.c.study_id == bindparam("study"),
    slots.c.stage == bindparam("stage"),
)


def is_in(state: str) -> ColumnElement[bool]:
    """That a slot is in this state."""
    # Written out, so that PostgreSQL plans for this state and not for any.
    return slots.c.state == literal_column(f"'{state}'")


def may_have(group: ColumnElement[str], sheet: ColumnElement[int]) -> ColumnElement[bool]:
    """That a person has no slot of a group, and was not part of a sheet's dialogues."""
    mine = slots.alias("mine")
    seen = select(mine.c.id).where(
        mine.c.study_id == bindparam("study"),
        mine.c.stage == bindparam("stage"),
        mine.c.group_key == group,
        mine.c.participant_id == bindparam("participant"),
    )
    present = select(sheet_people.c.sheet_id).where(
        sheet_people.c.sheet_id == sheet,
        sheet_people.c.person.in_(bindparam("people", expanding=True)),
    )
    return and_(~seen.exists(), ~present.exists())


@dataclass(frozen=True, slots=True)
class Slot:
    """One rater's place at a sheet; `has_drafts` says that something is kept of its visit."""

    id: int
    state: str
    participant_id: int | None
    assignment_id: int | None
    since: float
    has_drafts: bool
    sheet: StoredSheet


def claim(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    assignment_id: int,
    people: Collection[str],
    now: float,
) -> int | None:
    """Hold the first free slot that this person may have; its id, or None.

    Nobody is handed two sheets of one group, or a dialogue they took part in. The caller holds the
    lock of the person (`lock_rater`).
    """
    slot_id: int | None = _CLAIM.scalar(
        connection,
        study=study_id,
        stage=stage,
        participant=participant_id,
        people=list(people),
        assignment=assignment_id,
        now=now,
    )
    return slot_id


def reclaim(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    assignment_id: int,
    now: float,
) -> int | None:
    """Hold again a slot that this person had abandoned, if nobody took its place; its id."""
    pair = _RETURN.first(connection, study=study_id, stage=stage, participant=participant_id)
    if pair is None:
        return None
    slot_id, spare_id = pair
    connection.execute(delete(slots).where(slots.c.id == spare_id))
    hold_again(connection, slot_id, assignment_id=assignment_id, now=now)
    return int(slot_id)


def held_by(connection: Connection, *, assignment_id: int, stage: int) -> Slot | None:
    """The slot that a visit holds in a stage, or None."""
    row = _HELD.first(connection, assignment=assignment_id, stage=stage)
    return None if row is None else _slot(row)


def had_any(connection: Connection, *, assignment_id: int, stage: int) -> bool:
    """Whether a visit holds or has ever held a slot in a stage."""
    return _HAD.first(connection, assignment=assignment_id, stage=stage) is not None


def get_slot(connection: Connection, slot_id: int) -> Slot | None:
    row = _SLOT.first(connection, slot=slot_id)
    return None if row is None else _slot(row)


def touch(connection: Connection, slot_id: int, *, assignment_id: int, now: float) -> bool:
    """Note that a visit is at work on the sheet it holds; False if it does not hold it any more."""
    return _TOUCH.change(connection, slot=slot_id, assignment=assignment_id, now=now) == 1


def complete(
    connection: Connection, slot_id: int, *, mistakes: int | None = None, now: float
) -> bool:
    """Count a held slot as done; False if it is not held any more.

    `mistakes` counts the wrong turns of a gold sheet, or the missed attention checks of a real one.
    """
    return _COMPLETE.change(connection, slot=slot_id, mistakes=mistakes, now=now) == 1


def complete_ungraded(
    connection: Connection, slot_ids: Collection[int], *, now: float
) -> dict[int, int]:
    """Count those of these slots as done that are held and whose sheet has no right answers.

    Gives the visit that held each.
    """
    return dict(_UNGRADED.all(connection, slots=list(slot_ids), now=now))


def count_free(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    people: Collection[str],
    most: int,
) -> int:
    """How many sheets this person could be handed one after the other now; counted up to `most`."""
    if most <= 0:
        return 0
    found = _FREE_GROUPS.all(
        connection,
        study=study_id,
        stage=stage,
        participant=participant_id,
        people=list(people),
        most=most,
    )
    return len(found)


def count_returning(
    connection: Connection, *, study_id: int, stage: int, participant_id: int
) -> int:
    """How many sheets that this person had abandoned `reclaim` would hold again."""
    rows = _RETURNING.all(connection, study=study_id, stage=stage, participant=participant_id)
    return len({slot_id for slot_id, _ in rows})


def any_free(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    people: Collection[str],
) -> bool:
    """Whether there is a slot that `claim` would hold for this person."""
    found = _FREE.first(
        connection, study=study_id, stage=stage, participant=participant_id, people=list(people)
    )
    return found is not None


def any_left(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    people: Collection[str],
) -> bool:
    """Whether others hold a slot (or take one this moment) that this person could have later."""
    found = _LEFT.first(
        connection, study=study_id, stage=stage, participant=participant_id, people=list(people)
    )
    return found is not None


def fill(
    connection: Connection, sheet_id: int, *, participant_id: int, assignment_id: int, now: float
) -> bool:
    """Count a free slot of a sheet as done by somebody who judged it elsewhere; False if none is free.

    Elsewhere one person may have judged two sheets of a group: the second has its rater all the same,
    but no name.
    """
    free = connection.execute(
        select(slots.c.id, slots.c.study_id, slots.c.stage, slots.c.group_key)
        .where(slots.c.sheet_id == sheet_id, is_in("free"))
        .order_by(slots.c.rank)
        .limit(1)
    ).first()
    if free is None:
        return False
    has_one = connection.execute(
        select(slots.c.id).where(
            slots.c.participant_id == participant_id,
            slots.c.study_id == free.study_id,
            slots.c.stage == free.stage,
            slots.c.group_key == free.group_key,
        )
    ).first()
    who = {} if has_one else {"participant_id": participant_id, "assignment_id": assignment_id}
    connection.execute(
        update(slots)
        .where(slots.c.id == free.id)
        .values(state="done", since=now, seen=now, finished=now, **who)
    )
    return True


def hold_again(connection: Connection, slot_id: int, *, assignment_id: int, now: float) -> None:
    """Hold a slot that was abandoned, in this visit of the same person."""
    connection.execute(
        update(slots)
        .where(slots.c.id == slot_id)
        .values(state="held", assignment_id=assignment_id, since=now, seen=now)
    )


def _slot(row: Sequence[Any]) -> Slot:
    slot_id, state, participant_id, assignment_id, since, kept, *sheet = row
    return Slot(
        slot_id, state, participant_id, assignment_id, since, bool(kept), stored_sheet(sheet)
    )


_SELECT_SLOT = (
    select(
        slots.c.id,
        slots.c.state,
        slots.c.participant_id,
        slots.c.assignment_id,
        slots.c.since,
        select(drafts.c.assignment_id)
        .where(drafts.c.assignment_id == slots.c.assignment_id)
        .exists(),
        *SHEET,
    )
    .select_from(sheets)
    .join(slots, slots.c.sheet_id == sheets.c.id)
)
_SLOT = Prepared(_SELECT_SLOT.where(slots.c.id == bindparam("slot")))
_HELD = Prepared(
    _SELECT_SLOT.where(
        slots.c.assignment_id == bindparam("assignment"),
        slots.c.stage == bindparam("stage"),
        is_in("held"),
    )
    .order_by(slots.c.id)
    .limit(1)
)
_HAD = Prepared(
    select(slots.c.id)
    .where(slots.c.assignment_id == bindparam("assignment"), slots.c.stage == bindparam("stage"))
    .limit(1)
)
_WANTED = select(slots.c.id).where(
    slots.c.study_id == bindparam("study"),
    slots.c.stage == bindparam("stage"),
    slots.c.state.in_((literal_column("'free'"), literal_column("'held'"))),
    slots.c.rank >= 0,
)
_LEFT = Prepared(_WANTED.where(may_have(slots.c.group_key, slots.c.sheet_id)).limit(1))
_first = slots.alias("first_free")
_FIRST_FREE = (
    select(_first.c.id)
    .where(
        _first.c.study_id == bindparam("study"),
        _first.c.stage == bindparam("stage"),
        _first.c.state == literal_column("'free'"),
        may_have(_first.c.group_key, _first.c.sheet_id),
    )
    .order_by(_first.c.rank)
    .limit(1)
)
_FREE = Prepared(_FIRST_FREE)
_FREE_GROUPS = Prepared(
    select(_first.c.group_key)
    .where(
        _first.c.study_id == bindparam("study"),
        _first.c.stage == bindparam("stage"),
        _first.c.state == literal_column("'free'"),
        may_have(_first.c.group_key, _first.c.sheet_id),
    )
    .distinct()
    .limit(bindparam("most", type_=Integer))
)
_CLAIM = Prepared(
    update(slots)
    .where(slots.c.id == _FIRST_FREE.with_for_update(skip_locked=True).scalar_subquery())
    .values(
        state="held",
        participant_id=bindparam("participant"),
        assignment_id=bindparam("assignment"),
        since=bindparam("now"),
        seen=bindparam("now"),
    )
    .returning(slots.c.id)
)
_TOUCH = Prepared(
    update(slots)
    .where(
        slots.c.id == bindparam("slot"),
        slots.c.assignment_id == bindparam("assignment"),
        is_in("held"),
    )
    .values(seen=bindparam("now"))
)
_COMPLETE = Prepared(
    update(slots)
    .where(slots.c.id == bindparam("slot"), is_in("held"))
    .values(
        state="done",
        seen=bindparam("now"),
        finished=bindparam("now"),
        mistakes=bindparam("mistakes"),
    )
)
_UNGRADED = Prepared(
    update(slots)
    .where(
        slots.c.id.in_(bindparam("slots", expanding=True)),
        is_in("held"),
        ~select(sheets.c.id)
        .where(sheets.c.id == slots.c.sheet_id, sheets.c.truth.is_not(None))
        .exists(),
    )
    .values(state="done", seen=bindparam("now"), finished=bindparam("now"), mistakes=None)
    .returning(slots.c.id, slots.c.assignment_id)
)
_spare = slots.alias("spare")
_WITH_SPARE = (
    select(slots.c.id, _spare.c.id)
    .join(_spare, and_(_spare.c.sheet_id == slots.c.sheet_id, _spare.c.state == "free"))
    .where(*PERSON, is_in("abandoned"), slots.c.rank >= 0, slots.c.skipped.is_(None))
    .order_by(slots.c.id, _spare.c.id)
)
_RETURN = Prepared(_WITH_SPARE.limit(1).with_for_update(skip_locked=True, of=_spare))
_RETURNING = Prepared(_WITH_SPARE)
