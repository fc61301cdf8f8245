"""How far a rater is in a visit: which of how many sheets they hold.

Checks count like any other sheet, done and to come. A number that stood still at one, or that went
beyond its total, would tell which sheet is a check.
"""

from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.annotation.assignment import Rater
from palaver.annotation.plan import RatePlan
from palaver.storage.judging import gold_slots, slot_counts, slots
from palaver.storage.judging.slot_counts import StageTally


@dataclass(frozen=True, slots=True)
class Workload:
    """The sheet in hand is number `position` of `total` in this visit."""

    position: int
    total: int


def workload(connection: Connection, plan: RatePlan, rater: Rater) -> Workload | None:
    """Where this visit is in its stage; None where nothing limits how many sheets it gets.

    The total is what this person will be handed if nobody else takes a sheet meanwhile. It falls when
    others were quicker, and it is never less than the position.
    """
    if not plan.is_limited:
        return None
    person = {
        "study_id": plan.study_id,
        "stage": plan.stage,
        "participant_id": rater.participant_id,
    }
    tally = slot_counts.tally(connection, **person, assignment_id=rater.assignment_id)
    allowed = _allowed(plan, tally)
    there = slots.count_free(connection, **person, people=rater.names, most=allowed)
    if tally.abandoned:
        there += slots.count_returning(connection, **person)
    real = min(allowed, there)
    gold = _gold(connection, plan, rater, tally, real=real) if plan.gold is not None else 0
    begun = tally.finished_here + tally.held_here + tally.skipped_here
    return Workload(position=max(1, begun), total=max(1, begun) + real + gold)


def _allowed(plan: RatePlan, tally: StageTally) -> int:
    """How many more real sheets the limits of the stage allow."""
    here = tally.done_here + tally.held_here - tally.gold_held_here + tally.skipped_here
    limits = (
        plan.per_visit is not None and plan.per_visit - here,
        plan.per_rater is not None and plan.per_rater - tally.real,
    )
    return max(0, min(limit for limit in limits if limit is not False))


def _gold(
    connection: Connection, plan: RatePlan, rater: Rater, tally: StageTally, *, real: int
) -> int:
    """How many checks come after the sheet in hand, when `real` more sheets follow it."""
    assert plan.gold is not None
    held = tally.held_here - tally.gold_held_here
    due = plan.gold.planned(tally.done + held + real) - tally.gold - tally.gold_held_here
    if due <= 0:
        return 0
    there = gold_slots.count_gold(
        connection,
        study_id=plan.study_id,
        stage=plan.stage,
        participant_id=rater.participant_id,
        people=rater.names,
    )
    return min(due, there)
