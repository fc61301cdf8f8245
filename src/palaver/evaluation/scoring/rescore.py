"""A metric on the answers that old runs of a task have kept."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError, PalaverError
from palaver.core.evaluation.dataset_names import known_name
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


# Called with how many runs were scored, and how many there are.
Tell = Callable[[int, int], None]


def rescore_task(
    home: EvaluationHome,
    task_row: StoredTask,
    wanted: Rescoring,
    *,
    now: float,
    tell: Tell = lambda done, of: None,
) -> list[Rescored]:
    """The metric on every finished run of a task that was asked for.

    A run that it cannot be computed on has a problem. InputError where the task has no such output.
    """
    check_fields(stored_task(task_row), wanted.fields)
    return _rescore(home, task_row, wanted, now, tell)


def rescore(
    home: EvaluationHome, wanted: Rescoring, *, task: str | None = None, now: float
) -> list[Rescored]:
    """The metric on the finished runs of a task or of all; those it does not fit have a problem."""
    if task is not None:
        row = home.store.read_now(lambda c: find_task(c, task))
        return rescore_task(home, row, wanted, now=now)
    rows = home.store.read_now(list_tasks)
    return [each for row in rows for each in _rescore(home, row, wanted, now)]


def check_rescoring(home: EvaluationHome, task_row: StoredTask, wanted: Rescoring) -> int:
    """How many finished runs would be scored; InputError where it cannot be what is meant."""
    task = stored_task(task_row)
    check_fields(task, wanted.fields)
    find_metric(wanted.metric, folder=wanted.folder)
    choice = metric_choice(task, wanted.metric, wanted.fields, wanted.options)
    find_choice(task, choice, folder=wanted.folder)
    return len(_runs(home, task_row, wanted))


def finished_runs(connection: Connection, task_row: StoredTask) -> list[Run]:
    """The runs of a task whose answers can be scored again, oldest first."""
    return list_runs(connection, task_id=task_row.id, states=["done"])


def check_fields(task: Task, fields: Sequence[str]) -> None:
    """Raise InputError where a task has no output of one of these names."""
    outputs = [output.name for output in task.outputs]
    for name in fields:
        if name not in outputs:
            raise InputError(f"Task '{task.name}' has no output '{name}'.{near(name, outputs)}")


def _rescore(
    home: EvaluationHome,
    task_row: StoredTask,
    wanted: Rescoring,
    now: float,
    tell: Tell = lambda done, of: None,
) -> list[Rescored]:
    find_metric(wanted.metric, folder=wanted.folder)
    task = stored_task(task_row)
    choice = metric_choice(task, wanted.metric, wanted.fields, wanted.options)
    version = choice_version(find_choice(task, choice, folder=wanted.folder), choice)
    runs = _runs(home, task_row, wanted)
    found: list[Rescored] = []
    for run in runs:
        tell(len(found), len(runs))
        found.append(_rescored(home, run, choice, version, wanted, now))
    return found


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


def named_metric(key: str) -> tuple[str, str]:
    """The metric that a score is stored under, and on what and how it was computed if that is said.

    >>> named_metric("f1[prob, average=binary]"), named_metric("macro_f1")
    (('f1', 'prob, average=binary'), ('macro_f1', ''))
    """
    name, _, how = key.partition("[")
    return name, how.removesuffix("]")


def _runs(home: EvaluationHome, task_row: StoredTask, wanted: Rescoring) -> list[Run]:
    runs = home.store.read_now(lambda c: finished_runs(c, task_row))
    _check_known("model", wanted.models, {each.model for each in runs})
    there = {each.dataset for each in runs}
    datasets = [known_name(name, there) or name for name in wanted.datasets]
    _check_known("data set", datasets, there)
    return [
        each
        for each in runs
        if (not wanted.models or each.model in wanted.models)
        and (not datasets or each.dataset in datasets)
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
