"""A metric on the answers that old runs of a task have kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, PalaverError
from palaver.core.registry import near
from palaver.core.tasks import MetricChoice, Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.scoring.scored_runs import rescore_run
from palaver.evaluation.tasks import stored_task
from palaver.metrics.registry import find_metric
from palaver.storage.evaluation.runs import ListedRun, list_runs
from palaver.storage.evaluation.scores import StoredScore
from palaver.storage.evaluation.tasks import StoredTask


@dataclass(frozen=True, slots=True)
class RescoredRun:
    """A run and what came of it: a score, or the problem that there is none."""

    run: ListedRun
    score: StoredScore | None
    problem: str = ""


def rescore_task(
    home: EvaluationHome,
    task_row: StoredTask,
    metric: str,
    *,
    models: Sequence[str] = (),
    datasets: Sequence[str] = (),
    fields: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    folder: Path | None = None,
    force: bool = False,
    now: float,
) -> list[RescoredRun]:
    """The metric on every finished run, or on those of these models and data sets.

    `folder` is where a metric of one's own lies. A run that it cannot be computed on has a problem.
    """
    find_metric(metric, folder=folder)
    choice = metric_choice(stored_task(task_row), metric, fields, options or {})
    return [
        _rescored(home, run, choice, folder=folder, force=force, now=now)
        for run in _runs(home, task_row, models, datasets)
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


def _runs(
    home: EvaluationHome, task_row: StoredTask, models: Sequence[str], datasets: Sequence[str]
) -> list[ListedRun]:
    found = home.store.read_now(lambda c: list_runs(c, task_id=task_row.id, states=["done"]))
    _check_known("model", models, {each.model for each in found})
    _check_known("data set", datasets, {each.dataset for each in found})
    return [
        each
        for each in found
        if (not models or each.model in models) and (not datasets or each.dataset in datasets)
    ]


def _check_known(what: str, asked: Sequence[str], known: set[str]) -> None:
    for name in asked:
        if name not in known:
            raise InputError(
                f"No finished run has the {what} '{name}'.{near(name, known)} See: palaver runs."
            )


def _rescored(
    home: EvaluationHome,
    run: ListedRun,
    choice: MetricChoice,
    *,
    folder: Path | None,
    force: bool,
    now: float,
) -> RescoredRun:
    try:
        score = rescore_run(home, run.run.id, choice, folder=folder, now=now, force=force)
    except PalaverError as error:
        return RescoredRun(run, None, str(error))
    return RescoredRun(run, score)
