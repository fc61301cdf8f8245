"""`palaver rescore`: a metric on the answers that old runs have kept."""

import time
from pathlib import Path
from typing import Any

import click
import msgspec

from palaver.cli.evaluating import HOME, existing
from palaver.cli.pairs import parsed_options
from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.scoring.rescoring import RescoredRun, rescore_task
from palaver.metrics.registry import find_metric
from palaver.storage.evaluation.tasks import StoredTask, find_task, list_tasks


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
        rows = [
            row
            for stored in _tasks(opened, task)
            for row in rescore_task(
                opened,
                stored,
                metric,
                models=models,
                datasets=datasets,
                fields=fields,
                options=given,
                folder=Path.cwd(),
                force=force,
                now=time.time(),
            )
        ]
    if any(row.score for row in rows) or as_json:
        _say(rows, metric, as_json=as_json)
    if not any(row.score for row in rows):
        raise InputError(_none_scored(rows))


def _none_scored(rows: list[RescoredRun]) -> str:
    if not rows:
        return "There is no finished run to score. See: palaver runs."
    return f"None of {counted(len(rows), 'run')} could be scored: {rows[0].problem}"


def _tasks(home: EvaluationHome, name: str | None) -> list[StoredTask]:
    if name is None:
        return home.store.read_now(list_tasks)
    return [home.store.read_now(lambda c: find_task(c, name))]


def _say(rows: list[RescoredRun], metric: str, *, as_json: bool) -> None:
    if as_json:
        document = {"metric": metric, "scores": [_row(row) for row in rows]}
        click.echo(msgspec.json.encode(document).decode())
        return
    wide = max((len(row.run.model) for row in rows), default=0)
    broad = max((len(row.run.dataset) for row in rows), default=0)
    for row in rows:
        click.echo(f"{row.run.model:<{wide}}  {row.run.dataset:<{broad}}  {_told(row)}")
    scored = sum(row.score is not None for row in rows)
    click.echo(f"{metric}: {counted(scored, 'run')} scored and stored; no model was asked.")


def _row(found: RescoredRun) -> dict[str, Any]:
    """A run and its score as plain data."""
    named = {
        "task": found.run.task,
        "model": found.run.model,
        "model_version": found.run.model_number,
        "dataset": found.run.dataset,
        "dataset_version": found.run.dataset_number,
        "run": found.run.run.key,
    }
    score = found.score
    if score is None:
        return {**named, "problem": found.problem}
    return {
        **named,
        "metric": score.metric,
        "version": score.version,
        "value": score.value,
        "interval": None if score.low is None else [score.low, score.high],
        "n": score.n,
        **({"reason": score.reason} if score.reason else {}),
    }


def _told(row: RescoredRun) -> str:
    if row.score is None:
        return f"not scored: {row.problem}"
    score = row.score
    if score.value is None:
        return f"undefined: {score.reason}  (n = {score.n:,})"
    ends = "" if score.low is None else f" [{score.low:.4f}, {score.high:.4f}]"
    return f"{score.value:.4f}{ends}  (n = {score.n:,})"
