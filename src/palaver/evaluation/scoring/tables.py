"""Scores to read: of a run with all their parts, of a task as rows."""

from sqlalchemy import Connection

from palaver.core.evaluation.runs import ScoreRow, ScoreSheet
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import extended
from palaver.storage.evaluation.runs import find_run, list_runs
from palaver.storage.evaluation.scores import scores_of_runs


def run_scores(connection: Connection, key: str) -> tuple[ScoreSheet, ...]:
    """The scores of a run, oldest first."""
    found = scores_of_runs(connection, [find_run(connection, key).id])
    return tuple(extended(each, ScoreSheet) for each in found)


def task_scores(
    connection: Connection,
    task_row: StoredTask,
    *,
    metric: str | None = None,
    model: str | None = None,
    dataset: str | None = None,
) -> tuple[ScoreRow, ...]:
    """The scores of a task's finished runs, oldest first; every version of models and data sets."""
    runs = {
        run.id: run
        for run in list_runs(connection, task_id=task_row.id, states=["done"])
        if model in (None, run.model) and dataset in (None, run.dataset)
    }
    return tuple(
        extended(each, ScoreRow, **runs[each.run_id].named)
        for each in scores_of_runs(connection, list(runs))
        if metric in (None, each.metric)
    )
