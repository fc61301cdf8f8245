"""How much is done: by one person, and in a stage as a whole."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, distinct, func, select

from palaver.core.studies.progress import SlotProgress
from palaver.storage.engine.prepared import Prepared
from palaver.storage.engine.statements import different
from palaver.storage.judging.sheets import count_sheets
from palaver.storage.judging.slots import PERSON, is_in
from palaver.storage.schema import participants, slots


@dataclass(frozen=True, slots=True)
class StageTally:
    """What one person has done and holds in a stage; "here" is one visit of theirs.

    `held` counts every sheet in their hands, `real` the real ones that they hold or have done;
    `finished_here` counts checks as well. What they `skipped_here` is not among the abandoned.
    """

    held_here: int
    gold_held_here: int
    done_here: int
    finished_here: int
    held: int
    real: int
    done: int
    gold: int
    abandoned: int
    skipped_here: int = 0


class _Count(NamedTuple):
    """How many slots of one state a person has in one visit, how many of them gold, or skipped."""

    state: str
    assignment_id: int
    every: int
    gold: int
    skipped: int

    @property
    def real(self) -> int:
        return self.every - self.gold


@dataclass(frozen=True, slots=True)
class AttentionTally:
    """How many real sheets a person has done, how many carried a check, how many checks failed."""

    done: int
    checks: int
    missed: int


def tally(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    assignment_id: int,
) -> StageTally:
    """What a person has done and holds in a stage."""
    visits = {participant_id: assignment_id}
    return tallies(connection, study_id=study_id, stage=stage, visits=visits)[participant_id]


def tallies(
    connection: Connection, *, study_id: int, stage: int, visits: Mapping[int, int]
) -> dict[int, StageTally]:
    """What people have done and hold in a stage; `visits` is their assignment, by participant."""
    rows = _TALLY.all(connection, study=study_id, stage=stage, participants=list(visits))
    counted: dict[int, list[_Count]] = {participant: [] for participant in visits}
    for participant, *count in rows:
        counted[participant].append(_Count(*count))
    return {who: _tally(counts, visits[who]) for who, counts in counted.items()}


def attention(
    connection: Connection, *, study_id: int, stage: int, participant_id: int, until: float
) -> AttentionTally:
    """What attention checks have shown of a person in a stage until a moment."""
    row = _ATTENTION.first(
        connection, study=study_id, stage=stage, participant=participant_id, until=until
    )
    assert row is not None
    done, checks, missed = row
    return AttentionTally(done, checks, missed)


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


def progress(connection: Connection, study_id: int, stage: int) -> SlotProgress:
    """How far a stage is."""
    return count_slots(connection, [study_id]).get(study_id, {}).get(stage, NO_SLOTS)


def done_by_crowd(connection: Connection, study_id: int, stage: int) -> dict[str, int]:
    """How many real sheets were judged in a stage, by the crowd that the raters came from."""
    rows = connection.execute(
        select(participants.c.crowd, func.count())
        .select_from(slots)
        .join(participants, participants.c.id == slots.c.participant_id)
        .where(
            slots.c.study_id == study_id,
            slots.c.stage == stage,
            slots.c.state == "done",
            slots.c.rank >= 0,
        )
        .group_by(participants.c.crowd)
        .order_by(participants.c.crowd)
    )
    return {crowd: int(count) for crowd, count in rows}


NO_SLOTS = SlotProgress(0, 0, 0, 0, sheets=0, sheets_done=0)


def count_slots(
    connection: Connection, study_ids: Collection[int]
) -> dict[int, dict[int, SlotProgress]]:
    """How far the real sheets of studies are, by study and stage."""
    states = {
        (study, stage): _count_states(connection, study, stage)
        for study in study_ids
        for stage in different(connection, slots.c.stage, slots.c.study_id == study)
    }
    found: dict[int, dict[int, SlotProgress]] = {}
    for (study, number), counts in states.items():
        if not any(counts.values()):
            continue  # nothing but hidden checks
        free, held, done = (counts.get(state, 0) for state in ("free", "held", "done"))
        every = count_sheets(connection, study, number, "real")
        found.setdefault(study, {})[number] = SlotProgress(
            needed=free + held + done,
            free=free,
            held=held,
            done=done,
            sheets=every,
            sheets_done=every - _count_unfinished(connection, study, number, counts) if done else 0,
        )
    return found


def _count_states(connection: Connection, study_id: int, stage: int) -> dict[str, int]:
    """The slots of real sheets by state; each state is one stretch of an index."""
    return {
        state: connection.execute(
            select(func.count())
            .select_from(slots)
            .where(
                slots.c.study_id == study_id,
                slots.c.stage == stage,
                slots.c.state == state,
                slots.c.rank >= 0,
            )
        ).scalar_one()
        for state in ("free", "held", "done", "abandoned")
    }


def _count_unfinished(
    connection: Connection, study_id: int, stage: int, counts: Mapping[str, int]
) -> int:
    """How many real sheets of a stage lack a rater or were called off; `counts` are slots by state."""
    lacking = [state for state in ("free", "held") if counts.get(state)]
    mine = (slots.c.study_id == study_id, slots.c.stage == stage, slots.c.rank >= 0)
    every = select(func.count(distinct(slots.c.sheet_id)))
    unfinished = 0
    if lacking:
        unfinished += connection.execute(
            every.where(*mine, slots.c.state.in_(lacking))
        ).scalar_one()
    if counts.get("abandoned"):
        # What was called off has no slot but abandoned ones.
        other = slots.alias("other")
        stands = select(other.c.id).where(
            other.c.sheet_id == slots.c.sheet_id, other.c.state != "abandoned"
        )
        unfinished += connection.execute(
            every.where(*mine, slots.c.state == "abandoned", ~stands.exists())
        ).scalar_one()
    return unfinished


def _tally(counts: Sequence[_Count], assignment_id: int) -> StageTally:
    held = [count for count in counts if count.state == "held"]
    done = [count for count in counts if count.state == "done"]
    held_here = [count for count in held if count.assignment_id == assignment_id]
    done_here = [count for count in done if count.assignment_id == assignment_id]
    return StageTally(
        held_here=sum(count.every for count in held_here),
        gold_held_here=sum(count.gold for count in held_here),
        done_here=sum(count.real for count in done_here),
        finished_here=sum(count.every for count in done_here),
        held=sum(count.every for count in held),
        real=sum(count.real for count in (*held, *done)),
        done=sum(count.real for count in done),
        gold=sum(count.gold for count in done),
        abandoned=sum(c.every - c.skipped for c in counts if c.state == "abandoned"),
        skipped_here=sum(c.skipped for c in counts if c.assignment_id == assignment_id),
    )


_TALLY = Prepared(
    select(
        slots.c.participant_id,
        slots.c.state,
        slots.c.assignment_id,
        func.count(),
        func.count().filter(slots.c.rank < 0),
        func.count(slots.c.skipped),
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
    ).where(*PERSON, is_in("done"), slots.c.rank >= 0, slots.c.finished <= bindparam("until"))
)
