"""Runs with what came of them: their performance, their attempts, their refused answers."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.runs import Run, RunScore, RunSheet, RunSlice, RunState, TaskStatus
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import extended
from palaver.evaluation.tasks.stored import stored_task
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.jobs import failures_of, jobs_of_runs
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.predictions import refused_predictions
from palaver.storage.evaluation.runs import find_run, list_runs, runs_of_versions
from palaver.storage.evaluation.scores import bare_scores, scores_of_runs
from palaver.storage.evaluation.tasks import find_task, list_tasks

# How many refused answers are shown.
SHOWN = 5


def with_performance(connection: Connection, runs: Sequence[Run]) -> list[Run]:
    """The runs with their score under the metric that ranks, in the same order."""
    ids = {run.task_id for run in runs}
    rows = [row for row in list_tasks(connection) if row.id in ids]
    metrics = {row.id: stored_task(row).performance.key for row in rows}
    found: dict[tuple[int, str], RunScore] = {}
    for score in bare_scores(connection, [run.id for run in runs]):
        if not score.variant_id:
            found[score.run_id, score.metric] = score  # the newest version of the metric
    return [
        replace(
            run, metric=metrics[run.task_id], performance=found.get((run.id, metrics[run.task_id]))
        )
        for run in runs
    ]


def read_run(connection: Connection, key: str, *, task: StoredTask | None = None) -> Run:
    """The run with that key, with its performance; UnknownNameError if the task has none such."""
    run = find_run(connection, key)
    if task is not None and run.task_id != task.id:
        raise UnknownNameError(f"No run '{key}' of the task '{task.name}' is stored here.")
    return with_performance(connection, [run])[0]


def read_runs(
    connection: Connection,
    *,
    task: str | None = None,
    states: Collection[RunState] = (),
    model: str | None = None,
    dataset: str | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> RunSlice:
    """The runs of every task or of one with their performance, oldest first.

    With `after`, the key of a run, only later ones; with `limit` no more than so many.
    """
    task_id = None if task is None else find_task(connection, task).id
    last = 0 if after is None else find_run(connection, after).id
    found = [
        run
        for run in list_runs(connection, task_id=task_id, states=states or None)
        if model in (None, run.model) and dataset in (None, run.dataset) and run.id > last
    ]
    shown = with_performance(connection, found[:limit])
    more = shown[-1].key if limit is not None and len(found) > limit else None
    return RunSlice(runs=tuple(shown), next=more)


def run_sheet(connection: Connection, key: str, *, task: StoredTask | None = None) -> RunSheet:
    run = read_run(connection, key, task=task)
    jobs = jobs_of_runs(connection, [run.id])
    return extended(
        run,
        RunSheet,
        scores=tuple(scores_of_runs(connection, [run.id])),
        jobs=tuple(jobs),
        failures=tuple(failures_of(connection, [job.id for job in jobs])),
        refused_answers=tuple(refused_predictions(connection, run.id, limit=SHOWN)),
    )


def task_status(connection: Connection, task_row: StoredTask) -> TaskStatus:
    """The progress of the newest versions of a task's models on those of its data sets."""
    models = list_models(connection, task_row.id)
    datasets = list_datasets(connection, task_row.id)
    runs = runs_of_versions(
        connection,
        [model.version_id for model in models],
        [dataset.version_id for dataset in datasets],
    )
    return TaskStatus(
        task=task_row.name,
        models=tuple(model.name for model in models),
        datasets=tuple(dataset.name for dataset in datasets),
        runs=tuple(with_performance(connection, runs)),
    )
