"""The job table: claimed once, one per lane, back-off, dead letters, leases that run out."""

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, update

from palaver.core.clock import Backoff
from palaver.core.errors import LeaseLostError
from palaver.core.evaluation.runs import Job
from palaver.storage import Store
from palaver.storage.engine.holders import is_gone, new_holder
from palaver.storage.evaluation.jobs import (
    cancel_jobs,
    claim,
    enqueue,
    fail,
    failures_of,
    finish,
    get_on,
    has_due,
    held_by,
    jobs_of_runs,
    open_runs,
    reclaim,
    release,
    renew,
    revive,
)
from palaver.storage.schema.evaluation import jobs
from support.evaluations import NOW, put_runs

KINDS = ("answer", "score")
AT_ONCE = Backoff(base=0.0)
LATER = Backoff(base=1000.0)


def queue(store: Store, lanes: list[str]) -> list[int]:
    """One answer job per lane given, each of a run of its own; the ids of the runs."""

    def work(connection: Connection) -> list[int]:
        runs = put_runs(connection, len(lanes))
        for run, lane in zip(runs, lanes, strict=True):
            key = f"answer:{run.id}"
            assert enqueue(connection, key=key, kind="answer", lane=lane, run_id=run.id, now=NOW)
        return [run.id for run in runs]

    return store.write_now(work)


def take(store: Store, holder: str = "me", **options: object) -> Job | None:
    return store.write_now(lambda c: claim(c, holder, kinds=KINDS, now=NOW, **options))


def taken(store: Store, holder: str = "me") -> Job:
    job = take(store, holder)
    assert job is not None
    return job


def the_job(store: Store, run_id: int) -> Job:
    return store.read_now(lambda c: jobs_of_runs(c, [run_id]))[0]


def test_a_key_is_enqueued_once(store: Store) -> None:
    (run,) = queue(store, ["a"])
    again = store.write_now(
        lambda c: enqueue(c, key=f"answer:{run}", kind="answer", lane="b", run_id=run, now=NOW)
    )
    assert not again
    assert the_job(store, run).lane == "a"


def test_the_oldest_job_of_a_free_lane_is_claimed(store: Store) -> None:
    runs = queue(store, ["a", "a", "b"])
    first, second, third = taken(store), taken(store), take(store)
    assert (first.run_id, second.run_id, third) == (runs[0], runs[2], None)
    store.write_now(lambda c: finish(c, first, now=NOW + 1))
    assert taken(store).run_id == runs[1]


def test_only_wanted_kinds_and_runs_are_claimed(store: Store) -> None:
    runs = queue(store, ["a", "b"])
    assert store.write_now(lambda c: claim(c, "me", kinds=["score"], now=NOW)) is None
    assert not store.read_now(lambda c: has_due(c, kinds=["score"]))
    assert not store.read_now(lambda c: has_due(c, kinds=KINDS, runs=[]))
    job = take(store, runs=[runs[1]])
    assert job is not None
    assert job.run_id == runs[1]


def test_failures_wait_longer_and_longer_and_end_dead(store: Store) -> None:
    (run,) = queue(store, ["a"])
    for attempt in range(1, 6):
        job = taken(store)
        assert job.attempts == attempt
        reason = f"no answer {attempt}"
        store.write_now(lambda c: fail(c, job, reason, now=NOW, backoff=AT_ONCE))  # noqa: B023
    dead = the_job(store, run)
    assert (dead.state, dead.reason, dead.holder) == ("dead", "no answer 5", None)
    assert take(store) is None
    told = store.read_now(lambda c: failures_of(c, [dead.id]))
    assert [(each.attempt, each.reason) for each in told] == [
        (n, f"no answer {n}") for n in range(1, 6)
    ]


def test_backoff_doubles_up_to_its_cap() -> None:
    backoff = Backoff(base=2.0, cap=30.0)
    assert [backoff.seconds(n) for n in range(1, 7)] == [2, 4, 8, 16, 30, 30]
    assert backoff.seconds(10_000) == 30


def test_a_failed_job_is_not_due_before_its_time(store: Store) -> None:
    (run,) = queue(store, ["a"])
    job = taken(store)
    store.write_now(lambda c: fail(c, job, "busy", now=NOW, backoff=LATER))
    assert the_job(store, run).state == "waiting"
    assert take(store) is None
    assert store.read_now(open_runs) == {run}


def test_a_final_failure_is_dead_at_once_and_revived_with_all_attempts(store: Store) -> None:
    (run,) = queue(store, ["a"])
    job = taken(store)
    dead = store.write_now(
        lambda c: fail(c, job, "no such option", now=NOW, backoff=LATER, final=True)
    )
    assert dead.state == "dead"
    store.write_now(lambda c: revive(c, dead.id))
    again = taken(store)
    assert (again.run_id, again.attempts, again.reason) == (run, 1, "")


def test_what_was_cancelled_is_lost_to_its_holder(store: Store) -> None:
    (run,) = queue(store, ["a"])
    job = taken(store)
    assert store.write_now(lambda c: cancel_jobs(c, run, now=NOW)) == 1
    assert store.read_now(lambda c: held_by(c, "me")) == set()
    for work in (
        lambda c: finish(c, job, now=NOW),
        lambda c: get_on(c, job.id, "me"),
        lambda c: fail(c, job, "late", now=NOW, backoff=AT_ONCE),
    ):
        with pytest.raises(LeaseLostError):
            store.write_now(work)
    assert the_job(store, run).state == "cancelled"


def test_a_lease_is_renewed_by_its_holder_alone(store: Store) -> None:
    queue(store, ["a"])
    job = taken(store)
    assert store.write_now(lambda c: renew(c, "me", [job.id])) == {job.id}
    assert store.write_now(lambda c: renew(c, "somebody", [job.id])) == set()


def test_a_job_given_back_has_lost_no_attempt(store: Store) -> None:
    queue(store, ["a"])
    job = taken(store)
    store.write_now(lambda c: release(c, job))
    assert taken(store, "other").attempts == 1


def test_getting_on_gives_all_attempts_back(store: Store) -> None:
    (run,) = queue(store, ["a"])
    for _ in range(4):
        job = taken(store)
        store.write_now(lambda c: fail(c, job, "lost", now=NOW, backoff=AT_ONCE))  # noqa: B023
    last = taken(store)
    assert last.attempts == 5
    store.write_now(lambda c: get_on(c, last.id, "me"))
    store.write_now(lambda c: fail(c, last, "lost", now=NOW, backoff=AT_ONCE))
    assert the_job(store, run).state == "waiting"


def test_an_expired_lease_is_taken_back(store: Store) -> None:
    (run,) = queue(store, ["a"])
    job = taken(store, "elsewhere:1:x")
    assert store.write_now(lambda c: reclaim(c, now=NOW)) == []
    store.write_now(lambda c: c.execute(update(jobs).values(lease=1.0)))
    (back,) = store.write_now(lambda c: reclaim(c, now=NOW))
    assert (back.id, back.state) == (job.id, "waiting")
    assert "elsewhere:1:x" in back.reason
    assert taken(store).run_id == run
    with pytest.raises(LeaseLostError):
        store.write_now(lambda c: finish(c, job, now=NOW))


def test_a_dead_process_is_noticed_before_its_lease_ends(store: Store) -> None:
    queue(store, ["a", "b"])
    gone = _holder_of_an_ended_process()
    assert is_gone(gone)
    assert not is_gone(new_holder())
    assert not is_gone(f"another-host:{gone.split(':')[1]}:x")
    lost, kept = taken(store, gone), taken(store, new_holder())
    assert [job.id for job in store.write_now(lambda c: reclaim(c, now=NOW))] == [lost.id]
    assert store.read_now(lambda c: held_by(c, kept.holder or "")) == {kept.id}


def test_a_job_that_kills_its_process_ends_dead(store: Store) -> None:
    (run,) = queue(store, ["a"])
    gone = _holder_of_an_ended_process()
    for _ in range(5):
        taken(store, gone)
        store.write_now(lambda c: reclaim(c, now=NOW))
    assert the_job(store, run).state == "dead"


def _holder_of_an_ended_process() -> str:
    code = "from palaver.storage.engine.holders import new_holder; print(new_holder())"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_many_threads_claim_no_job_twice_and_no_lane_twice(store: Store, database_url: str) -> None:
    runs = queue(store, [f"lane{n % 7}" for n in range(60)])
    done: list[int] = []
    seen_twice: list[str] = []
    guard = threading.Lock()
    running: Counter[str] = Counter()

    def work(holder: str) -> None:
        mine = Store(database_url)
        try:
            while mine.read_now(open_runs):
                job = take(mine, holder)
                if job is None:
                    continue
                with guard:
                    running[job.lane] += 1
                    if running[job.lane] > 1:
                        seen_twice.append(job.lane)
                    done.append(job.run_id)
                time.sleep(0.002)
                with guard:
                    running[job.lane] -= 1
                mine.write_now(lambda c: finish(c, job, now=NOW))  # noqa: B023
        finally:
            mine.close()

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(done) == sorted(runs)
    assert seen_twice == []


CLAIMER = """
import sys
from palaver.storage import Store
from palaver.storage.evaluation.jobs import claim, finish, open_runs
store = Store(sys.argv[1])
while store.read_now(open_runs):
    job = store.write_now(lambda c: claim(c, sys.argv[2], kinds=["answer"], now=0.0))
    if job is not None:
        print(job.run_id)
        store.write_now(lambda c: finish(c, job, now=0.0))
store.close()
"""


def test_many_processes_claim_no_job_twice(store: Store, database_url: str, tmp_path: Path) -> None:
    runs = queue(store, [f"lane{n % 5}" for n in range(40)])
    script = tmp_path / "claimer.py"
    script.write_text(CLAIMER, encoding="utf-8")
    started = [
        subprocess.Popen(
            [sys.executable, str(script), database_url, f"p{n}"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ},
        )
        for n in range(3)
    ]
    outputs = [process.communicate(timeout=60)[0] for process in started]
    assert [process.returncode for process in started] == [0, 0, 0]
    claimed = [int(line) for output in outputs for line in output.split()]
    assert sorted(claimed) == sorted(runs)


def test_one_lane_has_one_running_job_whoever_forgets_to_look(store: Store) -> None:
    """The index guards what the claim promises."""
    queue(store, ["a", "a"])
    taken(store)
    waiting = store.read_now(
        lambda c: c.execute(select(jobs.c.id).where(jobs.c.state == "waiting")).scalar()
    )
    with pytest.raises(Exception, match=r"(?i)unique"):
        store.write_now(
            lambda c: c.execute(update(jobs).where(jobs.c.id == waiting).values(state="running"))
        )
