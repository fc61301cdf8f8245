"""Whether a study has anything left for somebody who comes now.

It is asked before people read and agree, and again until they begin: nobody works towards a place
that is gone. The services that hand out places and sheets answer; the pages and the desk ask here.
"""

from typing import Literal

from sqlalchemy import Connection

from palaver.annotation import assignment as sheets
from palaver.annotation import screening
from palaver.annotation.assignment import Nothing
from palaver.annotation.plan import RatePlan, ScreenPlan
from palaver.annotation.screening import Settled
from palaver.collection import pairing
from palaver.collection.pairing import Full
from palaver.storage.people.participants import Assignment
from palaver.studies.run.life import read_life
from palaver.studies.run.running_study import RunningStudy
from palaver.studies.run.work import rater_in
from palaver.studies.stages import ChatStage, RateStage, ScreenStage

# "full": there is nothing left. "decided": the study's rule has stopped it. "taken": others hold
# what is left, and may give it back. "nothing_yet": more comes from another study. "enough": this
# person has done all that one person may. "not_eligible": it was decided earlier that they do not go on.
# "paused" and "closed": somebody decided so, or a date. "not_yet_open": its first date is still to come.
Closed = Literal[
    "full",
    "decided",
    "taken",
    "nothing_yet",
    "enough",
    "not_eligible",
    "paused",
    "closed",
    "not_yet_open",
]

# What may pass by itself: a visit waits for it, unless its person would rather stop.
MAY_PASS = frozenset({"taken", "nothing_yet", "paused", "not_yet_open"})

_SHEETS: dict[str, Closed] = {
    "none_left": "full",
    "decided": "decided",
    "rater_full": "enough",
    "visit_full": "enough",
    "barred": "not_eligible",
    "taken": "taken",
    "at_once": "taken",
}


def shut(connection: Connection, study: RunningStudy, *, now: float) -> Closed | None:
    """Why a study takes nobody in now, whatever is left in it; who is inside goes on all the same."""
    life = read_life(connection, study.id, study.definition, now=now)
    return None if life.state == "open" else life.state


def closed_to(
    connection: Connection,
    study: RunningStudy,
    assignment: Assignment,
    *,
    first: int = 0,
    now: float | None = None,
) -> Closed | None:
    """Why a visit that begins at the stage `first` comes to nothing; None if it does not.

    With `now` it begins the study, and is asked whether that takes people in. Sheets that come after
    a chat do not count: whoever chatted has finished without them, too.
    """
    if now is not None and (closed := shut(connection, study, now=now)) is not None:
        return closed
    # Asked before the store is: what is taken in meanwhile is not seen there, but would count as done.
    is_all_here = study.taken_in.is_set()
    for index, stage in enumerate(study.definition.stages):
        found: Closed | None = None
        if index < first:
            continue
        if isinstance(stage, ChatStage) and stage.practice:
            continue
        if isinstance(stage, ChatStage):
            return _of_chat(connection, study, index)
        if index in study.rates:
            found = _of_sheets(connection, study, study.rates[index], assignment, is_all_here)
        elif isinstance(stage, ScreenStage):
            found = _of_practice(connection, study, study.screens[index], stage, assignment)
        if found is not None:
            return found
    return None


def _of_chat(connection: Connection, study: RunningStudy, index: int) -> Closed | None:
    full = pairing.full(connection, study.plans[index])
    return None if full is None else without_place(full)


def without_place(full: Full) -> Closed:
    """What it means for a visit that there is no place for it to talk."""
    if full.decided:
        return "decided"
    return "full" if full.final else "taken"


def _of_sheets(
    connection: Connection,
    study: RunningStudy,
    plan: RatePlan,
    assignment: Assignment,
    is_all_here: bool,
) -> Closed | None:
    nothing = sheets.foresee(connection, plan, rater_in(study, assignment, plan.stage))
    if nothing is None:
        return None
    if nothing.reason in ("none_left", "taken") and not is_all_here:
        return None  # more may come while a file is still being taken in
    return without_sheet(study, plan, nothing)


def without_sheet(study: RunningStudy, plan: RatePlan, nothing: Nothing) -> Closed:
    """What it means for a visit that nothing can be handed out to it."""
    stage = study.definition.stages[plan.stage]
    if nothing.reason == "none_left" and isinstance(stage, RateStage) and stage.source:
        return "nothing_yet"
    return _SHEETS[nothing.reason]


def _of_practice(
    connection: Connection,
    study: RunningStudy,
    plan: ScreenPlan,
    stage: ScreenStage,
    assignment: Assignment,
) -> Closed | None:
    found = screening.foresee(connection, plan, rater_in(study, assignment, plan.stage))
    if found is None:
        return None
    if not isinstance(found, Settled):
        return "full"
    if found.passed:
        return "enough" if stage.on_pass == "end" else None
    return "not_eligible" if stage.on_fail == "end" else None
