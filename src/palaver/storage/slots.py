"""Slots: the places of raters at sheets, as rows, so that quotas hold under concurrency.

A real sheet has one slot for each rater it needs: free, held by a rater, or done. A slot that was
held for too long is kept as abandoned, and a free one takes its place. A gold sheet has a slot for
everybody who is handed it; such a slot has a negative rank and is never free.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from palaver.core.errors import ConflictError
from palaver.storage.prepared import Prepared
from palaver.storage.schema import dialogues, labels, participants, sheet_people, sheets, slots
from palaver.storage.sheets import SHEET, StoredSheet, count_sheets, stored_sheet

# The rank of a slot that is made for one rater and never handed out by rank.
EXTRA = -1


@dataclass(frozen=True, slots=True)
class Slot:
    """One rater's place at a sheet; `done` counts the real sheets of their visit to this stage."""

    id: int
    state: str
    participant_id: int | None
    assignment_id: int | None
    since: float
    done: int
    sheet: StoredSheet


@dataclass(frozen=True, slots=True)
class Tally:
    """What one person has done and holds in a stage; "here" is one visit of theirs.

    `held` counts every sheet in their hands, `real` the real ones that they hold or have done.
    """

    held_here: int
    done_here: int
    held: int
    real: int
    done: int
    gold: int
    abandoned: int


class _Count(NamedTuple):
    """How many slots of one state a person has in one visit, and how many of them are gold."""

    state: str
    assignment_id: int
    every: int
    gold: int

    @property
    def real(self) -> int:
        return self.every - self.gold


@dataclass(frozen=True, slots=True)
class Attention:
    """How many real sheets a person has done, how many carried a check, how many checks failed."""

    done: int
    checks: int
    missed: int


@dataclass(frozen=True, slots=True)
class SlotProgress:
    """How far a stage is: slots by state, and sheets that have all their raters."""

    needed: int
    free: int
    held: int
    done: int
    sheets: int
    sheets_done: int


def lock_rater(connection: Connection, participant_id: int) -> None:
    """Keep other transactions from serving this person until this one ends.

    ConflictError if another one serves them right now: a group commit that waited for another
    process's could wait for ever, so whoever asked asks again.
    """
    lock_raters(connection, [participant_id])


def lock_raters(connection: Connection, participant_ids: Collection[int]) -> None:
    """Keep other transactions from serving these people, as `lock_rater` does for one."""
    if connection.dialect.name == "sqlite":
        return  # one writer at a time
    wanted = set(participant_ids)
    if len(_LOCK.all(connection, participants=list(wanted))) < len(wanted):
        raise ConflictError("Another request of this person is being served. Try again.")


def tally(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    assignment_id: int,
) -> Tally:
    """What a person has done and holds in a stage."""
    visits = {participant_id: assignment_id}
    return tallies(connection, study_id=study_id, stage=stage, visits=visits)[participant_id]


def tallies(
    connection: Connection, *, study_id: int, stage: int, visits: Mapping[int, int]
) -> dict[int, Tally]:
    """What people have done and hold in a stage; `visits` is their assignment, by participant."""
    rows = _TALLY.all(connection, study=study_id, stage=stage, participants=list(visits))
    counted: dict[int, list[_Count]] = {participant: [] for participant in visits}
    for participant, *count in rows:
        counted[participant].append(_Count(*count))
    return {who: _tally(counts, visits[who]) for who, counts in counted.items()}


def attention(
    connection: Connection, *, study_id: int, stage: int, participant_id: int, until: float
) -> Attention:
    """What attention checks have shown of a person in a stage until a moment."""
    row = _ATTENTION.first(
        connection, study=study_id, stage=stage, participant=participant_id, until=until
    )
    assert row is not None
    done, checks, missed = row
    return Attention(done, checks, missed)


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
    _hold_again(connection, slot_id, assignment_id=assignment_id, now=now)
    return int(slot_id)


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
        _hold_again(connection, slot_id, assignment_id=assignment_id, now=now)
    return slot_id


def held_by(connection: Connection, *, assignment_id: int, stage: int) -> Slot | None:
    """The slot that a visit holds in a stage, or None."""
    row = _HELD.first(connection, assignment=assignment_id, stage=stage)
    return None if row is None else _slot(row)


def get_slot(connection: Connection, slot_id: int) -> Slot | None:
    """The slot with this id, or None."""
    row = _SLOT.first(connection, slot=slot_id)
    return None if row is None else _slot(row)


def touch(connection: Connection, slot_id: int, now: float) -> None:
    """Note that the rater of a slot is there."""
    _TOUCH.change(connection, slot=slot_id, now=now)


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


def count_done(connection: Connection, *, assignment_id: int, stage: int) -> int:
    """How many real sheets a visit has finished in a stage."""
    return connection.execute(
        select(func.count())
        .select_from(slots)
        .where(
            slots.c.assignment_id == assignment_id,
            slots.c.stage == stage,
            slots.c.state == "done",
            slots.c.rank >= 0,
        )
    ).scalar_one()


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


def abandon_stale(
    connection: Connection, *, now: float, limits: Mapping[tuple[int, int], float]
) -> int:
    """Give back what was held without a sign for longer than its stage allows; how many slots.

    `limits` holds seconds by study and stage. A slot that another process is giving back, or whose
    rater is finishing it, is passed over.
    """
    abandoned = 0
    for (study_id, stage), limit in limits.items():
        stale = connection.execute(
            select(slots.c.id)
            .where(
                slots.c.study_id == study_id,
                slots.c.stage == stage,
                slots.c.state == "held",
                slots.c.seen < now - limit,
            )
            .order_by(slots.c.sheet_id, slots.c.id)
            .with_for_update(skip_locked=True)
        )
        abandoned += _abandon(connection, list(stale.scalars()))
    return abandoned


def reopen(connection: Connection, assignment_id: int) -> int:
    """Give back every slot under which a visit that withdrew judged, also done ones; how many."""
    judged = select(labels.c.slot_id).where(
        labels.c.assignment_id == assignment_id, labels.c.slot_id.is_not(None)
    )
    mine = connection.execute(
        select(slots.c.id)
        .where(
            or_(slots.c.assignment_id == assignment_id, slots.c.id.in_(judged)),
            slots.c.state.in_(("held", "done")),
        )
        .order_by(slots.c.sheet_id, slots.c.id)
        .with_for_update()
    )
    return _abandon(connection, list(mine.scalars()))


def call_off(connection: Connection, dialogue_ids: list[int]) -> int:
    """Take away the free slots of sheets made of these dialogues; how many."""
    if not dialogue_ids:
        return 0
    # Such a sheet is named after its dialogue, or after the group that was held together.
    named = select(dialogues.c.key, dialogues.c.group_key).where(dialogues.c.id.in_(dialogue_ids))
    names = {name for row in connection.execute(named) for name in row}
    made = select(sheets.c.id).where(sheets.c.name.in_(names))
    return connection.execute(
        delete(slots).where(slots.c.sheet_id.in_(made), slots.c.state == "free")
    ).rowcount


def is_open(connection: Connection, study_id: int, stage: int) -> bool:
    """Whether a sheet still wants a rater, or is in somebody's hands: one look-up."""
    return _OPEN.first(connection, study=study_id, stage=stage) is not None


def progress(connection: Connection, study_id: int, stage: int) -> SlotProgress:
    """How far a stage is."""
    mine = (slots.c.study_id == study_id, slots.c.stage == stage, slots.c.rank >= 0)
    rows = connection.execute(
        select(slots.c.state, func.count()).where(*mine).group_by(slots.c.state)
    )
    counts = {row.state: row[1] for row in rows}
    free, held, done = (counts.get(state, 0) for state in ("free", "held", "done"))
    done_sheets = (
        select(slots.c.sheet_id)
        .where(*mine, slots.c.state != "abandoned")
        .group_by(slots.c.sheet_id)
        .having(func.count() == func.count().filter(slots.c.state == "done"))
    )
    return SlotProgress(
        needed=free + held + done,
        free=free,
        held=held,
        done=done,
        sheets=count_sheets(connection, study_id, stage, "real"),
        sheets_done=connection.execute(
            select(func.count()).select_from(done_sheets.subquery())
        ).scalar_one(),
    )


def _abandon(connection: Connection, slot_ids: list[int]) -> int:
    """Abandon slots whose rows are locked, and make a free one for each that belongs to a quota."""
    if not slot_ids:
        return 0
    chosen = slots.c.id.in_(slot_ids)
    connection.execute(update(slots).where(chosen).values(state="abandoned"))
    gone = connection.execute(
        select(slots.c.sheet_id, slots.c.study_id, slots.c.stage, slots.c.group_key, slots.c.rank)
        .where(chosen, slots.c.rank >= 0)
        .order_by(slots.c.sheet_id, slots.c.id)
    ).all()
    of_sheets = sorted({row.sheet_id for row in gone})
    # Two processes would give two slots of one sheet one number.
    connection.execute(
        select(sheets.c.id)
        .where(sheets.c.id.in_(of_sheets))
        .order_by(sheets.c.id)
        .with_for_update(key_share=True)
    )
    numbers = connection.execute(
        select(slots.c.sheet_id, func.max(slots.c.number))
        .where(slots.c.sheet_id.in_(of_sheets))
        .group_by(slots.c.sheet_id)
    )
    highest = {row.sheet_id: row[1] for row in numbers}
    free = []
    for row in gone:
        highest[row.sheet_id] += 1
        free.append({**row._mapping, "number": highest[row.sheet_id], "state": "free"})
    if free:
        connection.execute(insert(slots), free)
    return len(slot_ids)


def _tally(counts: Sequence[_Count], assignment_id: int) -> Tally:
    held = [count for count in counts if count.state == "held"]
    done = [count for count in counts if count.state == "done"]
    return Tally(
        held_here=sum(count.every for count in held if count.assignment_id == assignment_id),
        done_here=sum(count.real for count in done if count.assignment_id == assignment_id),
        held=sum(count.every for count in held),
        real=sum(count.real for count in (*held, *done)),
        done=sum(count.real for count in done),
        gold=sum(count.gold for count in done),
        abandoned=sum(count.every for count in counts if count.state == "abandoned"),
    )


def _hold_again(connection: Connection, slot_id: int, *, assignment_id: int, now: float) -> None:
    connection.execute(
        update(slots)
        .where(slots.c.id == slot_id)
        .values(state="held", assignment_id=assignment_id, since=now, seen=now)
    )


def _slot(row: Sequence[Any]) -> Slot:
    slot_id, state, participant_id, assignment_id, since, done, *sheet = row
    return Slot(slot_id, state, participant_id, assignment_id, since, done, stored_sheet(sheet))


def _literals(*values: Any) -> tuple[ColumnElement[Any], ...]:
    return tuple(bindparam(None, value, unique=True) for value in values)


def _is(state: str) -> ColumnElement[bool]:
    # Written out, so that PostgreSQL plans for this state and not for any.
    return slots.c.state == literal_column(f"'{state}'")


def _may_have(group: ColumnElement[str], sheet: ColumnElement[int]) -> ColumnElement[bool]:
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


_PERSON = (
    slots.c.participant_id == bindparam("participant"),
    slots.c.study_id == bindparam("study"),
    slots.c.stage == bindparam("stage"),
)
_TALLY = Prepared(
    select(
        slots.c.participant_id,
        slots.c.state,
        slots.c.assignment_id,
        func.count(),
        func.count().filter(slots.c.rank < 0),
    )
    .where(
        slots.c.participant_id.in_(bindparam("participants", expanding=True)),
        slots.c.study_id == bindparam("study"),
        slots.c.stage == bindparam("stage"),
    )
    .group_by(slots.c.participant_id, slots.c.state, slots.c.assignment_id)
)
_ATTENTION = Prepared(
    select(
        func.count(), func.count(slots.c.mistakes), func.coalesce(func.sum(slots.c.mistakes), 0)
    ).where(*_PERSON, _is("done"), slots.c.rank >= 0, slots.c.finished <= bindparam("until"))
)
_LOCK = Prepared(
    select(participants.c.id)
    .where(participants.c.id.in_(bindparam("participants", expanding=True)))
    .with_for_update(key_share=True, skip_locked=True)
)
_done = slots.alias("done")
_SELECT_SLOT = (
    select(
        slots.c.id,
        slots.c.state,
        slots.c.participant_id,
        slots.c.assignment_id,
        slots.c.since,
        # Counted in an index alone.
        select(func.count())
        .select_from(_done)
        .where(
            _done.c.participant_id == slots.c.participant_id,
            _done.c.study_id == slots.c.study_id,
            _done.c.stage == slots.c.stage,
            _done.c.state == literal_column("'done'"),
            _done.c.assignment_id == slots.c.assignment_id,
            _done.c.rank >= 0,
        )
        .scalar_subquery(),
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
        _is("held"),
    )
    .order_by(slots.c.id)
    .limit(1)
)
_LEFT = Prepared(
    select(slots.c.id)
    .where(
        slots.c.study_id == bindparam("study"),
        slots.c.stage == bindparam("stage"),
        slots.c.state.in_((literal_column("'free'"), literal_column("'held'"))),
        slots.c.rank >= 0,
        _may_have(slots.c.group_key, slots.c.sheet_id),
    )
    .limit(1)
)
_OPEN = Prepared(
    select(slots.c.id)
    .where(
        slots.c.study_id == bindparam("study"),
        slots.c.stage == bindparam("stage"),
        slots.c.state.in_((literal_column("'free'"), literal_column("'held'"))),
        slots.c.rank >= 0,
    )
    .limit(1)
)
_first = slots.alias("first_free")
_CLAIM = Prepared(
    update(slots)
    .where(
        slots.c.id
        == select(_first.c.id)
        .where(
            _first.c.study_id == bindparam("study"),
            _first.c.stage == bindparam("stage"),
            _first.c.state == literal_column("'free'"),
            _may_have(_first.c.group_key, _first.c.sheet_id),
        )
        .order_by(_first.c.rank)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
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
    update(slots).where(slots.c.id == bindparam("slot"), _is("held")).values(seen=bindparam("now"))
)
_COMPLETE = Prepared(
    update(slots)
    .where(slots.c.id == bindparam("slot"), _is("held"))
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
        _is("held"),
        ~select(sheets.c.id)
        .where(sheets.c.id == slots.c.sheet_id, sheets.c.truth.is_not(None))
        .exists(),
    )
    .values(state="done", seen=bindparam("now"), finished=bindparam("now"), mistakes=None)
    .returning(slots.c.id, slots.c.assignment_id)
)
_UNSEEN = Prepared(
    select(sheets.c.id)
    .where(
        sheets.c.study_id == bindparam("study"),
        sheets.c.stage == bindparam("stage"),
        sheets.c.purpose == "gold",
        _may_have(sheets.c.group_key, sheets.c.id),
    )
    .order_by(sheets.c.position, sheets.c.id)
)
_GOLD_AGAIN = Prepared(
    select(slots.c.id)
    .where(*_PERSON, _is("abandoned"), slots.c.rank < 0)
    .order_by(slots.c.id)
    .limit(1)
)
_spare = slots.alias("spare")
_RETURN = Prepared(
    select(slots.c.id, _spare.c.id)
    .join(_spare, and_(_spare.c.sheet_id == slots.c.sheet_id, _spare.c.state == "free"))
    .where(*_PERSON, _is("abandoned"), slots.c.rank >= 0)
    .order_by(slots.c.id, _spare.c.id)
    .limit(1)
    .with_for_update(skip_locked=True, of=_spare)
)
