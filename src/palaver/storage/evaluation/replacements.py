"""Runs in the store whose version was replaced before anybody began them.

A job's payload says where it stands: planned and nothing more, asked for by hand, or cancelled because
a newer version came. What was asked for by hand, and what somebody has begun, is never replaced.
"""

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, and_, exists, select, update

from palaver.storage.engine.functions import store_now
from palaver.storage.schema.evaluation import jobs, runs

_PLANNED = "{}"
_BY_HAND = '{"by_hand":true}'
_REPLACED = '{"replaced":true}'


def cancel_unbegun(connection: Connection, run_id: int, *, reason: str, now: float) -> bool:
    """Cancel a run that was planned and that nobody has begun; whether it was such a run.

    The job is what a worker claims, so it decides: of a claim and this, one comes first.
    """
    cancelled = connection.execute(
        update(jobs)
        .where(
            jobs.c.run_id == run_id,
            jobs.c.kind == "answer",
            jobs.c.state == "waiting",
            jobs.c.started.is_(None),
            jobs.c.payload == _PLANNED,
        )
        .values(state="cancelled", payload=_REPLACED, finished=now)
    )
    if not cancelled.rowcount:
        return False
    connection.execute(
        update(runs)
        .where(runs.c.id == run_id)
        .values(state="cancelled", reason=reason, finished=now)
    )
    return True


def bring_back(connection: Connection, run_id: int) -> None:
    """Let a run whose version was replaced wait again: that version is the newest once more."""
    connection.execute(
        update(jobs)
        .where(jobs.c.run_id == run_id, _is_replaced())
        .values(state="waiting", payload=_PLANNED, due=store_now(), finished=None)
    )
    connection.execute(
        update(runs).where(runs.c.id == run_id).values(state="waiting", reason="", finished=None)
    )


def ask_by_hand(connection: Connection, run_ids: Collection[int]) -> None:
    """Note that somebody asked for these runs: a newer version does not cancel what waits of them."""
    connection.execute(
        update(jobs)
        .where(
            jobs.c.run_id.in_(run_ids),
            jobs.c.kind == "answer",
            jobs.c.state == "waiting",
            jobs.c.payload == _PLANNED,
        )
        .values(payload=_BY_HAND)
    )


def replaced_runs(connection: Connection, run_ids: Collection[int]) -> set[int]:
    """Those of these runs that were cancelled because their version was replaced."""
    found = connection.execute(
        select(jobs.c.run_id).where(jobs.c.run_id.in_(run_ids), _is_replaced())
    )
    return set(found.scalars())


def was_replaced() -> ColumnElement[bool]:
    """The condition, for a statement about runs, that a run's version was replaced."""
    return exists().where(and_(jobs.c.run_id == runs.c.id, _is_replaced()))


def _is_replaced() -> ColumnElement[bool]:
    return and_(jobs.c.state == "cancelled", jobs.c.payload == _REPLACED)
