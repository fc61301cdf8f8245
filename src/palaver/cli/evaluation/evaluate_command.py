"""`palaver evaluate`: ask models what is due, and score what they answer."""

import sys
import time
from pathlib import Path

import click

from palaver.cli.evaluation.home import at_home, existing
from palaver.cli.evaluation.runs_command import results_table
from palaver.cli.options import HOME, JSON
from palaver.cli.output import print_json
from palaver.core.evaluation.runs import Run
from palaver.core.words import counted
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.jobs.worker import AT_ONCE
from palaver.evaluation.runs.plans import plan_evaluation
from palaver.evaluation.runs.results import with_performance


@click.command("evaluate")
@click.argument("task", required=False)
@click.option("--model", metavar="NAME", help="Only this model.")
@click.option("--dataset", metavar="NAME", help="Only this data set, whatever its access.")
@click.option(
    "--engine",
    metavar="ADDRESS",
    help="Where models are asked from: local, dask://HOST:PORT or ray://HOST:PORT.",
)
@click.option(
    "--at-once",
    type=click.IntRange(min=1),
    default=AT_ONCE,
    show_default=True,
    help="How many models are asked at a time.",
)
@JSON
@HOME
def command(
    task: str | None,
    model: str | None,
    dataset: str | None,
    engine: str | None,
    at_once: int,
    as_json: bool,
    home: Path | None,
) -> None:
    """Evaluate what is due: the models of TASK, or of every task, on its data sets.

    What was answered before is not asked again. Exit status 1 if a run has failed.
    """
    if task is None and (model or dataset):
        raise click.UsageError("Name the task, too: palaver evaluate TASK --model … --dataset …")
    with existing(home) as opened:
        runs = opened.store.write_now(
            lambda c: plan_evaluation(c, task=task, model=model, dataset=dataset, now=time.time())
        )
        due = [run for run in runs if not run.is_over]
        listed = work_through(opened, runs=due, engine=engine, at_once=at_once, echo=_to_stderr)
        _report(opened, listed, runs, as_json=as_json)
    if any(each.state == "failed" for each in listed):
        sys.exit(1)


def _report(home: EvaluationHome, listed: list[Run], runs: list[Run], *, as_json: bool) -> None:
    results = home.store.read_now(lambda c: with_performance(c, listed))
    if as_json:
        print_json({"runs": results})
        return
    if results:
        click.echo(results_table(results))
    else:
        click.echo(f"Nothing is due: every run is over. See: {at_home('palaver runs')}")
    mine = {each.id for each in listed}
    failed = [run for run in runs if run.state == "failed" and run.id not in mine]
    if failed:
        click.echo(
            f"\n{counted(len(failed), 'run')} failed earlier. "
            f"See: {at_home('palaver runs --state failed')}; "
            f"retry: {at_home('palaver runs retry --failed')}"
        )
    scored = sorted({each.task for each in listed if each.state == "done"})
    if scored:
        board = at_home(f"palaver board {scored[0]}")
        click.echo(f"\nStored in {home.folder}. Next: {board}")


def _to_stderr(line: str) -> None:
    click.echo(line, err=True)
