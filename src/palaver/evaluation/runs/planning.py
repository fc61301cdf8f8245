"""Which runs there must be: called in the transaction that registers a model or a data set.

A new model is evaluated on every scoring data set and on the perturbed sets made from these; a new
data set, or a new version of one, evaluates every model. A pair of versions has one run for ever:
planning finds it and leaves it as it is, whatever came of it.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

from palaver.evaluation.tasks.stored import stored_task
from palaver.storage.evaluation.datasets import StoredDataset, list_datasets
from palaver.storage.evaluation.jobs import enqueue
from palaver.storage.evaluation.models import UPLOADED, StoredModel, list_models
from palaver.storage.evaluation.runs import StoredRun, ensure_run, hold_task, runs_of_versions
from palaver.storage.evaluation.tasks import StoredTask


def plan_for_dataset(
    connection: Connection, task_row: StoredTask, dataset: StoredDataset, *, now: float
) -> list[StoredRun]:
    """Plan the runs of every model on a data set; those that are new."""
    hold_task(connection, task_row.id)
    return _plan(connection, _current(connection, task_row), [dataset], now)


def plan_for_model(
    connection: Connection, task_row: StoredTask, model: StoredModel, *, now: float
) -> list[StoredRun]:
    """Plan the runs of a model on what counts for the task; those that are new."""
    hold_task(connection, task_row.id)
    if model.retired is not None:
        return []
    return _plan(connection, [model], _counting(connection, task_row), now)


def plan_all(connection: Connection, task_row: StoredTask, *, now: float) -> list[StoredRun]:
    """Plan every run that the task's models and data sets ask for; those that are new."""
    hold_task(connection, task_row.id)
    found = _counting(connection, task_row)
    return _plan(connection, _current(connection, task_row), found, now)


def plan_pairs(
    connection: Connection,
    task_row: StoredTask,
    models: Sequence[StoredModel] | None = None,
    datasets: Sequence[StoredDataset] | None = None,
    *,
    now: float,
) -> list[StoredRun]:
    """Plan the runs of these models on these data sets; every run of them, old and new.

    Without models it is all that are not retired, without data sets all that count for the task.
    """
    hold_task(connection, task_row.id)
    models = _current(connection, task_row) if models is None else models
    datasets = _counting(connection, task_row) if datasets is None else datasets
    _plan(connection, models, datasets, now)
    return runs_of_versions(
        connection,
        [each.version.id for each in models],
        [each.version.id for each in datasets],
    )


def answer_key(run_id: int) -> str:
    """The name of the job that asks the model of a run."""
    return f"answer:{run_id}"


def score_key(run_id: int, variant_run_id: int | None = None) -> str:
    """The name of the job that scores a run, or measures it against a run on variants."""
    return f"score:{run_id}" if variant_run_id is None else f"score:{run_id}:{variant_run_id}"


def _plan(
    connection: Connection,
    models: Sequence[StoredModel],
    datasets: Sequence[StoredDataset],
    now: float,
) -> list[StoredRun]:
    wanted = [(model, each) for each in datasets for model in models if _can_answer(model, each)]
    planned = []
    for model, dataset in wanted:
        run, is_new = ensure_run(
            connection,
            model_version_id=model.version.id,
            dataset_version_id=dataset.version.id,
            items=dataset.version.items,
            now=now,
        )
        if is_new:
            enqueue(
                connection,
                key=answer_key(run.id),
                kind="answer",
                lane=f"model:{model.id}",
                run_id=run.id,
                now=now,
            )
            planned.append(run)
    return planned


def _current(connection: Connection, task_row: StoredTask) -> list[StoredModel]:
    return [each for each in list_models(connection, task_row.id) if each.retired is None]


def _counting(connection: Connection, task_row: StoredTask) -> list[StoredDataset]:
    """The scoring data sets, and the perturbed ones of the kinds that the task counts.

    A perturbed set that was made from an earlier version of its parent has nothing to be compared
    with and is left out.
    """
    deltas = stored_task(task_row).deltas
    known = list_datasets(connection, task_row.id)
    scoring = {
        each.id: each for each in known if each.parent_id is None and each.access == "scoring"
    }
    return [
        each
        for each in known
        if each.id in scoring
        or (
            each.parent_id in scoring
            and each.kind in deltas
            and each.version.parent_version_id in (None, scoring[each.parent_id].version.id)
        )
    ]


def _can_answer(model: StoredModel, dataset: StoredDataset) -> bool:
    """Whether the model can be asked: one with uploaded predictions only where it has some."""
    return model.version.kind != UPLOADED or dataset.version.digest in model.version.options
