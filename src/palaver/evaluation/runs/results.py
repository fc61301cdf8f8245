"""Runs with what came of them: their performance, their attempts, their refused answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.core.raw_answers import RawAnswer
from palaver.evaluation.tasks.stored import stored_task
from palaver.storage.evaluation.jobs import Job, JobFailure, failures_of, jobs_of_runs
from palaver.storage.evaluation.predictions import Prediction, refused_predictions
from palaver.storage.evaluation.runs import ListedRun
from palaver.storage.evaluation.scores import StoredScore, scores_of_runs
from palaver.storage.evaluation.tasks import list_tasks

# How many refused answers are shown.
SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A run and its score under the metric that ranks; None while it has none."""

    listed: ListedRun
    metric: str
    performance: StoredScore | None

    def as_json(self) -> dict[str, Any]:
        """The run as plain data."""
        run, score = self.listed.run, self.performance
        return {
            "key": run.key,
            "task": self.listed.task,
            "model": self.listed.model,
            "model_version": self.listed.model_number,
            "dataset": self.listed.dataset,
            "dataset_version": self.listed.dataset_number,
            "state": run.state,
            "reason": run.reason,
            "items": run.items,
            "answered": run.answered,
            "refused": run.refused,
            "start_seconds": run.start_seconds,
            "busy_seconds": run.busy_seconds,
            "created": run.created,
            "started": run.started,
            "finished": run.finished,
            "metric": self.metric,
            "performance": None
            if score is None
            else {
                "value": score.value,
                "low": score.low,
                "high": score.high,
                "n": score.n,
                "reason": score.reason,
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetail:
    """Everything about one run: its jobs, every attempt that failed, the first refused answers."""

    result: RunResult
    scores: tuple[StoredScore, ...]
    jobs: tuple[Job, ...]
    failures: tuple[JobFailure, ...]
    refused: tuple[Prediction, ...]

    def as_json(self) -> dict[str, Any]:
        """The run as plain data."""
        keys = {job.id: job.key for job in self.jobs}
        return {
            **self.result.as_json(),
            "scores": [
                {
                    "metric": each.metric,
                    "version": each.version,
                    "value": each.value,
                    "low": each.low,
                    "high": each.high,
                    "n": each.n,
                    "reason": each.reason,
                }
                for each in self.scores
            ],
            "jobs": [
                {
                    "key": job.key,
                    "kind": job.kind,
                    "state": job.state,
                    "attempts": job.attempts,
                    "most_attempts": job.most_attempts,
                    "due": job.due,
                    "reason": job.reason,
                    "raw": _raw(job.raw),
                }
                for job in self.jobs
            ],
            "failures": [
                {
                    "job": keys[each.job_id],
                    "attempt": each.attempt,
                    "reason": each.reason,
                    "time": each.time,
                }
                for each in self.failures
            ],
            "refused_answers": [
                {
                    "position": each.position,
                    "uid": each.uid,
                    "problem": each.problem,
                    "raw": _raw(each.raw),
                }
                for each in self.refused
            ],
        }


def _raw(found: RawAnswer | None) -> dict[str, Any] | None:
    return None if found is None else {"text": found.text, "length": found.length}


def run_results(connection: Connection, listed: Sequence[ListedRun]) -> list[RunResult]:
    """The runs with their performance, in the same order."""
    rows = [each for each in list_tasks(connection) if any(e.task_id == each.id for e in listed)]
    metrics = {row.id: stored_task(row).performance.key for row in rows}
    found: dict[tuple[int, str], StoredScore] = {}
    for score in scores_of_runs(connection, [each.run.id for each in listed]):
        if not score.variant_id:
            found[score.run_id, score.metric] = score  # the newest version of the metric
    return [
        RunResult(
            listed=each,
            metric=metrics[each.task_id],
            performance=found.get((each.run.id, metrics[each.task_id])),
        )
        for each in listed
    ]


def run_detail(connection: Connection, listed: ListedRun) -> RunDetail:
    """Everything about one run."""
    jobs = jobs_of_runs(connection, [listed.run.id])
    return RunDetail(
        result=run_results(connection, [listed])[0],
        scores=tuple(scores_of_runs(connection, [listed.run.id])),
        jobs=tuple(jobs),
        failures=tuple(failures_of(connection, [job.id for job in jobs])),
        refused=tuple(refused_predictions(connection, listed.run.id, limit=SHOWN)),
    )
