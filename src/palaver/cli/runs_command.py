"""`palaver runs`: list runs, look at one, cancel it, try it again."""

import time
from pathlib import Path
from typing import get_args

import click
from sqlalchemy import Connection

from palaver.cli.evaluating import at_home, existing
from palaver.cli.options import HOME, JSON
from palaver.cli.printing import print_json
from palaver.cli.runs_words import results_table, run_text
from palaver.core.evaluation.runs import RunState
from palaver.core.words import counted
from palaver.evaluation.runs.outcomes import cancel_run, retry_failed, retry_run
from palaver.evaluation.runs.results import read_run, read_runs, run_sheet


class RunsGroup(click.Group):
    """A group that lists runs when its first word is not a subcommand."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand, or the list."""
        if args and args[0] not in self.commands:
            args = ["list", *args]
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options belong to the list, too."""
        if not args or (args[0].startswith("-") and args[0] not in ("-h", "--help")):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group("runs", cls=RunsGroup)
def command() -> None:
    """List runs: palaver runs [TASK] [--state STATE] [--json]. Or look at one and change it."""


@command.command("list")
@click.argument("task", required=False)
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(get_args(RunState)),
    help="Only runs in this state; may be given several times.",
)
@JSON
@HOME
def list_command(
    task: str | None, states: tuple[RunState, ...], as_json: bool, home: Path | None
) -> None:
    """List the runs of TASK, or of every task, oldest first."""
    with existing(home) as opened:
        found = opened.store.read_now(lambda c: read_runs(c, task=task, states=states))
    if as_json:
        print_json({"runs": found.runs})
    elif found.runs:
        click.echo(results_table(found.runs))
    else:
        click.echo("There are no such runs. Runs are planned when a model or a data set is added.")


@command.command("show")
@click.argument("key")
@JSON
@HOME
def show_command(key: str, as_json: bool, home: Path | None) -> None:
    """Show everything about the run KEY: states, failed attempts, refused answers, scores."""
    with existing(home) as opened:
        sheet = opened.store.read_now(lambda c: run_sheet(c, key))
    if as_json:
        print_json(sheet)
    else:
        click.echo(run_text(sheet))


@command.command("cancel")
@click.argument("key")
@HOME
def cancel_command(key: str, home: Path | None) -> None:
    """Cancel the run KEY, even while a server works on it; its answers are kept."""
    with existing(home) as opened:
        opened.store.write_now(lambda c: cancel_run(c, read_run(c, key), now=time.time()))
    retry, work = at_home(f"palaver runs retry {key}"), at_home("palaver evaluate")
    click.echo(f"Cancelled. To go on with it: {retry}, then {work}")


@command.command("retry")
@click.argument("key", required=False)
@click.option("--failed", is_flag=True, help="Every run that has failed.")
@click.option("--task", metavar="TASK", help="With --failed: only those of this task.")
@HOME
def retry_command(key: str | None, failed: bool, task: str | None, home: Path | None) -> None:
    """Continue a failed or cancelled run: only items without a good answer are asked again."""
    if failed == (key is not None):
        raise click.UsageError("Give the key of a run, or --failed for every run that has failed.")
    with existing(home) as opened:
        count = opened.store.write_now(lambda c: _retry(c, key, task))
    if not count:
        click.echo("No run has failed.")
        return
    click.echo(
        f"{counted(count, 'run')} will be tried again: by a running server, or now with "
        + at_home("palaver evaluate")
    )


def _retry(connection: Connection, key: str | None, task: str | None) -> int:
    if key is None:
        return len(retry_failed(connection, task=task))
    retry_run(connection, read_run(connection, key))
    return 1
