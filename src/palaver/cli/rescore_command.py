"""`palaver rescore`: a metric on the answers that old runs have kept."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec

from palaver.cli.evaluating import HOME, existing
from palaver.cli.pairs import parsed_options
from palaver.core.errors import InputError, PalaverError
from palaver.core.registry import near
from palaver.core.tasks import MetricChoice, Task
from palaver.core.words import counted
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.scoring import rescore_run
from palaver.evaluation.tasks import stored_task
from palaver.metrics.registry import find_metric
from palaver.storage.evaluation.runs import ListedRun, RunState, list_runs
from palaver.storage.evaluation.scores import StoredScore
from palaver.storage.evaluation.tasks import StoredTask, find_task, list_tasks

DONE: RunState = "done"


@dataclass(frozen=True, slots=True)
class _Row:
    """A run and what came of it: a score, or why there is none."""

    run: ListedRun
    score: StoredScore | None
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """The row as plain data."""
        named = {
            "task": self.run.task,
            "model": self.run.model,
            "model_version": self.run.model_number,
            "dataset": self.run.dataset,
            "dataset_version": self.run.dataset_number,
            "run": self.run.run.key,
        }
        if self.score is None:
            return {**named, "problem": self.problem}
        score = self.score
        return {
            **named,
            "metric": score.metric,
            "version": score.version,
            "value": score.value,
            "interval": None if score.low is None else [score.low, score.high],
            "n": score.n,
            **({"reason": score.reason} if score.reason else {}),
        }


@click.command("rescore")
@click.argument("task", required=False)
@click.option(
    "--metric", required=True, help="A metric of palaver metrics, or module:function of your own."
)
@click.option("--model", "models", multiple=True, help="Only this model; may be given again.")
@click.option(
    "--dataset", "datasets", multiple=True, help="Only this data set; may be given again."
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    help="The output to score; several are averaged. Default: that of the task's performance.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the metric, such as lowercase=true; may be given again.",
)
@click.option("--force", is_flag=True, help="Compute also what is stored already.")
@HOME
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    task: str | None,
    metric: str,
    models: tuple[str, ...],
    datasets: tuple[str, ...],
    fields: tuple[str, ...],
    options: tuple[str, ...],
    force: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Compute a metric on the kept predictions of old runs; no model is asked.

    TASK is the name of a task; without it the runs of every task are scored.
    """
    find_metric(metric, folder=Path.cwd())
    given = parsed_options(options)
    with existing(home) as opened:
        rows = []
        for stored in _tasks(opened, task):
            choice = _choice(stored_task(stored), metric, fields, given)
            for run in _runs(opened, stored, models, datasets):
                rows.append(_rescored(opened, run, choice, force=force))
    if any(row.score for row in rows) or as_json:
        _say(rows, metric, as_json=as_json)
    if not any(row.score for row in rows):
        raise InputError(_none_scored(rows))


def _choice(
    task: Task, metric: str, fields: tuple[str, ...], options: dict[str, Any]
) -> MetricChoice:
    """The metric as it is stored: under its own name, unless the task measures it otherwise."""
    chosen = fields or task.performance.fields
    for known in task.metrics:
        if known.metric == metric and known.fields == chosen and known.options == options:
            return known
    choice = MetricChoice(metric=metric, fields=chosen, options=options)
    changed = [*(fields or ()), *(f"{key}={value}" for key, value in options.items())]
    taken = any(known.key == metric for known in task.metrics)
    if not changed and not taken:
        return choice
    named = changed or list(chosen)
    return MetricChoice(
        metric=metric, fields=chosen, options=options, name=f"{metric}[{', '.join(named)}]"
    )


def _none_scored(rows: list[_Row]) -> str:
    if not rows:
        return "There is no finished run to score. See: palaver runs."
    return f"None of {counted(len(rows), 'run')} could be scored: {rows[0].problem}"


def _tasks(home: EvaluationHome, name: str | None) -> list[StoredTask]:
    if name is None:
        return home.store.read_now(list_tasks)
    return [home.store.read_now(lambda c: find_task(c, name))]


def _runs(
    home: EvaluationHome, task: StoredTask, models: tuple[str, ...], datasets: tuple[str, ...]
) -> list[ListedRun]:
    found = home.store.read_now(lambda c: list_runs(c, task_id=task.id, states={DONE}))
    _check_known("model", models, {each.model for each in found})
    _check_known("data set", datasets, {each.dataset for each in found})
    return [
        each
        for each in found
        if (not models or each.model in models) and (not datasets or each.dataset in datasets)
    ]


def _check_known(what: str, asked: tuple[str, ...], known: set[str]) -> None:
    for name in asked:
        if name not in known:
            raise InputError(
                f"No finished run has the {what} '{name}'.{near(name, known)} See: palaver runs."
            )


def _rescored(home: EvaluationHome, run: ListedRun, choice: MetricChoice, *, force: bool) -> _Row:
    try:
        score = rescore_run(
            home, run.run.id, choice, folder=Path.cwd(), now=time.time(), force=force
        )
    except PalaverError as error:
        return _Row(run, None, str(error))
    return _Row(run, score)


def _say(rows: list[_Row], metric: str, *, as_json: bool) -> None:
    if as_json:
        document = {"metric": metric, "scores": [row.as_json() for row in rows]}
        click.echo(msgspec.json.encode(document).decode())
        return
    wide = max((len(row.run.model) for row in rows), default=0)
    broad = max((len(row.run.dataset) for row in rows), default=0)
    for row in rows:
        click.echo(f"{row.run.model:<{wide}}  {row.run.dataset:<{broad}}  {_told(row)}")
    scored = sum(row.score is not None for row in rows)
    click.echo(f"{metric}: {counted(scored, 'run')} scored and stored; no model was asked.")


def _told(row: _Row) -> str:
    if row.score is None:
        return f"not scored: {row.problem}"
    score = row.score
    if score.value is None:
        return f"undefined: {score.reason}  (n = {score.n:,})"
    ends = "" if score.low is None else f" [{score.low:.4f}, {score.high:.4f}]"
    return f"{score.value:.4f}{ends}  (n = {score.n:,})"
