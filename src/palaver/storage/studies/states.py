"""Openings, pauses and closings of studies: one row after another, the last one stands."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from palaver.core.audit import Actor
from palaver.core.studies.life import StateChange, StudyState
from palaver.storage.schema import study_states


def add_state(
    connection: Connection,
    study_id: int,
    state: StudyState,
    *,
    by: Actor,
    reason: str,
    now: float,
) -> StateChange:
    """Store that a study is in a state from now on."""
    row = {
        "study_id": study_id,
        "state": state,
        "account": by.name,
        "via": by.via,
        "reason": reason,
        "time": now,
    }
    connection.execute(insert(study_states).values(row))
    return StateChange(state=state, account=by.name, via=by.via, reason=reason, time=now)


def latest_state(connection: Connection, study_id: int) -> StateChange | None:
    """What was done last about a study being open; None for one that is open from the beginning."""
    row = connection.execute(
        select(study_states)
        .where(study_states.c.study_id == study_id)
        .order_by(study_states.c.id.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else _change(row)


def list_states(connection: Connection, study_id: int) -> list[StateChange]:
    """Every opening, pause and closing of a study, oldest first."""
    rows = connection.execute(
        select(study_states).where(study_states.c.study_id == study_id).order_by(study_states.c.id)
    )
    return [_change(row) for row in rows]


def latest_states(connection: Connection) -> Mapping[int, StateChange]:
    """What was done last about each study, by id; studies without anything are left out."""
    last = select(func.max(study_states.c.id)).group_by(study_states.c.study_id)
    rows = connection.execute(select(study_states).where(study_states.c.id.in_(last)))
    return {row.study_id: _change(row) for row in rows}


def _change(row: Row[Any]) -> StateChange:
    return StateChange(
        state=row.state, account=row.account, via=row.via, reason=row.reason, time=row.time
    )
