"""Jobs in the store: what is to be done, who does it, and every attempt that failed.

A worker claims a job and holds it under a lease that it renews. A lease that ran out, or whose
process has ended, is taken back and the job is claimed again. Times that several hosts must agree on
(when a job is due, when a lease ends) are the database's own.
"""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, and_, case, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.clock import Backoff
from palaver.core.errors import LeaseLostError
from palaver.core.evaluation.runs import Job, JobFailure, JobKind
from palaver.core.raw_answers import RawAnswer
from palaver.storage.engine.holders import is_gone
from palaver.storage.engine.statements import store_now
from palaver.storage.schema.evaluation import job_failures, jobs

LEASE_SECONDS = 30.0
# How often a claim is tried again after another process took the lane first.
CLAIM_TRIES = 5


class _Payload(msgspec.Struct, frozen=True, omit_defaults=True):
    raw: RawAnswer | None = None


_decode = msgspec.json.Decoder(_Payload).decode
_COLUMNS = frozenset(jobs.c.keys()) - {"payload"}
_AT_ONCE = Backoff(base=0.0)


def enqueue(
    connection: Connection,
    *,
    key: str,
    kind: JobKind,
    lane: str,
    run_id: int,
    now: float,
    due: float | None = None,
) -> bool:
    """Add a job that is due at once, or at a time; False if there is one with this key already."""
    known = connection.execute(select(jobs.c.id).where(jobs.c.key == key)).scalar()
    if known is not None:
        return False
    connection.execute(
        insert(jobs).values(
            key=key,
            kind=kind,
            lane=lane,
            run_id=run_id,
            state="waiting",
            due=store_now() if due is None else due,
            created=now,
        )
    )
    return True


def has_due(
    connection: Connection, *, kinds: Collection[JobKind], runs: Collection[int] | None = None
) -> bool:
    """Whether a claim would find something: a look that locks nothing."""
    return connection.execute(_claimable(kinds, runs).limit(1)).scalar() is not None


def claim(
    connection: Connection,
    holder: str,
    *,
    kinds: Collection[JobKind],
    runs: Collection[int] | None = None,
    now: float,
) -> Job | None:
    """Take the oldest job that is due and whose lane is free; None if there is none."""
    for _ in range(CLAIM_TRIES):
        found = connection.execute(
            _claimable(kinds, runs).limit(1).with_for_update(skip_locked=True, key_share=True)
        ).scalar()
        if found is None:
            return None
        try:
            with connection.begin_nested():
                return _take(connection, found, holder, now)
        except IntegrityError:
            continue  # another process took a job of this lane in between
    return None


def renew(connection: Connection, holder: str, job_ids: Collection[int]) -> set[int]:
    """Prolong the leases on these jobs; those that are still the holder's."""
    rows = connection.execute(
        update(jobs)
        .where(jobs.c.id.in_(job_ids), jobs.c.holder == holder, jobs.c.state == "running")
        .values(lease=store_now() + LEASE_SECONDS)
        .returning(jobs.c.id)
    )
    return set(rows.scalars())


def held_by(connection: Connection, holder: str) -> set[int]:
    """The jobs that are a holder's own: a look that locks nothing."""
    rows = connection.execute(
        select(jobs.c.id).where(jobs.c.holder == holder, jobs.c.state == "running")
    )
    return set(rows.scalars())


def get_on(connection: Connection, job_id: int, holder: str) -> None:
    """Note that a job got somewhere: its lease and its attempts start anew.

    LeaseLostError if it is no longer the holder's: then nothing of it may be stored.
    """
    _change(
        connection,
        and_(jobs.c.id == job_id, jobs.c.holder == holder),
        attempts=1,
        lease=store_now() + LEASE_SECONDS,
    )


def finish(connection: Connection, job: Job, *, now: float) -> None:
    """A job is done; LeaseLostError if it is no longer its holder's."""
    _change(connection, _held(job), state="done", lease=None, reason="", finished=now)


def finish_waiting(connection: Connection, keys: Collection[str], *, now: float) -> None:
    """Those of these jobs that wait are done: what they were for was done in their transaction."""
    connection.execute(
        update(jobs)
        .where(jobs.c.key.in_(keys), jobs.c.state == "waiting")
        .values(state="done", reason="", started=func.coalesce(jobs.c.started, now), finished=now)
    )


def release(connection: Connection, job: Job) -> None:
    """Give a job back as if it had not been claimed: its worker is stopping."""
    connection.execute(
        update(jobs)
        .where(_held(job), jobs.c.state == "running")
        .values(
            state="waiting",
            holder=None,
            lease=None,
            attempts=case((jobs.c.attempts > 0, jobs.c.attempts - 1), else_=0),
        )
    )


def fail(
    connection: Connection,
    job: Job,
    reason: str,
    *,
    now: float,
    backoff: Backoff,
    final: bool = False,
    raw: RawAnswer | None = None,
) -> Job:
    """An attempt failed: the job waits for the next one, or is dead if there is none; its row."""
    row = connection.execute(
        select(jobs).where(_held(job), jobs.c.state == "running").with_for_update(key_share=True)
    ).one_or_none()
    if row is None:
        raise _lost()
    return _failed(connection, _job(row), reason, now=now, backoff=backoff, final=final, raw=raw)


def reclaim(connection: Connection, *, now: float) -> list[Job]:
    """Take back jobs whose lease ran out or whose process has ended; their rows.

    They are due at once, and dead if that was their last attempt: a job that kills whoever does it
    must end, too.
    """
    rows = connection.execute(
        select(jobs, (jobs.c.lease < store_now()).label("expired"))
        .where(jobs.c.state == "running")
        .order_by(jobs.c.id)
        .with_for_update(skip_locked=True, key_share=True)
    ).all()
    taken = []
    for row in rows:
        gone = is_gone(row.holder)
        if not (gone or row.expired):
            continue
        why = "has ended" if gone else "has not responded for half a minute"
        reason = f"The process that worked on it ({row.holder}) {why}."
        taken.append(_failed(connection, _job(row), reason, now=now, backoff=_AT_ONCE))
    return taken


def cancel_jobs(connection: Connection, run_id: int, *, now: float) -> int:
    """Cancel what waits or runs for a run; how many jobs that were."""
    changed = connection.execute(
        update(jobs)
        .where(jobs.c.run_id == run_id, jobs.c.state.in_(("waiting", "running")))
        .values(state="cancelled", lease=None, finished=now)
    )
    return changed.rowcount


def revive(connection: Connection, job_id: int) -> None:
    """Let a job that is dead, cancelled or done be done again, now, with all its attempts."""
    connection.execute(
        update(jobs)
        .where(jobs.c.id == job_id, jobs.c.state.in_(("dead", "cancelled", "done")))
        .values(
            state="waiting",
            payload="{}",
            attempts=0,
            due=store_now(),
            holder=None,
            lease=None,
            reason="",
            finished=None,
        )
    )


def set_due(connection: Connection, run_ids: Collection[int], due: float | None) -> None:
    """Let what nobody has begun of these runs be due at a time; None is at once."""
    connection.execute(
        update(jobs)
        .where(jobs.c.run_id.in_(run_ids), jobs.c.state == "waiting", jobs.c.started.is_(None))
        .values(due=store_now() if due is None else due)
    )


def jobs_of_runs(connection: Connection, run_ids: Collection[int]) -> list[Job]:
    """The jobs of some runs, oldest first."""
    rows = connection.execute(select(jobs).where(jobs.c.run_id.in_(run_ids)).order_by(jobs.c.id))
    return [_job(row) for row in rows]


def open_runs(connection: Connection, runs: Collection[int] | None = None) -> set[int]:
    """The runs (of all, or of these) for which a job waits or runs; not what is for a later date."""
    is_later = and_(jobs.c.started.is_(None), jobs.c.due > store_now())
    is_open = and_(jobs.c.state.in_(("waiting", "running")), ~is_later)
    wanted = is_open if runs is None else and_(is_open, jobs.c.run_id.in_(runs))
    return set(connection.execute(select(jobs.c.run_id).where(wanted).distinct()).scalars())


def failures_of(connection: Connection, job_ids: Sequence[int]) -> list[JobFailure]:
    """Every attempt at these jobs that failed, oldest first."""
    rows = connection.execute(
        select(
            jobs.c.key.label("job"),
            job_failures.c.attempt,
            job_failures.c.reason,
            job_failures.c.time,
        )
        .join(jobs, jobs.c.id == job_failures.c.job_id)
        .where(job_failures.c.job_id.in_(job_ids))
        .order_by(job_failures.c.id)
    )
    return [JobFailure(**row._mapping) for row in rows]


def _claimable(kinds: Collection[JobKind], runs: Collection[int] | None) -> Any:
    """The jobs that may be claimed: of each free lane the oldest one that is due.

    Two processes that look at once see the same job of a lane, and one of them skips it.
    """
    due = [jobs.c.state == "waiting", jobs.c.due <= store_now(), jobs.c.kind.in_(kinds)]
    if runs is not None:
        due.append(jobs.c.run_id.in_(runs))
    busy = select(jobs.c.lane).where(jobs.c.state == "running")
    first = select(func.min(jobs.c.id)).where(*due, jobs.c.lane.not_in(busy)).group_by(jobs.c.lane)
    return (
        select(jobs.c.id)
        .where(jobs.c.state == "waiting", jobs.c.id.in_(first))
        .order_by(jobs.c.due, jobs.c.id)
    )


def _take(connection: Connection, job_id: int, holder: str, now: float) -> Job:
    row = connection.execute(
        update(jobs)
        .where(jobs.c.id == job_id)
        .values(
            state="running",
            holder=holder,
            lease=store_now() + LEASE_SECONDS,
            attempts=jobs.c.attempts + 1,
            started=func.coalesce(jobs.c.started, now),
        )
        .returning(jobs)
    ).one()
    return _job(row)


def _failed(
    connection: Connection,
    job: Job,
    reason: str,
    *,
    now: float,
    backoff: Backoff,
    final: bool = False,
    raw: RawAnswer | None = None,
) -> Job:
    earlier = connection.execute(
        select(func.max(job_failures.c.attempt)).where(job_failures.c.job_id == job.id)
    ).scalar()
    connection.execute(
        insert(job_failures).values(
            job_id=job.id, attempt=(earlier or 0) + 1, reason=reason, time=now
        )
    )
    dead = final or job.attempts >= job.most_attempts
    row = connection.execute(
        update(jobs)
        .where(jobs.c.id == job.id)
        .values(
            state="dead" if dead else "waiting",
            payload=msgspec.json.encode(_Payload(raw=raw)).decode(),
            due=store_now() + backoff.seconds(job.attempts),
            holder=None,
            lease=None,
            reason=reason,
            finished=now if dead else None,
        )
        .returning(jobs)
    ).one()
    return _job(row)


def _held(job: Job) -> ColumnElement[bool]:
    return and_(jobs.c.id == job.id, jobs.c.holder == job.holder)


def _change(connection: Connection, which: ColumnElement[bool], **values: Any) -> None:
    changed = connection.execute(
        update(jobs).where(which, jobs.c.state == "running").values(**values)
    )
    if changed.rowcount != 1:
        raise _lost()


def _lost() -> LeaseLostError:
    return LeaseLostError("The job was cancelled, or another process works on it now.")


def _job(row: Row[Any]) -> Job:
    known = {name: value for name, value in row._mapping.items() if name in _COLUMNS}
    return Job(**known, raw=_decode(row.payload).raw)
