"""`palaver rescore`: a metric on the answers that old runs have kept."""

import time
from pathlib import Path

import click

from palaver.cli.evaluation.home import existing
from palaver.cli.evaluation.runs_command import score_note
from palaver.cli.options import HOME, JSON, METRIC_OPTIONS, parsed_options
from palaver.cli.output import print_json, table_text, with_interval
from palaver.core.errors import InputError
from palaver.core.evaluation.runs import Rescored
from palaver.core.words import counted, measured
from palaver.evaluation.scoring.rescore import Rescoring, rescore
from palaver.metrics.registry import find_metric


@click.command("rescore")
@click.argument("task", required=False)
@click.option(
    "--metric",
    required=True,
    metavar="NAME",
    help="A metric that 'palaver metrics' lists, or module:function of your own.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME",
    help="Only this model; may be given several times.",
)
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    metavar="NAME",
    help="Only this data set; may be given several times.",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME",
    help="The output to score; several are averaged. Default: that of the task's performance.",
)
@METRIC_OPTIONS
@click.option("--force", is_flag=True, help="Compute again what is already stored.")
@HOME
@JSON
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
    wanted = Rescoring(
        metric=metric,
        models=models,
        datasets=datasets,
        fields=fields,
        options=parsed_options(options),
        folder=Path.cwd(),
        force=force,
    )
    with existing(home) as opened:
        rows = rescore(opened, wanted, task=task, now=time.time())
    scored = [row for row in rows if not row.problem]
    if as_json:
        print_json({"metric": metric, "scores": rows})
    elif scored:
        _say(rows, metric)
    if not scored:
        raise InputError(_none_scored(rows))


def _none_scored(rows: list[Rescored]) -> str:
    if not rows:
        return "There is no finished run to score. See: palaver runs."
    return f"None of {counted(len(rows), 'run')} could be scored: {rows[0].problem}"


def _say(rows: list[Rescored], metric: str) -> None:
    table = [("model", "data set", with_interval(metric), "n", "note")]
    table += [(row.model, row.dataset, *_told(row)) for row in rows]
    click.echo(table_text(table, names=2))
    scored = sum(not row.problem for row in rows)
    click.echo(f"{metric}: {counted(scored, 'run')} scored and stored; no model was asked.")


def _told(row: Rescored) -> tuple[str, str, str]:
    if row.problem:
        return "", "", f"not scored: {row.problem}"
    return measured(row.value, row.low, row.high), f"{row.n:,}", score_note(row)
