"""`palaver evaluate`: ask models what is due, and score what they answer."""

import sys
import time
from pathlib import Path

import click
import msgspec
from sqlalchemy import Connection

from palaver.cli.evaluating import HOME, at_home, existing
from palaver.cli.runs_words import results_table
from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.planning import plan_pairs
from palaver.evaluation.runs.results import run_results
from palaver.evaluation.runs.through import work_through
from palaver.evaluation.runs.worker import AT_ONCE
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.models import find_model
from palaver.storage.evaluation.runs import ListedRun, StoredRun, list_runs
from palaver.storage.evaluation.tasks import find_task, list_tasks

OPEN = ("waiting", "answering", "scoring")


@click.command("evaluate")
@click.argument("task", required=False)
@click.option("--model", help="Only this model.")
@click.option("--dataset", help="Only this data set, whatever its access.")
@click.option("--engine", help="Where models are asked from: local, dask://HOST:PORT, ray://….")
@click.option(
    "--at-once",
    type=click.IntRange(min=1),
    default=AT_ONCE,
    show_default=True,
    help="How many models are asked at a time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
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
    """Evaluate the models of TASK (or of every task) on its data sets, as far as that is due.

    What was answered before is not asked again. Exit status 1 if a run has failed.
    """
    if task is None and (model or dataset):
        raise InputError("Name the task, too: palaver evaluate TASK --model … --dataset …")
    with existing(home) as opened:
        runs = opened.store.write_now(lambda c: _planned(c, task, model, dataset))
        due = [run for run in runs if run.state in OPEN]
        listed = work_through(opened, runs=due, engine=engine, at_once=at_once, echo=_to_stderr)
        _report(opened, listed, runs, as_json=as_json)
    if any(each.run.state == "failed" for each in listed):
        sys.exit(1)


def _planned(
    connection: Connection, task: str | None, model: str | None, dataset: str | None
) -> list[StoredRun]:
    rows = list_tasks(connection) if task is None else [find_task(connection, task)]
    runs: list[StoredRun] = []
    for row in rows:
        models = [find_model(connection, row.id, model)] if model else None
        datasets = [find_dataset(connection, row.id, dataset)] if dataset else None
        plan_pairs(connection, row, models, datasets, now=time.time())
        # Also the runs of data sets that do not count, and of earlier versions, as far as they wait.
        runs += [
            each.run
            for each in list_runs(connection, task_id=row.id)
            if model in (None, each.model) and dataset in (None, each.dataset)
        ]
    return runs


def _report(
    home: EvaluationHome, listed: list[ListedRun], runs: list[StoredRun], *, as_json: bool
) -> None:
    results = home.store.read_now(lambda c: run_results(c, listed))
    if as_json:
        document = {"runs": [each.as_json() for each in results]}
        click.echo(msgspec.json.encode(document).decode())
        return
    if results:
        click.echo(results_table(results))
    else:
        click.echo(f"Nothing is due: every run is over. See: {at_home('palaver runs')}")
    mine = {each.run.id for each in listed}
    failed = [run for run in runs if run.state == "failed" and run.id not in mine]
    if failed:
        click.echo(
            f"\n{counted(len(failed), 'run')} failed earlier. "
            f"See: {at_home('palaver runs --state failed')}; "
            f"again: {at_home('palaver runs retry --failed')}"
        )
    scored = sorted({each.task for each in listed if each.run.state == "done"})
    if scored:
        board = at_home(f"palaver board {scored[0]}")
        click.echo(f"\nStored in {home.folder}. Next: {board}")


def _to_stderr(line: str) -> None:
    click.echo(line, err=True)
