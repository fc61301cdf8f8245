"""`palaver round`: rounds in which people write what models get wrong, from opening to bonuses."""

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from sqlalchemy import Connection

from palaver.cli.evaluation.asked_round import NUMBER, TASK, asked_round
from palaver.cli.evaluation.home import at_home, due_line, existing
from palaver.cli.evaluation.round_examples_command import COMMANDS
from palaver.cli.evaluation.round_words import (
    closed_lines,
    round_rows,
    sheet_text,
)
from palaver.cli.options import HOME, IN_PATH, JSON
from palaver.cli.output import print_json, table_text
from palaver.core.audit import COMMAND
from palaver.core.evaluation.datasets import Access
from palaver.core.evaluation.rounds import Round
from palaver.core.evaluation.runs import Run
from palaver.core.words import counted
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.rounds.closing import ACCESS, ClosingOptions, close_round
from palaver.evaluation.rounds.examples import read_written
from palaver.evaluation.rounds.opening import resume_round, stop_round
from palaver.evaluation.rounds.selection import NOTED
from palaver.evaluation.rounds.sheets import round_sheet
from palaver.evaluation.rounds.splits import SHARES, SPLITS
from palaver.evaluation.tasks import find_task, list_tasks
from palaver.storage.evaluation.rounds import list_rounds
from palaver.studies.file.reader import load_only_study
from palaver.studies.run.rounds import open_study_round, stored_study_id

F = TypeVar("F", bound=Callable[..., Any])

ACCESSES = click.Choice(["scoring", "standard", "hidden"])


@click.group("round")
def command() -> None:
    """Hold rounds in which people write what the models of a task get wrong."""


for each in COMMANDS:
    command.add_command(each)


def _access(split: str) -> Callable[[F], F]:
    return click.option(
        f"--{split}-access",
        type=ACCESSES,
        default=ACCESS[split],
        show_default=True,
        help=f"What the {split} set is for: the board, models' pages only, or you.",
    )


@command.command("open")
@click.argument("path", type=IN_PATH)
@HOME
@JSON
def open_command(path: Path, home: Path | None, as_json: bool) -> None:
    """Open the next round of the study at PATH, with the models that its file names.

    The first round of a study is opened by serving it.
    """
    study = load_only_study(path)
    with existing(home) as opened:
        study_id = stored_study_id(opened, study)
        made = open_study_round(opened, study, study_id=study_id, now=time.time(), by=COMMAND)
    if as_json:
        print_json(made)
        return
    models = ", ".join(model.system for model in made.models)
    click.echo(
        f"Round {made.number} of '{made.task}' is open: {counted(made.contexts, 'context')}, against "
        f"{models}."
    )
    click.echo("People write where the study is served: " + at_home(f"palaver serve {path}"))


@command.command("stop")
@TASK
@HOME
@JSON
def stop_command(task: str, home: Path | None, as_json: bool) -> None:
    """Seat nobody more in the running round of TASK; who writes now finishes."""
    stopped = _changed(task, home, stop_round)
    if as_json:
        print_json(stopped)
        return
    click.echo(f"Round {stopped.number} of '{task}' is stopped.")
    click.echo("Next: " + at_home(f"palaver round close {task}"))


@command.command("resume")
@TASK
@HOME
@JSON
def resume_command(task: str, home: Path | None, as_json: bool) -> None:
    """Open the stopped round of TASK again."""
    resumed = _changed(task, home, resume_round)
    if as_json:
        print_json(resumed)
    else:
        click.echo(f"Round {resumed.number} of '{task}' is open.")


@command.command("close")
@TASK
@NUMBER
@click.option(
    "--share",
    "shares",
    multiple=True,
    metavar="SPLIT=SHARE",
    help="How much goes into train, dev or test, together 1. Default: train=0.6, dev=0.2, test=0.2.",
)
@_access("test")
@_access("dev")
@_access("train")
@click.option("--contexts-apart", is_flag=True, help="Keep contexts in one split, too.")
@click.option(
    "--right", is_flag=True, help="Train on what models got right and people confirmed, too."
)
@click.option(
    "--keep",
    "noted",
    multiple=True,
    type=click.Choice(NOTED),
    help="Take examples that were noticed for this; several times.",
)
@click.option("--prefix", default="", metavar="NAME", help="How the data sets' names begin.")
@click.option("--seed", default="", help="What decides by lot. Default: the round's own.")
@click.option("--anyway", is_flag=True, help="Leave out what still waits for judgements.")
@click.option("--later", is_flag=True, help="Leave the runs to the server or palaver evaluate.")
@HOME
@JSON
def close_command(
    task: str,
    number: int | None,
    shares: tuple[str, ...],
    test_access: Access,
    dev_access: Access,
    train_access: Access,
    contexts_apart: bool,
    right: bool,
    noted: tuple[str, ...],
    prefix: str,
    seed: str,
    anyway: bool,
    later: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Make data sets of what was verified in the round of TASK, and evaluate every model on them.

    Nobody who wrote is in two splits. A closed round stays closed.
    """
    chosen = ClosingOptions(
        shares=_shares(shares),
        access={"test": test_access, "dev": dev_access, "train": train_access},
        contexts_apart=contexts_apart,
        right=right,
        noted=noted,
        prefix=prefix,
        seed=seed,
        anyway=anyway,
    )
    with asked_round(task, number, home) as asked:
        closed = close_round(
            asked.home, asked.row, asked.round, options=chosen, by=COMMAND, now=time.time()
        )
        if not as_json:
            click.echo("\n".join(closed_lines(closed)))
            if closed.is_new or closed.due:
                click.echo(due_line(closed.due, side="dataset", none="No model to evaluate now."))
        done: list[Run] = []
        if closed.due and not later:
            say = partial(click.echo, err=as_json)
            done = work_through(asked.home, runs=closed.due, echo=say, stream=sys.stderr)
        if as_json:
            print_json(closed)
        else:
            _say_next(closed.task, closed.study, leader=closed.leader, waits=later and closed.due)
    if any(each.state == "failed" for each in done):
        sys.exit(1)


@command.command("list")
@click.argument("task", required=False)
@HOME
@JSON
def list_command(task: str | None, home: Path | None, as_json: bool) -> None:
    """List the rounds of TASK, or of every task."""

    def read(connection: Connection) -> list[Round]:
        rows = list_tasks(connection) if task is None else [find_task(connection, task)]
        return [each for row in rows for each in list_rounds(connection, row.id)]

    with existing(home) as opened:
        found = opened.store.read_now(read)
    if as_json:
        print_json({"rounds": found})
    elif not found:
        click.echo("No rounds yet. Serve a study with a write stage: palaver serve FOLDER")
    else:
        click.echo(table_text(round_rows(found), names=2))


@command.command("show")
@TASK
@NUMBER
@click.option("--writers", is_flag=True, help="Show the error rate of each writer, too.")
@HOME
@JSON
def show_command(
    task: str, number: int | None, writers: bool, home: Path | None, as_json: bool
) -> None:
    """Show a round of TASK: error rates with intervals, contexts and goals, who judged how."""
    with asked_round(task, number, home) as asked:
        sheet = asked.home.store.read_now(
            lambda c: round_sheet(asked.home, c, read_written(c, asked.round))
        )
    if as_json:
        print_json(sheet)
    else:
        click.echo(sheet_text(sheet, writers=writers))


def _changed(task: str, home: Path | None, change: Callable[..., Round]) -> Round:
    with asked_round(task, None, home) as asked:
        return asked.home.store.write_now(
            lambda c: change(c, asked.round, by=COMMAND, now=time.time())
        )


def _shares(given: Sequence[str]) -> dict[str, float]:
    """The shares of options such as train=0.8; a split that is not named gets nothing."""
    shares: dict[str, float] = {}
    for each in given:
        name, equals, share = each.partition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            raise click.UsageError(
                f"--share takes a split and a number, such as test=0.2; got '{each[:40]}'."
            ) from None
        if not equals or name not in SPLITS:
            raise click.UsageError(f"A split is one of {', '.join(SPLITS)}; got '{name[:40]}'.")
    return shares or dict(SHARES)


def _say_next(task: str, study: str, *, leader: str, waits: object) -> None:
    """What to do after closing, and who leads until then."""
    if waits:
        click.echo("\nNext: " + at_home(f"palaver evaluate {task}"))
        click.echo(f"Then open the next round, with the folder of '{study}':")
    else:
        click.echo(f"\nNext, with the folder of '{study}':")
    click.echo("  " + at_home("palaver round open FOLDER"))
    if leader:
        click.echo(
            f"With 'models: leader' its model is whoever leads the board then; before these data sets "
            f"it was {leader}."
        )
