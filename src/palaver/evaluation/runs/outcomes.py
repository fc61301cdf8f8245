"""What becomes of a run: the steps from waiting to done, failed or cancelled, each one transaction.

A run and its jobs change together, so that whoever looks never sees one without the other.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

from palaver.core.clock import Backoff
from palaver.core.errors import InputError
from palaver.core.evaluation.models import UPLOADED
from palaver.core.evaluation.runs import Job, Run, RunScore
from palaver.core.raw_answers import RawAnswer
from palaver.core.words import counted
from palaver.evaluation.runs.plans import answer_key, score_key
from palaver.evaluation.runs.results import read_run
from palaver.storage.evaluation.jobs import (
    cancel_jobs,
    enqueue,
    fail,
    finish,
    finish_waiting,
    jobs_of_runs,
    reclaim,
    revive,
)
from palaver.storage.evaluation.models import find_model_version, submitter_of
from palaver.storage.evaluation.predictions import drop_refused, refused_predictions
from palaver.storage.evaluation.runs import (
    ask_by_hand,
    find_run_by_id,
    list_runs,
    set_run,
    variant_pairs,
)
from palaver.storage.evaluation.scores import store_scores
from palaver.storage.evaluation.tasks import find_task


def begin_answering(connection: Connection, job: Job, *, now: float) -> None:
    """The model of a run is being asked."""
    run = find_run_by_id(connection, job.run_id)
    set_run(
        connection,
        run.id,
        state="answering",
        reason="",
        started=now if run.started is None else run.started,
        finished=None,
    )


def end_answering(connection: Connection, job: Job, *, now: float) -> Run:
    """Nothing is left to ask: the run is scored next, or has failed if answers were refused."""
    run = find_run_by_id(connection, job.run_id)
    if run.refused or run.answered != run.items:
        reason = _refusal(connection, run)
        fail_attempt(connection, job, reason, now=now, backoff=Backoff(), final=True)
        return find_run_by_id(connection, run.id)
    finish(connection, job, now=now)
    set_run(connection, run.id, state="scoring", reason="")
    if not enqueue_score(connection, run.id, now=now):
        for waiting in jobs_of_runs(connection, [run.id]):
            if waiting.key == score_key(run.id):
                revive(connection, waiting.id)
    return find_run_by_id(connection, run.id)


def enqueue_score(
    connection: Connection, run_id: int, *, variant: int | None = None, now: float
) -> bool:
    """Let a run be scored, or be measured against its run on variants; whether that is new."""
    return enqueue(
        connection,
        key=score_key(run_id, variant),
        kind="score",
        lane=f"score:{run_id}",
        run_id=run_id,
        now=now,
    )


def end_scoring(connection: Connection, job: Job, *, now: float) -> None:
    """A run was scored: it is done, and so is what waited for it."""
    finish(connection, job, now=now)
    if job.key != score_key(job.run_id):
        return
    _finish_run(connection, job.run_id, now=now)


def end_at_once(connection: Connection, run: Run, scores: Sequence[RunScore], *, now: float) -> Run:
    """A run that was planned in this transaction is done: its answers and its scores are there.

    Its jobs are done with it. Had the process ended before the commit, there would be neither.
    """
    store_scores(connection, scores, now=now)
    set_run(connection, run.id, answered=run.items, refused=0, started=now)
    finish_waiting(connection, [answer_key(run.id), score_key(run.id)], now=now)
    _finish_run(connection, run.id, now=now)
    return find_run_by_id(connection, run.id)


def fail_attempt(
    connection: Connection,
    job: Job,
    reason: str,
    *,
    now: float,
    backoff: Backoff,
    final: bool = False,
    raw: RawAnswer | None = None,
) -> Job:
    """An attempt at a job failed; its run says why, and fails with the last one.

    `raw` is what came in place of an answer.
    """
    failed = fail(connection, job, reason, now=now, backoff=backoff, final=final, raw=raw)
    _tell_run(connection, failed, now=now)
    return failed


def reclaim_jobs(connection: Connection, *, now: float) -> list[Job]:
    """Take back what processes that ended have left behind."""
    taken = reclaim(connection, now=now)
    for job in taken:
        _tell_run(connection, job, now=now)
    return taken


def cancel_run(connection: Connection, run: Run, *, now: float) -> Run:
    """Cancel a run that is not over yet; its answers are kept. InputError if it is over."""
    if run.is_over:
        raise InputError(f"Run {run.key} is already {run.state}; there is nothing to cancel.")
    cancel_jobs(connection, run.id, now=now)
    reason = f"Cancelled after {counted(run.asked, 'answer')} of {run.items:,}."
    set_run(connection, run.id, state="cancelled", reason=reason, finished=now)
    return read_run(connection, run.key)


def retry_run(connection: Connection, run: Run, *, by_hand: bool = True) -> Run:
    """Let a run that failed or was cancelled go on: only what has no good answer is asked again.

    For a run that is done, what could not be measured on it is tried again. A newer version does not
    cancel what somebody asked for by hand.
    """
    stuck = [job for job in jobs_of_runs(connection, [run.id]) if job.is_stuck]
    if not run.is_over or not stuck:
        raise InputError(
            f"Run {run.key} is {run.state}; only one that failed or was cancelled can be retried."
        )
    for job in stuck:
        revive(connection, job.id)
    if by_hand:
        ask_by_hand(connection, [run.id])
    if run.state == "done":
        set_run(connection, run.id, reason="")
    else:
        drop_refused(connection, run.id)
        state = "waiting" if any(job.kind == "answer" for job in stuck) else "scoring"
        set_run(connection, run.id, state=state, reason="", refused=0, finished=None)
    return read_run(connection, run.key)


def retry_failed(connection: Connection, *, task: str | None = None) -> list[Run]:
    """Let every run that has failed, or those of one task, go on."""
    task_id = None if task is None else find_task(connection, task).id
    runs = list_runs(connection, task_id=task_id, states=["failed"])
    return [retry_run(connection, run) for run in runs]


def _finish_run(connection: Connection, run_id: int, *, now: float) -> None:
    """A run is done, and is measured against its runs on variants that are done, too."""
    # First the locks, then the state: of two runs that end at once one sees the other.
    pairs = variant_pairs(connection, run_id, lock=True)
    set_run(connection, run_id, state="done", reason="", finished=now)
    for original, variant in pairs:
        other = variant if original.id == run_id else original
        if other.state == "done":
            enqueue_score(connection, original.id, variant=variant.id, now=now)


def _tell_run(connection: Connection, job: Job, *, now: float) -> None:
    """Let a run say what became of the attempt at one of its jobs."""
    run = find_run_by_id(connection, job.run_id)
    if run.state == "done":
        # A comparison with variants that failed leaves the scores as they are.
        if job.state == "dead":
            set_run(connection, run.id, reason=f"Not compared with its variants: {job.reason}")
        return
    if job.state == "dead":
        set_run(connection, run.id, state="failed", reason=job.reason, finished=now)
        return
    tries = f"Attempt {job.attempts} of {job.most_attempts} failed and will be retried: "
    state = "waiting" if job.kind == "answer" else "scoring"
    set_run(connection, run.id, state=state, reason=tries + job.reason)


def _refusal(connection: Connection, run: Run) -> str:
    first = refused_predictions(connection, run.id, limit=1)
    were = "was" if run.refused == 1 else "were"
    told = f"{run.refused:,} of {counted(run.items, 'answer')} {were} refused"
    asked = run.answered + run.refused
    if asked < run.items:
        told = f"All of the first {asked:,} answers were refused, so the rest were not asked for"
    if not first or _is_asked_for_a_team(connection, run):
        # What a team's endpoint sent is for the desk alone.
        return f"{told}."
    return f"{told}; first: {first[0].problem}"


def _is_asked_for_a_team(connection: Connection, run: Run) -> bool:
    version = find_model_version(connection, run.model_version_id)
    return version.kind != UPLOADED and submitter_of(connection, version.model_id) is not None
