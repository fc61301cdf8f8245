"""The life of a study: open, paused, closed; by whom it was decided, and what its dates say.

Nothing is kept in memory: whoever lets people in asks the store, so that a pause holds at once and on
every process. Nobody new begins in a study that is paused or closed; whoever is inside finishes.
See docs/study-life.md.
"""

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.deadlines import written_moment
from palaver.core.errors import ConflictError, InputError
from palaver.core.studies.life import LifeMove, StateChange, StateHistory, StudyLife, StudyState
from palaver.core.studies.stops import StudyStop
from palaver.storage.audit.entries import record
from palaver.storage.studies.states import add_state, latest_state, list_states
from palaver.storage.studies.stops import find_stop
from palaver.storage.studies.studies import hold_study
from palaver.studies.file.definition import Study
from palaver.studies.file.terms import Dates

MOST_REASON = 500
# What a study must be for each move, what it becomes, and the act that is recorded.
_FROM: Mapping[LifeMove, tuple[StudyState, ...]] = {
    "pause": ("open",),
    "resume": ("paused",),
    "close": ("open", "paused"),
    "reopen": ("closed",),
}
_TO: Mapping[LifeMove, StudyState] = {
    "pause": "paused",
    "resume": "open",
    "close": "closed",
    "reopen": "open",
}
_ADVICE: Mapping[LifeMove, str] = {
    "pause": "Reopen a closed study; a paused one can be resumed or closed.",
    "resume": "Only a paused study is resumed; a closed one is reopened.",
    "close": "A closed study can be reopened.",
    "reopen": "Only a closed study is reopened; a paused one is resumed.",
}


def life_of(
    last: StateChange | None, stop: StudyStop | None, dates: Dates | None, now: float
) -> StudyLife:
    """What is true of a study now: by what was done last, its rule, and the dates of its file."""
    opens = None if dates is None else dates.opening
    closes = None if dates is None else dates.closing
    life = StudyLife(opens=opens, closes=closes, by_rule=stop is not None)
    if last is not None:
        told = replace(life, account=last.account, via=last.via, reason=last.reason)
        life = replace(told, since=last.time) if stop is None or last.state != "open" else life
    if last is not None and last.state != "open":
        return replace(life, state=last.state)
    if stop is not None:
        return replace(life, since=stop.time)
    if closes is not None and now >= closes:
        return StudyLife(state="closed", since=closes, by_dates=True, opens=opens, closes=closes)
    if opens is not None and now < opens:
        return StudyLife(state="not_yet_open", by_dates=True, opens=opens, closes=closes)
    return life if life.since is not None else replace(life, since=opens)


def read_life(
    connection: Connection, study_id: int, definition: Study | None, *, now: float
) -> StudyLife:
    """Whether a study takes people in now, since when and why; without its file dates are unknown."""
    return life_of(
        latest_state(connection, study_id),
        find_stop(connection, study_id),
        None if definition is None else definition.dates,
        now,
    )


def read_history(connection: Connection, study_id: int) -> StateHistory:
    """Every opening, pause and closing of a study, oldest first."""
    return StateHistory(list_states(connection, study_id))


def is_open(connection: Connection, study_id: int, definition: Study, *, now: float) -> bool:
    """Whether somebody may begin now, as far as people and dates decide; rules are asked elsewhere."""
    last = latest_state(connection, study_id)
    return life_of(last, None, definition.dates, now).state == "open"


def change_life(
    connection: Connection,
    study_id: int,
    name: str,
    definition: Study | None,
    move: LifeMove,
    *,
    actor: Actor,
    reason: str = "",
    now: float,
) -> StudyLife:
    """Pause, resume, close or reopen a study; ConflictError where that is not to be done now.

    Nobody in particular (a server by itself) resumes only what it paused itself.
    """
    why = reason.strip()
    if len(why) > MOST_REASON or "\0" in why:
        raise InputError(f"A reason has at most {MOST_REASON} characters; got {len(why):,}.")
    hold_study(connection, study_id)
    last = latest_state(connection, study_id)
    state: StudyState = "open" if last is None else last.state
    life = read_life(connection, study_id, definition, now=now)
    if move == "reopen" and life.by_rule and life.state != "closed":
        raise ConflictError(
            "The study was stopped by its rule and stays stopped. To go on, serve it as a new "
            "study: give it another 'name'."
        )
    if move in ("reopen", "resume") and life.by_rule:
        raise ConflictError(
            f"The study was stopped by its rule, so it is not to {move}. To go on, serve it as a "
            "new study: give it another 'name'."
        )
    if move == "reopen" and life.by_dates and life.closes is not None:
        raise ConflictError(
            f"The study closed on {written_moment(life.closes)}, as its dates say. Change 'closes' "
            "under 'dates' to go on."
        )
    if state not in _FROM[move]:
        shown = life.words or life.state
        raise ConflictError(f"The study is {shown}. {_ADVICE[move]}")
    if move == "resume" and actor.via == "server" and last is not None and last.via != "server":
        raise ConflictError("Somebody paused the study: it does not resume by itself.")
    add_state(connection, study_id, _TO[move], by=actor, reason=why, now=now)
    record(
        connection,
        f"study.{move}",
        by=actor,
        now=now,
        subject=name,
        study_id=study_id,
        detail={"reason": why} if why else {},
    )
    return read_life(connection, study_id, definition, now=now)
