"""A metric on the answers that old runs of a task have kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, PalaverError
from palaver.core.evaluation.runs import Rescored, Run, RunScore
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.registry import near
from palaver.core.serial import extended
from palaver.core.tasks import MetricChoice, Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.scoring.result import choice_version
from palaver.evaluation.scoring.scored_runs import rescore_run
from palaver.evaluation.scoring.scores import find_choice
from palaver.evaluation.tasks import stored_task
from palaver.metrics.registry import find_metric
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.tasks import find_task, list_tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescoring:
    """What is to be computed: a metric on these outputs, for these models and data sets or for all.

    `folder` is where a metric of one's own lies; with `force` also what is stored already.
    """

    metric: str
    models: Sequence[str] = ()
    datasets: Sequence[str] = ()
    fields: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    force: bool = False


def rescore_task(
    home: EvaluationHome, task_row: StoredTask, wanted: Rescoring, *, now: float
) -> list[Rescored]:
    """The metric on every finished run of a task that was asked for.

    A run that it cannot be computed on has a problem. InputError where the task has no such output.
    """
    task = stored_task(task_row)
    outputs = [output.name for output in task.outputs]
    for name in wanted.fields:
        if name not in outputs:
            raise InputError(f"Task '{task.name}' has no output '{name}'.{near(name, outputs)}")
    return _rescore(home, task_row, wanted, now)


def rescore(
    home: EvaluationHome, wanted: Rescoring, *, task: str | None = None, now: float
) -> list[Rescored]:
    """The metric on the finished runs of a task or of all; those it does not fit have a problem."""
    if task is not None:
        row = home.store.read_now(lambda c: find_task(c, task))
        return rescore_task(home, row, wanted, now=now)
    rows = home.store.read_now(list_tasks)
    return [each for row in rows for each in _rescore(home, row, wanted, now)]


def _rescore(
    home: EvaluationHome, task_row: StoredTask, wanted: Rescoring, now: float
) -> list[Rescored]:
    find_metric(wanted.metric, folder=wanted.folder)
    task = stored_task(task_row)
    choice = metric_choice(task, wanted.metric, wanted.fields, wanted.options)
    version = choice_version(find_choice(task, choice, folder=wanted.folder), choice)
    return [
        _rescored(home, run, choice, version, wanted, now) for run in _runs(home, task_row, wanted)
    ]


def metric_choice(
    task: Task, metric: str, fields: Sequence[str], options: Mapping[str, Any]
) -> MetricChoice:
    """The metric as it is stored: under its own name, unless the task measures it otherwise."""
    chosen = tuple(fields) or task.performance.fields
    for known in task.metrics:
        if known.metric == metric and known.fields == chosen and known.options == options:
            return known
    changed = [*fields, *(f"{key}={value}" for key, value in options.items())]
    taken = any(known.key == metric for known in task.metrics)
    name = f"{metric}[{', '.join(changed or chosen)}]" if changed or taken else ""
    return MetricChoice(metric=metric, fields=chosen, options=dict(options), name=name)


def _runs(home: EvaluationHome, task_row: StoredTask, wanted: Rescoring) -> list[Run]:
    runs = home.store.read_now(lambda c: list_runs(c, task_id=task_row.id, states=["done"]))
    _check_known("model", wanted.models, {each.model for each in runs})
    _check_known("data set", wanted.datasets, {each.dataset for each in runs})
    return [
        each
        for each in runs
        if (not wanted.models or each.model in wanted.models)
        and (not wanted.datasets or each.dataset in wanted.datasets)
    ]


def _check_known(what: str, asked: Sequence[str], known: set[str]) -> None:
    for name in asked:
        if name not in known:
            raise InputError(
                f"No finished run has the {what} '{name}'.{near(name, known)} See: palaver runs."
            )


def _rescored(
    home: EvaluationHome,
    run: Run,
    choice: MetricChoice,
    version: str,
    wanted: Rescoring,
    now: float,
) -> Rescored:
    try:
        score = rescore_run(home, run.id, choice, folder=wanted.folder, now=now, force=wanted.force)
    except PalaverError as error:
        undefined = RunScore(run_id=run.id, metric=choice.key, version=version, value=None, n=0)
        return extended(undefined, Rescored, **run.named, problem=str(error))
    return extended(score, Rescored, **run.named)
